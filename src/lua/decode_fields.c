#include "lua/decode_fields.h"

#include <lauxlib.h>

#include "base/str.h"
#include "codec/coerce.h"
#include "codec/lists.h"
#include "codec/meta.h"
#include "lua/json.h"
#include "lua/json_shape.h"

static struct rl_cell text_cell(struct rl_arena *arena, enum rl_tag tag, struct rl_bytes text) {
  struct rl_bytes kept = rl_arena_copy(arena, text);
  return (struct rl_cell){.tag = tag, .len = (uint32_t)kept.len, .s = kept.data};
}

static struct rl_cell string_cell(lua_State *L, struct rl_arena *arena) {
  size_t len;
  const char *text = lua_tolstring(L, -1, &len);
  struct rl_bytes bytes = rl_bytes(text, len);
  return text_cell(arena, rl_utf8_valid(bytes) ? RL_TEXT : RL_BLOB, bytes);
}

/* Tables, and numbers too wide for Lua's own, as JSON: what cannot be written as such is no value of a field.
 */
static int json_cell(lua_State *L, struct rl_arena *arena, struct rl_cell *cell, struct rl_err *err) {
  struct rl_buf json = RL_BUF_INIT;
  int rc = rl_lua_encode_json(L, -1, &json, err);
  if (rc == 0) *cell = text_cell(arena, lua_istable(L, -1) ? RL_JSON : RL_BIG, rl_buf_bytes(&json));
  rl_buf_free(&json);
  return rc;
}

static bool is_null(lua_State *L) {
  rl_lua_push_null(L);
  bool null = lua_rawequal(L, -1, -2);
  lua_pop(L, 1);
  return null;
}

/* The value at the top as a cell. */
static int read_cell(lua_State *L, struct rl_arena *arena, struct rl_cell *cell, struct rl_err *err) {
  *cell = (struct rl_cell){.tag = RL_MISSING};
  switch (lua_type(L, -1)) {
    case LUA_TNIL: return 0;
    case LUA_TBOOLEAN: *cell = (struct rl_cell){.tag = RL_BOOL, .i = lua_toboolean(L, -1)}; return 0;
    case LUA_TSTRING: *cell = string_cell(L, arena); return 0;
    case LUA_TNUMBER:
      *cell = lua_isinteger(L, -1) ? (struct rl_cell){.tag = RL_INT, .i = lua_tointeger(L, -1)}
                                   : (struct rl_cell){.tag = RL_DOUBLE, .d = lua_tonumber(L, -1)};
      return 0;
    default: break;
  }
  if (!is_null(L)) return json_cell(L, arena, cell, err);
  cell->tag = RL_NULL;
  return 0;
}

/* Decoders such as lua-cjson make a double of every number: where an integer is declared, a whole one is
 * meant, as long as a double tells it from its neighbours. */
static void mean_integer(const struct rl_field *field, struct rl_cell *cell) {
  const double exact = 9007199254740992.0; /* 2^53 */
  if (field->type != RL_I64 || cell->tag != RL_DOUBLE) return;
  if (cell->d > -exact && cell->d < exact && cell->d == (double)(int64_t)cell->d)
    *cell = (struct rl_cell){.tag = RL_INT, .i = (int64_t)cell->d};
}

/* ---- paths ---- */

/* A field being read out of a decoded value. */
struct walk {
  lua_State *L;
  const struct rl_field *field;
  struct rl_arena *arena;
  size_t left; /* elements that may still come: a table may hold itself */
  struct rl_err *err;
};

/* Array items at most as many as the field may have; -1: the value at the top is no array. */
static lua_Integer length_of(const struct walk *w) {
  if (!lua_istable(w->L, -1)) return -1;
  struct rl_json_shape shape = rl_json_shape_of(w->L, lua_gettop(w->L));
  if (!rl_json_is_list(&shape)) return -1;
  return shape.n >= 0 ? shape.n : shape.highest;
}

/* Of each item of the array at the top, `of`; no array is missing. */
static int each_item(struct walk *w, size_t n, int (*of)(struct walk *w, size_t n, struct rl_cell *cell),
                     struct rl_cell *cell) {
  lua_Integer len = length_of(w);
  *cell = (struct rl_cell){.tag = RL_MISSING};
  if (len < 0) return 0;
  if ((lua_Unsigned)len > w->left)
    return rl_fail(w->err, RL_EHANDLER, "field '%s' (%s): %s", w->field->name, w->field->path,
                   rl_lists_too_many);
  w->left -= (size_t)len;
  luaL_checkstack(w->L, 8, NULL);
  struct rl_cell *list = rl_arena_alloc(w->arena, (size_t)len * sizeof *list);
  int rc = 0;
  for (lua_Integer i = 0; i < len && !rc; i++) {
    lua_rawgeti(w->L, -1, i + 1);
    rc = of(w, n, &list[i]);
    lua_pop(w->L, 1);
  }
  *cell = (struct rl_cell){.tag = RL_LIST, .len = (uint32_t)len, .list = list};
  return rc;
}

/* The value at the top itself; for a shape with the arrays in it, down to as many as there can be. */
static int whole(struct walk *w, size_t depth, struct rl_cell *cell) {
  if (w->field->shape.n && depth <= RL_SHAPE_DIMS && length_of(w) >= 0)
    return each_item(w, depth + 1, whole, cell);
  int rc = read_cell(w->L, w->arena, cell, w->err);
  if (!rc) mean_integer(w->field, cell);
  return rc;
}

/* Replaces the table at the top with its member. Negative indices count from the end, as in any path. */
static void enter(lua_State *L, const struct rl_step *step) {
  if (step->key) {
    lua_pushstring(L, step->key);
    lua_rawget(L, -2);
  } else {
    int64_t index = step->index < 0 ? step->index + (int64_t)lua_rawlen(L, -1) : step->index;
    lua_rawgeti(L, -1, index >= 0 ? index + 1 : 0);
  }
  lua_remove(L, -2);
}

/* What the path leads to from step n on in the value at the top, which is left with something in its place.
 */
static int follow(struct walk *w, size_t n, struct rl_cell *cell) {
  for (; n < w->field->n_steps; n++) {
    const struct rl_step *step = &w->field->steps[n];
    if (step->each) return each_item(w, n + 1, follow, cell);
    if (!lua_istable(w->L, -1)) {
      *cell = (struct rl_cell){.tag = RL_MISSING};
      return 0;
    }
    enter(w->L, step);
  }
  return whole(w, 0, cell);
}

/* What the path leads to in the value at the top. Of a tombstone the default does not make a message. */
static int read_value(lua_State *L, const struct rl_field *field, const struct rl_coerce *in, bool is_message,
                      struct rl_cell *cell, struct rl_err *err) {
  struct walk w = {L, field, in->arena, RL_LIST_CELLS, err};
  lua_pushvalue(L, -1);
  int rc = follow(&w, 0, cell);
  lua_pop(L, 1);
  if (rc || (cell->tag <= RL_NULL && !is_message)) return rc;
  return rl_coerce(field, cell, in, err);
}

static int fill_field(lua_State *L, struct rl_batch *batch, size_t row, size_t f, struct rl_err *err) {
  struct rl_columns *c = batch->columns;
  const struct rl_field *field = &c->fields->at[f];
  const struct rl_msg *msg = &batch->msgs[row];
  struct rl_buf scratch = RL_BUF_INIT;
  const struct rl_coerce in = {&c->arena, rl_bytes(NULL, 0), &scratch};
  struct rl_cell cell;
  int rc;
  if (field->meta != RL_META_NONE)
    rc = rl_meta_cell(field, msg, &cell, &in, err);
  else
    rc = read_value(L, field, &in, msg->value.data != NULL, &cell, err);
  if (!rc && msg->value.data) rc = rl_coerce_required(field, &cell, err);
  if (!rc) c->col[f][row] = cell;
  rl_buf_free(&scratch);
  return rc;
}

void rl_lua_fill_fields(lua_State *L, struct rl_batch *batch, size_t row) {
  struct rl_columns *c = batch->columns;
  if (!c) return;
  luaL_checkstack(L, 10, "too deep");
  while (c->rows <= row) rl_columns_add_row(c);
  struct rl_err err;
  for (size_t f = 0; f < c->fields->n; f++)
    if (fill_field(L, batch, row, f, &err)) luaL_error(L, "decode: %s", err.text);
}
