/* Columns as Lua sees them: arrays that are the script's own copies (S8.4), made when they are first read. */
#include <lauxlib.h>
#include <math.h>

#include "base/str.h"
#include "lua/args.h"
#include "lua/batch.h"
#include "lua/fail.h"
#include "lua/json.h"
#include "lua/message.h"

#define UV_COLUMNS 3

static bool missing_is_nan(const struct rl_field *field) {
  return (field->type == RL_F64 || field->type == RL_F32) && !rl_field_is_many(field);
}

void rl_lua_push_field(lua_State *L, const struct rl_columns *c, size_t field, uint32_t row) {
  const struct rl_cell *cell = &c->col[field][row];
  if (cell->tag <= RL_NULL && missing_is_nan(&c->fields->at[field]))
    lua_pushnumber(L, (lua_Number)NAN);
  else
    rl_lua_push_cell(L, cell);
}

void rl_lua_push_column(lua_State *L, const struct rl_lua_batch *b, size_t field) {
  lua_createtable(L, (int)b->n, 1);
  for (size_t i = 0; i < b->n; i++) {
    rl_lua_push_field(L, b->columns, field, b->rows[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_pushinteger(L, (lua_Integer)b->n);
  lua_setfield(L, -2, "n");
}

/* The names as one array, in memory that Lua takes back: what follows raises. */
static const char **push_field_names(lua_State *L, const struct rl_fields *fields, size_t more) {
  const char **names = lua_newuserdatauv(L, (fields->n + more + 1) * sizeof *names, 0);
  for (size_t i = 0; i < fields->n; i++) names[i] = fields->at[i].name;
  return names;
}

void rl_lua_no_field(lua_State *L, const struct rl_fields *fields, const char *name) {
  if (!fields || !fields->n)
    rl_lua_script_error(L, "there is no field '%s': ask for fields first, as in fields = { \"%s\" }", name,
                        name);
  ssize_t of_path = rl_fields_find_either(fields, name);
  if (of_path >= 0)
    rl_lua_script_error(L, "there is no field '%s': the field of this path is '%s'", name,
                        fields->at[of_path].name);
  const char *near = rl_nearest(name, push_field_names(L, fields, 0), fields->n);
  if (near) rl_lua_script_error(L, "there is no field '%s' (did you mean '%s'?)", name, near);
  rl_lua_script_error(L, "there is no field '%s': fields = { ... } names those there are", name);
}

size_t rl_lua_find_field(lua_State *L, const struct rl_columns *columns, const char *name) {
  const struct rl_fields *fields = columns ? columns->fields : NULL;
  ssize_t at = fields ? rl_fields_find_either(fields, name) : -1;
  if (at < 0) rl_lua_no_field(L, fields, name);
  return (size_t)at;
}

/* batch.NAME may have been meant as a method or a property. */
static void check_meant(lua_State *L, const struct rl_fields *fields, const char *name) {
  static const struct rl_fields none = RL_FIELDS_INIT;
  if (!fields) fields = &none;
  const char **names = push_field_names(L, fields, RL_BATCH_MEMBERS);
  rl_lua_batch_members(names + fields->n);
  const char *near = rl_nearest(name, names, fields->n + RL_BATCH_MEMBERS);
  if (!near || rl_fields_find(fields, near) >= 0) return;
  if (fields->n)
    rl_lua_script_error(L, "there is no field '%s' (did you mean the batch's '%s'?)", name, near);
  rl_lua_script_error(L,
                      "there is no field '%s': ask for fields first, as in fields = { \"%s\" } (or did you "
                      "mean the batch's '%s'?)",
                      name, name, near);
}

size_t rl_lua_single_column(lua_State *L, const struct rl_columns *columns, int idx, const char *call) {
  size_t at = rl_lua_find_field(L, columns, rl_arg_text(L, idx, call, "column", NULL));
  const struct rl_field *field = &columns->fields->at[at];
  if (rl_field_is_many(field))
    rl_lua_script_error(L,
                        "%s: the column '%s' is %s a row, which has no order and is in no group: add one "
                        "of single values by batch:with",
                        call, field->name, field->shape.n ? "an array" : "a list");
  return at;
}

/* columns.NAME, not yet there; upvalue 1: the batch. */
static int l_columns_index(lua_State *L) {
  struct rl_lua_batch *b = rl_lua_check_batch(L, lua_upvalueindex(1));
  const struct rl_fields *fields = b->columns ? b->columns->fields : NULL;
  const char *name = rl_arg_text(L, 2, "batch.columns", "name", NULL);
  ssize_t field = fields ? rl_fields_find(fields, name) : -1;
  if (field < 0) {
    check_meant(L, fields, name);
    rl_lua_no_field(L, fields, name);
  }
  rl_lua_push_column(L, b, (size_t)field);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, -2);
  lua_rawset(L, 1);
  return 1;
}

/* pairs(batch.columns) shows all of them. */
static int l_columns_pairs(lua_State *L) {
  struct rl_lua_batch *b = rl_lua_check_batch(L, lua_upvalueindex(1));
  const struct rl_fields *fields = b->columns ? b->columns->fields : NULL;
  for (size_t i = 0; fields && i < fields->n; i++) {
    lua_getfield(L, 1, fields->at[i].name);
    lua_pop(L, 1);
  }
  lua_getglobal(L, "next");
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

static void set_columns_meta(lua_State *L, int idx) {
  lua_createtable(L, 0, 2);
  lua_pushvalue(L, idx);
  lua_pushcclosure(L, l_columns_index, 1);
  lua_setfield(L, -2, "__index");
  lua_pushvalue(L, idx);
  lua_pushcclosure(L, l_columns_pairs, 1);
  lua_setfield(L, -2, "__pairs");
  lua_setmetatable(L, -2);
}

void rl_lua_push_columns(lua_State *L, int idx) {
  idx = lua_absindex(L, idx);
  if (lua_getiuservalue(L, idx, UV_COLUMNS) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  set_columns_meta(L, idx);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, idx, UV_COLUMNS);
}

void rl_lua_push_column_named(lua_State *L, int idx, int name) {
  name = lua_absindex(L, name);
  rl_lua_push_columns(L, idx);
  lua_pushvalue(L, name);
  lua_gettable(L, -2);
  lua_remove(L, -2);
}

/* The names are pushed once: making a string of each for each row costs more than the row. */
static void push_names(lua_State *L, const struct rl_fields *fields) {
  luaL_checkstack(L, (int)fields->n + 8, "too many fields");
  for (size_t i = 0; i < fields->n; i++) lua_pushstring(L, fields->at[i].name);
}

static void push_row(lua_State *L, const struct rl_columns *columns, int names, uint32_t row) {
  size_t n = columns->fields->n;
  lua_createtable(L, 0, (int)n);
  for (size_t i = 0; i < n; i++) {
    lua_pushvalue(L, names + (int)i);
    rl_lua_push_field(L, columns, i, row);
    lua_rawset(L, -3);
  }
}

static void push_decoded_row(lua_State *L, uint32_t row) {
  rl_lua_push_message(L, 1, row);
  rl_lua_push_decoded(L, -1);
  lua_remove(L, -2);
}

/* With fields a table { field = value } a message, else what the messages decode to; n says how many. */
int l_batch_rows(lua_State *L) {
  rl_arg_self(L, RL_BATCH_TYPE, "batch:rows");
  struct rl_lua_batch *b = rl_lua_check_batch(L, 1);
  const struct rl_fields *fields = b->columns ? b->columns->fields : NULL;
  lua_settop(L, 1);
  lua_createtable(L, (int)b->n, 1);
  if (fields) push_names(L, fields);
  for (size_t i = 0; i < b->n; i++) {
    if (fields)
      push_row(L, b->columns, 3, b->rows[i]);
    else
      push_decoded_row(L, b->rows[i]);
    lua_rawseti(L, 2, (lua_Integer)i + 1);
  }
  lua_pushinteger(L, (lua_Integer)b->n);
  lua_setfield(L, 2, "n");
  lua_settop(L, 2);
  return 1;
}
