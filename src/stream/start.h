/* The small notations of where to read: `start` and `end`, and `partitions`. Pure. */
#ifndef RL_STREAM_START_H
#define RL_STREAM_START_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rl_start_kind {
  RL_START_BEGINNING, /* "beginning", "earliest" */
  RL_START_END,       /* "end", "latest" */
  RL_START_STORED,    /* "stored": the group's own offsets */
  RL_START_OFFSET,    /* "N": value, from 0 */
  RL_START_BEFORE,    /* "-N": value messages before the end, from 1 */
  RL_START_TIME,      /* "2026-11-30T14:08:54Z", or kcat's "s@MS" and "e@MS": value in wall ms */
};

struct rl_start {
  enum rl_start_kind kind;
  int64_t value;
};

bool rl_start_parse(const char *text, struct rl_start *out); /* false: none of these */

/* "0", "0-3", "topic:0", "topic:0-3": partitions first to last, both included. */
struct rl_range {
  const char *topic; /* within the text, topic_len bytes; NULL: of every topic */
  size_t topic_len;
  int32_t first, last;
};

bool rl_range_parse(const char *text, struct rl_range *out); /* false: none of these, or last before first */

#endif
