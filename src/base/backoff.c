#include "base/backoff.h"

#include "base/clock.h"

void rl_backoff_init(struct rl_backoff *b, double first_s, double max_s, uint64_t seed) {
  *b = (struct rl_backoff){.first = rl_seconds(first_s), .max = rl_seconds(max_s), .seed = seed};
}

/* splitmix64: any seed will do, 0 too. */
static uint64_t next_random(uint64_t *seed) {
  uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static int64_t whole_wait(const struct rl_backoff *b) {
  int64_t wait = b->first;
  for (int i = 0; i < b->tries && wait < b->max; i++) {
    if (wait == 0) return 0;
    wait = wait > b->max / 2 ? b->max : wait * 2;
  }
  return wait < b->max ? wait : b->max;
}

int64_t rl_backoff_next(struct rl_backoff *b) {
  int64_t whole = whole_wait(b), half = whole / 2;
  if (b->tries < 64) b->tries++; /* 2^63 doublings are past any cap */
  return whole - (int64_t)(next_random(&b->seed) % ((uint64_t)half + 1));
}

void rl_backoff_reset(struct rl_backoff *b) { b->tries = 0; }
