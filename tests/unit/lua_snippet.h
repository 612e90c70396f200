/* For the unit tests of the Lua room: a state with the libraries and rille's own tables, and snippets run in
 * it. */
#ifndef RL_UNIT_LUA_SNIPPET_H
#define RL_UNIT_LUA_SNIPPET_H

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "lua/fail.h"
#include "lua/json.h"
#include "lua/where.h"
#include "unit.h"

/* A failed allocation from number `fail_from` on (counted from 1; 0: none fails). */
struct snippet_memory {
  size_t count, fail_from, live;
};

static inline void *snippet_alloc(void *self, void *old, size_t old_size, size_t size) {
  struct snippet_memory *m = self;
  if (size == 0) {
    if (old) m->live--;
    free(old);
    return NULL;
  }
  bool grows = !old || size > old_size;
  if (grows && m->fail_from && ++m->count >= m->fail_from) return NULL;
  void *p = realloc(old, size);
  if (!old) m->live++;
  return p;
}

static inline void snippet_open(lua_State *L) {
  luaL_openlibs(L);
  rl_lua_open_fail(L);
  rl_lua_open_where(L);
  lua_newtable(L);
  rl_lua_open_json(L);
  lua_setfield(L, -2, "json");
  lua_pushcfunction(L, l_where);
  lua_setfield(L, -2, "where");
  lua_pushcfunction(L, l_where_names);
  lua_setfield(L, -2, "where_names");
  rl_lua_push_null(L);
  lua_setfield(L, -2, "null");
  lua_setglobal(L, "rille");
}

static inline lua_State *snippet_state(void) {
  lua_State *L = luaL_newstate();
  snippet_open(L);
  return L;
}

/* Runs the code; the result or the error, as text, is left on the stack and returned. */
static inline const char *snippet_run(lua_State *L, const char *code) {
  lua_settop(L, 0);
  if (luaL_loadstring(L, code) || lua_pcall(L, 0, 1, 0)) {
    luaL_tolstring(L, -1, NULL);
    return lua_tostring(L, -1);
  }
  luaL_tolstring(L, -1, NULL);
  return lua_tostring(L, -1);
}

/* One state a check: what one snippet leaves behind does not help the next. */
#define CHECK_LUA(code, want)                       \
  do {                                              \
    lua_State *unit_L = snippet_state();            \
    CHECK_STR(snippet_run(unit_L, (code)), (want)); \
    lua_close(unit_L);                              \
  } while (0)

#define CHECK_LUA_HAS(code, part)                   \
  do {                                              \
    lua_State *unit_L = snippet_state();            \
    CHECK_HAS(snippet_run(unit_L, (code)), (part)); \
    lua_close(unit_L);                              \
  } while (0)

#endif
