/* An expression evaluated row by row over the cells themselves, without Lua: for trees without functions,
 * `..` and
 * `#`. Gives what the generated loop gives (tested one against the other). */
#ifndef RL_LUA_WHERE_EVAL_H
#define RL_LUA_WHERE_EVAL_H

#include "lua/where_tree.h"

/* Whether every node of the tree is one that rl_where_eval knows. */
bool rl_where_can_eval(const struct rl_where_node *node);

/* columns[name][row]: the cells, by the tree's names. Writes those of rows[0, n) that pass to `out` (which
 * may be rows itself) and returns how many. */
size_t rl_where_eval(const struct rl_where_tree *tree, const struct rl_cell *const *columns,
                     const uint32_t *rows, size_t n, uint32_t *out);

#endif
