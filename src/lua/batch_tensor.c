/* batch:tensor: columns as a tensor for a model. */
#include "base/log.h"
#include "lua/args.h"
#include "lua/batch.h"
#include "lua/batch_fill.h"
#include "lua/fail.h"
#include "lua/tensor.h"

static const char call[] = "batch:tensor";
static const char warned_key; /* registry: a table, column → true */

enum { AT_BATCH = 1, AT_NAMES, AT_DTYPE };

/* A name alone is a list of one. */
static size_t check_names(lua_State *L) {
  if (lua_type(L, AT_NAMES) == LUA_TSTRING) {
    lua_createtable(L, 1, 0);
    lua_pushvalue(L, AT_NAMES);
    lua_rawseti(L, -2, 1);
    lua_replace(L, AT_NAMES);
  }
  if (!lua_istable(L, AT_NAMES))
    rl_lua_script_error(L, "%s: a list of columns is wanted, as in { \"mag\", \"rb\" }, not %s", call,
                        luaL_typename(L, AT_NAMES));
  size_t n = lua_rawlen(L, AT_NAMES);
  if (n == 0) rl_lua_script_error(L, "%s: the list of columns is empty", call);
  return n;
}

static void check_column(lua_State *L, const struct rl_field *f, size_t of) {
  if (f->shape.n && of > 1)
    rl_lua_script_error(L, "%s: the column '%s' holds arrays: it makes a tensor of its own", call, f->name);
  if (f->n_lists && !f->shape.n)
    rl_lua_script_error(
        L, "%s: the column '%s' holds lists of any length: declare its shape, as in shape = {25}", call,
        f->name);
  if (f->type == RL_STR || f->type == RL_BYTES)
    rl_lua_script_error(L, "%s: the column '%s' is declared as %s: a tensor holds numbers", call, f->name,
                        rl_type_name(f->type));
}

/* Of the i-th name, of so many. */
static size_t find_column(lua_State *L, const struct rl_lua_batch *b, size_t i, size_t of) {
  lua_rawgeti(L, AT_NAMES, (lua_Integer)i + 1);
  size_t field = rl_lua_find_field(L, b->columns, rl_arg_text(L, -1, call, "column's name", NULL));
  check_column(L, &b->columns->fields->at[field], of);
  lua_pop(L, 1);
  return field;
}

static struct rl_fill fill_of(const struct rl_lua_batch *b, size_t field, const struct rl_tensor *mask) {
  return (struct rl_fill){
      .cells = b->columns->col[field], .rows = b->rows, .n = b->n, .complete = (unsigned char *)mask->data};
}

/* Text where no type was declared may be one message's fault, so it stops nothing; but who asked for a column
 * of names gets a tensor of NaN, and should hear why. Once a column. */
static void warn_of_text(lua_State *L, size_t i) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &warned_key);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &warned_key);
  }
  lua_rawgeti(L, AT_NAMES, (lua_Integer)i + 1);
  lua_pushvalue(L, -1);
  if (lua_rawget(L, -3) == LUA_TNIL) {
    rl_log(RL_WARN,
           "%s: the column '%s' holds text: where it does, the tensor has NaN and the row is not complete",
           call, lua_tostring(L, -2));
    lua_pushvalue(L, -2);
    lua_pushboolean(L, true);
    lua_rawset(L, -5);
  }
  lua_pop(L, 3);
}

/* [#batch] of true. */
static struct rl_tensor *push_mask(lua_State *L, size_t n) {
  const int64_t shape[] = {(int64_t)n};
  struct rl_tensor *mask = rl_lua_new_tensor(L, call, RL_TRUTH, 1, shape);
  memset(mask->data, 1, n);
  return mask;
}

static enum rl_dtype check_dtype(lua_State *L) {
  enum rl_dtype dtype = rl_lua_check_dtype(L, AT_DTYPE, call, RL_FLOAT32);
  if (!rl_dtype_is_float(dtype))
    rl_lua_script_error(L,
                        "%s: the type is float32 or float64, not %s: others have no NaN for what is missing",
                        call, rl_dtype_name(dtype));
  return dtype;
}

/* [#batch, columns] */
static void push_columns(lua_State *L, const struct rl_lua_batch *b, size_t k, enum rl_dtype dtype) {
  struct rl_fill *fills = lua_newuserdatauv(L, k * sizeof *fills, 0);
  const int64_t shape[] = {(int64_t)b->n, (int64_t)k};
  const struct rl_tensor *t = rl_lua_new_tensor(L, call, dtype, 2, shape), *mask = push_mask(L, b->n);
  for (size_t i = 0; i < k; i++) fills[i] = fill_of(b, find_column(L, b, i, k), mask);
  rl_batch_fill(fills, k, t);
  for (size_t i = 0; i < k; i++)
    if (fills[i].texts) warn_of_text(L, i);
}

/* [#batch] and the declared shape behind it. */
static void push_arrays(lua_State *L, const struct rl_lua_batch *b, size_t field, enum rl_dtype dtype) {
  const struct rl_shape *of = &b->columns->fields->at[field].shape;
  int64_t shape[RL_SHAPE_DIMS + 1] = {(int64_t)b->n};
  for (uint32_t i = 0; i < of->n; i++) shape[i + 1] = of->at[i];
  const struct rl_tensor *t = rl_lua_new_tensor(L, call, dtype, (int)of->n + 1, shape);
  const struct rl_tensor *mask = push_mask(L, b->n);
  struct rl_fill fill = fill_of(b, field, mask);
  rl_batch_fill_arrays(&fill, t);
}

int l_batch_tensor(lua_State *L) {
  struct rl_lua_batch *b = rl_lua_batch_self(L, call);
  lua_settop(L, AT_DTYPE);
  size_t k = check_names(L);
  enum rl_dtype dtype = check_dtype(L);
  size_t first = find_column(L, b, 0, k);
  if (b->columns->fields->at[first].shape.n)
    push_arrays(L, b, first, dtype);
  else
    push_columns(L, b, k, dtype);
  return 2;
}
