/* Lua's values as cells for the encoder. */
#include <lauxlib.h>

#include "base/mem.h"
#include "codec/avro_encode.h"
#include "lua/args.h"
#include "lua/avro.h"
#include "lua/fail.h"
#include "lua/json_marks.h"
#include "lua/json_shape.h"
#include "lua/number.h"

enum { SPARSE_MAX = 1000000 }; /* holes a list may have */

static const char branch_key; /* registry[&branch_key]: the metatable of what rille.avro.branch gives */

struct builder {
  lua_State *L;
  struct rl_tape *tape;
  const void **open; /* the tables around the value */
  size_t depth, cap_open, max_depth;
};

static void put_any(struct builder *b, int idx);

static void put(struct builder *b, struct rl_cell cell) {
  struct rl_tape *tape = b->tape;
  RL_GROW(tape->at, tape->cap, tape->n + 1);
  tape->at[tape->n++] = cell;
}

static void put_text(struct builder *b, uint32_t tag, struct rl_bytes text) {
  put(b, (struct rl_cell){.tag = tag, .len = (uint32_t)text.len, .s = text.data});
}

static void put_foreign(struct builder *b, const char *what) {
  put_text(b, RL_AVRO_FOREIGN, rl_bytes_str(what));
}

static void put_string(struct builder *b, int idx) {
  size_t len;
  const char *text = lua_tolstring(b->L, idx, &len);
  if (len > UINT32_MAX)
    put_foreign(b, "a text of over 4 GiB");
  else
    put_text(b, RL_TEXT, rl_bytes(text, len));
}

static void put_items(struct builder *b, int idx, lua_Integer n) {
  put(b, (struct rl_cell){.tag = RL_ARRAY, .len = (uint32_t)n});
  for (lua_Integer i = 1; i <= n; i++) {
    lua_rawgeti(b->L, idx, i);
    put_any(b, lua_gettop(b->L));
    lua_pop(b->L, 1);
  }
}

static void put_list(struct builder *b, int idx, const struct rl_json_shape *shape) {
  lua_Integer n = shape->strings > 0 ? shape->n : shape->highest;
  if (n - shape->ints > SPARSE_MAX)
    put_foreign(b, "a list with over a million holes");
  else
    put_items(b, idx, n);
}

/* The key at -2; numbers as their decimal text. */
static void put_key(struct builder *b) {
  if (lua_type(b->L, -2) == LUA_TSTRING) {
    put_string(b, lua_gettop(b->L) - 1);
    return;
  }
  struct rl_buf digits = RL_BUF_INIT;
  rl_buf_printf(&digits, "%lld", (long long)lua_tointeger(b->L, -2));
  put_text(b, RL_TEXT, rl_arena_copy(&b->tape->arena, rl_buf_bytes(&digits)));
  rl_buf_free(&digits);
}

static void put_object(struct builder *b, int idx) {
  size_t self = b->tape->n;
  put(b, (struct rl_cell){.tag = RL_OBJECT});
  lua_pushnil(b->L);
  while (lua_next(b->L, idx)) {
    put_key(b);
    put_any(b, lua_gettop(b->L));
    lua_pop(b->L, 1);
    b->tape->at[self].len++;
  }
}

static void put_unmarked(struct builder *b, int idx, const struct rl_json_shape *shape) {
  if (shape->ints == 0 && !shape->foreign)
    put_object(b, idx);
  else if (!rl_json_is_list(shape))
    put_foreign(b, "a table with mixed keys, neither list nor record,");
  else if (shape->strings == 0 && shape->highest != shape->ints)
    put_foreign(b, "a list with holes (rille.null, rille.json.array(t) or a field n make them null)");
  else
    put_list(b, idx, shape);
}

static void put_shaped(struct builder *b, int idx) {
  struct rl_json_shape shape = rl_json_shape_of(b->L, idx);
  enum rl_mark mark = rl_json_mark(b->L, idx);
  if (mark == RL_MARK_NONE)
    put_unmarked(b, idx, &shape);
  else if (mark == RL_MARK_OBJECT && !shape.foreign)
    put_object(b, idx);
  else if (mark == RL_MARK_ARRAY && rl_json_is_list(&shape))
    put_list(b, idx, &shape);
  else
    put_foreign(b, "a table whose keys do not go with its mark");
}

static bool is_branch(lua_State *L, int idx) { return rl_arg_has_metatable(L, idx, &branch_key); }

/* {name, value}; a script may have changed it. */
static void put_branch(struct builder *b, int idx) {
  if (lua_rawgeti(b->L, idx, 1) == LUA_TSTRING) {
    put_string(b, lua_gettop(b->L));
    b->tape->at[b->tape->n - 1].tag = RL_AVRO_BRANCH;
    lua_rawgeti(b->L, idx, 2);
    if (lua_istable(b->L, -1) && is_branch(b->L, lua_gettop(b->L)))
      put_foreign(b, "a branch within a branch");
    else
      put_any(b, lua_gettop(b->L));
  } else {
    put_foreign(b, "a branch without its name");
  }
}

static void put_table(struct builder *b, int idx) {
  const void *table = lua_topointer(b->L, idx);
  int top = lua_gettop(b->L);
  for (size_t i = 0; i < b->depth; i++)
    if (b->open[i] == table) {
      put_foreign(b, "a table that is inside itself");
      return;
    }
  if (b->depth == b->max_depth) {
    put_foreign(b, "tables nested too deep");
    return;
  }
  RL_GROW(b->open, b->cap_open, b->depth + 1);
  b->open[b->depth++] = table;
  if (is_branch(b->L, idx))
    put_branch(b, idx);
  else
    put_shaped(b, idx);
  lua_settop(b->L, top);
  b->depth--;
}

static void put_number(struct builder *b, int idx) {
  struct rl_cell cell;
  if (lua_islightuserdata(b->L, idx) && !lua_touserdata(b->L, idx))
    put(b, (struct rl_cell){.tag = RL_NULL});
  else if (rl_lua_to_number_cell(b->L, idx, &cell))
    put(b, cell);
  else
    put_foreign(b, "a userdata");
}

static void put_any(struct builder *b, int idx) {
  if (!lua_checkstack(b->L, 12)) {
    put_foreign(b, "tables nested too deep for Lua's stack");
    return;
  }
  switch (lua_type(b->L, idx)) {
    case LUA_TNIL: put(b, (struct rl_cell){.tag = RL_NULL}); break;
    case LUA_TBOOLEAN: put(b, (struct rl_cell){.tag = RL_BOOL, .i = lua_toboolean(b->L, idx)}); break;
    case LUA_TSTRING: put_string(b, idx); break;
    case LUA_TTABLE: put_table(b, idx); break;
    case LUA_TFUNCTION: put_foreign(b, "a function"); break;
    case LUA_TTHREAD: put_foreign(b, "a thread"); break;
    default: put_number(b, idx);
  }
}

void rl_lua_put_value(lua_State *L, int idx, size_t max_depth, struct rl_tape *tape) {
  struct builder b = {.L = L, .tape = tape, .max_depth = max_depth};
  int top = lua_gettop(L);
  put_any(&b, lua_absindex(L, idx));
  lua_settop(L, top);
  rl_free(b.open);
}

/* ---- rille.avro.branch(name, value) ---- */

int l_avro_branch(lua_State *L) {
  size_t len;
  rl_arg_text(L, 1, "rille.avro.branch", "name", &len);
  if (lua_gettop(L) < 2) rl_lua_script_error(L, "rille.avro.branch takes a name and a value");
  lua_settop(L, 2);
  lua_createtable(L, 2, 0);
  lua_insert(L, 1);
  lua_rawseti(L, 1, 2);
  lua_rawseti(L, 1, 1);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &branch_key);
  lua_setmetatable(L, 1);
  return 1;
}

void rl_lua_open_branch(lua_State *L) {
  luaL_newmetatable(L, "rille.branch");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &branch_key);
}
