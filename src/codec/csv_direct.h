/* Records straight into the row: no list of cells between, and a number's end is where its reader stopped.
 * The values are those that rl_csv_next and rl_csv_value give. Private to codec/csv*.c. */
#ifndef RL_CODEC_CSV_DIRECT_H
#define RL_CODEC_CSV_DIRECT_H

#include "codec/csv_record.h"
#include "codec/fields.h"

enum { RL_CSV_NOWHERE = -1 };

/* What a field that reads the value takes of a record. */
struct rl_csv_want {
  size_t field;
  ssize_t place;         /* of its cell, RL_CSV_NOWHERE, or counted from the end: negative then */
  bool from_end, number; /* number: the type may be one */
  enum rl_type type;
};

/* Starts as zero. */
struct rl_csv_direct {
  const struct rl_csv_want **at; /* of each place up to the last that is asked for; NULL: none asks */
  size_t n;
  const struct rl_csv_want *wants;
  size_t n_wants;
  bool nowhere; /* a want has no place */
  bool on;      /* no place is asked for twice, or from the end */
};

/* The wants, borrowed: to be said again when their places change. */
void rl_csv_direct_to(struct rl_csv_direct *d, const struct rl_csv_want *wants, size_t n);
/* The next record into row[want->field]; cells: how many it must have, 0: any. False: nothing was taken;
 * rl_csv_next tells what is wrong with it, or that there is none. */
bool rl_csv_direct(const struct rl_csv_direct *d, struct rl_csv *csv, size_t cells, struct rl_cell *row);
void rl_csv_direct_free(struct rl_csv_direct *d);

#endif
