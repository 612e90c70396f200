/* Tensors from Lua tables and back. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "lua/args.h"
#include "lua/fail.h"
#include "lua/json.h"
#include "lua/number.h"
#include "lua/tensor_impl.h"

/* A walk over nested arrays: twice, first to see what they hold, then to store it. */
struct walk {
  const char *call;
  int rank;
  int64_t shape[RL_RANK_MAX];
  lua_Integer at[RL_RANK_MAX]; /* where it is, for errors */
  bool ints, floats, bools, holes;
  enum rl_dtype dtype;
  char *to; /* NULL: only look */
};

/* No hook ends a walk here: so the holes that `n` may stand for, and all elements, are bounded. A table that
 * came from a message may say anything. */
#define HOLES_MAX ((int64_t)1 << 20)
#define ELEMENTS_MAX ((int64_t)1 << 28)

/* t.n where it is a length (columns, table.pack), else #t. */
static int64_t length(lua_State *L, int idx) {
  lua_pushliteral(L, "n");
  int type = lua_rawget(L, idx);
  int64_t n = type == LUA_TNUMBER && lua_isinteger(L, -1) ? lua_tointeger(L, -1) : -1;
  lua_pop(L, 1);
  int64_t held = (int64_t)lua_rawlen(L, idx);
  return n >= 0 && n <= held + HOLES_MAX ? n : held;
}

/* Pushes "[2][3]". */
static const char *place(lua_State *L, const struct walk *w, int depth) {
  luaL_Buffer text;
  char index[32];
  luaL_buffinit(L, &text);
  for (int i = 0; i < depth; i++) {
    snprintf(index, sizeof index, "[%lld]", (long long)w->at[i]);
    luaL_addstring(&text, index);
  }
  luaL_pushresult(&text);
  return lua_tostring(L, -1);
}

/* The shape along the first elements. */
static void find_shape(lua_State *L, struct walk *w, int idx) {
  int64_t elements = 1;
  lua_pushvalue(L, idx);
  while (lua_istable(L, -1)) {
    if (w->rank == RL_RANK_MAX) luaL_error(L, "%s: the table nests deeper than %d", w->call, RL_RANK_MAX);
    int64_t n = length(L, lua_gettop(L));
    w->shape[w->rank++] = n;
    if (n > 0 && (elements *= n) > ELEMENTS_MAX)
      luaL_error(L, "%s: the table has more than %I elements", w->call, (LUAI_UACINT)ELEMENTS_MAX);
    lua_rawgeti(L, -1, 1);
    lua_remove(L, -2);
    if (n == 0) break;
  }
  lua_pop(L, 1);
}

static bool is_hole(lua_State *L, int idx) {
  if (lua_isnil(L, idx)) return true;
  if (lua_type(L, idx) == LUA_TNUMBER) return false;
  rl_lua_push_null(L);
  bool null = lua_rawequal(L, idx, -1);
  lua_pop(L, 1);
  return null;
}

__attribute__((noreturn)) static void refuse(lua_State *L, const struct walk *w, const char *what) {
  luaL_error(L, "%s: the table's %s is %s", w->call, place(L, w, w->rank), what);
  __builtin_unreachable();
}

static void look(lua_State *L, struct walk *w) {
  struct rl_cell big;
  int type = lua_type(L, -1);
  if (type == LUA_TNUMBER)
    *(lua_isinteger(L, -1) ? &w->ints : &w->floats) = true;
  else if (type == LUA_TBOOLEAN)
    w->bools = true;
  else if (is_hole(L, lua_gettop(L)))
    w->holes = true;
  else if (rl_lua_is_big(L, -1, &big))
    w->floats = true;
  else
    refuse(L, w,
           lua_pushfstring(L, "no number but a %s%s", luaL_typename(L, -1),
                           rl_lua_test_tensor(L, -1) ? " (rille.tensor.stack joins tensors)" : ""));
}

static double number_of(lua_State *L) {
  struct rl_cell big;
  if (lua_type(L, -1) == LUA_TNUMBER) return lua_tonumber(L, -1);
  if (lua_type(L, -1) == LUA_TBOOLEAN) return lua_toboolean(L, -1);
  if (!rl_lua_is_big(L, -1, &big)) return (double)NAN;
  double value;
  return rl_parse_double(big.s, &value) ? value : *big.s == '-' ? -HUGE_VAL : HUGE_VAL;
}

__attribute__((noreturn)) static void refuse_value(lua_State *L, const struct walk *w) {
  refuse(L, w,
         lua_pushfstring(L, "%s, which no %s holds", luaL_tolstring(L, -1, NULL), rl_dtype_name(w->dtype)));
}

/* An infinity stays one; what is finite does not become one. */
static double float_of(lua_State *L, const struct walk *w) {
  double x = number_of(L), stored = w->dtype == RL_FLOAT32 ? (double)(float)x : x;
  bool was = lua_type(L, -1) == LUA_TNUMBER && isinf(lua_tonumber(L, -1));
  if (isinf(stored) && !was) refuse_value(L, w);
  return x;
}

static bool fits(enum rl_dtype dtype, lua_Integer i) {
  if (dtype == RL_INT32) return i >= INT32_MIN && i <= INT32_MAX;
  return dtype == RL_INT64 || (i >= 0 && i <= UINT8_MAX);
}

static lua_Integer integer_of(lua_State *L, const struct walk *w) {
  int whole = 1;
  lua_Integer i = 0;
  if (lua_type(L, -1) == LUA_TBOOLEAN)
    i = lua_toboolean(L, -1);
  else
    i = lua_tointegerx(L, -1, &whole);
  if (whole && lua_type(L, -1) != LUA_TSTRING && fits(w->dtype, i)) return i;
  refuse_value(L, w);
}

static void store(lua_State *L, struct walk *w) {
  union {
    float f;
    double d;
    int64_t l;
    int32_t i;
    uint8_t b;
  } x = {.d = 0};
  switch (w->dtype) {
    case RL_FLOAT32: x.f = (float)float_of(L, w); break;
    case RL_FLOAT64: x.d = float_of(L, w); break;
    case RL_INT64: x.l = integer_of(L, w); break;
    case RL_INT32: x.i = (int32_t)integer_of(L, w); break;
    case RL_UINT8: x.b = (uint8_t)integer_of(L, w); break;
    case RL_TRUTH:
      if (is_hole(L, lua_gettop(L))) refuse(L, w, "missing, which no bool holds");
      x.b = !(number_of(L) == 0);
      break;
  }
  memcpy(w->to, &x, rl_dtype_size(w->dtype));
  w->to += rl_dtype_size(w->dtype);
}

static void element(lua_State *L, struct walk *w) {
  if (w->to)
    store(L, w);
  else
    look(L, w);
}

/* A row must be a table of the length that the first had. */
static void check_row(lua_State *L, const struct walk *w, int depth) {
  if (!lua_istable(L, -1)) {
    const char *found = luaL_typename(L, -1); /* before `place` pushes its text */
    luaL_error(L, "%s: the table's %s is a %s, where a row of %I is wanted", w->call, place(L, w, depth),
               found, (LUAI_UACINT)w->shape[depth]);
  }
  int64_t n = length(L, lua_gettop(L));
  if (n == w->shape[depth]) return;
  luaL_error(L,
             "%s: the table's %s has the shape [%I, ...], the first of its kind [%I, ...]: rows must be of "
             "one length",
             w->call, place(L, w, depth), (LUAI_UACINT)n, (LUAI_UACINT)w->shape[depth]);
}

/* The table at the top, at `depth`. */
static void walk(lua_State *L, struct walk *w, int depth) {
  for (int64_t i = 1; i <= w->shape[depth]; i++) {
    w->at[depth] = i;
    lua_rawgeti(L, -1, i);
    if (depth + 1 == w->rank) {
      element(L, w);
    } else {
      check_row(L, w, depth + 1);
      walk(L, w, depth + 1);
    }
    lua_pop(L, 1);
  }
}

static enum rl_dtype type_of(const struct walk *w) {
  if (w->bools && !w->ints && !w->floats && !w->holes) return RL_TRUTH;
  if (w->ints && !w->bools && !w->floats && !w->holes) return RL_INT64;
  return RL_FLOAT32;
}

struct rl_tensor *rl_tensor_from_table(lua_State *L, int idx, const char *call, int dtype) {
  struct walk w = {.call = call};
  luaL_checkstack(L, RL_RANK_MAX + 10, NULL);
  idx = lua_absindex(L, idx);
  find_shape(L, &w, idx);
  lua_pushvalue(L, idx);
  walk(L, &w, 0);
  lua_pop(L, 1);
  w.dtype = dtype == RL_DTYPES ? type_of(&w) : (enum rl_dtype)dtype;
  struct rl_tensor *t = rl_lua_new_tensor(L, call, w.dtype, w.rank, w.shape);
  w.to = t->data;
  lua_pushvalue(L, idx);
  walk(L, &w, 0);
  lua_pop(L, 1);
  return t;
}

int l_tensor_call(lua_State *L) {
  enum rl_dtype dtype = rl_lua_check_dtype(L, 3, "rille.tensor", RL_FLOAT32);
  if (!lua_istable(L, 2))
    rl_lua_script_error(L, "rille.tensor: a table of numbers is wanted, not %s", luaL_typename(L, 2));
  rl_tensor_from_table(L, 2, "rille.tensor", lua_isnoneornil(L, 3) ? RL_DTYPES : (int)dtype);
  return 1;
}

/* ---- back ---- */

static void push_table(lua_State *L, const struct rl_tensor *t) {
  if (t->rank == 0) {
    rl_lua_push_element(L, t->dtype, t->data);
    return;
  }
  int64_t n = t->shape[0];
  lua_createtable(L, n > INT32_MAX ? INT32_MAX : (int)n, 0);
  for (int64_t i = 0; i < n; i++) {
    struct rl_tensor row = rl_tensor_row(t, i);
    push_table(L, &row);
    lua_rawseti(L, -2, i + 1);
  }
}

int l_tensor_totable(lua_State *L) {
  const struct rl_tensor *t = rl_tensor_self(L, "tensor:totable");
  luaL_checkstack(L, RL_RANK_MAX + 10, NULL);
  push_table(L, t);
  return 1;
}
