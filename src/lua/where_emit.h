/* The tree as one Lua loop over plain arrays.
 *
 * The chunk's arguments are K (literals), H (helpers that know about missing values, where_help.h) and M
 * (Lua's own functions, for arguments known to be numbers). It returns function(C, n, out): C the columns'
 * arrays, missing and NaN as holes; it writes the places that pass to out and returns how many there are.
 *
 *   rb >= 0.65 and mag < 18.5      local a1, a2 = c1[i], c2[i]
 *                                  if ((a1 and a1 >= k1) and (a2 and a2 < k2)) then m = m + 1 out[m] = i end
 *
 * No third truth value is computed: `not` is pushed down to the comparisons, each of which is asked whether
 * it is known to be true, or known to be false. The text of the expression is in none of the code: names are
 * numbered, literals are upvalues (past a number of them, slots of a table), operators and functions come
 * from tables here.
 *
 * The profile says what each column holds besides missing values, so that arithmetic and comparisons of
 * numbers stand inline: 'n' numbers, 't' texts, 'b' booleans, 'm' a mixture or something else. */
#ifndef RL_LUA_WHERE_EMIT_H
#define RL_LUA_WHERE_EMIT_H

#include "base/buf.h"
#include "lua/where_tree.h"

/* What K holds: K[i + 1] is the value of at[i] (LITERAL), or a set of its literals (IN). Borrowed from the
 * tree. */
struct rl_where_literals {
  const struct rl_where_node **at; /* rl_free */
  size_t n, cap;
};

void rl_where_emit(const struct rl_where_tree *tree, const char *profile, struct rl_buf *code,
                   struct rl_where_literals *literals);

#endif
