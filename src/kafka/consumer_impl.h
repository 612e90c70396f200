/* What the consumer's files share. */
#ifndef RL_KAFKA_CONSUMER_IMPL_H
#define RL_KAFKA_CONSUMER_IMPL_H

#include <librdkafka/rdkafka.h>

#include "base/wake.h"
#include "kafka/consumer.h"
#include "kafka/joining.h"
#include "kafka/slots.h"
#include "kafka/unstall.h"

struct rl_consumer {
  rd_kafka_t *rk;
  rd_kafka_queue_t *events; /* the main queue */
  rd_kafka_queue_t *lane;   /* where every partition's messages come to */
  struct rl_wake wake;
  struct rl_slots slots;
  struct rl_unstall unstall;
  bool grouped;     /* has a group of its own, not one of librdkafka's needs only */
  bool manual;      /* assign(), not subscribe() */
  bool cooperative; /* as of the last rebalance */
  bool no_topics;   /* as in the options */
  bool joined;      /* a join was answered once */
  struct rl_joining *joining;
  bool closing;
  bool dead; /* a fatal error came: closed without leaving */
};

/* Takes every partition's queue back (rebalance.c). */
void rl_consumer_unforward_all(struct rl_consumer *c);

#endif
