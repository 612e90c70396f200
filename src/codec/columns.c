#include "codec/columns.h"

#include <stdatomic.h>

#include "base/mem.h"

/* Texts that rows of two batches point into; read only. */
struct rl_shared_arena {
  atomic_int refs;
  struct rl_arena arena;
};

struct rl_columns *rl_columns_new(const struct rl_fields *fields) {
  struct rl_columns *c = rl_zalloc(sizeof *c);
  c->fields = fields;
  c->col = rl_zalloc(fields->n * sizeof *c->col);
  rl_arena_init(&c->arena);
  return c;
}

static void grow(struct rl_columns *c) {
  c->cap = c->cap ? c->cap * 4 : 128; /* once for a batch of the usual size */
  for (size_t f = 0; f < c->fields->n; f++) c->col[f] = rl_realloc(c->col[f], c->cap * sizeof **c->col);
}

size_t rl_columns_add_row(struct rl_columns *c) {
  if (c->rows == c->cap) grow(c);
  for (size_t f = 0; f < c->fields->n; f++) c->col[f][c->rows] = (struct rl_cell){.tag = RL_MISSING};
  return c->rows++;
}

size_t rl_columns_put_row(struct rl_columns *c, const struct rl_cell *row) {
  if (c->rows == c->cap) grow(c);
  struct rl_cell **col = c->col;
  size_t at = c->rows++;
  for (size_t f = 0, n = c->fields->n; f < n; f++) col[f][at] = row[f];
  return at;
}

size_t rl_columns_bytes(const struct rl_columns *c) {
  return c->rows * c->fields->n * sizeof **c->col + c->arena.used;
}

void rl_columns_drop_last(struct rl_columns *c) {
  if (c->rows > 0) c->rows--;
}

void rl_columns_keep(struct rl_columns *c, const uint32_t *rows, size_t n) {
  for (size_t f = 0; f < c->fields->n; f++)
    for (size_t i = 0; i < n; i++) c->col[f][i] = c->col[f][rows[i]];
  c->rows = n;
}

static void hold(struct rl_columns *c, struct rl_shared_arena *shared) {
  RL_GROW(c->shared, c->cap_shared, c->n_shared + 1);
  c->shared[c->n_shared++] = shared;
}

/* What `from` has decoded so far is shared from now on: texts of the moved rows may lie anywhere in it. */
static void share(struct rl_columns *from, struct rl_columns *to) {
  if (from->arena.used == 0) return;
  struct rl_shared_arena *shared = rl_alloc(sizeof *shared);
  atomic_init(&shared->refs, 2);
  shared->arena = from->arena;
  rl_arena_init(&from->arena);
  hold(from, shared);
  hold(to, shared);
}

static void let_go(struct rl_columns *c) {
  for (size_t i = 0; i < c->n_shared; i++) {
    if (atomic_fetch_sub_explicit(&c->shared[i]->refs, 1, memory_order_acq_rel) != 1) continue;
    rl_arena_free(&c->shared[i]->arena);
    rl_free(c->shared[i]);
  }
  c->n_shared = 0;
}

void rl_columns_move(struct rl_columns *from, size_t row, struct rl_columns *to) {
  for (size_t i = row; i < from->rows; i++) {
    size_t at = rl_columns_add_row(to);
    for (size_t f = 0; f < from->fields->n; f++) to->col[f][at] = from->col[f][i];
  }
  from->rows = row;
  share(from, to);
}

void rl_columns_reset(struct rl_columns *c) {
  c->rows = 0;
  let_go(c);
  rl_arena_reset(&c->arena);
}

void rl_columns_free(struct rl_columns *c) {
  if (!c) return;
  for (size_t f = 0; f < c->fields->n; f++) rl_free(c->col[f]);
  rl_free(c->col);
  let_go(c);
  rl_free(c->shared);
  rl_arena_free(&c->arena);
  rl_free(c);
}
