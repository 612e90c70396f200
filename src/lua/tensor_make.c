/* rille.tensor.zeros, from_bytes, stack, load, save; t:to; the arguments that they read. */
#include <string.h>

#include "lua/args.h"
#include "lua/fail.h"
#include "lua/tensor_impl.h"
#include "model/npy.h"
#include "model/tensor_line.h"

/* ---- shapes and axes as arguments ---- */

static int64_t size_at(lua_State *L, int idx, const char *call) {
  int64_t size = rl_arg_integer(L, idx, call, "size of an axis");
  if (size < -1) rl_lua_script_error(L, "%s: no axis has the size %lld", call, (long long)size);
  return size;
}

static int check_rank(lua_State *L, const char *call, lua_Unsigned rank) {
  if (rank > RL_RANK_MAX)
    rl_lua_script_error(L, "%s: a tensor has at most %d axes, not %llu", call, RL_RANK_MAX,
                        (unsigned long long)rank);
  return (int)rank;
}

int rl_tensor_arg_shape(lua_State *L, int idx, const char *call, int64_t shape[RL_RANK_MAX]) {
  if (!lua_istable(L, idx)) {
    int given = lua_gettop(L) - idx + 1, rank = check_rank(L, call, given > 0 ? (lua_Unsigned)given : 0);
    for (int i = 0; i < rank; i++) shape[i] = size_at(L, idx + i, call);
    return rank;
  }
  int rank = check_rank(L, call, lua_rawlen(L, idx));
  for (int i = 0; i < rank; i++) {
    lua_rawgeti(L, idx, i + 1);
    shape[i] = size_at(L, -1, call);
    lua_pop(L, 1);
  }
  return rank;
}

int rl_tensor_arg_axis(lua_State *L, int idx, const char *call, const struct rl_tensor *t) {
  char shape[RL_SHAPE_TEXT];
  if (lua_isnoneornil(L, idx)) return -1;
  int64_t axis = rl_arg_integer(L, idx, call, "axis");
  if (axis < 0) axis += t->rank + 1;
  if (axis >= 1 && axis <= t->rank) return (int)axis - 1;
  luaL_error(L, "%s: the shape %s has no axis %I", call, rl_shape_text(shape, t->rank, t->shape),
             (LUAI_UACINT)lua_tointeger(L, idx));
  return -1;
}

/* ---- makers ---- */

static int l_tensor_zeros(lua_State *L) {
  int64_t shape[RL_RANK_MAX];
  if (!lua_istable(L, 1))
    rl_lua_script_error(L, "rille.tensor.zeros: the shape is a table, as in { 3, 4 }, not %s",
                        luaL_typename(L, 1));
  int rank = rl_tensor_arg_shape(L, 1, "rille.tensor.zeros", shape);
  enum rl_dtype dtype = rl_lua_check_dtype(L, 2, "rille.tensor.zeros", RL_FLOAT32);
  struct rl_tensor *t = rl_lua_new_tensor(L, "rille.tensor.zeros", dtype, rank, shape);
  memset(t->data, 0, rl_tensor_count(t) * rl_dtype_size(dtype));
  return 1;
}

/* A null cutout is a message's matter, a number in its place the script's. */
static struct rl_bytes check_bytes(lua_State *L, int idx, const char *call) {
  struct rl_bytes bytes;
  if (lua_isnil(L, idx)) luaL_error(L, "%s: there are no bytes: nil came", call);
  bytes.data = rl_arg_text(L, idx, call, "bytes", &bytes.len);
  return bytes;
}

static bool check_order(lua_State *L, int idx, const char *call) {
  if (lua_isnoneornil(L, idx)) return false;
  const char *order = rl_arg_text(L, idx, call, "byte order", NULL);
  if (strcmp(order, ">") == 0) return true;
  if (strcmp(order, "<") == 0) return false;
  rl_lua_script_error(L, "%s: the byte order is \"<\" or \">\", not \"%s\"", call, order);
}

/* Fills in an axis of -1 from the bytes there are; all must be used. */
static void fit_shape(lua_State *L, const char *call, size_t len, enum rl_dtype dtype, int rank,
                      int64_t *shape) {
  char text[RL_SHAPE_TEXT];
  struct rl_err err;
  size_t size = rl_dtype_size(dtype);
  struct rl_tensor flat = {.dtype = dtype, .rank = 1, .shape = {(int64_t)(len / size)}, .stride = {1}}, to;
  if (len % size == 0 && rl_tensor_reshape(&flat, rank, shape, &to, &err) == 0) {
    memcpy(shape, to.shape, sizeof to.shape);
    return;
  }
  luaL_error(L, "%s: %I bytes are no %s of shape %s: they hold [%I] of them%s", call, (LUAI_UACINT)len,
             rl_dtype_name(dtype), rl_shape_text(text, rank, shape), (LUAI_UACINT)(len / size),
             len % size ? " and a part" : "");
}

static int l_tensor_from_bytes(lua_State *L) {
  static const char call[] = "rille.tensor.from_bytes";
  int64_t shape[RL_RANK_MAX] = {-1};
  int rank = 1;
  struct rl_bytes bytes = check_bytes(L, 1, call);
  if (lua_isnoneornil(L, 2)) rl_lua_script_error(L, "%s: a type is missing, as in \"float32\"", call);
  enum rl_dtype dtype = rl_lua_check_dtype(L, 2, call, RL_FLOAT32);
  if (lua_istable(L, 3))
    rank = rl_tensor_arg_shape(L, 3, call, shape);
  else if (!lua_isnoneornil(L, 3))
    rl_lua_script_error(L, "%s: the shape is a table, as in { 63, 63 }, not %s", call, luaL_typename(L, 3));
  bool swapped = check_order(L, 4, call);
  fit_shape(L, call, bytes.len, dtype, rank, shape);
  struct rl_tensor *t = rl_lua_new_tensor(L, call, dtype, rank, shape);
  if (bytes.len) memcpy(t->data, bytes.data, bytes.len);
  if (swapped) rl_tensor_swap_bytes(t);
  for (size_t i = 0; dtype == RL_TRUTH && i < bytes.len; i++) t->data[i] = t->data[i] != 0;
  return 1;
}

/* ---- stack ---- */

static const struct rl_tensor *stack_item(lua_State *L, lua_Integer i) {
  lua_rawgeti(L, 1, i);
  return rl_lua_check_tensor(L, -1, "rille.tensor.stack", "each of the list");
}

/* The new axis among rank + 1: 1 to that, or from -1 backwards. */
static int stack_axis(lua_State *L, int rank) {
  if (rank == RL_RANK_MAX) luaL_error(L, "rille.tensor.stack: a tensor has at most %d axes", RL_RANK_MAX);
  int64_t axis = lua_isnoneornil(L, 2) ? 1 : rl_arg_integer(L, 2, "rille.tensor.stack", "axis");
  if (axis < 0) axis += rank + 2;
  if (axis < 1 || axis > rank + 1)
    luaL_error(L, "rille.tensor.stack: there is no axis %I among %d", (LUAI_UACINT)lua_tointeger(L, 2),
               rank + 1);
  return (int)axis - 1;
}

/* The part of `all` that is item i's: without the stacked axis. */
static struct rl_tensor stack_part(const struct rl_tensor *all, int axis, int64_t i) {
  struct rl_tensor part = *all;
  part.data += i * all->stride[axis] * (int64_t)rl_dtype_size(all->dtype);
  part.rank--;
  for (int k = axis; k < part.rank; k++) {
    part.shape[k] = all->shape[k + 1];
    part.stride[k] = all->stride[k + 1];
  }
  return part;
}

static void check_like(lua_State *L, const struct rl_tensor *t, const struct rl_tensor *first,
                       lua_Integer i) {
  char a[RL_SHAPE_TEXT], b[RL_SHAPE_TEXT];
  if (t->dtype == first->dtype && rl_tensor_same_shape(t, first)) return;
  luaL_error(L, "rille.tensor.stack: item %I is %s %s, the first %s %s", (LUAI_UACINT)i,
             rl_dtype_name(t->dtype), rl_shape_text(a, t->rank, t->shape), rl_dtype_name(first->dtype),
             rl_shape_text(b, first->rank, first->shape));
}

static struct rl_tensor *new_stack(lua_State *L, const struct rl_tensor *first, int axis, int64_t n) {
  int64_t shape[RL_RANK_MAX];
  for (int i = 0; i <= first->rank; i++) shape[i] = i == axis ? n : first->shape[i - (i > axis)];
  return rl_lua_new_tensor(L, "rille.tensor.stack", first->dtype, first->rank + 1, shape);
}

static int l_tensor_stack(lua_State *L) {
  if (!lua_istable(L, 1))
    rl_lua_script_error(L, "rille.tensor.stack: a list of tensors is wanted, not %s", luaL_typename(L, 1));
  lua_Integer n = (lua_Integer)lua_rawlen(L, 1);
  if (n == 0) luaL_error(L, "rille.tensor.stack: there is nothing in the list");
  lua_settop(L, 2);
  const struct rl_tensor *first = stack_item(L, 1);
  int axis = stack_axis(L, first->rank);
  struct rl_tensor *all = new_stack(L, first, axis, n);
  for (lua_Integer i = 1; i <= n; i++) {
    const struct rl_tensor *item = stack_item(L, i);
    check_like(L, item, first, i);
    struct rl_tensor part = stack_part(all, axis, i - 1);
    rl_tensor_copy(&part, item);
    lua_pop(L, 1);
  }
  return 1;
}

/* ---- files ---- */

static int l_tensor_load(lua_State *L) {
  struct rl_err err;
  const char *path = rl_arg_text(L, 1, "rille.tensor.load", "path", NULL);
  struct rl_tensor_alloc alloc = rl_lua_tensor_alloc(L);
  struct rl_tensor *t = rl_lua_hold_tensor(L);
  int rc = rl_npy_load(path, &alloc, t, &err);
  for (int tries = 0; rc == RL_ENOMEM; tries++) {
    rl_lua_tensor_memory(L, tries > 0);
    rc = rl_npy_load(path, &alloc, t, &err);
  }
  if (rc) {
    lua_pushnil(L);
    lua_pushstring(L, err.text);
    return 2;
  }
  rl_lua_tensor_made(L, t);
  return 1;
}

static int l_tensor_save(lua_State *L) {
  struct rl_err err;
  const char *path = rl_arg_text(L, 1, "rille.tensor.save", "path", NULL);
  const struct rl_tensor *t = rl_lua_compact_tensor(L, 2, "rille.tensor.save", "what is to be saved");
  if (rl_npy_save(path, t, &err)) {
    lua_pushnil(L);
    lua_pushstring(L, err.text);
    return 2;
  }
  lua_pushboolean(L, true);
  return 1;
}

const luaL_Reg rl_tensor_makers[] = {{"zeros", l_tensor_zeros}, {"from_bytes", l_tensor_from_bytes},
                                     {"stack", l_tensor_stack}, {"load", l_tensor_load},
                                     {"save", l_tensor_save},   {NULL, NULL}};
