#include "base/clock.h"

#include <time.h>

int64_t rl_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * RL_NS_PER_S + t.tv_nsec;
}

int64_t rl_wall_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / RL_NS_PER_MS;
}

int64_t rl_seconds(double s) {
  if (!(s >= 0)) return RL_NEVER;
  double ns = s * (double)RL_NS_PER_S;
  return ns < (double)INT64_MAX ? (int64_t)ns : RL_NEVER;
}

int rl_poll_ms(int64_t now, int64_t deadline, int cap_ms) {
  if (cap_ms <= 0 || deadline <= now) return 0;
  if (deadline == RL_NEVER) return cap_ms;
  uint64_t wait = (uint64_t)deadline - (uint64_t)now;
  uint64_t ms = wait / RL_NS_PER_MS + (wait % RL_NS_PER_MS != 0);
  return ms < (uint64_t)cap_ms ? (int)ms : cap_ms;
}
