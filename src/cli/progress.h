/* The line that stands on a terminal while lanes run, and the summary at the end. */
#ifndef RL_CLI_PROGRESS_H
#define RL_CLI_PROGRESS_H

#include <stdbool.h>

#include "base/buf.h"
#include "stream/lane.h"

struct rl_crew;

struct rl_progress {
  bool shown; /* stderr is a terminal and is to be told */
  int64_t started, next;
  int64_t messages, at; /* of the line before: for the rate */
};

void rl_progress_start(struct rl_progress *p);
int64_t rl_progress_due(const struct rl_progress *p); /* when the next line is due; RL_NEVER */
void rl_progress_show(struct rl_progress *p, const struct rl_crew *crew); /* if it is due */
void rl_progress_summary(const struct rl_progress *p, const struct rl_crew *crew);

/* The texts. `rate` is messages a second, `seconds` the whole run's. */
void rl_progress_put(struct rl_buf *out, const struct rl_stats *s, double rate);
void rl_summary_put(struct rl_buf *out, const struct rl_stats *s, double seconds);
/* Adds one lane's figures; lag is unknown when one lane's is. */
void rl_stats_add(struct rl_stats *sum, const struct rl_stats *s);

#endif
