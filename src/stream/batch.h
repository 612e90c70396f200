/* A batch: messages in the order they came, their rows and columns, and views of them (a part under
 * bisection, the rows that a `where` kept). Built by the reader, then the handler thread's alone until it is
 * settled.
 *
 * A message has a row for each record its value holds: mostly one, also of what is not decoded; none, where
 * it is empty. Rows are what handlers see and `batch.size` bounds; messages are what is released, settled,
 * counted, committed, forwarded and dead-lettered. Rows of a message are adjacent. */
#ifndef RL_STREAM_BATCH_H
#define RL_STREAM_BATCH_H

#include "base/msg.h"
#include "codec/columns.h"

enum rl_cause { RL_CAUSE_SIZE, RL_CAUSE_BYTES, RL_CAUSE_TIMEOUT, RL_CAUSE_END, RL_CAUSE_STOP };
const char *rl_cause_name(enum rl_cause cause);

struct rl_batch {
  int64_t number; /* from 1, a lane */
  int64_t epoch;  /* from 1: which time the range is read */
  enum rl_cause cause;
  struct rl_msg *msgs;
  char **bad; /* a message's: why the value did not decode (owned), NULL if it did; bad itself NULL when all
                 did */
  size_t n, cap; /* messages */
  size_t rows;
  uint32_t *first; /* a message's first row; NULL while every message has just one: then row i is message i */
  uint32_t *owner; /* a row's message; NULL when first is */
  size_t cap_owner;
  size_t bytes;               /* of keys and values, once a message */
  struct rl_columns *columns; /* a row here is a row there; NULL when no fields are asked for */
};

struct rl_batch *rl_batch_new(const struct rl_fields *fields, size_t size_hint);
/* Takes the release over; the message has one row. Returns its number. */
size_t rl_batch_add(struct rl_batch *b, const struct rl_msg *msg);
/* The message that was added last has so many rows. */
void rl_batch_set_rows(struct rl_batch *b, size_t rows);
void rl_batch_set_bad(struct rl_batch *b, size_t message, const char *why);
/* The message that was added last leaves, with its rows as they were decoded: a batch of its own. */
struct rl_batch *rl_batch_take_last(struct rl_batch *b);
/* Releases the messages that `drop` names and closes the gaps, in messages, rows and `bad`. Asks once a
 * message, in order. Returns how many went. */
size_t rl_batch_strike(struct rl_batch *b, bool (*drop)(const struct rl_msg *msg, void *arg), void *arg);
/* Early, when nothing points into them any more: keys and values become null, offsets stay to be read. */
void rl_batch_release_messages(struct rl_batch *b);
void rl_batch_free(struct rl_batch *b); /* releases what is left */

/* The message that a row is of. */
static inline size_t rl_batch_owner(const struct rl_batch *b, size_t row) {
  return b->owner ? b->owner[row] : row;
}

/* A message's rows are those from its first on. */
static inline size_t rl_batch_first(const struct rl_batch *b, size_t message) {
  return b->first ? b->first[message] : message;
}

static inline size_t rl_batch_rows_of(const struct rl_batch *b, size_t message) {
  if (!b->first) return 1;
  return (message + 1 < b->n ? b->first[message + 1] : b->rows) - b->first[message];
}

/* How much of `batch.size` the batch takes: a message as much as it has rows, and one when it has none. */
size_t rl_batch_places(const struct rl_batch *b);

/* Rows of a batch; those of a part are whole messages, ascending. */
struct rl_view {
  struct rl_batch *batch;
  const uint32_t *rows;
  size_t n;
  int attempt;              /* from 1 */
  size_t part_at, parts_of; /* first row, and how many the whole batch had; n == parts_of: not a part */
};

#endif
