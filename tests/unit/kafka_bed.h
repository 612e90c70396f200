/* A bed for the kafka room's tests: a mock cluster whose faults can be set, and short ways to send, take and
 * wait. Waits end when what they wait for came; their bound only ends a hang. */
#ifndef KAFKA_BED_H
#define KAFKA_BED_H

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <poll.h>

#include "base/clock.h"
#include "base/log.h"
#include "kafka/consumer.h"
#include "kafka/producer.h"
#include "unit.h"

#define BED_PATIENCE (60 * RL_NS_PER_S)

struct bed {
  rd_kafka_t *rk;
  rd_kafka_mock_cluster_t *cluster;
  const char *address;
};

static inline struct bed bed_start(const char *topic, int partitions) {
  char why[256];
  struct bed b;
  b.rk = rd_kafka_new(RD_KAFKA_PRODUCER, NULL, why, sizeof why);
  rd_kafka_set_log_level(b.rk, 0);
  b.cluster = rd_kafka_mock_cluster_new(b.rk, 1);
  b.address = rd_kafka_mock_cluster_bootstraps(b.cluster);
  if (topic) rd_kafka_mock_topic_create(b.cluster, topic, partitions, 1);
  return b;
}

static inline void bed_stop(struct bed *b) {
  rd_kafka_mock_cluster_destroy(b->cluster);
  rd_kafka_destroy(b->rk);
}

/* What reports said. */
struct bed_reports {
  int ok, failed;
  struct rl_err last;
};

static inline void bed_delivered(void *opaque, const struct rl_err *err, void *arg) {
  struct bed_reports *r = arg;
  (void)opaque;
  if (err->code) {
    r->failed++;
    r->last = *err;
  } else {
    r->ok++;
  }
}

static inline void bed_wait(int fd) {
  struct pollfd p = {fd, POLLIN, 0};
  poll(&p, 1, 100);
}

static inline void bed_flush(struct rl_producer *p, struct bed_reports *r) {
  int64_t end = rl_now() + BED_PATIENCE;
  while (rl_producer_pending(p) > 0 && rl_now() < end) {
    bed_wait(rl_producer_fd(p));
    rl_producer_clear(p);
    rl_producer_serve(p, bed_delivered, r);
  }
}

static inline struct rl_producer *bed_producer(const char *address, const struct rl_kconf *conf) {
  struct rl_producer_opts opts = {conf, address, 0};
  struct rl_producer *p = NULL;
  struct rl_err err;
  if (rl_producer_open(&p, &opts, &err)) UNIT_FAIL("producer: %s", err.text);
  return p;
}

/* Messages to a topic's partitions in turn, numbered from `from` on. */
struct bed_load {
  const char *address, *topic;
  int partitions, from, n;
  void (*put)(struct rl_buf *value, int number, const void *arg);
  const void *arg;
  const struct rl_kconf *conf; /* the producer's; NULL: none */
};

static inline void bed_send(const struct bed_load *load) {
  struct bed_reports r = {0, 0, {0}};
  struct rl_err err = {0};
  struct rl_buf value = RL_BUF_INIT;
  struct rl_producer *p = bed_producer(load->address, load->conf);
  for (int i = load->from; i < load->from + load->n; i++) {
    rl_buf_clear(&value);
    load->put(&value, i, load->arg);
    struct rl_record record = {.topic = load->topic,
                               .partition = i % load->partitions,
                               .value = rl_bytes(rl_buf_text(&value), value.len)};
    if (rl_producer_send(p, &record, &err)) UNIT_FAIL("send: %s", err.text);
  }
  bed_flush(p, &r);
  CHECK_INT(r.ok, load->n);
  rl_producer_destroy(p, bed_delivered, &r);
  rl_buf_free(&value);
}

static inline void bed_put_number(struct rl_buf *value, int number, const void *arg) {
  (void)arg;
  rl_buf_printf(value, "%d", number);
}

/* Sends values "0", "1", … to the topic's partitions in turn. */
static inline void bed_fill(const char *address, const char *topic, int partitions, int n) {
  bed_send(&(struct bed_load){address, topic, partitions, 0, n, bed_put_number, NULL, NULL});
}

static inline struct rl_consumer *bed_consumer(const struct rl_consumer_opts *opts) {
  struct rl_consumer *c = NULL;
  struct rl_err err;
  if (rl_consumer_open(&c, opts, &err) || rl_consumer_connect(c, 20000, &err))
    UNIT_FAIL("consumer: %s", err.text);
  return c;
}

/* Answers rebalances, counts. */
struct bed_member {
  struct rl_consumer *c;
  int assigns, revokes, losts, committed, messages, eofs, errors, fatal;
  struct rl_tps owned;
  struct rl_err last; /* of a commit or an error */
};

static inline void bed_own(struct bed_member *m, const struct rl_tps *parts, bool add) {
  for (size_t i = 0; i < parts->n; i++) {
    struct rl_tp *tp = rl_tps_find(&m->owned, parts->at[i].topic, parts->at[i].partition);
    if (add && !tp) rl_tps_add(&m->owned, parts->at[i].topic, parts->at[i].partition, 0);
    if (add || !tp) continue;
    free(tp->topic);
    *tp = m->owned.at[--m->owned.n];
  }
}

static inline void bed_event(struct bed_member *m, struct rl_kev *ev) {
  struct rl_err err = {0};
  int rc = 0;
  switch (ev->kind) {
    case RL_KEV_ASSIGN:
      m->assigns++;
      rc = rl_consumer_accept(m->c, &ev->tps, &err);
      bed_own(m, &ev->tps, true);
      break;
    case RL_KEV_LOST: m->losts++; /* fall through */
    case RL_KEV_REVOKE:
      m->revokes++;
      rc = rl_consumer_yield(m->c, &ev->tps, &err);
      bed_own(m, &ev->tps, false);
      break;
    case RL_KEV_COMMITTED:
      m->committed++;
      m->last = ev->err;
      break;
    case RL_KEV_ERROR:
      m->errors++;
      m->fatal += ev->fatal;
      m->last = ev->err;
      break;
    default: break;
  }
  if (rc) UNIT_FAIL("event %d: %s", ev->kind, err.text);
  rl_kev_free(ev);
}

/* One round: events and up to a few hundred messages. */
static inline void bed_round(struct bed_member *m) {
  struct rl_kev ev;
  struct rl_msg msg;
  struct rl_err err;
  rl_consumer_clear(m->c);
  while (rl_consumer_serve(m->c, &ev)) bed_event(m, &ev);
  for (enum rl_take t; (t = rl_consumer_take(m->c, &msg, &err)) != RL_TAKE_NONE;) {
    if (t == RL_TAKE_MSG) rl_msg_release(&msg);
    *(t == RL_TAKE_MSG ? &m->messages : t == RL_TAKE_EOF ? &m->eofs : &m->errors) += 1;
    if (t == RL_TAKE_ERROR) m->last = err;
  }
}

#define BED_UNTIL(member_, condition_)                                  \
  do {                                                                  \
    int64_t bed_end = rl_now() + BED_PATIENCE;                          \
    while (!(condition_) && rl_now() < bed_end) {                       \
      bed_wait(rl_consumer_fd((member_)->c));                           \
      bed_round(member_);                                               \
    }                                                                   \
    if (!(condition_)) UNIT_FAIL("waited in vain for %s", #condition_); \
  } while (0)

static inline void bed_leave(struct bed_member *m) {
  struct rl_err err;
  if (rl_consumer_close_begin(m->c, &err)) UNIT_FAIL("close: %s", err.text);
  BED_UNTIL(m, rl_consumer_closed(m->c));
  rl_consumer_destroy(m->c);
  rl_tps_free(&m->owned);
}

#endif
