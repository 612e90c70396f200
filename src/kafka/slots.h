/* The consumer's numbers for topic-partitions: made on first sight, stable for its life. They intern topic
 * names and hold the partition's queue while it is assigned.
 *
 * rl_slots_of is on every message's path: a small table from librdkafka's topic pointer. The pointer is
 * good while the partition is assigned, so rl_slots_forget is called whenever the assignment changes. */
#ifndef RL_KAFKA_SLOTS_H
#define RL_KAFKA_SLOTS_H

#include <librdkafka/rdkafka.h>

#include "base/tps.h"

struct rl_kslot {
  const char *topic;
  int32_t partition;
  rd_kafka_queue_t *queue; /* forwarded to the lane's queue; NULL while not assigned */
};

#define RL_SLOT_CACHE 256

struct rl_slots {
  struct rl_kslot *at;
  size_t n, cap;
  uint32_t *index; /* open addressing over `at`: number + 1, 0 is free */
  size_t index_size;
  char **topics;
  size_t n_topics, cap_topics;
  struct {
    const rd_kafka_topic_t *topic;
    int32_t partition;
    uint32_t slot;
  } cache[RL_SLOT_CACHE];
};

void rl_slots_init(struct rl_slots *s);
void rl_slots_free(struct rl_slots *s); /* every queue must be gone */
uint32_t rl_slots_find(struct rl_slots *s, const char *topic, int32_t partition);
uint32_t rl_slots_of(struct rl_slots *s, const rd_kafka_topic_t *topic, int32_t partition);
void rl_slots_forget(struct rl_slots *s);

#endif
