/* What a table's keys say about it: array, object or neither. Never raises, never allocates. */
#ifndef RL_LUA_JSON_SHAPE_H
#define RL_LUA_JSON_SHAPE_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

struct rl_json_shape {
  lua_Integer ints, highest, n; /* n: t.n, -1 if it is no integer */
  size_t strings;
  bool low, foreign; /* an integer under 1; a key that is neither integer nor string */
};

/* Of the table at idx (absolute); needs three free stack slots. */
struct rl_json_shape rl_json_shape_of(lua_State *L, int idx);
/* Positions from 1, and no other key but perhaps n. */
bool rl_json_is_list(const struct rl_json_shape *shape);

#endif
