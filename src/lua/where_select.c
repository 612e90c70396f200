/* From an expression and a batch's columns to the rows that pass: over the cells in C where the tree allows
 * it, else through arrays and the loop in Lua. */
#include <lauxlib.h>
#include <math.h>
#include <strings.h>

#include "base/mem.h"
#include "base/str.h"
#include "lua/fail.h"
#include "lua/number.h"
#include "lua/where_eval.h"
#include "lua/where_object.h"

static const char *nearest_field(const struct rl_fields *fields, const char *name) {
  const char **names = rl_alloc((fields->n + 1) * sizeof *names);
  for (size_t i = 0; i < fields->n; i++) names[i] = fields->at[i].name;
  const char *near = rl_nearest(name, names, fields->n);
  rl_free(names);
  return near;
}

static bool is_null_elsewhere(const char *name) {
  return strcasecmp(name, "null") == 0 || strcmp(name, "None") == 0 || strcmp(name, "NIL") == 0;
}

static int refuse_name(const struct rl_where_tree *tree, size_t name, const struct rl_fields *fields,
                       struct rl_err *err) {
  const char *text = tree->names[name].text;
  const char *near = is_null_elsewhere(text) ? NULL : nearest_field(fields, text);
  if (near)
    return rl_where_fail(err, tree->text, tree->names[name].at,
                         "there is no column `%.80s`, did you mean `%.80s`?", text, near);
  return rl_where_fail(err, tree->text, tree->names[name].at, "there is no column `%.80s`; %s", text,
                       is_null_elsewhere(text) ? "what is missing is `nil`, as in `x == nil`"
                                               : "`fields` names the columns, and a text stands in quotes");
}

/* Where the column stands for a value, and is not only asked whether it is there; NULL: nowhere. */
static const struct rl_where_node *value_use(const struct rl_where_node *node, uint32_t name) {
  bool asks = node->op == RL_W_ABSENT || node->op == RL_W_PRESENT;
  const struct rl_where_node *found = NULL;
  for (uint32_t i = 0; i < node->n && !found; i++) {
    const struct rl_where_node *kid = node->kid[i];
    if (kid->op != RL_W_COLUMN)
      found = value_use(kid, name);
    else if (kid->name == name && !asks)
      found = kid;
  }
  return found;
}

/* A list or an array of a shape is no value of an expression. */
static int check_use(const struct rl_where *w, size_t name, const struct rl_field *field,
                     struct rl_err *err) {
  const struct rl_where_node *use = rl_field_is_many(field) ? value_use(w->tree.root, (uint32_t)name) : NULL;
  if (!use) return 0;
  return rl_where_fail(
      err, w->tree.text, use->at,
      "`%.80s` is %s a row, of which only == nil and ~= nil are known here; its elements are for Lua",
      w->tree.names[name].text, field->shape.n ? "an array" : "a list");
}

static int find_name(const struct rl_where *w, size_t i, const struct rl_fields *fields, uint32_t *at,
                     struct rl_err *err) {
  ssize_t found = rl_fields_find_either(fields, w->tree.names[i].text);
  if (found < 0) return refuse_name(&w->tree, i, fields, err);
  *at = (uint32_t)found;
  return 0;
}

int rl_where_check(const struct rl_where *w, size_t i, const struct rl_fields *fields, struct rl_err *err) {
  uint32_t at = 0;
  if (find_name(w, i, fields, &at, err) != 0) return RL_EUSAGE;
  return check_use(w, i, &fields->at[at], err);
}

/* Looks names up again only where they do not stand where they stood in the columns seen before. */
static void bind(lua_State *L, struct rl_where *w, const struct rl_fields *fields) {
  struct rl_err err;
  for (size_t i = 0; i < w->tree.n_names; i++) {
    uint32_t *at = &w->field[i];
    bool stands = *at < fields->n && strcmp(fields->at[*at].name, w->tree.names[i].text) == 0;
    if ((!stands && find_name(w, i, fields, at, &err) != 0) || check_use(w, i, &fields->at[*at], &err) != 0)
      rl_lua_script_error(L, "%s", err.text);
  }
}

__attribute__((noreturn)) static void no_columns(lua_State *L, const struct rl_where *w) {
  static const struct rl_fields no_fields = RL_FIELDS_INIT;
  struct rl_err err;
  refuse_name(&w->tree, 0, &no_fields, &err);
  rl_lua_script_error(L, "%s", err.text);
}

/* Pushes an array of the columns by the tree's names. The object's own table is not held on to: building Lua
 * values may run a script's __gc, and that may use the object with other columns. */
static const struct rl_cell **push_cells(lua_State *L, struct rl_where *w, const struct rl_columns *columns) {
  const struct rl_cell **cells = lua_newuserdatauv(L, (w->tree.n_names + 1) * sizeof *cells, 0);
  if (!columns && w->tree.n_names > 0) no_columns(L, w);
  if (columns) bind(L, w, columns->fields);
  for (size_t i = 0; i < w->tree.n_names; i++) cells[i] = columns->col[w->field[i]];
  return cells;
}

enum { SEEN_NUMBER = 1, SEEN_TEXT = 2, SEEN_BOOLEAN = 4, SEEN_OTHER = 8 };

/* Sets t[i] at the top; missing values leave holes. An array or object is only itself: where it stands in
 * memory. */
static unsigned set_cell(lua_State *L, lua_Integer i, const struct rl_cell *cell) {
  unsigned seen = SEEN_NUMBER;
  switch (cell->tag) {
    case RL_MISSING:
    case RL_NULL: return 0;
    case RL_DOUBLE:
      if (isnan(cell->d)) return 0;
      lua_pushnumber(L, cell->d);
      break;
    case RL_INT: lua_pushinteger(L, cell->i); break;
    case RL_TEXT:
    case RL_BLOB:
      lua_pushlstring(L, cell->s, cell->len);
      seen = SEEN_TEXT;
      break;
    case RL_BOOL:
      lua_pushboolean(L, cell->i != 0);
      seen = SEEN_BOOLEAN;
      break;
    case RL_BIG:
      rl_lua_push_number(L, rl_bytes(cell->s, cell->len));
      seen = SEEN_OTHER;
      break;
    default:
      lua_pushlightuserdata(L, (void *)cell->s);
      seen = SEEN_OTHER;
      break;
  }
  lua_rawseti(L, -2, i);
  return seen;
}

/* Pushes the column's array and returns its letter of the profile. */
static char push_array(lua_State *L, const struct rl_cell *column, const uint32_t *rows, size_t n) {
  unsigned seen = 0;
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) seen |= set_cell(L, (lua_Integer)i + 1, &column[rows[i]]);
  if (seen == SEEN_TEXT) return 't';
  if (seen == SEEN_BOOLEAN) return 'b';
  return (seen & ~(unsigned)SEEN_NUMBER) ? 'm' : 'n';
}

static void push_arrays(lua_State *L, const struct rl_cell **cells, size_t n_names, const uint32_t *rows,
                        size_t n, char *profile) {
  lua_createtable(L, (int)n_names, 0);
  for (size_t i = 0; i < n_names; i++) {
    profile[i] = push_array(L, cells[i], rows, n);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  profile[n_names] = '\0';
}

/* Reads the places that passed, in the table at the top, into rows. */
static void take_places(lua_State *L, const uint32_t *rows, size_t passed, uint32_t *out) {
  for (size_t i = 0; i < passed; i++) {
    lua_rawgeti(L, -1, (lua_Integer)i + 1);
    out[i] = rows[lua_tointeger(L, -1) - 1];
    lua_pop(L, 1);
  }
}

static size_t select_in_lua(lua_State *L, int idx, const struct rl_cell **cells, const uint32_t *rows,
                            size_t n, uint32_t *out) {
  struct rl_where *w = lua_touserdata(L, idx);
  int base = lua_gettop(L);
  char *profile = lua_newuserdatauv(L, w->tree.n_names + 1, 0);
  push_arrays(L, cells, w->tree.n_names, rows, n, profile);
  rl_where_push_loop(L, idx, profile);
  lua_newtable(L);
  int places = lua_gettop(L);
  lua_pushvalue(L, -2);
  lua_pushvalue(L, base + 2);
  lua_pushinteger(L, (lua_Integer)n);
  lua_pushvalue(L, places);
  lua_call(L, 3, 1);
  size_t passed = (size_t)lua_tointeger(L, -1);
  lua_settop(L, places);
  take_places(L, rows, passed, out);
  return passed;
}

size_t rl_where_select(lua_State *L, int idx, const struct rl_columns *columns, const uint32_t *rows,
                       size_t n, uint32_t *out, enum rl_where_how how) {
  idx = lua_absindex(L, idx);
  luaL_checkstack(L, 20, NULL);
  struct rl_where *w = lua_touserdata(L, idx);
  int top = lua_gettop(L);
  const struct rl_cell **cells = push_cells(L, w, columns);
  size_t passed = w->in_c && how == RL_WHERE_BEST ? rl_where_eval(&w->tree, cells, rows, n, out)
                                                  : select_in_lua(L, idx, cells, rows, n, out);
  lua_settop(L, top);
  return passed;
}
