#include "lua/json.h"

#include <lauxlib.h>

#include "lua/args.h"
#include "lua/fail.h"
#include "lua/json_marks.h"
#include "lua/json_scratch.h"
#include "lua/number.h"

static size_t depth_option(lua_State *L, const char *function) {
  if (lua_getfield(L, 2, "max_depth") == LUA_TNIL) return RL_JSON_DEPTH;
  lua_Integer depth = lua_isinteger(L, -1) ? lua_tointeger(L, -1) : 0;
  if (depth < 1 || depth > RL_JSON_DEPTH_MAX) {
    rl_lua_script_error(L, "rille.json.%s: max_depth is an integer from 1 to %d, not %s", function,
                        RL_JSON_DEPTH_MAX, luaL_tolstring(L, -1, NULL));
  }
  return (size_t)depth;
}

static int l_json_decode(lua_State *L) {
  static const char *const known[] = {"max_depth"};
  size_t len;
  const char *text = rl_arg_text(L, 1, "rille.json.decode", "text", &len);
  bool options = rl_arg_options(L, 2, "rille.json.decode", known, 1);
  size_t depth = options ? depth_option(L, "decode") : RL_JSON_DEPTH;
  struct rl_err err;
  if (rl_lua_decode_json(L, rl_bytes(text, len), depth, &err) == 0) return 1;
  lua_pushnil(L);
  lua_pushstring(L, err.text);
  return 2;
}

static bool nan_option(lua_State *L) {
  if (lua_getfield(L, 2, "nan") == LUA_TNIL) return false;
  if (lua_type(L, -1) != LUA_TSTRING || strcmp(lua_tostring(L, -1), "null") != 0) {
    rl_lua_script_error(L, "rille.json.encode: nan is \"null\" or not given, not %s",
                        luaL_tolstring(L, -1, NULL));
  }
  return true;
}

static struct rl_json_style style_options(lua_State *L) {
  static const char *const known[] = {"nan", "pretty", "max_depth"};
  struct rl_json_style style = {.max_depth = RL_JSON_DEPTH};
  if (!rl_arg_options(L, 2, "rille.json.encode", known, 3)) return style;
  style.max_depth = depth_option(L, "encode");
  style.nan_null = nan_option(L);
  lua_getfield(L, 2, "pretty");
  style.pretty = lua_toboolean(L, -1);
  return style;
}

/* Raises where decode returns nil and an error: a nil from here, passed on to out:send, would be a tombstone.
 */
static int l_json_encode(lua_State *L) {
  if (lua_isnone(L, 1)) rl_lua_script_error(L, "rille.json.encode takes a value");
  struct rl_json_style style = style_options(L);
  struct rl_json_scratch *s = rl_json_take(L);
  int held = lua_gettop(L);
  struct rl_err err;
  if (rl_lua_encode_json_as(L, 1, &style, &s->buf, &err)) {
    rl_json_give(L, held);
    return luaL_error(L, "%s", err.text);
  }
  lua_pushlstring(L, s->buf.data, s->buf.len);
  rl_json_give(L, held);
  return 1;
}

static const luaL_Reg functions[] = {{"decode", l_json_decode},
                                     {"encode", l_json_encode},
                                     {"array", l_json_array},
                                     {"object", l_json_object},
                                     {NULL, NULL}};

void rl_lua_open_json(lua_State *L) {
  rl_lua_open_number(L);
  rl_json_open_marks(L);
  rl_json_open_scratch(L);
  luaL_newlib(L, functions);
  rl_lua_push_null(L);
  lua_setfield(L, -2, "null");
}
