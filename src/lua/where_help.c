#include "lua/where_help.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "lua/number.h"
#include "lua/number_order.h"
#include "lua/where_fn.h"

static const char helpers_key, functions_key;

static bool is_missing(lua_State *L, int idx) {
  if (lua_isnoneornil(L, idx)) return true;
  return lua_type(L, idx) == LUA_TNUMBER && isnan(lua_tonumber(L, idx));
}

static int push_unknown(lua_State *L) {
  lua_pushnil(L);
  return 1;
}

static int push_known(lua_State *L, bool value) {
  lua_pushboolean(L, value);
  return 1;
}

/* The top of the stack as a result: NaN is missing. */
static int finish_value(lua_State *L) { return is_missing(L, -1) ? push_unknown(L) : 1; }

static int order_texts(lua_State *L) {
  size_t len_a, len_b;
  const char *a = lua_tolstring(L, 1, &len_a), *b = lua_tolstring(L, 2, &len_b);
  int order = memcmp(a, b, len_a < len_b ? len_a : len_b);
  return order ? order : (len_a > len_b) - (len_a < len_b);
}

static bool are_texts(lua_State *L) { return lua_type(L, 1) == LUA_TSTRING && lua_type(L, 2) == LUA_TSTRING; }

static int l_help_eq(lua_State *L) {
  struct rl_cell a, b;
  if (is_missing(L, 1) || is_missing(L, 2)) return push_unknown(L);
  bool numbers = rl_lua_to_number_cell(L, 1, &a) && rl_lua_to_number_cell(L, 2, &b);
  return push_known(L, numbers ? rl_number_order(&a, &b) == 0 : lua_rawequal(L, 1, 2));
}

/* -1, 0, 1, or RL_UNORDERED for what has no order. */
static int order(lua_State *L) {
  struct rl_cell a, b;
  if (are_texts(L)) return order_texts(L);
  if (!rl_lua_to_number_cell(L, 1, &a) || !rl_lua_to_number_cell(L, 2, &b)) return RL_UNORDERED;
  return rl_number_order(&a, &b);
}

static int l_help_lt(lua_State *L) {
  int found = order(L);
  return found == RL_UNORDERED ? push_unknown(L) : push_known(L, found < 0);
}

static int l_help_le(lua_State *L) {
  int found = order(L);
  return found == RL_UNORDERED ? push_unknown(L) : push_known(L, found <= 0);
}

static int l_help_truth(lua_State *L) {
  if (is_missing(L, 1)) return push_unknown(L);
  return push_known(L, lua_toboolean(L, 1));
}

static int l_help_known(lua_State *L) { return push_known(L, !is_missing(L, 1)); }

static bool within_by_order(lua_State *L) {
  bool found = false;
  lua_pushnil(L);
  while (lua_next(L, 2) && !found) {
    struct rl_cell a, b;
    found =
        rl_lua_to_number_cell(L, 1, &a) && rl_lua_to_number_cell(L, -2, &b) && rl_number_order(&a, &b) == 0;
    lua_pop(L, 1);
  }
  return found;
}

/* The set's keys are the literals. A number that is a userdata, on either side, is not found by look-up. */
static int l_help_within(lua_State *L) {
  struct rl_cell number;
  if (is_missing(L, 1)) return push_unknown(L);
  lua_pushvalue(L, 1);
  bool found = lua_rawget(L, 2) != LUA_TNIL;
  lua_settop(L, 2);
  if (!found && rl_lua_to_number_cell(L, 1, &number)) found = within_by_order(L);
  return push_known(L, found);
}

static int l_help_concat(lua_State *L) {
  int n = lua_gettop(L);
  for (int i = 1; i <= n; i++) {
    struct rl_cell big;
    if (is_missing(L, i)) return push_unknown(L);
    if (rl_lua_is_big(L, i, &big)) {
      lua_pushlstring(L, big.s, big.len);
      lua_replace(L, i);
    }
    if (!lua_isstring(L, i)) return push_unknown(L);
  }
  lua_concat(L, n);
  return 1;
}

static bool is_operand(lua_State *L, int idx) {
  return lua_type(L, idx) == LUA_TNUMBER && !is_missing(L, idx);
}

static bool divides_by_zero(lua_State *L, int op) {
  bool raises = op == LUA_OPIDIV || op == LUA_OPMOD;
  return raises && lua_isinteger(L, 1) && lua_isinteger(L, 2) && lua_tointeger(L, 2) == 0;
}

static int l_help_arithmetic(lua_State *L) {
  int op = (int)lua_tointeger(L, lua_upvalueindex(1));
  int operands = op == LUA_OPUNM ? 1 : 2;
  lua_settop(L, operands);
  for (int i = 1; i <= operands; i++) {
    if (!is_operand(L, i)) return push_unknown(L);
  }
  if (divides_by_zero(L, op)) return push_unknown(L);
  lua_arith(L, op);
  return finish_value(L);
}

static bool is_argument(lua_State *L, int idx, char kind) {
  switch (kind) {
    case 'n': return is_operand(L, idx);
    case 'i': {
      int is_integer;
      lua_tointegerx(L, idx, &is_integer);
      return is_integer && lua_type(L, idx) == LUA_TNUMBER;
    }
    case 's': return lua_type(L, idx) == LUA_TSTRING;
    default: return true;
  }
}

static bool are_arguments(lua_State *L, const struct rl_where_fn *fn) {
  int n = lua_gettop(L);
  for (int i = 1; i <= n; i++) {
    if (!is_argument(L, i, rl_where_fn_arg(fn, (size_t)i - 1))) return false;
  }
  return true;
}

static const struct rl_where_fn *upvalue_fn(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(1)); }

/* string.find of plain text: its arguments are complete with a start and `true`. */
static void complete_find(lua_State *L) {
  lua_settop(L, 3);
  if (lua_isnil(L, 3)) {
    lua_pushinteger(L, 1);
    lua_replace(L, 3);
  }
  lua_pushboolean(L, true);
}

/* Calls Lua's function, upvalue 2, with what is on the stack; its first result is left. */
static void call_upvalue(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 1);
}

static int l_help_call(lua_State *L) {
  const struct rl_where_fn *fn = upvalue_fn(L);
  if (!are_arguments(L, fn)) return push_unknown(L);
  if (strcmp(fn->name, "fmod") == 0 && divides_by_zero(L, LUA_OPMOD)) return push_unknown(L);
  if (fn->kind == RL_FN_FIND) complete_find(L);
  call_upvalue(L);
  return finish_value(L);
}

/* find as a condition: true or false, unknown when the text is missing. */
static int l_help_found(lua_State *L) {
  if (!are_arguments(L, upvalue_fn(L))) return push_unknown(L);
  complete_find(L);
  call_upvalue(L);
  return push_known(L, !lua_isnil(L, -1));
}

static const luaL_Reg helpers[] = {
    {"eq", l_help_eq},       {"lt", l_help_lt},         {"le", l_help_le},         {"truth", l_help_truth},
    {"known", l_help_known}, {"within", l_help_within}, {"concat", l_help_concat}, {NULL, NULL}};

static const struct {
  const char *name;
  int op;
} arithmetic[] = {{"a_add", LUA_OPADD},   {"a_sub", LUA_OPSUB}, {"a_mul", LUA_OPMUL}, {"a_div", LUA_OPDIV},
                  {"a_idiv", LUA_OPIDIV}, {"a_mod", LUA_OPMOD}, {"a_pow", LUA_OPPOW}, {"a_neg", LUA_OPUNM}};

static void set_closure(lua_State *L, const char *name, const struct rl_where_fn *fn, lua_CFunction call) {
  lua_pushlightuserdata(L, (void *)fn);
  lua_pushvalue(L, -2);
  lua_pushcclosure(L, call, 2);
  lua_setfield(L, -4, name);
}

/* Enters Lua's own function into M (at -1) and its guarded form into H (at -2). */
static void add_function(lua_State *L, const struct rl_where_fn *fn) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, fn->lib) != LUA_TTABLE || lua_getfield(L, -1, fn->name) != LUA_TFUNCTION) {
    luaL_error(L, "the library %s is not open", fn->lib);
  }
  lua_replace(L, -3);
  lua_pop(L, 1);
  set_closure(L, fn->name, fn, l_help_call);
  if (fn->kind == RL_FN_FIND) set_closure(L, "found", fn, l_help_found);
  lua_setfield(L, -2, fn->name);
}

void rl_where_open_helpers(lua_State *L) {
  luaL_newlib(L, helpers);
  for (size_t i = 0; i < sizeof arithmetic / sizeof *arithmetic; i++) {
    lua_pushinteger(L, arithmetic[i].op);
    lua_pushcclosure(L, l_help_arithmetic, 1);
    lua_setfield(L, -2, arithmetic[i].name);
  }
  lua_newtable(L);
  for (size_t i = 0; i < rl_where_n_fns; i++) add_function(L, &rl_where_fns[i]);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &functions_key);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &helpers_key);
}

void rl_where_push_helpers(lua_State *L) { lua_rawgetp(L, LUA_REGISTRYINDEX, &helpers_key); }

void rl_where_push_functions(lua_State *L) { lua_rawgetp(L, LUA_REGISTRYINDEX, &functions_key); }
