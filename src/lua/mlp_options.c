/* What a network is made from: sizes and options. */
#include <string.h>

#include "lua/args.h"
#include "lua/fail.h"
#include "lua/mlp_impl.h"

static const char *const names[] = {"hidden", "output", "dropout", "learning_rate",
                                    "beta1",  "beta2",  "epsilon", "seed"};

void rl_mlp_sizes(lua_State *L, int idx, const char *call, struct rl_mlp_spec *spec) {
  if (!lua_istable(L, idx))
    rl_lua_script_error(L, "%s: a table is wanted, as in { 18, 128, 1 }, not %s", call,
                        luaL_typename(L, idx));
  lua_Unsigned n = lua_rawlen(L, idx);
  if (n < 2 || n > RL_MLP_LAYERS + 1)
    rl_lua_script_error(L, "%s: a network has 2 to %d sizes, inputs first and outputs last, not %d", call,
                        RL_MLP_LAYERS + 1, (int)(n > 1000 ? 1000 : n));
  spec->layers = (int)n - 1;
  for (int i = 0; i <= spec->layers; i++) {
    lua_rawgeti(L, idx, i + 1);
    spec->sizes[i] = rl_arg_integer(L, -1, call, "size of a layer");
    lua_pop(L, 1);
  }
}

/* Pushes what of the table is no size. */
static void push_named(lua_State *L, int idx) {
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1)) {
    if (lua_isinteger(L, -2)) continue;
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, -5);
  }
}

static double check_number(lua_State *L, const char *call, const char *name) {
  if (lua_type(L, -1) != LUA_TNUMBER)
    rl_lua_script_error(L, "%s: %s must be a number, not %s", call, name, luaL_typename(L, -1));
  return lua_tonumber(L, -1);
}

/* An option that is not there leaves what is. The options are at the top. */
static void read_number(lua_State *L, const char *call, const char *name, double *to) {
  if (lua_getfield(L, -1, name) != LUA_TNIL) *to = check_number(L, call, name);
  lua_pop(L, 1);
}

static void read_only(lua_State *L, const char *call, const char *name, const char *value) {
  if (lua_getfield(L, -1, name) != LUA_TNIL) {
    const char *given = rl_arg_text(L, -1, call, name, NULL);
    if (strcmp(given, value) != 0)
      rl_lua_script_error(L, "%s: %s = \"%s\" is all there is, not \"%s\"", call, name, value, given);
  }
  lua_pop(L, 1);
}

static void read_rates(lua_State *L, const char *call, struct rl_mlp_spec *spec) {
  int hidden = spec->layers - 1;
  if ((lua_Unsigned)hidden != lua_rawlen(L, -1))
    rl_lua_script_error(L, "%s: dropout has %d rates for %d hidden layers", call, (int)lua_rawlen(L, -1),
                        hidden);
  for (int i = 0; i < hidden; i++) {
    lua_rawgeti(L, -1, i + 1);
    spec->dropout[i] = check_number(L, call, "dropout");
    lua_pop(L, 1);
  }
}

static void read_dropout(lua_State *L, const char *call, struct rl_mlp_spec *spec) {
  int type = lua_getfield(L, -1, "dropout");
  if (type == LUA_TTABLE)
    read_rates(L, call, spec);
  else if (type != LUA_TNIL)
    for (int i = 0; i < spec->layers - 1; i++) spec->dropout[i] = check_number(L, call, "dropout");
  lua_pop(L, 1);
}

void rl_mlp_options(lua_State *L, int idx, const char *call, struct rl_mlp_spec *spec, uint64_t *seed) {
  if (lua_isnoneornil(L, idx)) return;
  if (!lua_istable(L, idx))
    rl_lua_script_error(L, "%s: the options must be a table, not %s", call, luaL_typename(L, idx));
  push_named(L, idx);
  rl_arg_options(L, lua_gettop(L), call, names, sizeof names / sizeof *names);
  read_only(L, call, "hidden", "relu");
  read_only(L, call, "output", "sigmoid");
  read_dropout(L, call, spec);
  read_number(L, call, "learning_rate", &spec->learning_rate);
  read_number(L, call, "beta1", &spec->beta1);
  read_number(L, call, "beta2", &spec->beta2);
  read_number(L, call, "epsilon", &spec->epsilon);
  if (lua_getfield(L, -1, "seed") != LUA_TNIL) *seed = (uint64_t)rl_arg_integer(L, -1, call, "seed");
  lua_pop(L, 2);
}
