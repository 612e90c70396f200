#include "lua/args.h"

#include <lauxlib.h>
#include <string.h>

#include "base/str.h"
#include "lua/fail.h"

const char *rl_arg_text(lua_State *L, int idx, const char *call, const char *what, size_t *len) {
  if (lua_type(L, idx) != LUA_TSTRING)
    rl_lua_script_error(L, "%s: the %s must be a string, not %s", call, what, luaL_typename(L, idx));
  return lua_tolstring(L, idx, len);
}

/* "1.5", "nil", "string": the number itself, where that is what is wrong. Stays on the stack. */
static const char *push_found(lua_State *L, int idx) {
  return lua_type(L, idx) == LUA_TNUMBER ? luaL_tolstring(L, idx, NULL) : luaL_typename(L, idx);
}

int64_t rl_arg_integer(lua_State *L, int idx, const char *call, const char *what) {
  int ok = 0;
  lua_Integer value = lua_type(L, idx) == LUA_TNUMBER ? lua_tointegerx(L, idx, &ok) : 0;
  if (!ok) rl_lua_script_error(L, "%s: the %s must be an integer, not %s", call, what, push_found(L, idx));
  return value;
}

void rl_arg_function(lua_State *L, int idx, const char *call, const char *what) {
  if (lua_type(L, idx) != LUA_TFUNCTION)
    rl_lua_script_error(L, "%s: the %s must be a function, not %s", call, what, luaL_typename(L, idx));
}

static int known(const char *name, const char *const *names, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(name, names[i]) == 0) return 1;
  return 0;
}

static void check_option(lua_State *L, const char *call, const char *const *names, size_t n) {
  if (lua_type(L, -2) != LUA_TSTRING)
    rl_lua_script_error(L, "%s: an option's name is a string, not %s", call, luaL_typename(L, -2));
  const char *name = lua_tostring(L, -2);
  if (known(name, names, n)) return;
  const char *near = rl_nearest(name, names, n);
  if (near) rl_lua_script_error(L, "%s: unknown option '%s' (did you mean '%s'?)", call, name, near);
  rl_lua_script_error(L, "%s: unknown option '%s'", call, name);
}

int rl_arg_options(lua_State *L, int idx, const char *call, const char *const *names, size_t n) {
  if (lua_isnoneornil(L, idx)) return 0;
  if (!lua_istable(L, idx))
    rl_lua_script_error(L, "%s: the options must be a table, not %s", call, luaL_typename(L, idx));
  lua_pushnil(L);
  while (lua_next(L, idx)) {
    check_option(L, call, names, n);
    lua_pop(L, 1);
  }
  return 1;
}

void *rl_arg_self(lua_State *L, const char *type, const char *call) {
  void *self = luaL_testudata(L, 1, type);
  if (!self) rl_lua_script_error(L, "call it with a colon: %s(...)", call);
  return self;
}

void rl_arg_join(lua_State *L, int n, luaL_Buffer *line) {
  for (int i = 1; i <= n; i++) {
    if (i > 1) luaL_addchar(line, '\t');
    luaL_tolstring(L, i, NULL);
    luaL_addvalue(line);
  }
}

bool rl_arg_has_metatable(lua_State *L, int idx, const void *key) {
  if (!lua_getmetatable(L, idx)) return false;
  lua_rawgetp(L, LUA_REGISTRYINDEX, key);
  bool same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same;
}

void *rl_arg_userdata(lua_State *L, int idx, const void *key) {
  bool full = lua_type(L, idx) == LUA_TUSERDATA;
  return full && rl_arg_has_metatable(L, idx, key) ? lua_touserdata(L, idx) : NULL;
}
