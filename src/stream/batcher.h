/* When is the batch that fills due? Pure: the caller gives the time. (S6.1, S6.2)
 *
 * The timeout runs from the arrival of the first message. A message that would exceed `bytes`, or whose rows
 * would exceed `size`, begins the next batch; a larger one goes alone. A batch past its deadline stays open
 * until it is taken.
 *
 * Columns may take much more than the messages they are read from (defaults, records of next to nothing): a
 * batch whose columns reach their limit is full.
 *
 * Places are what `size` bounds (rl_batch_places): a message takes as many as it has rows, at least one. */
#ifndef RL_STREAM_BATCHER_H
#define RL_STREAM_BATCHER_H

#include "stream/batch.h"

struct rl_batcher {
  size_t size, bytes;
  int64_t timeout; /* ns; 0: take what is there */
  size_t most,
      columns;      /* bytes of its columns: from how many on it is full (0: never), and how many they are */
  size_t n, held;   /* places and bytes of the batch that fills */
  int64_t deadline; /* RL_NEVER while it is empty */
};

void rl_batcher_init(struct rl_batcher *b, size_t size, size_t bytes, int64_t timeout);
/* May a message join? False: the batch is full, or would exceed size or bytes: hand it over first (it is due
 * although places and bytes may be left). Before a message is decoded it is taken for one of one row. */
bool rl_batcher_fits(const struct rl_batcher *b, size_t places, size_t bytes);
/* The batch's columns have so many bytes now: what they are is known when a message was decoded. */
void rl_batcher_set_columns(struct rl_batcher *b, size_t bytes);
void rl_batcher_add(struct rl_batcher *b, size_t places, size_t bytes, int64_t now);
/* Is the batch due, and why? `more`: the source has messages waiting (timeout 0 then goes on taking). */
bool rl_batcher_due(const struct rl_batcher *b, int64_t now, bool more, enum rl_cause *cause);
bool rl_batcher_full(const struct rl_batcher *b); /* nothing more can join */
/* Messages left (S2.1). The deadline stays, though the first may be gone: early at worst, never late. */
void rl_batcher_struck(struct rl_batcher *b, size_t places, size_t bytes);
void rl_batcher_taken(struct rl_batcher *b); /* the batch was handed over: start anew */

#endif
