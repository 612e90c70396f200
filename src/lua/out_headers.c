#include "lua/out_headers.h"

#include <lauxlib.h>
#include <stdlib.h>

#include "lua/fail.h"
#include "lua/json.h"

static bool is_null(lua_State *L, int idx) {
  if (lua_isnil(L, idx)) return true;
  idx = lua_absindex(L, idx);
  rl_lua_push_null(L);
  bool null = lua_rawequal(L, idx, -1);
  lua_pop(L, 1);
  return null;
}

struct rl_bytes rl_lua_read_bytes(lua_State *L, int idx, const char *what) {
  if (lua_type(L, idx) == LUA_TSTRING) {
    size_t len;
    const char *text = lua_tolstring(L, idx, &len);
    return rl_bytes(text, len);
  }
  if (!is_null(L, idx))
    rl_lua_script_error(L,
                        "out:send: the %s must be a string, nil or rille.null, not %s (tostring makes one)",
                        what, luaL_typename(L, idx));
  return rl_bytes(NULL, 0);
}

/* The name at the top; Kafka's headers are C strings. */
static const char *read_name(lua_State *L) {
  size_t len;
  const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &len) : NULL;
  if (!name)
    rl_lua_script_error(L, "out:send: a header's name must be a string, not %s", luaL_typename(L, -1));
  if (strlen(name) != len)
    rl_lua_script_error(L, "out:send: the header name '%s' contains a zero byte", name);
  return name;
}

static void read_list(lua_State *L, int idx, struct rl_header *headers, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (lua_geti(L, idx, (lua_Integer)i + 1) != LUA_TTABLE)
      rl_lua_script_error(L, "out:send: header %d must be a table { name =, value = }, not %s", (int)i + 1,
                          luaL_typename(L, -1));
    lua_getfield(L, -1, "name");
    headers[i].name = read_name(L);
    lua_getfield(L, -2, "value");
    headers[i].value = rl_lua_read_bytes(L, -1, "value of a header");
    lua_pop(L, 3);
  }
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct rl_header *)a)->name, ((const struct rl_header *)b)->name);
}

static void read_map(lua_State *L, int idx, struct rl_header *headers, size_t n) {
  size_t i = 0;
  lua_pushnil(L);
  while (lua_next(L, idx)) {
    headers[i].value = rl_lua_read_bytes(L, -1, "value of a header");
    lua_pop(L, 1);
    headers[i++].name = read_name(L);
  }
  qsort(headers, n, sizeof *headers, by_name);
}

static size_t count_pairs(lua_State *L, int idx) {
  size_t n = 0;
  lua_pushnil(L);
  while (lua_next(L, idx)) {
    n++;
    lua_pop(L, 1);
  }
  return n;
}

struct rl_header *rl_lua_read_headers(lua_State *L, int idx, size_t *n) {
  idx = lua_absindex(L, idx);
  *n = 0;
  if (lua_isnil(L, idx)) {
    lua_pushnil(L);
    return NULL;
  }
  if (!lua_istable(L, idx))
    rl_lua_script_error(L, "out:send: the headers must be a table, not %s", luaL_typename(L, idx));
  size_t list = lua_rawlen(L, idx);
  *n = list ? list : count_pairs(L, idx);
  struct rl_header *headers = lua_newuserdatauv(L, (*n + 1) * sizeof *headers, 0);
  (list ? read_list : read_map)(L, idx, headers, *n);
  return headers;
}
