/* The exact order of numbers of any width: INT, DOUBLE and BIG cells, never rounded to compare. */
#ifndef RL_LUA_NUMBER_ORDER_H
#define RL_LUA_NUMBER_ORDER_H

#include <stdbool.h>

#include "codec/cell.h"

#define RL_UNORDERED 2

/* -1, 0 or 1 as a is before, equal to or after b; RL_UNORDERED when one is NaN. Both are INT, DOUBLE or BIG.
 * Exponents past 10^15 are taken as 10^15: the order is exact for anything that a document can spell out. */
int rl_number_order(const struct rl_cell *a, const struct rl_cell *b);

static inline bool rl_is_number(const struct rl_cell *cell) {
  return cell->tag == RL_INT || cell->tag == RL_DOUBLE || cell->tag == RL_BIG;
}

#endif
