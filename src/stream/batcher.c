#include "stream/batcher.h"

#include "base/clock.h"

void rl_batcher_init(struct rl_batcher *b, size_t size, size_t bytes, int64_t timeout) {
  *b = (struct rl_batcher){.size = size, .bytes = bytes, .timeout = timeout};
  rl_batcher_taken(b);
}

bool rl_batcher_fits(const struct rl_batcher *b, size_t places, size_t bytes) {
  if (b->n == 0) return true; /* a message larger than the limits goes alone */
  return !rl_batcher_full(b) && places <= b->size - b->n && bytes <= b->bytes - b->held;
}

void rl_batcher_set_columns(struct rl_batcher *b, size_t bytes) { b->columns = bytes; }

void rl_batcher_add(struct rl_batcher *b, size_t places, size_t bytes, int64_t now) {
  if (b->n == 0) b->deadline = b->timeout > RL_NEVER - now ? RL_NEVER : now + b->timeout;
  b->n += places;
  b->held += bytes;
}

bool rl_batcher_full(const struct rl_batcher *b) {
  return b->n && (b->n >= b->size || b->held >= b->bytes || (b->most && b->columns >= b->most));
}

bool rl_batcher_due(const struct rl_batcher *b, int64_t now, bool more, enum rl_cause *cause) {
  if (rl_batcher_full(b)) {
    *cause = b->n >= b->size ? RL_CAUSE_SIZE : RL_CAUSE_BYTES;
    return true;
  }
  if (b->n == 0 || now < b->deadline) return false;
  if (b->timeout == 0 && more) return false;
  *cause = RL_CAUSE_TIMEOUT;
  return true;
}

/* The deadline stays, even when the first message left: it may come early, never late. */
void rl_batcher_struck(struct rl_batcher *b, size_t places, size_t bytes) {
  b->n -= places;
  b->held -= bytes;
  if (b->n == 0) rl_batcher_taken(b);
}

void rl_batcher_taken(struct rl_batcher *b) {
  b->n = b->held = b->columns = 0;
  b->deadline = RL_NEVER;
}
