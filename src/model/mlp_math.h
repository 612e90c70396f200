/* What a dense network does to its numbers one by one, in loops that compilers make vector instructions of
 * (the Makefile asks for it). No pointer may overlap another.
 *
 * Lengths named `padded` are multiples of RL_MLP_PAD: the buffers have room for them. */
#ifndef RL_MODEL_MLP_MATH_H
#define RL_MODEL_MLP_MATH_H

#include <stddef.h>
#include <stdint.h>

enum { RL_MLP_PAD = 16 }; /* floats */

static inline size_t rl_mlp_pad(size_t n) { return (n + RL_MLP_PAD - 1) / RL_MLP_PAD * RL_MLP_PAD; }

/* Which neurons are dropped: sixteen xorshift32 side by side, none of them 0. */
struct rl_mlp_dice {
  uint32_t at[RL_MLP_PAD];
};

/* Each of z's rows becomes the biases. */
void rl_mlp_repeat(const float *bias, size_t rows, size_t width, float *z);
/* What is below 0 becomes 0. NaN stays: a row that has one has no score. */
void rl_mlp_relu(float *z, size_t padded);
/* Each a becomes 0 with probability `rate`, else a / (1 - rate). */
void rl_mlp_drop(float *a, size_t padded, double rate, struct rl_mlp_dice *dice);
/* The way back through both: d is scaled where a was let through, 0 elsewhere. */
void rl_mlp_unrelu(float *d, const float *a, size_t padded, float scale);
/* sum[j] = the sum of the rows' d[j]. */
void rl_mlp_sum_rows(const float *d, size_t rows, size_t width, float *sum);

/* One step of Adam; `rate` has the corrections of step t in it: learning_rate sqrt(1 - beta2^t) / (1 -
 * beta1^t).
 */
struct rl_mlp_adam {
  float rate, beta1, beta2, epsilon;
};
void rl_mlp_adam(const struct rl_mlp_adam *how, size_t padded, const float *gradient, float *weight,
                 float *first, float *second);

#endif
