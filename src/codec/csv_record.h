/* RFC 4180: a text to its records' cells. Private to codec/csv*.c. */
#ifndef RL_CODEC_CSV_RECORD_H
#define RL_CODEC_CSV_RECORD_H

#include "base/arena.h"
#include "base/err.h"

enum {
  RL_CSV_CELLS = 1 << 20,         /* of a record: more are an error */
  RL_CSV_KEPT = RL_CSV_CELLS / 16 /* whose memory stays from message to message */
};

struct rl_csv_cell {
  struct rl_bytes text; /* without its quotes, doubled ones halved: of the value, or of the arena */
  bool quoted;
  bool roomy; /* a number may be read where it stands (rl_csv's `sure`) */
};

struct rl_csv {
  struct rl_bytes value;
  size_t at;
  /* A number that starts before it ends before the value does: eight bytes follow, of which the first ends it
   */
  const char *sure;
  char delimiter, comment; /* comment 0: none */
  bool ends_numbers;       /* the delimiter cannot be part of one */
  struct rl_arena *arena;
  /* the record that was read last */
  struct rl_csv_cell *cells;
  size_t n, cap;
  bool over;    /* it has more than RL_CSV_CELLS */
  size_t start; /* where it begins */
};

/* A struct that is zero, before all else. */
void rl_csv_init(struct rl_csv *csv, char delimiter, char comment);
/* From the start of the value, past a byte-order mark. Keeps the settings, and the memory of RL_CSV_KEPT
 * cells.
 */
void rl_csv_start(struct rl_csv *csv, struct rl_bytes value, struct rl_arena *arena);
/* The next record that is neither blank nor a comment: 1; 0: none is left; RL_EHANDLER with the byte. */
int rl_csv_next(struct rl_csv *csv, struct rl_err *err);
/* To the first byte of the next record (start); false: there is none. */
bool rl_csv_find(struct rl_csv *csv);
/* Where the record that was found ends: the next one is looked for behind it. */
void rl_csv_past(struct rl_csv *csv, const char *end);
/* The quoted cell that starts at `at`, to what ends it; RL_EHANDLER with the byte. */
int rl_csv_quoted(struct rl_csv *csv, struct rl_csv_cell *cell, struct rl_err *err);
void rl_csv_free(struct rl_csv *csv);

#endif
