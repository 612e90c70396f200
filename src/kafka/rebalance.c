/* What is assigned: answers to rebalances, and the partitions' queues forwarded to the lane's.
 *
 * A queue is forwarded before librdkafka starts to fetch, or the first messages would come out of the main
 * queue; it is taken back after fetching stopped. */
#include "base/clock.h"
#include "kafka/consumer_impl.h"
#include "kafka/parts.h"
#include "kafka/reason.h"

/* Finding a slot may move the table: look it up before pointing into it. */
static struct rl_kslot *slot_of(struct rl_consumer *c, const char *topic, int32_t partition) {
  uint32_t number = rl_slots_find(&c->slots, topic, partition);
  return &c->slots.at[number];
}

static void forward(struct rl_consumer *c, const char *topic, int32_t partition) {
  struct rl_kslot *slot = slot_of(c, topic, partition);
  if (slot->queue) return;
  slot->queue = rd_kafka_queue_get_partition(c->rk, topic, partition);
  if (slot->queue) rd_kafka_queue_forward(slot->queue, c->lane);
}

static void unforward(struct rl_kslot *slot) {
  if (!slot->queue) return;
  rd_kafka_queue_forward(slot->queue, NULL);
  rd_kafka_queue_destroy(slot->queue);
  slot->queue = NULL;
}

void rl_consumer_unforward_all(struct rl_consumer *c) {
  rl_slots_forget(&c->slots);
  for (size_t i = 0; i < c->slots.n; i++) unforward(&c->slots.at[i]);
}

static void forward_these(struct rl_consumer *c, const struct rl_tps *parts) {
  rl_slots_forget(&c->slots);
  for (size_t i = 0; i < parts->n; i++) forward(c, parts->at[i].topic, parts->at[i].partition);
}

static void unforward_these(struct rl_consumer *c, const struct rl_tps *parts) {
  rl_slots_forget(&c->slots);
  for (size_t i = 0; i < parts->n; i++) unforward(slot_of(c, parts->at[i].topic, parts->at[i].partition));
}

static int assign_added(struct rl_consumer *c, const struct rl_tps *parts, struct rl_err *err) {
  rd_kafka_topic_partition_list_t *list = rl_parts_to(parts);
  rd_kafka_error_t *error = rd_kafka_incremental_assign(c->rk, list);
  rd_kafka_topic_partition_list_destroy(list);
  return rl_reason_object(err, error, "cannot take the assigned partitions");
}

static int assign_all(struct rl_consumer *c, const struct rl_tps *parts, struct rl_err *err) {
  rd_kafka_topic_partition_list_t *list = rl_parts_to(parts);
  rd_kafka_resp_err_t code = rd_kafka_assign(c->rk, list);
  rd_kafka_topic_partition_list_destroy(list);
  return code ? rl_reason(err, code, "cannot take the assigned partitions") : 0;
}

/* Takes back the queues of partitions that the new whole assignment leaves out. */
static void unforward_others(struct rl_consumer *c, const struct rl_tps *parts) {
  for (size_t i = 0; i < c->slots.n; i++)
    if (!rl_tps_find(parts, c->slots.at[i].topic, c->slots.at[i].partition)) unforward(&c->slots.at[i]);
}

int rl_consumer_assign(struct rl_consumer *c, const struct rl_tps *parts, struct rl_err *err) {
  forward_these(c, parts);
  if (assign_all(c, parts, err)) {
    unforward_these(c, parts);
    return err ? err->code : RL_EBROKER;
  }
  unforward_others(c, parts);
  return 0;
}

int rl_consumer_accept(struct rl_consumer *c, const struct rl_tps *parts, struct rl_err *err) {
  if (!c->cooperative) return rl_consumer_assign(c, parts, err);
  forward_these(c, parts);
  int rc = assign_added(c, parts, err);
  if (rc) unforward_these(c, parts);
  return rc;
}

static int yield_some(struct rl_consumer *c, const struct rl_tps *parts, struct rl_err *err) {
  rd_kafka_topic_partition_list_t *list = rl_parts_to(parts);
  rd_kafka_error_t *error = rd_kafka_incremental_unassign(c->rk, list);
  rd_kafka_topic_partition_list_destroy(list);
  unforward_these(c, parts);
  return rl_reason_object(err, error, "cannot give the revoked partitions up");
}

static int yield_all(struct rl_consumer *c, struct rl_err *err) {
  rd_kafka_resp_err_t code = rd_kafka_assign(c->rk, NULL);
  rl_consumer_unforward_all(c);
  return code ? rl_reason(err, code, "cannot give the revoked partitions up") : 0;
}

int rl_consumer_yield(struct rl_consumer *c, const struct rl_tps *parts, struct rl_err *err) {
  if (!c->closing) rl_joining_follows(c->joining, rl_now());
  return c->cooperative ? yield_some(c, parts, err) : yield_all(c, err);
}

bool rl_consumer_cooperative(const struct rl_consumer *c) { return c->cooperative; }
