/* Time: a monotonic clock in nanoseconds for deadlines, wall time in milliseconds for people and Kafka. */
#ifndef RL_BASE_CLOCK_H
#define RL_BASE_CLOCK_H

#include <stdint.h>

#define RL_NS_PER_S INT64_C(1000000000)
#define RL_NS_PER_MS INT64_C(1000000)
#define RL_NEVER INT64_MAX /* a deadline that does not come */

int64_t rl_now(void);         /* monotonic, ns */
int64_t rl_wall_ms(void);     /* since 1970, ms */
int64_t rl_seconds(double s); /* seconds to ns, saturating; negative or infinite is RL_NEVER */
/* `wait` ns after `from`, saturating. */
static inline int64_t rl_after(int64_t from, int64_t wait) {
  return from > 0 && wait > RL_NEVER - from ? RL_NEVER : from + wait;
}

/* `poll(2)` time-out in ms, rounded up, until `deadline`; at most `cap_ms`, at least 0. */
int rl_poll_ms(int64_t now, int64_t deadline, int cap_ms);

/* "2026-11-30T14:08:54Z" or "…54.123+01:00" or "2026-11-30" to wall ms; 0 when it is no time. Without a zone
 * it is UTC; a blank may stand for the T, and seconds may be left out. */
int rl_parse_time(const char *text, int64_t *ms);

#endif
