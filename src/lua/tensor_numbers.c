/* Numbers as an argument: a tensor, or an array, as a column is. */
#include "lua/tensor_impl.h"
#include "model/tensor_line.h"

struct rl_tensor *rl_lua_numbers(lua_State *L, int idx, const char *call, const char *what) {
  if (!lua_istable(L, idx)) return rl_lua_compact_tensor(L, idx, call, what);
  idx = lua_absindex(L, idx);
  struct rl_tensor *t = rl_tensor_from_table(L, idx, call, RL_DTYPES);
  lua_replace(L, idx);
  return t;
}

struct rl_tensor *rl_lua_floats(lua_State *L, int idx, const char *call, const char *what) {
  struct rl_tensor *t = rl_lua_numbers(L, idx, call, what);
  if (t->dtype == RL_FLOAT32) return t;
  idx = lua_absindex(L, idx);
  struct rl_err err;
  struct rl_tensor *floats = rl_lua_new_tensor(L, call, RL_FLOAT32, t->rank, t->shape);
  if (rl_tensor_convert(floats, t, &err)) luaL_error(L, "%s: %s: %s", call, what, err.text);
  lua_replace(L, idx);
  return floats;
}
