/* What the admin's files share. */
#ifndef RL_KAFKA_ADMIN_IMPL_H
#define RL_KAFKA_ADMIN_IMPL_H

#include <librdkafka/rdkafka.h>

#include "kafka/admin.h"

struct rl_admin {
  rd_kafka_t *rk;
  rd_kafka_queue_t *events;
  int timeout_ms;
};

/* One order, of an admin handle or a producer: the queue its answer comes to and its options. */
struct rl_order {
  int timeout_ms;
  rd_kafka_queue_t *queue;
  rd_kafka_AdminOptions_t *options;
};

void rl_order_begin(struct rl_order *order, rd_kafka_t *rk, rd_kafka_admin_op_t op, int timeout_ms);
/* Waits for the answer; NULL and err when it is an error. The caller destroys the event. */
rd_kafka_event_t *rl_order_wait(struct rl_order *order, const char *what, struct rl_err *err);
void rl_order_end(struct rl_order *order);

#endif
