/* The userdata "rille.where": a parsed expression, and the loops made of it so far (user value 1: by
 * profile). */
#ifndef RL_LUA_WHERE_OBJECT_H
#define RL_LUA_WHERE_OBJECT_H

#include <lua.h>

#include "codec/columns.h"
#include "lua/where_tree.h"

struct rl_where {
  struct rl_where_tree tree;
  bool in_c;       /* rl_where_eval knows every node */
  unsigned loops;  /* in user value 1 */
  uint32_t *field; /* per name: its field in the columns last seen; in the tree's arena */
};

/* Pushes the compiled form of the string or "rille.where" at idx, from the cache when the text was seen
 * before. What is wrong raises as a script failure; call names the function to blame ("batch:where"). */
struct rl_where *rl_where_push(lua_State *L, int idx, const char *call);

/* 0, or RL_EUSAGE: the i-th name is neither a field nor a field's path, which names the nearest, or it is a
 * list or an array where a value is wanted. */
int rl_where_check(const struct rl_where *w, size_t i, const struct rl_fields *fields, struct rl_err *err);

enum rl_where_how { RL_WHERE_BEST, RL_WHERE_IN_LUA }; /* the second for tests and benchmarks */

/* The rows, of rows[0, n), that pass the "rille.where" at idx: written to out, how many is returned. An
 * unknown column is a script failure that names the nearest. */
size_t rl_where_select(lua_State *L, int idx, const struct rl_columns *columns, const uint32_t *rows,
                       size_t n, uint32_t *out, enum rl_where_how how);

/* Pushes the loop for a profile (where_emit.h): from user value 1 of the object at idx, or made now. */
void rl_where_push_loop(lua_State *L, int idx, const char *profile);

void rl_where_open_loops(lua_State *L);

#endif
