/* Encoding never raises and never allocates in Lua (lua_next, rawget and the registry by address do not), so
 * that the caller's buffer and the memory here need no protection from longjmp, and no collection can change
 * a table while it is walked. That is also why an object is written as it comes and its members sorted
 * afterwards, in the output: looking a value up by its key would make a string. */
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "lua/alloc.h"
#include "lua/json.h"
#include "lua/json_marks.h"
#include "lua/json_member.h"
#include "lua/json_path.h"
#include "lua/json_shape.h"
#include "lua/json_tensor.h"
#include "lua/number.h"
#include "lua/tensor.h"

enum { SPARSE_MAX = 1000000 }; /* holes an array may have */

struct encoder {
  lua_State *L;
  struct rl_buf *out;
  struct rl_err *err;
  struct rl_json_style style;
  size_t most;       /* bytes that `out` may come to hold */
  const void **open; /* the tables around the value */
  size_t depth, cap_open;
  struct rl_json_member *members; /* of the open objects, the innermost last */
  size_t n_members, cap_members;
  struct rl_buf sorted;
  struct rl_json_path path; /* of what failed */
};

static int encode(struct encoder *e, int idx);

/* err gets the reason now and the path when the failure has come back to the top. */
static int refuse(struct encoder *e, const char *what) { return rl_fail(e->err, RL_EHANDLER, "%s", what); }

static void put_line(struct encoder *e, size_t depth) {
  if (!e->style.pretty) return;
  rl_buf_putc(e->out, '\n');
  for (size_t i = 0; i < depth; i++) rl_buf_put(e->out, "  ", 2);
}

static int encode_number(struct encoder *e, int idx) {
  if (lua_isinteger(e->L, idx)) {
    char digits[RL_INTEGER_TEXT];
    size_t at = rl_json_put_integer(digits, lua_tointeger(e->L, idx));
    rl_buf_put(e->out, digits + at, RL_INTEGER_TEXT - at);
    return 0;
  }
  double value = lua_tonumber(e->L, idx);
  if (isfinite(value)) {
    rl_put_double(e->out, value);
  } else if (e->style.nan_null) {
    rl_buf_puts(e->out, "null");
  } else {
    return refuse(
        e, isnan(value) ? "NaN (nan = \"null\" writes null)" : "infinity (nan = \"null\" writes null)");
  }
  return 0;
}

static int encode_items(struct encoder *e, int idx, lua_Integer n) {
  int code = 0;
  rl_buf_putc(e->out, '[');
  for (lua_Integer i = 1; i <= n && !code; i++) {
    if (i > 1) rl_buf_putc(e->out, ',');
    put_line(e, e->depth);
    lua_rawgeti(e->L, idx, i);
    code = encode(e, lua_gettop(e->L));
    lua_pop(e->L, 1);
    if (code) rl_json_path_index(&e->path, i);
  }
  if (n > 0) put_line(e, e->depth - 1);
  rl_buf_putc(e->out, ']');
  return code;
}

static int encode_array(struct encoder *e, int idx, const struct rl_json_shape *shape) {
  lua_Integer n = shape->strings > 0 ? shape->n : shape->highest;
  if (n - shape->ints > SPARSE_MAX) return refuse(e, "an array with over a million holes");
  return encode_items(e, idx, n);
}

/* Writes the member at the stack's top two places and leaves the key there. */
static int encode_member(struct encoder *e) {
  struct rl_json_member m = rl_json_member_read(e->L);
  m.at = e->out->len;
  rl_put_json_string(e->out, rl_json_member_key(&m));
  rl_buf_put(e->out, ": ", e->style.pretty ? 2 : 1);
  int code = encode(e, lua_gettop(e->L));
  lua_pop(e->L, 1);
  m.end = e->out->len;
  RL_GROW(e->members, e->cap_members, e->n_members + 1);
  e->members[e->n_members++] = m;
  if (code) rl_json_path_key(&e->path, rl_json_member_key(&m).data, m.len);
  return code;
}

/* Replaces out[at, …), the members as they came, by the same in order, with commas. */
static int sort_members(struct encoder *e, size_t first, size_t at) {
  struct rl_json_member *m = e->members + first;
  size_t n = e->n_members - first;
  qsort(m, n, sizeof *m, rl_json_member_order);
  rl_buf_clear(&e->sorted);
  rl_buf_put(&e->sorted, e->out->data + at, e->out->len - at);
  e->out->len = at;
  for (size_t i = 0; i < n; i++) {
    if (i > 0 && rl_json_member_order(&m[i - 1], &m[i]) == 0) {
      rl_json_path_key(&e->path, rl_json_member_key(&m[i]).data, m[i].len);
      return refuse(e, "a key that is there both as a string and as an integer");
    }
    if (i > 0) rl_buf_putc(e->out, ',');
    put_line(e, e->depth);
    rl_buf_put(e->out, e->sorted.data + (m[i].at - at), m[i].end - m[i].at);
  }
  return 0;
}

static int encode_object(struct encoder *e, int idx) {
  size_t first = e->n_members;
  int code = 0;
  rl_buf_putc(e->out, '{');
  size_t at = e->out->len;
  lua_pushnil(e->L);
  while (!code && lua_next(e->L, idx)) code = encode_member(e);
  if (!code && e->n_members > first) {
    code = sort_members(e, first, at);
    put_line(e, e->depth - 1);
  }
  e->n_members = first;
  rl_buf_putc(e->out, '}');
  return code;
}

static int encode_unmarked(struct encoder *e, int idx, const struct rl_json_shape *shape) {
  if (shape->ints == 0 && !shape->foreign) return encode_object(e, idx);
  if (!rl_json_is_list(shape)) return refuse(e, "a table with mixed keys, neither array nor object");
  if (shape->strings == 0 && shape->highest != shape->ints) {
    return refuse(e, "an array with holes (rille.null, rille.json.array(t) or a field n make them null)");
  }
  return encode_array(e, idx, shape);
}

static int encode_shaped(struct encoder *e, int idx) {
  struct rl_json_shape shape = rl_json_shape_of(e->L, idx);
  switch (rl_json_mark(e->L, idx)) {
    case RL_MARK_ARRAY:
      if (rl_json_is_list(&shape)) return encode_array(e, idx, &shape);
      return refuse(e, "an array with keys that are no positions");
    case RL_MARK_OBJECT:
      if (!shape.foreign) return encode_object(e, idx);
      return refuse(e, "an object with keys that are neither strings nor integers");
    default: return encode_unmarked(e, idx, &shape);
  }
}

static int encode_table(struct encoder *e, int idx) {
  const void *table = lua_topointer(e->L, idx);
  for (size_t i = 0; i < e->depth; i++) {
    if (e->open[i] == table) return refuse(e, "a table that is inside itself");
  }
  if (e->depth >= e->style.max_depth) {
    char what[64];
    snprintf(what, sizeof what, "tables nested deeper than %zu", e->style.max_depth);
    return refuse(e, what);
  }
  RL_GROW(e->open, e->cap_open, e->depth + 1);
  e->open[e->depth++] = table;
  int top = lua_gettop(e->L);
  int code = encode_shaped(e, idx);
  lua_settop(e->L, top);
  e->depth--;
  return code;
}

/* The type's name for the error: a userdata's own where it has one, read without making a string. */
static int refuse_type(struct encoder *e, int idx) {
  char what[80];
  snprintf(what, sizeof what, "a %s", luaL_typename(e->L, idx));
  if (lua_getmetatable(e->L, idx)) {
    lua_pushnil(e->L);
    while (lua_next(e->L, -2)) {
      bool named = lua_type(e->L, -2) == LUA_TSTRING && lua_type(e->L, -1) == LUA_TSTRING &&
                   strcmp(lua_tostring(e->L, -2), "__name") == 0;
      if (named) snprintf(what, sizeof what, "a %.60s", lua_tostring(e->L, -1));
      lua_pop(e->L, 1);
    }
    lua_pop(e->L, 1);
  }
  return refuse(e, what);
}

static int encode_string(struct encoder *e, int idx) {
  size_t len;
  const char *text = lua_tolstring(e->L, idx, &len);
  rl_put_json_string(e->out, rl_bytes(text, len));
  return 0;
}

/* A table that stands in many places, or a tensor of bytes, is little memory and much text. What is in use
 * now is left out of the account: it may be garbage, and nothing is collected here. */
static int refuse_length(struct encoder *e) { return refuse(e, "more text than limits.memory allows"); }

static int encode_tensor(struct encoder *e, const struct rl_tensor *t) {
  int64_t at[RL_RANK_MAX];
  enum rl_json_tensor result = rl_json_put_tensor(e->out, t, e->style.nan_null, e->most, at);
  if (result == RL_JSON_TENSOR_PUT) return 0;
  if (result == RL_JSON_TENSOR_TOO_LONG) return refuse_length(e);
  for (int i = t->rank; i-- > 0;) rl_json_path_index(&e->path, at[i]);
  return refuse(e, "NaN or infinity (nan = \"null\" writes null)");
}

static int encode_userdata(struct encoder *e, int idx) {
  struct rl_cell cell;
  const struct rl_tensor *t = rl_lua_test_tensor(e->L, idx);
  if (t) return encode_tensor(e, t);
  if (!rl_lua_is_big(e->L, idx, &cell)) return refuse_type(e, idx);
  rl_buf_put(e->out, cell.s, cell.len);
  return 0;
}

static int encode(struct encoder *e, int idx) {
  if (e->out->len > e->most) return refuse_length(e);
  if (!lua_checkstack(e->L, 12)) return refuse(e, "tables nested too deep for Lua's stack");
  switch (lua_type(e->L, idx)) {
    case LUA_TNIL: rl_buf_puts(e->out, "null"); return 0;
    case LUA_TBOOLEAN: rl_buf_puts(e->out, lua_toboolean(e->L, idx) ? "true" : "false"); return 0;
    case LUA_TNUMBER: return encode_number(e, idx);
    case LUA_TSTRING: return encode_string(e, idx);
    case LUA_TTABLE: return encode_table(e, idx);
    case LUA_TUSERDATA: return encode_userdata(e, idx);
    case LUA_TLIGHTUSERDATA:
      if (lua_touserdata(e->L, idx)) return refuse_type(e, idx);
      rl_buf_puts(e->out, "null");
      return 0;
    default: return refuse_type(e, idx);
  }
}

static int explain(struct encoder *e) {
  char why[256];
  snprintf(why, sizeof why, "%.250s", e->err->text);
  const struct rl_buf *path = &e->path.text;
  return rl_fail(e->err, RL_EHANDLER, "cannot be written as JSON: %s, at %.600s%s", why,
                 path->len > 0 ? path->data : "the top", path->len > 600 ? "…" : "");
}

int rl_lua_encode_json_as(lua_State *L, int idx, const struct rl_json_style *style, struct rl_buf *out,
                          struct rl_err *err) {
  struct rl_err own = {0};
  struct encoder e = {.L = L, .out = out, .err = err ? err : &own, .style = *style};
  if (e.style.max_depth == 0) e.style.max_depth = RL_JSON_DEPTH;
  size_t start = out->len, limit = rl_lua_memory_limit(L);
  e.most = limit > SIZE_MAX - start ? SIZE_MAX : start + limit;
  int top = lua_gettop(L);
  int code = encode(&e, lua_absindex(L, idx));
  lua_settop(L, top);
  if (code) {
    out->len = start;
    if (out->data) out->data[start] = '\0';
    explain(&e);
  }
  rl_free(e.open);
  rl_free(e.members);
  rl_buf_free(&e.sorted);
  rl_json_path_free(&e.path);
  return code;
}

int rl_lua_encode_json(lua_State *L, int idx, struct rl_buf *out, struct rl_err *err) {
  static const struct rl_json_style plain = {.max_depth = RL_JSON_DEPTH_MAX};
  return rl_lua_encode_json_as(L, idx, &plain, out, err);
}
