/* Is it the messages, or the handler? (S4.4) Dead letters in a row, and among the last 1,000 messages. */
#ifndef RL_STREAM_HISTORY_H
#define RL_STREAM_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#define RL_HISTORY 1000

struct rl_history {
  unsigned char dead[RL_HISTORY]; /* a ring */
  int n, at, dead_n;
  int64_t in_a_row, max; /* max 0: no limit */
};

void rl_history_init(struct rl_history *h, int64_t max);
/* n messages passed. */
void rl_history_passed(struct rl_history *h, int64_t n);
/* One was dead-lettered; `by_handler`: it raised (a value that does not decode counts among the 1,000 only).
 * True: over the limit. */
bool rl_history_dead(struct rl_history *h, bool by_handler);

#endif
