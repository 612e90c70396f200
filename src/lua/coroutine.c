/* coroutine.resume and wrap say which coroutine runs, so that a limit is set on the one that does (S10.3);
 * close does, because it runs closing values on the coroutine; yield explains itself where it cannot. */
#include <lauxlib.h>
#include <lualib.h>

#include "lua/limits.h"
#include "lua/state.h"

/* Resumes co with the n values at the top of L. Gives how many values it left on L, or -1 and the error.
 * Between enter and leave nothing may raise: lua_resume is a protected call of its own. */
static int resume(lua_State *L, lua_State *co, int n) {
  if (!lua_checkstack(co, n)) {
    lua_pushliteral(L, "too many arguments to resume");
    return -1;
  }
  lua_xmove(L, co, n);
  struct rl_limits *limits = rl_limits_of(L);
  lua_State *before = rl_limits_enter(limits, co);
  int results = 0;
  int status = lua_resume(co, L, n, &results);
  rl_limits_leave(limits, before);
  if (status != LUA_OK && status != LUA_YIELD) {
    lua_xmove(co, L, 1);
    return -1;
  }
  if (!lua_checkstack(L, results + 1)) {
    lua_pop(co, results);
    lua_pushliteral(L, "too many results to resume");
    return -1;
  }
  lua_xmove(co, L, results);
  return results;
}

static int l_coroutine_resume(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTHREAD);
  int results = resume(L, lua_tothread(L, 1), lua_gettop(L) - 1);
  lua_pushboolean(L, results >= 0);
  int n = results >= 0 ? results : 1;
  lua_insert(L, -(n + 1));
  return n + 1;
}

static int reset(lua_State *L, lua_State *co) {
  struct rl_limits *limits = rl_limits_of(L);
  lua_State *before = rl_limits_enter(limits, co);
  int status = lua_resetthread(co);
  rl_limits_leave(limits, before);
  return status;
}

/* A generator that failed is dead: its pending closing values run, and their error counts if there is one. */
static int fail_wrapped(lua_State *L, lua_State *co) {
  int status = lua_status(co);
  if (status != LUA_OK && status != LUA_YIELD) {
    lua_pop(L, 1);
    status = reset(L, co);
    lua_xmove(co, L, 1);
  }
  if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

static int l_wrapped(lua_State *L) {
  lua_State *co = lua_tothread(L, lua_upvalueindex(1));
  int results = resume(L, co, lua_gettop(L));
  return results >= 0 ? results : fail_wrapped(L, co);
}

static int l_coroutine_wrap(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_State *co = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, co, 1);
  lua_pushcclosure(L, l_wrapped, 1);
  return 1;
}

/* Upvalue 1: the library's own close, which knows which coroutines may be closed. */
static int l_coroutine_close(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTHREAD);
  lua_settop(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  struct rl_limits *limits = rl_limits_of(L);
  lua_State *before = rl_limits_enter(limits, lua_tothread(L, 1));
  int status = lua_pcall(L, 1, LUA_MULTRET, 0);
  rl_limits_leave(limits, before);
  return status == LUA_OK ? lua_gettop(L) - 1 : lua_error(L);
}

static int l_coroutine_yield(lua_State *L) {
  int main = lua_pushthread(L);
  lua_pop(L, 1);
  if (main)
    return luaL_error(
        L, "the handler yielded: only coroutines of the script's own can (nobody resumes the handler)");
  return lua_yield(L, lua_gettop(L));
}

void rl_lua_open_coroutine(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"resume", l_coroutine_resume}, {"wrap", l_coroutine_wrap}, {"yield", l_coroutine_yield}, {NULL, NULL}};
  lua_getglobal(L, LUA_COLIBNAME);
  luaL_setfuncs(L, functions, 0);
  lua_getfield(L, -1, "close");
  lua_pushcclosure(L, l_coroutine_close, 1);
  lua_setfield(L, -2, "close");
  lua_pop(L, 1);
}
