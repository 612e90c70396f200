/* A batch: messages in the order they came, their columns, and views of them (a part under bisection, the
 * rows that a `where` kept). Built by the reader, then the handler thread's alone until it is settled. */
#ifndef RL_STREAM_BATCH_H
#define RL_STREAM_BATCH_H

#include "base/msg.h"
#include "codec/columns.h"

enum rl_cause { RL_CAUSE_SIZE, RL_CAUSE_BYTES, RL_CAUSE_TIMEOUT, RL_CAUSE_END, RL_CAUSE_STOP };
const char *rl_cause_name(enum rl_cause cause);

struct rl_batch {
  int64_t number; /* from 1, a lane */
  enum rl_cause cause;
  struct rl_msg *msgs;
  char *
      *bad; /* per row: why the value did not decode (owned), NULL if it did; bad itself NULL when all did */
  size_t n, cap;
  size_t bytes;               /* of keys and values */
  struct rl_columns *columns; /* rows beside msgs; NULL when no fields are asked for */
};

struct rl_batch *rl_batch_new(const struct rl_fields *fields, size_t size_hint);
size_t rl_batch_add(struct rl_batch *b,
                    const struct rl_msg *msg); /* takes the release over; returns the row */
void rl_batch_set_bad(struct rl_batch *b, size_t row, const char *why);
/* Releases the messages that `drop` names and closes the gaps, in messages, columns and `bad`. Asks once a
 * message, in order. Returns how many went. */
size_t rl_batch_strike(struct rl_batch *b, bool (*drop)(const struct rl_msg *msg, void *arg), void *arg);
/* Early, when nothing points into them any more: keys and values become null, offsets stay to be read. */
void rl_batch_release_messages(struct rl_batch *b);
void rl_batch_free(struct rl_batch *b); /* releases what is left */

/* Rows of a batch, ascending. */
struct rl_view {
  struct rl_batch *batch;
  const uint32_t *rows;
  size_t n;
  int attempt;              /* from 1 */
  size_t part_at, parts_of; /* first message and how many the whole batch had; n == parts_of: not a part */
};

#endif
