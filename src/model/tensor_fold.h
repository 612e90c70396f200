/* Sums and their kin: of a whole tensor, or along one of its axes.
 *
 * A NaN makes what it is part of NaN. Sums of floats are kept in doubles; of integers they are exact. */
#ifndef RL_MODEL_TENSOR_FOLD_H
#define RL_MODEL_TENSOR_FOLD_H

#include "model/tensor.h"

enum rl_fold { RL_SUM, RL_MEAN, RL_STD, RL_MIN, RL_MAX, RL_ARGMAX };

/* The type of the result: SUM and of integers int64; MEAN and STD (of the population) of float32 float32,
 * else float64; MIN and MAX the tensor's own; ARGMAX int64. */
enum rl_dtype rl_tensor_fold_dtype(enum rl_fold fold, enum rl_dtype dtype);

/* Along `axis`; `out` is compact, of the type above, and has in's shape without that axis. axis < 0: over
 * all, `out` then being of rank 0. `in` is compact. ARGMAX gives the place from 1; 0 where there is a NaN.
 * RL_EUSAGE: an integer sum that does not fit 64 bits, or MIN, MAX, ARGMAX over nothing. */
int rl_tensor_fold(enum rl_fold fold, const struct rl_tensor *in, int axis, const struct rl_tensor *out,
                   struct rl_err *err);

#endif
