#include "lua/members.h"

#include <lauxlib.h>

#include "base/str.h"
#include "lua/fail.h"

static size_t count(lua_State *L, int table) {
  size_t n = 0;
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) n++;
  return n;
}

/* The names are the table's own keys, which keeps them; scripts may have added keys that are no texts. */
static const char *nearest(lua_State *L, int table, const char *name) {
  size_t n = 0;
  const char **names = lua_newuserdatauv(L, (count(L, table) + 1) * sizeof *names, 0);
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING) names[n++] = lua_tostring(L, -2);
  return rl_nearest(name, names, n);
}

/* table.NAME, which is not there; upvalue 1: what scripts call the table. */
static int l_no_member(lua_State *L) {
  const char *of = lua_tostring(L, lua_upvalueindex(1));
  lua_settop(L, 2);
  const char *name = luaL_tolstring(L, 2, NULL);
  const char *near = lua_type(L, 2) == LUA_TSTRING ? nearest(L, 1, name) : NULL;
  if (near) rl_lua_script_error(L, "%s has no '%.80s' (did you mean '%s'?)", of, name, near);
  rl_lua_script_error(L, "%s has no '%.80s'", of, name);
}

void rl_lua_only_members(lua_State *L, const char *name) {
  if (!lua_getmetatable(L, -1)) lua_createtable(L, 0, 1);
  lua_pushstring(L, name);
  lua_pushcclosure(L, l_no_member, 1);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}

void rl_lua_seal_type(lua_State *L, const char *what, const void *key) {
  lua_pushfstring(L, "rille: %s's metatable is not to be changed", what);
  lua_setfield(L, -2, "__metatable");
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}
