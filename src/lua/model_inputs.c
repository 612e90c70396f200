#include "lua/model_inputs.h"

#include <lauxlib.h>

#include "lua/fail.h"
#include "lua/tensor.h"

/* The tensor at the top, compact; it is left there, so that it stays. */
static struct rl_tensor take_tensor(lua_State *L, const char *name) {
  const char *what = name ? lua_pushfstring(L, "the input '%s'", name) : "the input";
  if (name) lua_insert(L, -2);
  return *rl_lua_compact_tensor(L, lua_gettop(L), "model", what);
}

static size_t count_named(lua_State *L) {
  size_t n = 0;
  for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING)
      rl_lua_script_error(L, "model: a tensor is wanted, or a table of them by name, { features = t }");
    n++;
  }
  return n;
}

/* Keys and values of the table onto the stack, where no finalizer changes them. Takes no memory, so that none
 * runs meanwhile. */
static void push_pairs(lua_State *L) {
  lua_pushnil(L);
  while (lua_next(L, 2)) {
    lua_pushvalue(L, -2);
    lua_insert(L, -3); /* key, value, and the key to go on from */
    lua_insert(L, -2);
  }
}

/* Names are on the stack, and tensors too. */
static struct rl_model_value *take_named(lua_State *L, size_t *n) {
  luaL_checkstack(L, 10, "too many inputs");
  *n = count_named(L);
  if (*n > 1000) rl_lua_script_error(L, "model: no model has %d inputs", (int)*n);
  luaL_checkstack(L, (int)*n * 4 + 10, "too many inputs");
  int pairs = lua_gettop(L);
  push_pairs(L);
  struct rl_model_value *inputs = lua_newuserdatauv(L, (*n + 1) * sizeof *inputs, 0);
  for (size_t i = 0; i < *n; i++) {
    int key = pairs + 1 + 2 * (int)i;
    inputs[i].name = lua_tostring(L, key);
    lua_pushvalue(L, key + 1);
    inputs[i].t = take_tensor(L, inputs[i].name);
  }
  return inputs;
}

void rl_lua_model_one_argument(lua_State *L) {
  if (lua_gettop(L) == 3 && rl_lua_test_tensor(L, 2) && rl_lua_test_tensor(L, 3))
    rl_lua_script_error(
        L,
        "model: one argument is wanted, not 2: batch:tensor gives the complete rows beside the "
        "tensor; local x, complete = batch:tensor{ ... }, then m(x) or m(x:rows(complete))");
  if (lua_gettop(L) != 2) rl_lua_script_error(L, "model: one argument is wanted, not %d", lua_gettop(L) - 1);
}

struct rl_model_value *rl_lua_model_inputs(lua_State *L, size_t *n) {
  if (lua_istable(L, 2)) return take_named(L, n);
  struct rl_model_value *inputs = lua_newuserdatauv(L, sizeof *inputs, 0);
  lua_pushvalue(L, 2);
  inputs->name = NULL;
  inputs->t = take_tensor(L, NULL);
  *n = 1;
  return inputs;
}
