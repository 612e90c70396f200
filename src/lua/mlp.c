#include "lua/mlp.h"

#include "lua/args.h"
#include "lua/fail.h"
#include "lua/members.h"
#include "lua/mlp_impl.h"
#include "lua/tensor.h"

static const char metatable_key; /* registry: the type's metatable, to be found without making a string */

enum property { P_INPUTS = 1, P_OUTPUTS, P_PARAMETERS };

struct rl_mlp *rl_mlp_self(lua_State *L, const char *call) {
  return rl_arg_self(L, RL_MLP_TYPE, call);
}

struct rl_mlp *rl_mlp_push(lua_State *L, const char *call, const struct rl_mlp_spec *spec, uint64_t seed) {
  struct rl_err err;
  struct rl_mlp *m = lua_newuserdatauv(L, sizeof *m, 0);
  *m = (struct rl_mlp){0};
  luaL_setmetatable(L, RL_MLP_TYPE);
  struct rl_tensor_alloc alloc = rl_lua_tensor_alloc(L);
  int rc = rl_mlp_new(m, spec, seed, &alloc, &err);
  for (int tries = 0; rc == RL_ENOMEM; tries++) {
    rl_lua_tensor_memory(L, tries > 0);
    rc = rl_mlp_new(m, spec, seed, &alloc, &err);
  }
  if (rc) rl_lua_script_error(L, "%s: %s", call, err.text);
  for (int i = 0; i < 4; i++) rl_lua_tensor_made(L, &m->weights); /* the gradients and moments are as large */
  return m;
}

/* rille.mlp{ … } */
static int l_mlp_new(lua_State *L) {
  static const char call[] = "rille.mlp";
  struct rl_mlp_spec spec = rl_mlp_defaults();
  uint64_t seed = 1;
  lua_settop(L, 2);
  rl_mlp_sizes(L, 2, call, &spec);
  rl_mlp_options(L, 2, call, &spec, &seed);
  rl_mlp_push(L, call, &spec, seed);
  return 1;
}

/* ---- members ---- */

/* { { name = …, dtype = "float32", shape = { -1, size } } } */
static void push_port(lua_State *L, const char *name, int64_t size) {
  lua_createtable(L, 1, 0);
  lua_createtable(L, 0, 3);
  lua_pushstring(L, name);
  lua_setfield(L, -2, "name");
  lua_pushliteral(L, "float32");
  lua_setfield(L, -2, "dtype");
  lua_createtable(L, 2, 0);
  lua_pushinteger(L, -1);
  lua_rawseti(L, -2, 1);
  lua_pushinteger(L, size);
  lua_rawseti(L, -2, 2);
  lua_setfield(L, -2, "shape");
  lua_rawseti(L, -2, 1);
}

static int push_property(lua_State *L, const struct rl_mlp *m, enum property which) {
  switch (which) {
    case P_INPUTS: push_port(L, "features", m->spec.sizes[0]); break;
    case P_OUTPUTS: push_port(L, "score", m->spec.sizes[m->spec.layers]); break;
    case P_PARAMETERS: lua_pushinteger(L, (lua_Integer)rl_mlp_parameters(&m->spec)); break;
  }
  return 1;
}

/* Upvalue 1: methods as functions, properties as numbers. */
static int l_mlp_index(lua_State *L) {
  const struct rl_mlp *m = rl_mlp_self(L, "mlp:index");
  lua_pushvalue(L, 2);
  switch (lua_rawget(L, lua_upvalueindex(1))) {
    case LUA_TFUNCTION: return 1;
    case LUA_TNUMBER: return push_property(L, m, (enum property)lua_tointeger(L, -1));
    default: break;
  }
  luaL_tolstring(L, 2, NULL);
  rl_lua_script_error(L, "a network has no '%s': man rille-train lists what it has", lua_tostring(L, -1));
}

/* "rille.mlp 18-128-1 (2561 parameters)" */
static int l_mlp_tostring(lua_State *L) {
  const struct rl_mlp *m = rl_mlp_self(L, "tostring");
  luaL_Buffer text;
  luaL_buffinit(L, &text);
  luaL_addstring(&text, RL_MLP_TYPE);
  for (int i = 0; i <= m->spec.layers; i++) {
    lua_pushfstring(L, "%s%d", i ? "-" : " ", (int)m->spec.sizes[i]);
    luaL_addvalue(&text);
  }
  lua_pushfstring(L, " (%I parameters)", (LUAI_UACINT)rl_mlp_parameters(&m->spec));
  luaL_addvalue(&text);
  luaL_pushresult(&text);
  return 1;
}

/* Is called for lack of memory too: so it may not need any, not even for the type's name. */
static int l_mlp_gc(lua_State *L) {
  struct rl_mlp *m = rl_arg_userdata(L, 1, &metatable_key);
  if (!m) return 0;
  struct rl_mlp empty = {.spec = m->spec};
  rl_mlp_free(m);
  *m = empty; /* its sizes: another finalizer may still look at it */
  return 0;
}

static const luaL_Reg meta[] = {
    {"__call", l_mlp_call}, {"__tostring", l_mlp_tostring}, {"__gc", l_mlp_gc}, {NULL, NULL}};

static void set_index(lua_State *L) {
  static const char *const properties[] = {"inputs", "outputs", "parameters"};
  lua_newtable(L);
  luaL_setfuncs(L, rl_mlp_methods, 0);
  for (int i = 0; i < 3; i++) {
    lua_pushinteger(L, P_INPUTS + i);
    lua_setfield(L, -2, properties[i]);
  }
  lua_pushcclosure(L, l_mlp_index, 1);
  lua_setfield(L, -2, "__index");
}

void rl_lua_open_mlp(lua_State *L) {
  static const luaL_Reg functions[] = {{"load", l_mlp_load}, {NULL, NULL}};
  if (luaL_newmetatable(L, RL_MLP_TYPE)) {
    luaL_setfuncs(L, meta, 0);
    set_index(L);
    rl_lua_seal_type(L, "a network", &metatable_key);
  }
  lua_pop(L, 1);
  luaL_newlib(L, functions);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, l_mlp_new);
  lua_setfield(L, -2, "__call");
  lua_setmetatable(L, -2);
}
