/* Waits between tries: exponential, capped, with jitter (half to whole), seeded so that tests repeat. */
#ifndef RL_BASE_BACKOFF_H
#define RL_BASE_BACKOFF_H

#include <stdint.h>

struct rl_backoff {
  int64_t first, max; /* ns */
  int tries;
  uint64_t seed;
};

void rl_backoff_init(struct rl_backoff *b, double first_s, double max_s, uint64_t seed);
int64_t rl_backoff_next(struct rl_backoff *b); /* ns to wait now */
void rl_backoff_reset(struct rl_backoff *b);

#endif
