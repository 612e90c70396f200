/* Two tensors, element by element: comparisons, arithmetic, logic.
 *
 * Shapes go together as they do in NumPy: they are laid beside each other from the last axis on; a size of 1,
 * or an axis that one of them lacks, is repeated. So a number goes with everything, [k] is a row for each row
 * of [n, k], and a column [n] goes with another [n]. */
#ifndef RL_MODEL_TENSOR_PAIR_H
#define RL_MODEL_TENSOR_PAIR_H

#include "model/tensor.h"

enum rl_relation { RL_REL_EQ, RL_REL_NE, RL_REL_LT, RL_REL_LE, RL_REL_GT, RL_REL_GE };
enum rl_arith { RL_ADD, RL_SUB, RL_MUL, RL_DIV };
enum rl_logic { RL_BOTH, RL_EITHER };

/* The shape of the pair; RL_EUSAGE naming both when they do not go together. */
int rl_tensor_pair_shape(const struct rl_tensor *a, const struct rl_tensor *b, int *rank,
                         int64_t shape[RL_RANK_MAX], struct rl_err *err);

/* `out` is compact, of the pair's shape, and bool. Integers and floats compare exactly (2^53 + 1 is more than
 * 2.0^53). NaN fails every comparison, RL_REL_NE too: it is a missing value (S8.2). */
void rl_tensor_compare(enum rl_relation relation, const struct rl_tensor *a, const struct rl_tensor *b,
                       const struct rl_tensor *out);
/* Of two bool tensors. */
void rl_tensor_logic(enum rl_logic logic, const struct rl_tensor *a, const struct rl_tensor *b,
                     const struct rl_tensor *out);
/* The type of a op b: float64 if one of them is, else float32 if one of them is; int64 of two others, which
 * RL_DIV makes float64. */
enum rl_dtype rl_tensor_arith_dtype(enum rl_arith op, enum rl_dtype a, enum rl_dtype b);
/* `out` has that type. In floats as doubles, rounded once; in integers with wrap-around, as Lua's. */
void rl_tensor_arith(enum rl_arith op, const struct rl_tensor *a, const struct rl_tensor *b,
                     const struct rl_tensor *out);

#endif
