/* A dense network for yes and no: layers of weights with ReLU between them and a sigmoid at the end, trained
 * by Adam on the binary cross-entropy. And no more than that.
 *
 * The loss is computed from the logits, before the sigmoid: so it is right, and finite, where a score rounds
 * to 0 or 1. Dropout, if asked for, works behind the hidden layers while training only; what is kept is
 * scaled up by 1 / (1 - rate). Weights begin as Glorot's uniform ones, biases at 0.
 *
 * The same seed and the same mini-batches give the same network on the same machine; other processors round
 * sums differently (OpenBLAS has routines for each kind).
 *
 * Rows are compact float32. Memory for the parameters (four times: themselves, their gradients, Adam's two
 * moments) and for the work on a batch comes from the allocator; work memory is kept for the next batch. One
 * thread at a time. */
#ifndef RL_MODEL_MLP_H
#define RL_MODEL_MLP_H

#include <stdio.h>

#include "model/blas.h"
#include "model/mlp_math.h"
#include "model/tensor.h"

enum { RL_MLP_LAYERS = 16, RL_MLP_SIZE = 65536 }; /* at most */

struct rl_mlp_spec {
  int layers;                       /* of weights */
  int64_t sizes[RL_MLP_LAYERS + 1]; /* inputs, hidden …, outputs: layers + 1 of them, each at least 1 */
  double dropout[RL_MLP_LAYERS];    /* behind hidden layer i, from 0 to below 1; layers - 1 of them */
  double learning_rate, beta1, beta2, epsilon;
};

/* Without sizes: learning_rate 0.001, beta1 0.9, beta2 0.999, epsilon 1e-7 (Keras's). */
struct rl_mlp_spec rl_mlp_defaults(void);
/* RL_EUSAGE: what of it cannot be. */
int rl_mlp_check(const struct rl_mlp_spec *spec, struct rl_err *err);
size_t rl_mlp_parameters(const struct rl_mlp_spec *spec);

/* A plain value, as tensors are. `weights`, `gradients` and the moments are laid out alike: for each layer
 * its matrix (a row an input, a column an output), then its biases; zeros up to a multiple of RL_MLP_PAD. */
struct rl_mlp {
  struct rl_mlp_spec spec;
  struct rl_tensor_alloc alloc;
  rl_sgemm *sgemm;
  struct rl_tensor weights, gradients, first, second, work; /* float32 [n] */
  size_t rows;                                              /* that `work` has room for */
  int64_t steps;                                            /* of Adam */
  struct rl_mlp_dice dice;
};

/* RL_EUSAGE (spec), RL_EFAIL (no OpenBLAS), RL_ENOMEM: then m is empty, and a later try may have more luck.
 */
int rl_mlp_new(struct rl_mlp *m, const struct rl_mlp_spec *spec, uint64_t seed,
               const struct rl_tensor_alloc *alloc, struct rl_err *err);
void rl_mlp_free(struct rl_mlp *m); /* leaves an empty value; of one: nothing */

/* One step on a mini-batch of n > 0 rows; y are the labels, from 0 to 1, `outputs` of them a row. *loss: the
 * mean before the step, dropout at work. RL_ENOMEM; RL_EFAIL: the loss is no finite number, and there was no
 * step. */
int rl_mlp_train(struct rl_mlp *m, const float *x, const float *y, size_t n, double *loss,
                 struct rl_err *err);
/* The first half of it: the loss, and its derivatives in m->gradients. */
int rl_mlp_gradient(struct rl_mlp *m, const float *x, const float *y, size_t n, double *loss,
                    struct rl_err *err);
/* Scores, from 0 to 1; NaN where the row has one. RL_ENOMEM. */
int rl_mlp_predict(struct rl_mlp *m, const float *x, size_t n, float *scores, struct rl_err *err);
/* The mean loss, and the share of labels that are on the same side of 0.5 as their scores (which count as no
 * at 0.5 itself). NaN of no rows. RL_ENOMEM. */
int rl_mlp_evaluate(struct rl_mlp *m, const float *x, const float *y, size_t n, double *loss,
                    double *accuracy, struct rl_err *err);

/* An ONNX file (IR 8, opset 17): input "features" [N, inputs], output "score" [N, outputs], float32. Adam's
 * moments are not in it; what stands in the spec is, as the model's metadata. A file that was there is
 * replaced when the new one is whole. RL_EFAIL naming the path. */
int rl_mlp_save(const struct rl_mlp *m, const char *path, struct rl_err *err);
/* Reads what rl_mlp_save wrote, and nothing else: every byte is held against what it would write, and the
 * weights against a checksum. No more memory is asked for than the file is long (times four).
 *
 * rl_mlp_read_spec leaves the file where it was; rl_mlp_read_weights fills a network of that spec. RL_EFAIL
 * with the byte at which it shows; the caller names the file. */
int rl_mlp_read_spec(FILE *file, struct rl_mlp_spec *spec, struct rl_err *err);
int rl_mlp_read_weights(FILE *file, struct rl_mlp *m, struct rl_err *err);
int rl_mlp_write(FILE *file, const struct rl_mlp *m); /* 0, or RL_EFAIL with errno */

/* For the files of the network. */

struct rl_mlp_layer {
  size_t in, out;
  size_t weights, biases; /* where they begin, in floats */
};
/* Of layer i, from 0; i = spec->layers: `weights` is the end of all. */
struct rl_mlp_layer rl_mlp_layer(const struct rl_mlp_spec *spec, int i);
static inline float *rl_mlp_floats(const struct rl_tensor *t) { return (float *)(void *)t->data; }

#endif
