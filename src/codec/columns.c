#include "codec/columns.h"

#include "base/mem.h"

struct rl_columns *rl_columns_new(const struct rl_fields *fields) {
  struct rl_columns *c = rl_zalloc(sizeof *c);
  c->fields = fields;
  c->col = rl_zalloc(fields->n * sizeof *c->col);
  rl_arena_init(&c->arena);
  return c;
}

static void grow(struct rl_columns *c) {
  c->cap = c->cap ? c->cap * 2 : 64;
  for (size_t f = 0; f < c->fields->n; f++) c->col[f] = rl_realloc(c->col[f], c->cap * sizeof **c->col);
}

size_t rl_columns_add_row(struct rl_columns *c) {
  if (c->rows == c->cap) grow(c);
  for (size_t f = 0; f < c->fields->n; f++) c->col[f][c->rows] = (struct rl_cell){.tag = RL_MISSING};
  return c->rows++;
}

void rl_columns_drop_last(struct rl_columns *c) {
  if (c->rows > 0) c->rows--;
}

void rl_columns_keep(struct rl_columns *c, const uint32_t *rows, size_t n) {
  for (size_t f = 0; f < c->fields->n; f++)
    for (size_t i = 0; i < n; i++) c->col[f][i] = c->col[f][rows[i]];
  c->rows = n;
}

void rl_columns_reset(struct rl_columns *c) {
  c->rows = 0;
  rl_arena_reset(&c->arena);
}

void rl_columns_free(struct rl_columns *c) {
  if (!c) return;
  for (size_t f = 0; f < c->fields->n; f++) rl_free(c->col[f]);
  rl_free(c->col);
  rl_arena_free(&c->arena);
  rl_free(c);
}
