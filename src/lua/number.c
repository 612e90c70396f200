#include "lua/number.h"

#include <lauxlib.h>
#include <math.h>

#include "base/str.h"
#include "lua/args.h"
#include "lua/number_order.h"

struct number {
  size_t len;
  char text[]; /* with a NUL behind it */
};

/* The metatable's place in the registry: found without making a string, so asking never allocates. */
static const char metatable_key;

bool rl_lua_is_big(lua_State *L, int idx, struct rl_cell *cell) {
  struct number *number = lua_touserdata(L, idx);
  if (!number || lua_islightuserdata(L, idx) || !rl_arg_has_metatable(L, idx, &metatable_key)) return false;
  *cell = (struct rl_cell){.tag = RL_BIG, .len = (uint32_t)number->len, .s = number->text};
  return true;
}

bool rl_lua_to_number_cell(lua_State *L, int idx, struct rl_cell *cell) {
  if (lua_type(L, idx) != LUA_TNUMBER) return rl_lua_is_big(L, idx, cell);
  if (lua_isinteger(L, idx)) {
    *cell = (struct rl_cell){.tag = RL_INT, .i = lua_tointeger(L, idx)};
  } else {
    *cell = (struct rl_cell){.tag = RL_DOUBLE, .d = lua_tonumber(L, idx)};
  }
  return true;
}

void rl_lua_push_number(lua_State *L, struct rl_bytes text) {
  struct number *number = lua_newuserdatauv(L, sizeof *number + text.len + 1, 0);
  number->len = text.len;
  memcpy(number->text, text.data, text.len);
  number->text[text.len] = '\0';
  lua_rawgetp(L, LUA_REGISTRYINDEX, &metatable_key);
  lua_setmetatable(L, -2);
}

static struct rl_cell check_big(lua_State *L, int idx) {
  struct rl_cell cell;
  if (!rl_lua_is_big(L, idx, &cell)) luaL_typeerror(L, idx, RL_NUMBER_TYPE);
  return cell;
}

static int l_number_tostring(lua_State *L) {
  struct rl_cell cell = check_big(L, 1);
  lua_pushlstring(L, cell.s, cell.len);
  return 1;
}

static int l_number_tonumber(lua_State *L) {
  struct rl_cell cell = check_big(L, 1);
  double value;
  if (!rl_parse_double(cell.s, &value)) value = *cell.s == '-' ? -HUGE_VAL : HUGE_VAL;
  lua_pushnumber(L, value);
  return 1;
}

static int order(lua_State *L, const char *what) {
  struct rl_cell a, b;
  if (rl_lua_to_number_cell(L, 1, &a) && rl_lua_to_number_cell(L, 2, &b)) return rl_number_order(&a, &b);
  return luaL_error(L, "attempt to compare %s with %s (%s)", luaL_typename(L, 1), luaL_typename(L, 2), what);
}

static int l_number_eq(lua_State *L) {
  struct rl_cell a, b;
  bool both = rl_lua_to_number_cell(L, 1, &a) && rl_lua_to_number_cell(L, 2, &b);
  lua_pushboolean(L, both && rl_number_order(&a, &b) == 0);
  return 1;
}

static int l_number_lt(lua_State *L) {
  lua_pushboolean(L, order(L, "<") == -1);
  return 1;
}

static int l_number_le(lua_State *L) {
  int found = order(L, "<=");
  lua_pushboolean(L, found == -1 || found == 0);
  return 1;
}

static void push_text(lua_State *L, int idx) {
  struct rl_cell cell;
  if (rl_lua_is_big(L, idx, &cell)) {
    lua_pushlstring(L, cell.s, cell.len);
  } else if (lua_isstring(L, idx)) {
    lua_pushvalue(L, idx);
  } else {
    luaL_error(L, "attempt to concatenate a %s value with a " RL_NUMBER_TYPE, luaL_typename(L, idx));
  }
}

static int l_number_concat(lua_State *L) {
  push_text(L, 1);
  push_text(L, 2);
  lua_concat(L, 2);
  return 1;
}

static int l_number_arithmetic(lua_State *L) {
  struct rl_cell cell;
  if (!rl_lua_is_big(L, 1, &cell)) cell = check_big(L, 2);
  lua_pushlstring(L, cell.s, cell.len);
  return luaL_error(L,
                    "arithmetic on %s, which fits neither a 64-bit integer nor a double: n:tonumber() gives "
                    "the nearest double",
                    lua_tostring(L, -1));
}

static const luaL_Reg number_methods[] = {
    {"tonumber", l_number_tonumber}, {"tostring", l_number_tostring}, {NULL, NULL}};

static const luaL_Reg number_meta[] = {{"__tostring", l_number_tostring},
                                       {"__concat", l_number_concat},
                                       {"__eq", l_number_eq},
                                       {"__lt", l_number_lt},
                                       {"__le", l_number_le},
                                       {NULL, NULL}};

static const char *const arithmetic_events[] = {"__add",  "__sub", "__mul",  "__div",  "__mod",
                                                "__pow",  "__unm", "__idiv", "__band", "__bor",
                                                "__bxor", "__shl", "__shr",  "__bnot"};

void rl_lua_open_number(lua_State *L) {
  if (!luaL_newmetatable(L, RL_NUMBER_TYPE)) {
    lua_pop(L, 1);
    return;
  }
  luaL_setfuncs(L, number_meta, 0);
  for (size_t i = 0; i < sizeof arithmetic_events / sizeof *arithmetic_events; i++) {
    lua_pushcfunction(L, l_number_arithmetic);
    lua_setfield(L, -2, arithmetic_events[i]);
  }
  luaL_newlib(L, number_methods);
  lua_setfield(L, -2, "__index");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &metatable_key);
}
