/* What the producer's files share. */
#ifndef RL_KAFKA_PRODUCER_IMPL_H
#define RL_KAFKA_PRODUCER_IMPL_H

#include <librdkafka/rdkafka.h>
#include <stdatomic.h>

#include "base/wake.h"
#include "kafka/producer.h"
#include "kafka/topics.h"

struct rl_producer {
  rd_kafka_t *rk;
  rd_kafka_queue_t *events; /* delivery reports and errors */
  struct rl_wake wake;
  struct rl_topics topics;
  atomic_int pending;                 /* sent and not reported */
  size_t max_bytes;                   /* message.max.bytes */
  size_t batch_bytes;                 /* batch.size: what a request holds at most, but for a larger message */
  size_t queue_bytes;                 /* what the queue holds at most */
  const rd_kafka_message_t *reported; /* what the report under way is about */
  struct rl_header *headers;          /* its headers, for rl_producer_reported */
  size_t headers_cap;
  bool creates_topics; /* the user set allow.auto.create.topics */
};

#endif
