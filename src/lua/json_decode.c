#include "lua/json.h"

#include <lauxlib.h>

#include "base/mem.h"
#include "codec/fields.h"
#include "lua/json_scratch.h"
#include "lua/number.h"

void rl_lua_push_null(lua_State *L) { lua_pushlightuserdata(L, NULL); }

static void push_scalar(lua_State *L, const struct rl_cell *cell) {
  switch (cell->tag) {
    case RL_BOOL: lua_pushboolean(L, cell->i != 0); break;
    case RL_INT: lua_pushinteger(L, cell->i); break;
    case RL_DOUBLE: lua_pushnumber(L, cell->d); break;
    case RL_BIG: rl_lua_push_number(L, rl_bytes(cell->s, cell->len)); break;
    case RL_TEXT:
    case RL_BLOB: lua_pushlstring(L, cell->s, cell->len); break;
    default: rl_lua_push_null(L); break;
  }
}

/* The value at the top goes into the innermost open container: under it lie an object's key, then the table,
 * or the table alone. Of a key that comes twice the last one counts (codec/json.h). */
static void place(lua_State *L, struct rl_json_frame *frame) {
  if (frame->object) {
    lua_rawset(L, -3);
  } else {
    lua_rawseti(L, -2, ++frame->index);
  }
}

static void open_container(lua_State *L, struct rl_json_scratch *s, const struct rl_cell *cell) {
  bool object = cell->tag == RL_OBJECT;
  int size = cell->len > INT32_MAX / 2 ? INT32_MAX / 2 : (int)cell->len;
  lua_createtable(L, object ? 0 : size, object ? size : 0);
  if (!object) rl_lua_mark_array(L);
  RL_GROW(s->frames, s->cap_frames, s->n_frames + 1);
  s->frames[s->n_frames++] = (struct rl_json_frame){cell->len, 0, object};
}

/* A value is complete at the top: put it into its container, which may thereby be complete too, and so on. */
static void close_finished(lua_State *L, struct rl_json_scratch *s) {
  while (s->n_frames > 0) {
    struct rl_json_frame *frame = &s->frames[s->n_frames - 1];
    place(L, frame);
    if (--frame->left > 0) return;
    s->n_frames--;
  }
}

static int build_value(lua_State *L, struct rl_json_scratch *s, const struct rl_cell *cell,
                       struct rl_err *err) {
  if (cell->tag != RL_ARRAY && cell->tag != RL_OBJECT) {
    push_scalar(L, cell);
    close_finished(L, s);
    return 0;
  }
  if (!lua_checkstack(L, 8)) return rl_fail(err, RL_EHANDLER, "nested too deep for Lua's stack");
  open_container(L, s, cell);
  if (cell->len > 0) return 0;
  s->n_frames--;
  close_finished(L, s);
  return 0;
}

/* Walks the cells once. In an object a key stands before each value: it is pushed and waits there. */
int rl_json_build(lua_State *L, struct rl_json_scratch *s, const struct rl_cell *cells, size_t n,
                  struct rl_err *err) {
  int code = 0;
  for (size_t i = 0; i < n && !code; i++) {
    if (s->n_frames > 0 && s->frames[s->n_frames - 1].object) {
      push_scalar(L, &cells[i]);
      i++;
    }
    code = build_value(L, s, &cells[i], err);
  }
  return code;
}

int rl_json_end(lua_State *L, int held, int code) {
  rl_json_give(L, held);
  if (code) {
    lua_settop(L, held - 1);
  } else {
    lua_remove(L, held);
  }
  return code;
}

int rl_lua_decode_json(lua_State *L, struct rl_bytes text, size_t max_depth, struct rl_err *err) {
  luaL_checkstack(L, 8, NULL);
  struct rl_json_scratch *s = rl_json_take(L);
  int held = lua_gettop(L);
  int code = rl_json_tape(s->parser, text, max_depth, &s->tape, err);
  if (!code) code = rl_json_build(L, s, s->tape.at, s->tape.n, err);
  return rl_json_end(L, held, code);
}

static int push_tree(lua_State *L, const struct rl_cell *cell, struct rl_err *err) {
  luaL_checkstack(L, 8, NULL);
  struct rl_json_scratch *s = rl_json_take(L);
  int held = lua_gettop(L);
  return rl_json_end(L, held, rl_json_build(L, s, cell->tree, cell->len, err));
}

/* A list of a path with [*]: n says how many there are, holes are what is missing. As deep as the path has
 * steps. */
static void push_list(lua_State *L, const struct rl_cell *cell) {
  luaL_checkstack(L, 8, NULL);
  lua_createtable(L, (int)cell->len, 1);
  for (uint32_t i = 0; i < cell->len; i++) {
    if (cell->list[i].tag <= RL_NULL) continue;
    rl_lua_push_cell(L, &cell->list[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_pushinteger(L, cell->len);
  lua_setfield(L, -2, "n");
  rl_lua_mark_array(L);
}

static void push_number(lua_State *L, const struct rl_shaped *shaped, size_t i) {
  switch (shaped->type) {
    case RL_F32: lua_pushnumber(L, (lua_Number)((const float *)shaped->data)[i]); break;
    case RL_F64: lua_pushnumber(L, ((const double *)shaped->data)[i]); break;
    case RL_I64: lua_pushinteger(L, ((const int64_t *)shaped->data)[i]); break;
    default: lua_pushboolean(L, ((const uint8_t *)shaped->data)[i]);
  }
}

/* The arrays from dimension `dim` on; *at is the next element. */
static void push_shaped(lua_State *L, const struct rl_shaped *shaped, uint32_t dim, size_t *at) {
  bool last = dim + 1 == shaped->shape->n;
  luaL_checkstack(L, 4, NULL);
  lua_createtable(L, (int)shaped->shape->at[dim], 0);
  for (uint32_t i = 0; i < shaped->shape->at[dim]; i++) {
    if (last)
      push_number(L, shaped, (*at)++);
    else
      push_shaped(L, shaped, dim + 1, at);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  rl_lua_mark_array(L);
}

/* An array or object is as deep as its message, whose depth the decoder has bounded. */
void rl_lua_push_cell(lua_State *L, const struct rl_cell *cell) {
  struct rl_err err;
  if (cell->tag == RL_MISSING || cell->tag == RL_NULL) {
    lua_pushnil(L);
  } else if (cell->tag == RL_JSON) {
    struct rl_bytes text = rl_bytes(cell->s, cell->len);
    if (rl_lua_decode_json(L, text, INT32_MAX, &err)) luaL_error(L, "%s", err.text);
  } else if (cell->tag == RL_TREE) {
    if (push_tree(L, cell, &err)) luaL_error(L, "%s", err.text);
  } else if (cell->tag == RL_LIST) {
    push_list(L, cell);
  } else if (cell->tag == RL_SHAPED) {
    size_t at = 0;
    push_shaped(L, cell->shaped, 0, &at);
  } else {
    push_scalar(L, cell);
  }
}
