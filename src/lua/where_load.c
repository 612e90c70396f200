/* Expressions that a script reads while it is loaded (rille.where), held against its fields once those are
 * known, so that a misspelled column ends the start and not the first batch.
 *
 * registry[&load_key] is a list of what was read, while a script is loading: { expression, place, added }. */
#include <lauxlib.h>

#include "lua/fail.h"
#include "lua/where_object.h"

enum { AT_EXPRESSION = 1, AT_PLACE, AT_ADDED };
static const char load_key;

void rl_lua_watch_where(lua_State *L) {
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &load_key);
}

static void check_added(lua_State *L, int idx) {
  if (lua_isnoneornil(L, idx)) return;
  if (!lua_istable(L, idx))
    rl_lua_script_error(L, "rille.where: the columns that batch:with adds are a table of names, not a %s",
                        luaL_typename(L, idx));
  for (lua_Integer i = 1; i <= (lua_Integer)lua_rawlen(L, idx); i++) {
    if (lua_rawgeti(L, idx, i) != LUA_TSTRING)
      rl_lua_script_error(L, "rille.where: the name of a column is a string, not a %s", luaL_typename(L, -1));
    lua_pop(L, 1);
  }
}

/* The names as the keys of a table of its own: the script's may change. */
static void push_added(lua_State *L, int idx) {
  lua_newtable(L);
  for (lua_Integer i = 1; lua_istable(L, idx) && i <= (lua_Integer)lua_rawlen(L, idx); i++) {
    lua_rawgeti(L, idx, i);
    lua_pushboolean(L, true);
    lua_rawset(L, -3);
  }
}

static void note(lua_State *L, int list) {
  lua_createtable(L, 3, 0);
  lua_pushvalue(L, 1);
  lua_rawseti(L, -2, AT_EXPRESSION);
  rl_lua_place(L, 1);
  lua_rawseti(L, -2, AT_PLACE);
  push_added(L, 2);
  lua_rawseti(L, -2, AT_ADDED);
  lua_rawseti(L, list, (lua_Integer)lua_rawlen(L, list) + 1);
}

int l_where(lua_State *L) {
  lua_settop(L, 2);
  check_added(L, 2);
  rl_where_push(L, 1, "rille.where");
  lua_replace(L, 1);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &load_key) == LUA_TTABLE) note(L, lua_gettop(L));
  lua_settop(L, 1);
  return 1;
}

/* The noted expression at the top, name by name. */
static void check_noted(lua_State *L, const struct rl_fields *fields) {
  int noted = lua_gettop(L);
  struct rl_err err;
  lua_rawgeti(L, noted, AT_EXPRESSION);
  lua_rawgeti(L, noted, AT_PLACE);
  lua_rawgeti(L, noted, AT_ADDED);
  const struct rl_where *w = lua_touserdata(L, noted + 1);
  for (size_t i = 0; i < w->tree.n_names; i++) {
    const char *name = w->tree.names[i].text;
    lua_pushstring(L, name);
    bool added = lua_rawget(L, noted + 3) != LUA_TNIL;
    lua_pop(L, 1);
    if (added || rl_where_check(w, i, fields, &err) == 0) continue;
    rl_lua_script_error(L, "%s%s\n  (what batch:with adds is named beside the expression: { \"%.80s\" })",
                        lua_tostring(L, noted + 2), err.text, name);
  }
  lua_settop(L, noted);
}

void rl_lua_check_where(lua_State *L, const struct rl_fields *fields) {
  lua_settop(L, 0);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &load_key) != LUA_TTABLE) return;
  lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &load_key);
  for (lua_Integer i = 1; i <= (lua_Integer)lua_rawlen(L, 1); i++) {
    lua_rawgeti(L, 1, i);
    check_noted(L, fields);
    lua_pop(L, 1);
  }
}
