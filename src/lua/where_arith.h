/* Lua's arithmetic on cells: integers wrap around, `/` and `^` are of doubles; what Lua would raise for, and
 * any operand that is no INT or DOUBLE, or is NaN, gives MISSING. */
#ifndef RL_LUA_WHERE_ARITH_H
#define RL_LUA_WHERE_ARITH_H

#include "lua/where_tree.h"

/* op: ADD to POW, or NEG of a. */
struct rl_cell rl_where_arith(enum rl_where_op op, const struct rl_cell *a, const struct rl_cell *b);

#endif
