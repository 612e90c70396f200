/* Random numbers that are the same in every run of the same seed. Not for secrets. */
#ifndef RL_MODEL_RANDOM_H
#define RL_MODEL_RANDOM_H

#include <stdint.h>

struct rl_random {
  uint64_t state; /* the seed, at first */
};

/* splitmix64: each state's number is a hash of it, so any seed will do. */
static inline uint64_t rl_random_next(struct rl_random *r) {
  uint64_t x = r->state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/* From 0 to just below 1. */
static inline double rl_random_unit(struct rl_random *r) {
  return (double)(rl_random_next(r) >> 11) * 0x1p-53;
}

/* From 0 to n - 1; n > 0. The bias is below n / 2^64. */
static inline uint64_t rl_random_below(struct rl_random *r, uint64_t n) { return rl_random_next(r) % n; }

#endif
