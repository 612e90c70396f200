/* From cells to the floats of a tensor, without Lua: what batch:tensor costs, it costs here. */
#ifndef RL_LUA_BATCH_FILL_H
#define RL_LUA_BATCH_FILL_H

#include "codec/columns.h"
#include "model/tensor.h"

/* One column into one of the tensor's. A cell that is no number (missing, null, text, NaN), and one whose
 * number the type does not hold, becomes NaN, and its row's `complete` 0; else that stays as it was. */
struct rl_fill {
  const struct rl_cell *cells; /* by row of the batch */
  const uint32_t *rows;        /* of the view */
  size_t n;
  unsigned char *complete; /* n of them */
  bool texts;              /* set when one of the cells is text or bytes */
};

/* One column of arrays of a declared shape (RL_SHAPED) into `to`, which is compact, a float, and [n] with
 * that shape behind. A row with a NaN in it, or without an array, which is NaN all over, is not complete. */
void rl_batch_fill_arrays(const struct rl_fill *column, const struct rl_tensor *to);

/* Fills the columns of `to`, which is compact, [n, n_columns] and a float. The fills are of one view. */
void rl_batch_fill(struct rl_fill *columns, size_t n_columns, const struct rl_tensor *to);

#endif
