#include "model/metric.h"

#include <float.h>
#include <math.h>

#include "model/tensor_line.h"

/* Scores and labels, a stretch at a time, as doubles. */
struct stretch {
  double score[RL_LINE], label[RL_LINE];
  size_t n;
};

static void take_stretch(const struct rl_tensor *scores, const struct rl_tensor *labels, size_t at,
                         struct stretch *s) {
  size_t left = rl_tensor_count(scores) - at;
  s->n = left < RL_LINE ? left : RL_LINE;
  struct rl_line score = rl_tensor_line(scores, at), label = rl_tensor_line(labels, at);
  rl_line_load(&score, s->n, s->score);
  rl_line_load(&label, s->n, s->label);
}

/* ---- checks, before anything is added ---- */

static int check_score(const struct rl_metric *m, double score, size_t row, struct rl_err *err) {
  if (isnan(score))
    return rl_fail(err, RL_EFAIL, "the score of row %zu is NaN: leave rows without a score out", row);
  if (m->kind == RL_METRIC_LOG_LOSS && (score < 0 || score > 1))
    return rl_fail(err, RL_EFAIL, "the score of row %zu is %g: a probability is from 0 to 1", row, score);
  return 0;
}

static int check_stretch(const struct rl_metric *m, const struct stretch *s, size_t at, size_t by_label[2],
                         struct rl_err *err) {
  for (size_t i = 0; i < s->n; i++) {
    int rc = check_score(m, s->score[i], at + i + 1, err);
    if (rc) return rc;
    if (s->label[i] != 0 && s->label[i] != 1)
      return rl_fail(err, RL_EFAIL, "the label of row %zu is %g: labels are 0 and 1", at + i + 1,
                     s->label[i]);
    by_label[s->label[i] == 1]++;
  }
  return 0;
}

static int check_all(const struct rl_metric *m, const struct rl_tensor *scores,
                     const struct rl_tensor *labels, size_t by_label[2], struct rl_err *err) {
  struct stretch s;
  size_t count = rl_tensor_count(scores);
  int rc = 0;
  for (size_t at = 0; !rc && at < count; at += s.n) {
    take_stretch(scores, labels, at, &s);
    rc = check_stretch(m, &s, at, by_label, err);
  }
  return rc;
}

/* ---- adding ---- */

/* Scores of 0 and 1 are taken a rounding error away from there, as scikit-learn does. */
static double loss_of(double score, bool label, double rounding) {
  double p = score < rounding ? rounding : score > 1 - rounding ? 1 - rounding : score;
  return label ? -log(p) : -log1p(-p);
}

static void add(struct rl_metric *m, double score, bool label, double rounding) {
  m->n[label][score > m->threshold]++;
  if (m->kind == RL_METRIC_LOG_LOSS) m->loss += loss_of(score, label, rounding);
  if (m->kind == RL_METRIC_AUC) rl_auc_add(m, score, label);
}

int rl_metric_update(struct rl_metric *m, const struct rl_tensor *scores, const struct rl_tensor *labels,
                     const struct rl_tensor_alloc *alloc, struct rl_err *err) {
  struct stretch s;
  size_t by_label[2] = {0}, count = rl_tensor_count(scores);
  double rounding = scores->dtype == RL_FLOAT32 ? (double)FLT_EPSILON : DBL_EPSILON;
  int rc = check_all(m, scores, labels, by_label, err);
  if (!rc && m->kind == RL_METRIC_AUC) rc = rl_auc_reserve(m, by_label, alloc, err);
  for (size_t at = 0; !rc && at < count; at += s.n) {
    take_stretch(scores, labels, at, &s);
    for (size_t i = 0; i < s.n; i++) add(m, s.score[i], s.label[i] == 1, rounding);
  }
  return rc;
}

double rl_metric_value(struct rl_metric *m) {
  double n = (double)(m->n[0][0] + m->n[0][1] + m->n[1][0] + m->n[1][1]);
  if (n == 0 && m->kind != RL_METRIC_AUC) return (double)NAN; /* 0 / 0 may print as -nan */
  switch (m->kind) {
    case RL_METRIC_ACCURACY: return (double)(m->n[0][0] + m->n[1][1]) / n;
    case RL_METRIC_LOG_LOSS: return m->loss / n;
    case RL_METRIC_AUC: return rl_auc_value(m);
    case RL_METRIC_CONFUSION: break; /* it has four values: m->n */
  }
  return (double)NAN;
}

void rl_metric_reset(struct rl_metric *m) {
  rl_tensor_free(&m->scores[0]);
  rl_tensor_free(&m->scores[1]);
  *m = (struct rl_metric){.kind = m->kind, .threshold = m->threshold};
}
