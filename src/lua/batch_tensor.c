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

/* Pushes the name and looks it up. */
static size_t find_column(lua_State *L, const struct rl_lua_batch *b, size_t i) {
  lua_rawgeti(L, AT_NAMES, (lua_Integer)i + 1);
  size_t field = rl_lua_find_field(L, b->columns, rl_arg_text(L, -1, call, "column's name", NULL));
  const struct rl_field *f = &b->columns->fields->at[field];
  if (f->type == RL_STR || f->type == RL_BYTES)
    rl_lua_script_error(L, "%s: the column '%s' is declared as %s: a tensor holds numbers", call, f->name,
                        rl_type_name(f->type));
  return field;
}

static struct rl_fill *push_fills(lua_State *L, const struct rl_lua_batch *b, size_t n) {
  struct rl_fill *fills = lua_newuserdatauv(L, n * sizeof *fills, 0);
  for (size_t i = 0; i < n; i++) {
    size_t field = find_column(L, b, i);
    fills[i] = (struct rl_fill){.cells = b->columns->col[field], .rows = b->rows, .n = b->n};
    lua_pop(L, 1);
  }
  return fills;
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

int l_batch_tensor(lua_State *L) {
  struct rl_lua_batch *b = rl_lua_batch_self(L, call);
  lua_settop(L, AT_DTYPE);
  size_t k = check_names(L);
  enum rl_dtype dtype = check_dtype(L);
  struct rl_fill *fills = push_fills(L, b, k);
  const int64_t shape[] = {(int64_t)b->n, (int64_t)k};
  const struct rl_tensor *t = rl_lua_new_tensor(L, call, dtype, 2, shape);
  const struct rl_tensor *mask = push_mask(L, b->n);
  for (size_t i = 0; i < k; i++) fills[i].complete = (unsigned char *)mask->data;
  rl_batch_fill(fills, k, t);
  for (size_t i = 0; i < k; i++)
    if (fills[i].texts) warn_of_text(L, i);
  return 2;
}
