/* Batches on their way: handed over, handled, their outputs acknowledged, their offsets committed.
 *
 * A flight is made when a batch is handed over and lives until its outputs are answered. The handler's side
 * sets `marks` and `state` under the lane's lock; `pending` counts outputs without an answer and is raised
 * before they are sent. Flights are done strictly in order (S3.1): the reader takes them from the head of the
 * list. */
#ifndef RL_STREAM_FLIGHT_H
#define RL_STREAM_FLIGHT_H

#include <stdatomic.h>

#include "stream/batch.h"

/* One partition's share of a batch. */
struct rl_mark {
  uint32_t slot, epoch;
  int64_t next; /* everything before this offset is handled; RL_OFFSET_INVALID while nothing is */
  bool live;    /* messages of it are still to be handled or answered */
};

enum rl_flight_state { RL_FLIGHT_IN_HAND, RL_FLIGHT_HANDLED, RL_FLIGHT_ABANDONED };

struct rl_flight {
  struct rl_flight *next;
  int64_t number;
  enum rl_flight_state state;
  struct rl_mark *marks;
  size_t n_marks, cap_marks;
  size_t messages;     /* settled: passed, dead-lettered or counted */
  atomic_int pending;  /* outputs not answered */
  atomic_size_t bytes; /* buffers it pins: the batch while it is in hand, then what outputs hold */
  size_t batch_bytes;
  struct rl_err refused; /* code ≠ 0: an output was refused for good (S5.2) */
};

struct rl_flight *rl_flight_new(const struct rl_batch *batch);
void rl_flight_free(struct rl_flight *f);
struct rl_mark *rl_flight_mark(struct rl_flight *f, uint32_t slot, uint32_t epoch);
/* Sets marks from the rows that are settled: for each partition the longest run of its rows from the start.
 */
void rl_flight_settle(struct rl_flight *f, const struct rl_batch *batch, const unsigned char *settled);
/* Takes the epochs that `stale` names out of what is live. */
void rl_flight_strike(struct rl_flight *f, bool (*stale)(uint32_t slot, uint32_t epoch, void *arg),
                      void *arg);

#endif
