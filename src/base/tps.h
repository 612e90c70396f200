/* A list of topic-partitions with an offset each: assignments, commits, ends. Owns its topic names. */
#ifndef RL_BASE_TPS_H
#define RL_BASE_TPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Offsets that are no positions, with librdkafka's values. */
#define RL_OFFSET_BEGINNING INT64_C(-2)
#define RL_OFFSET_END INT64_C(-1)
#define RL_OFFSET_STORED INT64_C(-1000)
#define RL_OFFSET_INVALID INT64_C(-1001)

struct rl_tp {
  char *topic;
  int32_t partition;
  int64_t offset;
  int error; /* Kafka's code for this partition, 0 if none */
};

struct rl_tps {
  struct rl_tp *at;
  size_t n, cap;
};

#define RL_TPS_INIT \
  { NULL, 0, 0 }

struct rl_tp *rl_tps_add(struct rl_tps *list, const char *topic, int32_t partition, int64_t offset);
struct rl_tp *rl_tps_find(const struct rl_tps *list, const char *topic, int32_t partition); /* or NULL */
void rl_tps_copy(struct rl_tps *to, const struct rl_tps *from); /* `to` is overwritten, not freed */
void rl_tps_free(struct rl_tps *list);                          /* empty afterwards, may be used again */
void rl_tps_put(struct rl_buf *out, const struct rl_tps *list); /* "alerts[0], alerts[1]" */

#endif
