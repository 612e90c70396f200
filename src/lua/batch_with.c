/* batch:with: a view with more columns.
 *
 * The view's columns are a struct of its own that borrows the batch's cells and adds some. It lies in a
 * userdata, whose user value 1 is a table of what it points into: names, texts, and the userdata of the view
 * that this one is of. */
#include "base/str.h"
#include "lua/args.h"
#include "lua/batch.h"
#include "lua/fail.h"
#include "lua/json.h"
#include "lua/number.h"
#include "lua/tensor.h"
#include "model/tensor_line.h"

struct with {
  struct rl_columns columns;
  struct rl_fields fields;
  size_t rows; /* of each new column: one more than the view's last */
};

enum { AT_BATCH = 1, AT_NEW, AT_WITH, AT_HELD };

/* Keeps the value at the top, which is popped, for as long as the columns. */
static void hold(lua_State *L) { lua_rawseti(L, AT_HELD, (lua_Integer)lua_rawlen(L, AT_HELD) + 1); }

/* ---- one column's values ---- */

static struct rl_cell text_cell(lua_State *L) {
  size_t len;
  const char *text = lua_tolstring(L, -1, &len);
  lua_pushvalue(L, -1);
  hold(L);
  enum rl_tag tag = rl_utf8_valid(rl_bytes(text, len)) ? RL_TEXT : RL_BLOB;
  return (struct rl_cell){.tag = tag, .len = (uint32_t)len, .s = text};
}

static bool is_null(lua_State *L) {
  rl_lua_push_null(L);
  bool null = lua_rawequal(L, -1, -2);
  lua_pop(L, 1);
  return null;
}

static struct rl_cell cell_of(lua_State *L, const char *name, lua_Integer i) {
  struct rl_cell cell = {.tag = RL_NULL};
  switch (lua_type(L, -1)) {
    case LUA_TNIL: return cell;
    case LUA_TBOOLEAN: return (struct rl_cell){.tag = RL_BOOL, .i = lua_toboolean(L, -1)};
    case LUA_TSTRING: return text_cell(L);
    default: break;
  }
  if (lua_type(L, -1) == LUA_TNUMBER || !is_null(L)) {
    if (!rl_lua_to_number_cell(L, -1, &cell))
      rl_lua_script_error(L, "batch:with: %s[%lld] is a %s: a column holds numbers, texts and booleans", name,
                          (long long)i, luaL_typename(L, -1));
    if (cell.tag == RL_BIG) {
      lua_pushvalue(L, -1);
      hold(L);
    }
  }
  return cell;
}

/* t.n where it is a length, else #t. */
static lua_Integer length(lua_State *L, int idx) {
  lua_pushliteral(L, "n");
  lua_rawget(L, idx);
  lua_Integer n = lua_isinteger(L, -1) ? lua_tointeger(L, -1) : (lua_Integer)lua_rawlen(L, idx);
  lua_pop(L, 1);
  return n;
}

static void from_table(lua_State *L, const struct rl_lua_batch *b, const char *name, struct rl_cell *cells) {
  int values = lua_gettop(L);
  lua_Integer n = length(L, values);
  if (n != (lua_Integer)b->n)
    luaL_error(L,
               "batch:with: %s has the shape [%I], the batch [%I]: one value a row (n says how many, where "
               "there are holes)",
               name, (LUAI_UACINT)n, (LUAI_UACINT)b->n);
  for (lua_Integer i = 1; i <= n; i++) {
    lua_rawgeti(L, values, i);
    cells[b->rows[i - 1]] = cell_of(L, name, i);
    lua_pop(L, 1);
  }
}

static struct rl_cell element(const struct rl_line *line) {
  struct rl_cell cell = {.tag = RL_DOUBLE};
  if (rl_dtype_is_float(line->dtype)) {
    rl_line_load(line, 1, &cell.d);
  } else {
    cell.tag = line->dtype == RL_TRUTH ? RL_BOOL : RL_INT;
    rl_line_load_int(line, 1, &cell.i);
  }
  return cell;
}

/* A model's scores are often [n, 1]: one number a row is what counts. */
static void from_tensor(lua_State *L, const struct rl_lua_batch *b, const char *name,
                        const struct rl_tensor *t, struct rl_cell *cells) {
  char shape[RL_SHAPE_TEXT];
  if (t->rank == 0 || (size_t)t->shape[0] != b->n || rl_tensor_count(t) != b->n)
    luaL_error(L, "batch:with: %s has the shape %s, the batch [%I]: one value a row", name,
               rl_shape_text(shape, t->rank, t->shape), (LUAI_UACINT)b->n);
  struct rl_line line = {t->data, t->dtype, t->stride[0]};
  for (size_t i = 0; i < b->n; i++) {
    cells[b->rows[i]] = element(&line);
    rl_line_skip(&line, 1);
  }
}

/* ---- the columns ---- */

/* The name is at -2, the values are at -1; the column's cells are all missing so far. */
static void fill(lua_State *L, const struct rl_lua_batch *b, struct rl_cell *cells) {
  const char *name = lua_tostring(L, -2);
  const struct rl_tensor *t = rl_lua_test_tensor(L, -1);
  if (t)
    from_tensor(L, b, name, t, cells);
  else if (lua_istable(L, -1))
    from_table(L, b, name, cells);
  else
    rl_lua_script_error(L, "batch:with: %s must be a tensor or an array, not %s", name, luaL_typename(L, -1));
}

static void check_name(lua_State *L, int idx, const struct rl_lua_batch *b) {
  if (lua_type(L, idx) != LUA_TSTRING)
    rl_lua_script_error(L, "batch:with: a column's name is a string, not %s", luaL_typename(L, idx));
  const char *name = lua_tostring(L, idx);
  if (b->columns && rl_fields_find(b->columns->fields, name) >= 0)
    rl_lua_script_error(L, "batch:with: there is a column '%s' already", name);
  if (rl_lua_batch_has(name))
    rl_lua_script_error(L, "batch:with: '%s' is a batch's own: give the column another name", name);
}

/* Leaves a copy of the table in its place: the script's own may change while values are made, in a __gc. */
static size_t take_names(lua_State *L, const struct rl_lua_batch *b) {
  size_t n = 0;
  if (!lua_istable(L, AT_NEW))
    rl_lua_script_error(L, "batch:with: columns are wanted, as in { score = scores }, not %s",
                        luaL_typename(L, AT_NEW));
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, AT_NEW); n++) {
    check_name(L, -2, b);
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, AT_NEW + 1);
  }
  lua_replace(L, AT_NEW);
  return n;
}

/* Pushes the userdata, with the view's columns and room for `more` behind them, and its table. */
static struct with *push_with(lua_State *L, const struct rl_lua_batch *b, size_t more) {
  const struct rl_columns *old = b->columns;
  size_t had = old ? old->fields->n : 0, n = had + more, rows = 0;
  for (size_t i = 0; i < b->n; i++)
    if (b->rows[i] >= rows) rows = b->rows[i] + (size_t)1;
  size_t size = sizeof(struct with) + n * sizeof(struct rl_field) + n * sizeof(struct rl_cell *);
  size = (size + 15) / 16 * 16;
  struct with *w = lua_newuserdatauv(L, size + more * rows * sizeof(struct rl_cell), 1);
  memset(w, 0, size + more * rows * sizeof(struct rl_cell)); /* RL_MISSING is 0 */
  w->rows = rows;
  w->fields.at = (struct rl_field *)(w + 1);
  w->columns.col = (struct rl_cell **)(w->fields.at + n);
  w->columns.fields = &w->fields;
  struct rl_cell *cells = (struct rl_cell *)(void *)((char *)w + size);
  for (size_t i = 0; i < more; i++) w->columns.col[had + i] = cells + i * rows;
  if (had) memcpy(w->fields.at, old->fields->at, had * sizeof *w->fields.at);
  if (had) memcpy(w->columns.col, old->col, had * sizeof *w->columns.col);
  w->fields.n = had;
  lua_newtable(L);
  lua_pushvalue(L, AT_HELD);
  lua_setiuservalue(L, AT_WITH, 1);
  return w;
}

static void add_column(lua_State *L, const struct rl_lua_batch *b, struct with *w) {
  size_t at = w->fields.n++;
  char *name = (char *)(uintptr_t)lua_tostring(L, -2); /* only ever read, as the other fields' are */
  w->fields.at[at] = (struct rl_field){.name = name, .path = name};
  lua_pushvalue(L, -2);
  hold(L);
  fill(L, b, w->columns.col[at]);
}

int l_batch_with(lua_State *L) {
  struct rl_lua_batch *b = rl_lua_batch_self(L, "batch:with");
  lua_settop(L, AT_NEW);
  struct with *w = push_with(L, b, take_names(L, b));
  rl_lua_push_columns_owner(L, AT_BATCH);
  hold(L);
  for (lua_pushnil(L); lua_next(L, AT_NEW); lua_pop(L, 1)) add_column(L, b, w);
  rl_lua_push_view(L, AT_BATCH, b->rows, b->n);
  rl_lua_batch_columns(L, &w->columns, AT_WITH);
  return 1;
}
