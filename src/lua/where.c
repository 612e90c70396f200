#include "lua/where.h"

#include <lauxlib.h>

#include "lua/batch.h"
#include "lua/fail.h"
#include "lua/number.h"
#include "lua/where_eval.h"
#include "lua/where_help.h"
#include "lua/where_object.h"

/* The cache is a table in the registry, text → object, and how many at 1: emptied when it has grown to this.
 */
enum { CACHE_MAX = 256 };
static const char cache_key;

static int l_where_gc(lua_State *L) {
  struct rl_where *w = luaL_checkudata(L, 1, RL_WHERE_TYPE);
  rl_where_free(&w->tree);
  return 0;
}

static int l_where_tostring(lua_State *L) {
  struct rl_where *w = luaL_checkudata(L, 1, RL_WHERE_TYPE);
  lua_pushlstring(L, w->tree.text.data ? w->tree.text.data : "", w->tree.text.len);
  return 1;
}

static struct rl_where *compile(lua_State *L, struct rl_bytes text) {
  struct rl_where *w = lua_newuserdatauv(L, sizeof *w, 1);
  *w = (struct rl_where){0};
  luaL_setmetatable(L, RL_WHERE_TYPE);
  lua_newtable(L);
  lua_setiuservalue(L, -2, 1);
  struct rl_err err;
  if (rl_where_parse(&w->tree, text, &err)) rl_lua_script_error(L, "%s", err.text);
  w->in_c = rl_where_can_eval(w->tree.root);
  w->field = rl_arena_alloc(&w->tree.arena, (w->tree.n_names + 1) * sizeof *w->field);
  for (size_t i = 0; i < w->tree.n_names; i++) w->field[i] = UINT32_MAX;
  return w;
}

static void push_cache(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &cache_key);
  lua_rawgeti(L, -1, 1);
  lua_Integer n = lua_tointeger(L, -1);
  lua_pop(L, 1);
  if (n < CACHE_MAX) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &cache_key);
}

/* Enters the object at the top, for the string at idx, into the cache under it; leaves the object alone. */
static void remember(lua_State *L, int idx) {
  lua_rawgeti(L, -2, 1);
  lua_pushinteger(L, lua_tointeger(L, -1) + 1);
  lua_rawseti(L, -4, 1);
  lua_pop(L, 1);
  lua_pushvalue(L, idx);
  lua_pushvalue(L, -2);
  lua_rawset(L, -4);
  lua_remove(L, -2);
}

struct rl_where *rl_where_push(lua_State *L, int idx, const char *call) {
  idx = lua_absindex(L, idx);
  if (lua_type(L, idx) != LUA_TSTRING) {
    struct rl_where *w = luaL_testudata(L, idx, RL_WHERE_TYPE);
    if (!w || !w->tree.root)
      rl_lua_script_error(L, "%s takes an expression (a string), not a %s", call, luaL_typename(L, idx));
    lua_pushvalue(L, idx);
    return w;
  }
  push_cache(L);
  lua_pushvalue(L, idx);
  if (lua_rawget(L, -2) == LUA_TUSERDATA) {
    lua_remove(L, -2);
    return lua_touserdata(L, -1);
  }
  lua_pop(L, 1);
  size_t len;
  const char *text = lua_tolstring(L, idx, &len);
  struct rl_where *w = compile(L, rl_bytes(text, len));
  remember(L, idx);
  return w;
}

int l_where_names(lua_State *L) {
  struct rl_where *w = rl_where_push(L, 1, "rille.where");
  lua_createtable(L, (int)w->tree.n_names, 0);
  for (size_t i = 0; i < w->tree.n_names; i++) {
    lua_pushstring(L, w->tree.names[i].text);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

int l_batch_where(lua_State *L) {
  struct rl_lua_batch *b = rl_lua_check_batch(L, 1);
  rl_where_push(L, 2, "batch:where");
  int where = lua_gettop(L);
  uint32_t *passed = lua_newuserdatauv(L, (b->n + 1) * sizeof *passed, 0);
  size_t n = rl_where_select(L, where, b->columns, b->rows, b->n, passed, RL_WHERE_BEST);
  rl_lua_push_view(L, 1, passed, n);
  return 1;
}

static const luaL_Reg where_meta[] = {{"__gc", l_where_gc}, {"__tostring", l_where_tostring}, {NULL, NULL}};

void rl_lua_open_where(lua_State *L) {
  rl_lua_open_number(L);
  rl_where_open_helpers(L);
  rl_where_open_loops(L);
  luaL_newmetatable(L, RL_WHERE_TYPE);
  luaL_setfuncs(L, where_meta, 0);
  lua_pushboolean(L, false);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &cache_key);
}
