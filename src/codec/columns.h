/* A batch's columns: one array of cells a field, in the order of the batch's rows. Texts point into the
 * messages' payloads or into the arena here, so columns live no longer than the batch. */
#ifndef RL_CODEC_COLUMNS_H
#define RL_CODEC_COLUMNS_H

#include "base/arena.h"
#include "codec/fields.h"

struct rl_columns {
  const struct rl_fields *fields; /* borrowed: outlives the columns */
  struct rl_cell **col;           /* col[field][row] */
  size_t rows, cap;
  struct rl_arena arena;
  struct rl_shared_arena **shared; /* of rows that were moved, from here or to here */
  size_t n_shared, cap_shared;
};

struct rl_columns *rl_columns_new(const struct rl_fields *fields);
/* Room for one more row, all RL_MISSING; returns its index (rows goes up by one). */
size_t rl_columns_add_row(struct rl_columns *c);
/* The same with a cell a field in it. */
size_t rl_columns_put_row(struct rl_columns *c, const struct rl_cell *row);
/* What rows and what their texts, lists and arrays take here; not the payloads that texts point into. */
size_t rl_columns_bytes(const struct rl_columns *c);
void rl_columns_drop_last(struct rl_columns *c);
/* Moves the rows from `row` on, which were decoded here, to the end of `to`, columns of the same fields: as
 * they are. What they have in the arena here lives until both are freed, on whatever thread. */
void rl_columns_move(struct rl_columns *from, size_t row, struct rl_columns *to);
/* Keeps the rows listed (ascending), in order. */
void rl_columns_keep(struct rl_columns *c, const uint32_t *rows, size_t n);
void rl_columns_reset(struct rl_columns *c);
void rl_columns_free(struct rl_columns *c);

#endif
