/* Blocking questions about topics and offsets, for consumers and admin handles alike. */
#ifndef RL_KAFKA_LOOKUP_H
#define RL_KAFKA_LOOKUP_H

#include <librdkafka/rdkafka.h>

#include "kafka/consumer.h"

/* See rl_consumer_topics. */
int rl_lookup_topics(rd_kafka_t *rk, char *const *topics, size_t n, int timeout_ms,
                     struct rl_topic_info **out, size_t *n_out, struct rl_err *err);

/* Fills each offset. `when`: RL_OFFSET_BEGINNING, RL_OFFSET_END, or RL_OFFSET_INVALID, where each offset
 * holds wall ms on entry. */
int rl_lookup_offsets(rd_kafka_t *rk, struct rl_tps *parts, int64_t when, int timeout_ms, struct rl_err *err);

#endif
