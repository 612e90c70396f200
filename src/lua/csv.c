#include "lua/csv.h"

#include <lauxlib.h>
#include <stdlib.h>

#include "codec/csv_write.h"
#include "lua/args.h"
#include "lua/fail.h"
#include "lua/json_scratch.h"
#include "lua/json_shape.h"
#include "lua/number.h"

#define ENCODE "rille.csv.encode"

enum { VALUE = 1, OPTIONS, COLUMNS, SCRATCH }; /* places on the stack */

struct encoding {
  lua_State *L;
  struct rl_buf *out; /* the scratch's */
  lua_Integer n;      /* columns; -1: rows are lists */
  char delimiter;
  bool header, list;
};

/* ---- columns: a list of names at COLUMNS ---- */

static void take_columns(lua_State *L) {
  if (!lua_istable(L, -1))
    rl_lua_script_error(L, ENCODE ": columns is a list of names, not %s", luaL_typename(L, -1));
  lua_Integer n = luaL_len(L, -1);
  if (n < 1) rl_lua_script_error(L, ENCODE ": columns is a list of names, and it has none");
  for (lua_Integer i = 1; i <= n; i++) {
    if (lua_rawgeti(L, -1, i) != LUA_TSTRING)
      rl_lua_script_error(L, ENCODE ": columns[%d] must be a name, not %s", (int)i, luaL_typename(L, -1));
    lua_pop(L, 1);
  }
  lua_replace(L, COLUMNS);
}

/* Adds the row's names to the set at `names`. */
static void add_names(lua_State *L, int row, int names) {
  lua_pushnil(L);
  while (lua_next(L, row)) {
    if (lua_type(L, -2) != LUA_TSTRING)
      rl_lua_script_error(L, ENCODE ": a row has names or positions, not both");
    lua_pushvalue(L, -2);
    lua_pushboolean(L, 1);
    lua_rawset(L, names);
    lua_pop(L, 1);
  }
}

static int order_names(const void *a, const void *b) {
  const struct rl_bytes *x = a, *y = b;
  int order = memcmp(x->data, y->data, x->len < y->len ? x->len : y->len);
  return order ? order : (x->len > y->len) - (x->len < y->len);
}

/* The set at the top as a sorted list at COLUMNS; the set keeps the names alive meanwhile. */
static void sort_names(lua_State *L) {
  int set = lua_gettop(L);
  size_t n = 0;
  lua_pushnil(L);
  for (; lua_next(L, set); lua_pop(L, 1)) n++;
  struct rl_bytes *names = lua_newuserdatauv(L, (n + 1) * sizeof *names, 0);
  n = 0;
  lua_pushnil(L);
  for (; lua_next(L, set); lua_pop(L, 1)) {
    names[n].data = lua_tolstring(L, -2, &names[n].len);
    n++;
  }
  qsort(names, n, sizeof *names, order_names);
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    lua_pushlstring(L, names[i].data, names[i].len);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_replace(L, COLUMNS);
  lua_settop(L, set - 1);
}

/* ---- rows ---- */

static lua_Integer length(lua_State *L, int idx) {
  struct rl_json_shape shape = rl_json_shape_of(L, idx);
  return shape.strings > 0 ? shape.n : shape.highest;
}

static bool is_positional(lua_State *L, int idx) {
  struct rl_json_shape shape = rl_json_shape_of(L, idx);
  return shape.ints > 0 && rl_json_is_list(&shape);
}

/* A list of rows: all its items are tables. No items: no rows. A table by names is none. */
static bool is_list(lua_State *L) {
  struct rl_json_shape shape = rl_json_shape_of(L, VALUE);
  if (!rl_json_is_list(&shape)) return false;
  if (shape.ints == 0) return true;
  bool tables = lua_rawgeti(L, VALUE, 1) == LUA_TTABLE;
  lua_pop(L, 1);
  return tables;
}

static void for_rows(struct encoding *e, void (*fn)(struct encoding *, int row, lua_Integer i, int arg),
                     int arg) {
  lua_Integer n = e->list ? length(e->L, VALUE) : 1;
  for (lua_Integer i = 1; i <= n; i++) {
    if (e->list)
      lua_rawgeti(e->L, VALUE, i);
    else
      lua_pushvalue(e->L, VALUE);
    if (!lua_istable(e->L, -1))
      rl_lua_script_error(e->L, ENCODE ": row %d is a table of cells, not %s", (int)i,
                          luaL_typename(e->L, -1));
    fn(e, lua_gettop(e->L), i, arg);
    lua_pop(e->L, 1);
  }
}

static void collect(struct encoding *e, int row, lua_Integer i, int names) {
  (void)i;
  if (!is_positional(e->L, row)) add_names(e->L, row, names);
}

static void find_columns(struct encoding *e) {
  lua_newtable(e->L);
  for_rows(e, collect, lua_gettop(e->L));
  sort_names(e->L);
}

static __attribute__((noreturn)) void refuse(struct encoding *e, lua_Integer row, lua_Integer column) {
  const char *what = luaL_typename(e->L, -1), *name = NULL;
  if (lua_rawgeti(e->L, COLUMNS, column) == LUA_TSTRING) name = lua_tostring(e->L, -1);
  if (name)
    luaL_error(e->L, "cannot be written as CSV: row %d, column '%s': a %s is no cell", (int)row, name, what);
  luaL_error(e->L, "cannot be written as CSV: row %d, cell %d: a %s is no cell", (int)row, (int)column, what);
  abort(); /* luaL_error does not return */
}

/* The value at the top, which stays. */
static bool put_cell(struct encoding *e, bool only) {
  struct rl_cell cell = {.tag = RL_NULL};
  size_t len;
  switch (lua_type(e->L, -1)) {
    case LUA_TNIL: break;
    case LUA_TBOOLEAN: cell = (struct rl_cell){.tag = RL_BOOL, .i = lua_toboolean(e->L, -1)}; break;
    case LUA_TSTRING:
      cell.s = lua_tolstring(e->L, -1, &len);
      if (len > UINT32_MAX) return false;
      cell.tag = RL_TEXT;
      cell.len = (uint32_t)len;
      break;
    default:
      if (lua_islightuserdata(e->L, -1) && !lua_touserdata(e->L, -1)) break;
      if (!rl_lua_to_number_cell(e->L, -1, &cell)) return false;
  }
  return rl_csv_put_cell(e->out, &cell, e->delimiter, only);
}

static void put_row(struct encoding *e, int row, lua_Integer i, int arg) {
  (void)arg;
  bool positional = is_positional(e->L, row);
  lua_Integer n = positional ? length(e->L, row) : e->n;
  if (positional && e->n > 0 && n > e->n)
    luaL_error(e->L, "cannot be written as CSV: row %d has %d cells for %d columns", (int)i, (int)n,
               (int)e->n);
  if (positional && e->n > n) n = e->n;
  if (e->list && i > 1) rl_buf_putc(e->out, '\n');
  for (lua_Integer k = 1; k <= n; k++) {
    if (k > 1) rl_buf_putc(e->out, e->delimiter);
    if (positional) {
      lua_rawgeti(e->L, row, k);
    } else {
      lua_rawgeti(e->L, COLUMNS, k);
      lua_rawget(e->L, row);
    }
    if (!put_cell(e, n == 1)) refuse(e, i, k);
    lua_pop(e->L, 1);
  }
}

static void put_header(struct encoding *e) {
  if (e->n < 1) rl_lua_script_error(e->L, ENCODE ": header needs columns, or rows by name");
  for (lua_Integer k = 1; k <= e->n; k++) {
    if (k > 1) rl_buf_putc(e->out, e->delimiter);
    lua_rawgeti(e->L, COLUMNS, k);
    put_cell(e, false);
    lua_pop(e->L, 1);
  }
}

/* ---- the call ---- */

static char delimiter_option(lua_State *L) {
  char found = ',';
  size_t len;
  if (lua_getfield(L, OPTIONS, "delimiter") != LUA_TNIL) {
    const char *text = rl_arg_text(L, lua_gettop(L), ENCODE, "delimiter", &len);
    bool fits = len == 1 && (unsigned char)*text < 0x80 && !strchr("\"\r\n", *text) && *text;
    if (!fits)
      rl_lua_script_error(L, ENCODE ": the delimiter is one ASCII character, no quote and no line break");
    found = *text;
  }
  lua_pop(L, 1);
  return found;
}

static void read_options(struct encoding *e) {
  static const char *const known[] = {"columns", "delimiter", "header"};
  lua_State *L = e->L;
  e->delimiter = ',';
  if (!rl_arg_options(L, OPTIONS, ENCODE, known, 3)) return;
  e->delimiter = delimiter_option(L);
  lua_getfield(L, OPTIONS, "header");
  e->header = lua_toboolean(L, -1);
  lua_pop(L, 1);
  if (lua_getfield(L, OPTIONS, "columns") != LUA_TNIL)
    take_columns(L);
  else
    lua_pop(L, 1);
}

static int l_csv_encode(lua_State *L) {
  struct encoding e = {.L = L};
  if (!lua_istable(L, VALUE))
    rl_lua_script_error(L, ENCODE " takes a row or a list of rows, not %s", luaL_typename(L, VALUE));
  lua_settop(L, COLUMNS);
  lua_pushnil(L);
  lua_replace(L, COLUMNS);
  read_options(&e);
  e.list = is_list(L);
  if (lua_isnil(L, COLUMNS)) find_columns(&e);
  e.n = luaL_len(L, COLUMNS);
  struct rl_json_scratch *s = rl_json_take(L);
  e.out = &s->buf;
  rl_buf_puts(e.out, "");
  if (e.header) put_header(&e);
  size_t before = e.out->len;
  if (e.header) rl_buf_putc(e.out, '\n');
  for_rows(&e, put_row, 0);
  bool lines = e.list && e.out->len > before + e.header;
  if (lines) rl_buf_putc(e.out, '\n');
  lua_pushlstring(L, e.out->data, e.out->len);
  rl_json_give(L, SCRATCH);
  return 1;
}

void rl_lua_open_csv(lua_State *L) {
  static const luaL_Reg functions[] = {{"encode", l_csv_encode}, {NULL, NULL}};
  luaL_newlib(L, functions);
}
