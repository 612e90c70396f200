#include "lua/json_shape.h"

struct rl_json_shape rl_json_shape_of(lua_State *L, int idx) {
  struct rl_json_shape shape = {.n = -1};
  lua_pushnil(L);
  while (lua_next(L, idx)) {
    if (lua_type(L, -2) == LUA_TSTRING) {
      bool is_n = lua_rawlen(L, -2) == 1 && *lua_tostring(L, -2) == 'n';
      if (is_n && lua_isinteger(L, -1)) shape.n = lua_tointeger(L, -1);
      shape.strings++;
    } else if (lua_isinteger(L, -2)) {
      lua_Integer key = lua_tointeger(L, -2);
      shape.ints++;
      if (key < 1) shape.low = true;
      if (key > shape.highest) shape.highest = key;
    } else {
      shape.foreign = true;
    }
    lua_pop(L, 1);
  }
  return shape;
}

bool rl_json_is_list(const struct rl_json_shape *shape) {
  bool n_alone = shape->strings == 1 && shape->n >= shape->highest;
  return !shape->low && !shape->foreign && (shape->strings == 0 || n_alone);
}
