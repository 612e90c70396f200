/* How good scores are, added up batch by batch: accuracy, confusion, log loss, and the area under the ROC
 * curve.
 *
 * A label is 0 or 1; a score is any number, for the log loss a probability. The first three keep a few sums.
 * The area is exact: ties count half, and every score is kept for it, as 8 bytes. */
#ifndef RL_MODEL_METRIC_H
#define RL_MODEL_METRIC_H

#include "model/tensor.h"

enum rl_metric_kind { RL_METRIC_ACCURACY, RL_METRIC_AUC, RL_METRIC_LOG_LOSS, RL_METRIC_CONFUSION };
enum { RL_METRIC_KINDS = RL_METRIC_CONFUSION + 1 };

/* A plain value; zeros, a kind and a threshold are one that has seen nothing. */
struct rl_metric {
  enum rl_metric_kind kind;
  double threshold;           /* a score above it says yes */
  uint64_t n[2][2];           /* [label][said] */
  double loss;                /* the sum */
  struct rl_tensor scores[2]; /* AUC: by label, as keys that sort as their scores do; int64 [capacity] */
  size_t used[2];
};

/* Adds scores and labels: compact tensors of equally many numbers, of any type. RL_EFAIL naming the row, from
 * 1, of a score that is none (NaN; for the log loss: outside 0 to 1) or a label that is neither 0 nor 1, and
 * RL_ENOMEM: then nothing was added. alloc NULL: malloc's. */
int rl_metric_update(struct rl_metric *m, const struct rl_tensor *scores, const struct rl_tensor *labels,
                     const struct rl_tensor_alloc *alloc, struct rl_err *err);
/* Of accuracy, log loss and AUC; NaN while there is none (no rows; for AUC: of one kind only). Sorts the
 * scores of AUC where they are. */
double rl_metric_value(struct rl_metric *m);
/* As at the beginning. */
void rl_metric_reset(struct rl_metric *m);

/* For the files of metrics. */

int rl_auc_reserve(struct rl_metric *m, const size_t more[2], const struct rl_tensor_alloc *alloc,
                   struct rl_err *err);
void rl_auc_add(struct rl_metric *m, double score, bool label);
double rl_auc_value(struct rl_metric *m);

#endif
