/* What a handler does to a tensor before and after a model, element by element and row by row.
 *
 * `in` and `out` are compact and of one shape; out is written whole and may not be in. Where `out` is a
 * float, the work is done in doubles and rounded once, at the end. NaN stays NaN everywhere but in
 * rl_tensor_nan_to. */
#ifndef RL_MODEL_TENSOR_MATH_H
#define RL_MODEL_TENSOR_MATH_H

#include "model/tensor.h"

/* ---- of floats (out is float32 or float64; in is anything) ---- */

/* (x - mean[j]) / deviation[j], j the place along the last axis; a mean or deviation of one number is for all
 * of them. n_… is 1 or the size of the last axis. */
void rl_tensor_scale(const struct rl_tensor *out, const struct rl_tensor *in, const double *mean,
                     size_t n_mean, const double *deviation, size_t n_deviation);
/* Each row (of a tensor of rank 1: all of it) divided by its L2 norm; a row of zeros stays. */
void rl_tensor_normalize(const struct rl_tensor *out, const struct rl_tensor *in);
void rl_tensor_log(const struct rl_tensor *out, const struct rl_tensor *in);
void rl_tensor_exp(const struct rl_tensor *out, const struct rl_tensor *in);
void rl_tensor_nan_to(const struct rl_tensor *out, const struct rl_tensor *in, double value);
/* exp(x) over their sum, along the last axis. */
void rl_tensor_softmax(const struct rl_tensor *out, const struct rl_tensor *in);

/* ---- of any type (out has in's) ---- */

void rl_tensor_clip(const struct rl_tensor *out, const struct rl_tensor *in, double low, double high);
void rl_tensor_clip_int(const struct rl_tensor *out, const struct rl_tensor *in, int64_t low, int64_t high);

#endif
