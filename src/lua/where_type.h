/* What is known of a value before a row is looked at, from the columns' profile (where_emit.h). */
#ifndef RL_LUA_WHERE_TYPE_H
#define RL_LUA_WHERE_TYPE_H

#include "lua/where_tree.h"

/* NUMBER, TEXT and BOOLEAN stand inline and need their columns checked for nil before (a NUMBER may still
 * come out as NaN, which is missing); ANY checks by itself and may be nil. */
enum rl_where_type { RL_WHERE_ANY, RL_WHERE_NUMBER, RL_WHERE_TEXT, RL_WHERE_BOOLEAN };

enum rl_where_type rl_where_type_of(const char *profile, const struct rl_where_node *node);
enum rl_where_type rl_where_type_of_column(const char *profile, const struct rl_where_node *node);

#endif
