/* Rows for `where`: columns filled from JSON objects, and an expression run over them in both ways. */
#ifndef RL_UNIT_LUA_WHERE_ROWS_H
#define RL_UNIT_LUA_WHERE_ROWS_H

#include "base/mem.h"
#include "codec/decoder.h"
#include "lua/where_object.h"
#include "lua_snippet.h"

struct where_rows {
  struct rl_fields fields;
  struct rl_columns *columns;
  uint32_t *rows; /* 0, 1, 2 … */
};

/* "@nan" in a document stands for NaN, which JSON does not have. */
static inline void where_rows_nan(struct rl_columns *c, size_t row) {
  for (size_t f = 0; f < c->fields->n; f++) {
    struct rl_cell *cell = &c->col[f][row];
    if (cell->tag == RL_TEXT && cell->len == 4 && memcmp(cell->s, "@nan", 4) == 0) {
      *cell = (struct rl_cell){.tag = RL_DOUBLE, .d = NAN};
    }
  }
}

/* documents: one JSON object a row, up to a NULL. */
static inline void where_rows_fill(struct where_rows *w, const char *fields, const char *const *documents) {
  struct rl_err err = {0};
  *w = (struct where_rows){.fields = RL_FIELDS_INIT};
  if (rl_fields_parse(&w->fields, fields, &err)) UNIT_FAIL("%s", err.text);
  w->columns = rl_columns_new(&w->fields);
  struct rl_decoder_opts opts = {.fields = &w->fields};
  struct rl_decoder *decoder;
  if (rl_decoder_new(&decoder, "json", &opts, &err)) UNIT_FAIL("%s", err.text);
  for (size_t i = 0; documents[i]; i++) {
    struct rl_msg msg = {.topic = "t", .offset = (int64_t)i, .value = rl_bytes_str(documents[i])};
    if (rl_decoder_row(decoder, &msg, w->columns, &err)) UNIT_FAIL("%s", err.text);
    where_rows_nan(w->columns, i);
  }
  rl_decoder_free(decoder);
  w->rows = rl_alloc((w->columns->rows + 1) * sizeof *w->rows);
  for (uint32_t i = 0; i < w->columns->rows; i++) w->rows[i] = i;
}

static inline void where_rows_free(struct where_rows *w) {
  rl_columns_free(w->columns);
  rl_fields_free(&w->fields);
  rl_free(w->rows);
}

struct where_call {
  const struct where_rows *on;
  const char *expression;
  enum rl_where_how how;
  bool in_c; /* out: the tree is one the evaluator knows */
};

/* Pushes "1 3": the rows that pass, from 1. */
static inline int where_call_p(lua_State *L) {
  struct where_call *call = lua_touserdata(L, 1);
  size_t n = call->on->columns->rows;
  lua_pushstring(L, call->expression);
  struct rl_where *w = rl_where_push(L, -1, "rille.where");
  call->in_c = w->in_c;
  uint32_t *out = lua_newuserdatauv(L, (n + 1) * sizeof *out, 0);
  size_t passed = rl_where_select(L, -2, call->on->columns, call->on->rows, n, out, call->how);
  luaL_Buffer text;
  luaL_buffinit(L, &text);
  for (size_t i = 0; i < passed; i++) {
    lua_pushfstring(L, i ? " %d" : "%d", (int)out[i] + 1);
    luaL_addvalue(&text);
  }
  luaL_pushresult(&text);
  return 1;
}

/* What passes, or the error; on L's stack. */
static inline const char *where_run(lua_State *L, struct where_call *call) {
  lua_settop(L, 0);
  lua_pushcfunction(L, where_call_p);
  lua_pushlightuserdata(L, call);
  if (lua_pcall(L, 1, 1, 0)) luaL_tolstring(L, -1, NULL);
  return lua_tostring(L, -1);
}

static inline void where_check(const struct where_rows *on, const char *expression, const char *want,
                               int line) {
  lua_State *L = snippet_state();
  for (int how = RL_WHERE_BEST; how <= RL_WHERE_IN_LUA; how++) {
    struct where_call call = {on, expression, (enum rl_where_how)how, false};
    const char *got = where_run(L, &call);
    if (strcmp(got, want) != 0) {
      UNIT_FAIL("line %d, %s: %s passes \"%s\", not \"%s\"", line, how == RL_WHERE_BEST ? "best" : "in Lua",
                expression, got, want);
    }
  }
  lua_close(L);
}

#define WHERE(expression, want) where_check(&on, expression, want, __LINE__)

#endif
