#include "lua/json_marks.h"

#include <lauxlib.h>

#include "lua/fail.h"
#include "lua/json.h"

/* The places of the two metatables in the registry, by address: looking them up makes no string. */
static const char keys[RL_MARK_OBJECT + 1];
static const char *const names[] = {NULL, "rille.array", "rille.object"};

enum rl_mark rl_json_mark(lua_State *L, int idx) {
  if (!lua_getmetatable(L, idx)) return RL_MARK_NONE;
  enum rl_mark mark = RL_MARK_NONE;
  for (int m = RL_MARK_ARRAY; m <= RL_MARK_OBJECT; m++) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &keys[m]);
    if (lua_rawequal(L, -1, -2)) mark = (enum rl_mark)m;
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return mark;
}

static void set_mark(lua_State *L, enum rl_mark mark) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &keys[mark]);
  lua_setmetatable(L, -2);
}

void rl_lua_mark_array(lua_State *L) { set_mark(L, RL_MARK_ARRAY); }

static int mark_argument(lua_State *L, enum rl_mark mark, const char *name) {
  if (lua_isnoneornil(L, 1)) {
    lua_settop(L, 0);
    lua_createtable(L, 0, 0);
  }
  if (!lua_istable(L, 1)) {
    rl_lua_script_error(L, "rille.json.%s takes a table, not a %s", name, luaL_typename(L, 1));
  }
  lua_settop(L, 1);
  if (rl_json_mark(L, 1) == RL_MARK_NONE && lua_getmetatable(L, 1)) {
    rl_lua_script_error(L, "rille.json.%s: the table has a metatable of its own, which would be lost", name);
  }
  set_mark(L, mark);
  return 1;
}

int l_json_array(lua_State *L) { return mark_argument(L, RL_MARK_ARRAY, "array"); }

int l_json_object(lua_State *L) { return mark_argument(L, RL_MARK_OBJECT, "object"); }

void rl_json_open_marks(lua_State *L) {
  for (int m = RL_MARK_ARRAY; m <= RL_MARK_OBJECT; m++) {
    luaL_newmetatable(L, names[m]);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &keys[m]);
  }
}
