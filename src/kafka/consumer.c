/* The consumer's life: open, subscribe, close. */
#include "kafka/consumer.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "kafka/client.h"
#include "kafka/consumer_impl.h"
#include "kafka/parts.h"
#include "kafka/reason.h"

static void open_queues(struct rl_consumer *c) {
  static const uint64_t ring = 1;
  rd_kafka_poll_set_consumer(c->rk);
  c->events = rd_kafka_queue_get_consumer(c->rk);
  c->lane = rd_kafka_queue_new(c->rk);
  rd_kafka_queue_io_event_enable(c->events, c->wake.wr, &ring, sizeof ring);
  rd_kafka_queue_io_event_enable(c->lane, c->wake.wr, &ring, sizeof ring);
}

static rd_kafka_t *open_client(const struct rl_consumer_opts *opts, struct rl_joining *joining,
                               struct rl_err *err) {
  struct rl_client_opts client = {.side = RL_SIDE_CONSUMER,
                                  .conf = opts->conf,
                                  .brokers = opts->brokers,
                                  .group = opts->group,
                                  .reset = opts->reset,
                                  .fetch_wait_ms = opts->fetch_wait_ms,
                                  .lane = opts->lane,
                                  .embedded = opts->embedded,
                                  .joining = joining};
  return rl_client_open(&client, err);
}

int rl_consumer_open(struct rl_consumer **out, const struct rl_consumer_opts *opts, struct rl_err *err) {
  struct rl_wake wake;
  if (rl_wake_open(&wake)) return rl_fail(err, RL_EFAIL, "cannot make an eventfd: %s", strerror(errno));
  struct rl_consumer *c = rl_zalloc(sizeof *c);
  c->wake = wake;
  c->joining = rl_joining_new(&c->wake);
  c->rk = open_client(opts, c->joining, err);
  if (!c->rk) {
    rl_joining_free(c->joining);
    rl_wake_close(&c->wake);
    rl_free(c);
    return RL_EUSAGE;
  }
  c->grouped = opts->group != NULL;
  c->no_topics = opts->no_topics;
  c->manual = opts->manual || !opts->group;
  rl_slots_init(&c->slots);
  rl_unstall_init(&c->unstall, c->rk);
  open_queues(c);
  *out = c;
  return 0;
}

int rl_consumer_connect(struct rl_consumer *c, int timeout_ms, struct rl_err *err) {
  return rl_client_connect(c->rk, c->events, timeout_ms, err);
}

int rl_consumer_subscribe(struct rl_consumer *c, char *const *topics, size_t n, struct rl_err *err) {
  if (c->manual) return rl_fail(err, RL_EUSAGE, "subscribing to topics needs a group: give -G GROUP");
  struct rl_tps tps = RL_TPS_INIT;
  for (size_t i = 0; i < n; i++) rl_tps_add(&tps, topics[i], RD_KAFKA_PARTITION_UA, RL_OFFSET_INVALID);
  rd_kafka_topic_partition_list_t *list = rl_parts_to(&tps);
  rd_kafka_resp_err_t code = rd_kafka_subscribe(c->rk, list);
  rd_kafka_topic_partition_list_destroy(list);
  if (code) rl_reason(err, code, "cannot subscribe to %s%s", n ? topics[0] : "no topic", n > 1 ? " …" : "");
  rl_tps_free(&tps);
  return code ? rl_reason_class(code) : 0;
}

static const struct rl_kslot *owned(const struct rl_consumer *c) {
  for (size_t i = 0; i < c->slots.n; i++)
    if (c->slots.at[i].queue) return &c->slots.at[i];
  return NULL;
}

/* A cooperative member without a partition has nothing to revoke, and librdkafka's close then forgets to
 * leave (2.0.2): it leaves when it unsubscribes, and the close waits for the answer. */
static void leave_empty_handed(struct rl_consumer *c) {
  if (!c->manual && !c->dead && c->cooperative && !owned(c)) rd_kafka_unsubscribe(c->rk);
}

/* After a fatal error librdkafka refuses to close: there is nothing left to leave. */
int rl_consumer_close_begin(struct rl_consumer *c, struct rl_err *err) {
  c->closing = true;
  c->dead = rd_kafka_fatal_error(c->rk, NULL, 0) != RD_KAFKA_RESP_ERR_NO_ERROR;
  if (c->manual || c->dead) {
    rd_kafka_assign(c->rk, NULL);
    rl_consumer_unforward_all(c);
  }
  leave_empty_handed(c);
  if (c->dead) return 0;
  return rl_reason_object(err, rd_kafka_consumer_close_queue(c->rk, c->events), "cannot close the consumer");
}

bool rl_consumer_closed(const struct rl_consumer *c) { return c->dead || rd_kafka_consumer_closed(c->rk); }

bool rl_consumer_joined(const struct rl_consumer *c) {
  if (c->manual || (c->no_topics && !rl_joining_begun(c->joining))) return true;
  return c->joined && !rl_joining_now(c->joining, rl_now());
}

/* What is committed, asked for without waiting for the answer. */
static void probe(struct rl_consumer *c) {
  const struct rl_kslot *slot = owned(c);
  if (!slot) return;
  rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(list, slot->topic, slot->partition);
  rd_kafka_committed(c->rk, list, 0);
  rd_kafka_topic_partition_list_destroy(list);
}

/* An eager member gives its partitions up before it joins: nothing can come between. */
bool rl_consumer_may_commit(struct rl_consumer *c) {
  int64_t now = rl_now();
  if (rl_joining_now(c->joining, now)) return false;
  if (!c->cooperative) return true;
  enum rl_doubt doubt = rl_joining_doubt(c->joining, now);
  if (doubt == RL_PROBE) probe(c);
  return doubt == RL_SURE;
}

/* Never librdkafka's own blocking close: it waits for events that nobody serves any more (S6.3). */
void rl_consumer_destroy(struct rl_consumer *c) {
  if (!c) return;
  rl_consumer_unforward_all(c);
  rd_kafka_queue_io_event_enable(c->lane, -1, NULL, 0);
  rd_kafka_queue_io_event_enable(c->events, -1, NULL, 0);
  rd_kafka_queue_destroy(c->lane);
  rd_kafka_queue_destroy(c->events);
  rl_client_close(c->rk, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
  rl_joining_free(c->joining);
  rl_wake_close(&c->wake);
  rl_slots_free(&c->slots);
  rl_unstall_free(&c->unstall);
  rl_free(c);
}

int rl_consumer_fd(const struct rl_consumer *c) { return c->wake.rd; }
void rl_consumer_clear(struct rl_consumer *c) { rl_wake_clear(&c->wake); }

uint32_t rl_consumer_slot(struct rl_consumer *c, const char *topic, int32_t partition) {
  return rl_slots_find(&c->slots, topic, partition);
}

void rl_consumer_assignment(const struct rl_consumer *c, struct rl_tps *out) {
  struct rl_tps empty = RL_TPS_INIT;
  *out = empty;
  for (size_t i = 0; i < c->slots.n; i++)
    if (c->slots.at[i].queue)
      rl_tps_add(out, c->slots.at[i].topic, c->slots.at[i].partition, RL_OFFSET_INVALID);
}

int64_t rl_consumer_high(struct rl_consumer *c, const char *topic, int32_t partition) {
  int64_t low, high;
  if (rd_kafka_get_watermark_offsets(c->rk, topic, partition, &low, &high)) return -1;
  return high < 0 ? -1 : high;
}
