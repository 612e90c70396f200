#include "lua/tensor.h"

#include <string.h>

#include "base/str.h"
#include "lua/args.h"
#include "lua/fail.h"
#include "lua/members.h"
#include "lua/tensor_impl.h"

static const char metatable_key; /* registry: the type's metatable, to be found without making a string */

enum property { P_SHAPE = 1, P_DTYPE, P_SIZE };

/* ---- making and finding ---- */

struct rl_tensor *rl_lua_hold_tensor(lua_State *L) {
  struct rl_tensor *t = lua_newuserdatauv(L, sizeof *t, 0);
  *t = (struct rl_tensor){0};
  luaL_setmetatable(L, RL_TENSOR_TYPE);
  return t;
}

struct rl_tensor *rl_lua_new_tensor(lua_State *L, const char *call, enum rl_dtype dtype, int rank,
                                    const int64_t *shape) {
  struct rl_err err;
  struct rl_tensor *t = rl_lua_hold_tensor(L);
  struct rl_tensor_alloc alloc = rl_lua_tensor_alloc(L);
  int rc = rl_tensor_new(t, dtype, rank, shape, &alloc, &err);
  for (int tries = 0; rc == RL_ENOMEM; tries++) {
    rl_lua_tensor_memory(L, tries > 0);
    rc = rl_tensor_new(t, dtype, rank, shape, &alloc, &err);
  }
  if (rc) luaL_error(L, "%s: %s", call, err.text);
  rl_lua_tensor_made(L, t);
  return t;
}

void rl_lua_push_tensor(lua_State *L, const struct rl_tensor *t) {
  struct rl_tensor *held = rl_lua_hold_tensor(L);
  *held = rl_tensor_share(t); /* after what may raise */
}

/* By the metatable's address: what a name needs may have no memory, and callers here cannot be thrown out. */
struct rl_tensor *rl_lua_test_tensor(lua_State *L, int idx) {
  return rl_arg_userdata(L, idx, &metatable_key);
}

struct rl_tensor *rl_lua_check_tensor(lua_State *L, int idx, const char *call, const char *what) {
  struct rl_tensor *t = rl_lua_test_tensor(L, idx);
  if (!t) rl_lua_script_error(L, "%s: %s must be a tensor, not %s", call, what, luaL_typename(L, idx));
  return t;
}

struct rl_tensor *rl_lua_compact_tensor(lua_State *L, int idx, const char *call, const char *what) {
  struct rl_tensor *t = rl_lua_check_tensor(L, idx, call, what);
  if (rl_tensor_is_compact(t)) return t;
  idx = lua_absindex(L, idx);
  struct rl_tensor *copy = rl_lua_new_tensor(L, call, t->dtype, t->rank, t->shape);
  rl_tensor_copy(copy, t);
  lua_replace(L, idx);
  return copy;
}

struct rl_tensor *rl_tensor_self(lua_State *L, const char *call) {
  return rl_arg_self(L, RL_TENSOR_TYPE, call);
}

struct rl_tensor *rl_tensor_self_compact(lua_State *L, const char *call) {
  rl_tensor_self(L, call);
  return rl_lua_compact_tensor(L, 1, call, "it");
}

enum rl_dtype rl_lua_check_dtype(lua_State *L, int idx, const char *call, enum rl_dtype otherwise) {
  enum rl_dtype dtype;
  if (lua_isnoneornil(L, idx)) return otherwise;
  const char *name = rl_arg_text(L, idx, call, "type", NULL);
  if (rl_dtype_parse(name, &dtype)) return dtype;
  const char *near = rl_nearest(name, rl_dtype_names, RL_DTYPES);
  if (near) rl_lua_script_error(L, "%s: there is no type '%s' (did you mean '%s'?)", call, name, near);
  rl_lua_script_error(L, "%s: there is no type '%s': float32, float64, int64, int32, uint8 or bool", call,
                      name);
}

/* ---- members ---- */

void rl_lua_push_element(lua_State *L, enum rl_dtype dtype, const char *at) {
  union {
    float f;
    double d;
    int64_t l;
    int32_t i;
  } x;
  memcpy(&x, at, rl_dtype_size(dtype));
  switch (dtype) {
    case RL_FLOAT32: lua_pushnumber(L, rl_plain_nan((double)x.f)); break;
    case RL_FLOAT64: lua_pushnumber(L, rl_plain_nan(x.d)); break;
    case RL_INT64: lua_pushinteger(L, x.l); break;
    case RL_INT32: lua_pushinteger(L, x.i); break;
    case RL_UINT8: lua_pushinteger(L, *(const unsigned char *)at); break;
    case RL_TRUTH: lua_pushboolean(L, *at != 0); break;
  }
}

/* t[i]; outside of it nil, so that ipairs ends there. */
static void push_nth(lua_State *L, const struct rl_tensor *t, lua_Integer i) {
  if (t->rank == 0) rl_lua_script_error(L, "a tensor of shape [] has no rows: t:item() gives its number");
  if (i < 1 || i > t->shape[0]) {
    lua_pushnil(L);
    return;
  }
  struct rl_tensor row = rl_tensor_row(t, i - 1);
  if (row.rank == 0)
    rl_lua_push_element(L, row.dtype, row.data);
  else
    rl_lua_push_tensor(L, &row);
}

static void push_shape(lua_State *L, const struct rl_tensor *t) {
  lua_createtable(L, t->rank, 0);
  for (int i = 0; i < t->rank; i++) {
    lua_pushinteger(L, t->shape[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

static int push_property(lua_State *L, const struct rl_tensor *t, enum property which) {
  switch (which) {
    case P_SHAPE: push_shape(L, t); break;
    case P_DTYPE: lua_pushstring(L, rl_dtype_name(t->dtype)); break;
    case P_SIZE: lua_pushinteger(L, (lua_Integer)rl_tensor_count(t)); break;
  }
  return 1;
}

__attribute__((noreturn)) static void no_member(lua_State *L) {
  luaL_tolstring(L, 2, NULL);
  rl_lua_script_error(L, "a tensor has no '%s': man rille-tensor lists what it has", lua_tostring(L, -1));
}

/* Upvalue 1: methods as functions, properties as numbers. */
static int l_tensor_index(lua_State *L) {
  struct rl_tensor *t = rl_tensor_self(L, "tensor:index");
  int whole = 0;
  if (lua_type(L, 2) == LUA_TNUMBER) {
    lua_Integer i = lua_tointegerx(L, 2, &whole);
    if (!whole) no_member(L);
    push_nth(L, t, i);
    return 1;
  }
  lua_pushvalue(L, 2);
  switch (lua_rawget(L, lua_upvalueindex(1))) {
    case LUA_TFUNCTION: return 1;
    case LUA_TNUMBER: return push_property(L, t, (enum property)lua_tointeger(L, -1));
    default: no_member(L);
  }
}

static int l_tensor_len(lua_State *L) {
  lua_pushinteger(L, rl_tensor_rows(rl_tensor_self(L, "tensor:len")));
  return 1;
}

static void add_element(lua_State *L, luaL_Buffer *text, const struct rl_tensor *t, size_t i) {
  char number[40];
  rl_lua_push_element(L, t->dtype, t->data + i * rl_dtype_size(t->dtype));
  if (t->dtype == RL_FLOAT32) {
    snprintf(number, sizeof number, "%.7g", lua_tonumber(L, -1));
    luaL_addstring(text, number);
    lua_pop(L, 1);
    return;
  }
  luaL_tolstring(L, -1, NULL);
  lua_remove(L, -2);
  luaL_addvalue(text);
}

/* "tensor float32 [2, 3]: 1 2 3 4 5 6" */
static int l_tensor_tostring(lua_State *L) {
  enum { SHOWN = 8 };
  char shape[RL_SHAPE_TEXT];
  luaL_Buffer text;
  luaL_checkudata(L, 1, RL_TENSOR_TYPE);
  const struct rl_tensor *t = rl_lua_compact_tensor(L, 1, "tostring", "it");
  size_t n = rl_tensor_count(t);
  luaL_buffinit(L, &text);
  luaL_addstring(&text, "tensor ");
  luaL_addstring(&text, rl_dtype_name(t->dtype));
  luaL_addstring(&text, " ");
  luaL_addstring(&text, rl_shape_text(shape, t->rank, t->shape));
  luaL_addstring(&text, n ? ":" : "");
  for (size_t i = 0; i < n && i < SHOWN; i++) {
    luaL_addchar(&text, ' ');
    add_element(L, &text, t, i);
  }
  luaL_addstring(&text, n > SHOWN ? " ..." : "");
  luaL_pushresult(&text);
  return 1;
}

static int l_tensor_newindex(lua_State *L) {
  rl_lua_script_error(L, "a tensor cannot be changed: its methods give new ones");
}

/* Is called once, and for lack of memory too: so it may not need any, not even for the type's name. */
static int l_tensor_gc(lua_State *L) {
  struct rl_tensor *t = rl_lua_test_tensor(L, 1);
  if (!t) return 0;
  rl_tensor_free(t);
  t->rank = 1; /* shape [0]: another finalizer may still look at it */
  return 0;
}

/* ---- other shapes and types ---- */

static int l_tensor_item(lua_State *L) {
  const struct rl_tensor *t = rl_tensor_self(L, "tensor:item");
  char shape[RL_SHAPE_TEXT];
  if (rl_tensor_count(t) != 1)
    luaL_error(L, "tensor:item: the shape %s holds not one number but %I",
               rl_shape_text(shape, t->rank, t->shape), (LUAI_UACINT)rl_tensor_count(t));
  rl_lua_push_element(L, t->dtype, t->data);
  return 1;
}

static int l_tensor_reshape(lua_State *L) {
  int64_t shape[RL_RANK_MAX];
  struct rl_tensor view;
  struct rl_err err;
  const struct rl_tensor *t = rl_tensor_self_compact(L, "tensor:reshape");
  int rank = rl_tensor_arg_shape(L, 2, "tensor:reshape", shape);
  if (rl_tensor_reshape(t, rank, shape, &view, &err)) luaL_error(L, "tensor:reshape: %s", err.text);
  rl_lua_push_tensor(L, &view);
  return 1;
}

static int l_tensor_column(lua_State *L) {
  char shape[RL_SHAPE_TEXT];
  const struct rl_tensor *t = rl_tensor_self(L, "tensor:column");
  int64_t j = rl_arg_integer(L, 2, "tensor:column", "position");
  if (t->rank < 2 || j < 1 || j > t->shape[t->rank - 1])
    luaL_error(L, "tensor:column: the shape %s has no column %I", rl_shape_text(shape, t->rank, t->shape),
               (LUAI_UACINT)j);
  struct rl_tensor column = rl_tensor_column(t, j - 1);
  rl_lua_push_tensor(L, &column);
  return 1;
}

static const luaL_Reg methods[] = {{"item", l_tensor_item},       {"reshape", l_tensor_reshape},
                                   {"column", l_tensor_column},   {"rows", l_tensor_rows},
                                   {"totable", l_tensor_totable}, {NULL, NULL}};

static const luaL_Reg meta[] = {{"__len", l_tensor_len},
                                {"__tostring", l_tensor_tostring},
                                {"__newindex", l_tensor_newindex},
                                {"__gc", l_tensor_gc},
                                {NULL, NULL}};

static void set_index(lua_State *L) {
  static const char *const properties[] = {"shape", "dtype", "size"};
  luaL_newlib(L, methods);
  luaL_setfuncs(L, rl_tensor_math, 0);
  luaL_setfuncs(L, rl_tensor_folds, 0);
  luaL_setfuncs(L, rl_tensor_pairs, 0);
  for (int i = 0; i < 3; i++) {
    lua_pushinteger(L, P_SHAPE + i);
    lua_setfield(L, -2, properties[i]);
  }
  lua_pushcclosure(L, l_tensor_index, 1);
  lua_setfield(L, -2, "__index");
}

static void open_type(lua_State *L) {
  if (luaL_newmetatable(L, RL_TENSOR_TYPE)) {
    luaL_setfuncs(L, meta, 0);
    luaL_setfuncs(L, rl_tensor_operators, 0);
    set_index(L);
    rl_lua_seal_type(L, "a tensor", &metatable_key);
  }
  lua_pop(L, 1);
}

void rl_lua_open_tensor(lua_State *L) {
  rl_tensor_open_memory(L);
  open_type(L);
  lua_newtable(L);
  luaL_setfuncs(L, rl_tensor_makers, 0);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, l_tensor_call);
  lua_setfield(L, -2, "__call");
  lua_setmetatable(L, -2);
}
