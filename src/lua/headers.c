#include <lauxlib.h>

#include "lua/json.h"
#include "lua/message.h"

static void push_value(lua_State *L, struct rl_bytes value) {
  if (value.data)
    lua_pushlstring(L, value.data, value.len);
  else
    lua_pushnil(L);
}

/* by_name[name] = value, the last of a name winning; a null one is rille.null, for nil says "not there". */
static void put_by_name(lua_State *L, int by_name, const struct rl_header *h) {
  if (h->value.data)
    push_value(L, h->value);
  else
    rl_lua_push_null(L);
  lua_setfield(L, by_name, h->name);
}

static void put_in_order(lua_State *L, int list, const struct rl_header *h, lua_Integer at) {
  lua_createtable(L, 0, 2);
  lua_pushstring(L, h->name);
  lua_setfield(L, -2, "name");
  push_value(L, h->value);
  lua_setfield(L, -2, "value");
  lua_rawseti(L, list, at);
}

/* The names stand behind a metatable, so that pairs and # see the list alone. */
void rl_lua_push_headers(lua_State *L, const struct rl_msg *msg) {
  lua_newtable(L);
  int list = lua_gettop(L);
  lua_newtable(L);
  int by_name = list + 1;
  struct rl_header h;
  for (size_t i = 0; rl_msg_header(msg, i, &h); i++) {
    put_in_order(L, list, &h, (lua_Integer)i + 1);
    put_by_name(L, by_name, &h);
  }
  lua_createtable(L, 0, 1);
  lua_insert(L, by_name);
  lua_setfield(L, by_name, "__index");
  lua_setmetatable(L, list);
}
