/* Our lists of partitions and librdkafka's. */
#ifndef RL_KAFKA_PARTS_H
#define RL_KAFKA_PARTS_H

#include <librdkafka/rdkafka.h>

#include "base/tps.h"

rd_kafka_topic_partition_list_t *rl_parts_to(const struct rl_tps *tps);
void rl_parts_from(struct rl_tps *out,
                   const rd_kafka_topic_partition_list_t *list); /* appends; list may be NULL */
/* The first partition in the list with an error, or NULL. */
const rd_kafka_topic_partition_t *rl_parts_failed(const rd_kafka_topic_partition_list_t *list);

#endif
