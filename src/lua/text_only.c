/* load, loadfile, dofile and require for text chunks only: crafted bytecode can crash the interpreter. */
#include <lauxlib.h>
#include <lualib.h>

#include "lua/state.h"

/* Upvalue 1: the library's own load. load(chunk [, name [, mode [, env]]]) with the mode "t"; an env that is
 * nil is not one that is absent. */
static int l_load(lua_State *L) {
  if (lua_gettop(L) < 3) lua_settop(L, 3);
  lua_pushliteral(L, "t");
  lua_replace(L, 3);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return lua_gettop(L);
}

/* loadfile([name [, mode [, env]]]) */
static int l_loadfile(lua_State *L) {
  const char *name = luaL_optstring(L, 1, NULL);
  bool env = !lua_isnone(L, 3);
  if (luaL_loadfilex(L, name, "t") != LUA_OK) {
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
  }
  if (env) {
    lua_pushvalue(L, 3);
    if (!lua_setupvalue(L, -2, 1)) lua_pop(L, 1);
  }
  return 1;
}

static int dofile_done(lua_State *L, int status, lua_KContext base) {
  (void)status;
  return lua_gettop(L) - (int)base;
}

static int l_dofile(lua_State *L) {
  const char *name = luaL_optstring(L, 1, NULL);
  lua_settop(L, 1);
  if (luaL_loadfilex(L, name, "t") != LUA_OK) return lua_error(L);
  lua_callk(L, 0, LUA_MULTRET, 1, dofile_done);
  return dofile_done(L, LUA_OK, 1);
}

/* Pushes where the module's file is, or what to say when there is none: package.searchpath does it. */
static bool find_module(lua_State *L) {
  lua_getglobal(L, LUA_LOADLIBNAME);
  lua_getfield(L, -1, "searchpath");
  lua_pushvalue(L, 1);
  if (lua_getfield(L, -3, "path") != LUA_TSTRING) luaL_error(L, "'package.path' must be a string");
  lua_call(L, 2, 2);
  if (!lua_isnil(L, -2)) {
    lua_pop(L, 1);
    return true;
  }
  return false;
}

/* package.searchers[2], which finds modules written in Lua. */
static int l_searcher(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  if (!find_module(L)) return 1;
  const char *file = lua_tostring(L, -1);
  if (luaL_loadfilex(L, file, "t") != LUA_OK)
    return luaL_error(L, "error loading module '%s' from file '%s':\n\t%s", name, file, lua_tostring(L, -1));
  lua_pushstring(L, file);
  return 2;
}

void rl_lua_open_text_only(lua_State *L) {
  lua_getglobal(L, "load");
  lua_pushcclosure(L, l_load, 1);
  lua_setglobal(L, "load");
  lua_register(L, "loadfile", l_loadfile);
  lua_register(L, "dofile", l_dofile);
  lua_getglobal(L, LUA_LOADLIBNAME);
  lua_getfield(L, -1, "searchers");
  lua_pushcfunction(L, l_searcher);
  lua_rawseti(L, -2, 2);
  lua_pop(L, 2);
}
