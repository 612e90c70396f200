/* The producer's life and its look-ups. */
#include "kafka/producer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "kafka/client.h"
#include "kafka/producer_impl.h"
#include "kafka/reason.h"

static size_t size_setting(rd_kafka_t *rk, const char *key) {
  char text[64];
  int64_t value = 0;
  rl_parse_i64(rl_client_setting(rk, key, text, sizeof text), &value);
  return (size_t)value;
}

static void learn_limits(struct rl_producer *p) {
  char text[16];
  p->max_bytes = size_setting(p->rk, "message.max.bytes");
  p->batch_bytes = size_setting(p->rk, "batch.size");
  p->queue_bytes = size_setting(p->rk, "queue.buffering.max.kbytes") * 1024;
  p->creates_topics =
      !strcmp(rl_client_setting(p->rk, "allow.auto.create.topics", text, sizeof text), "true");
}

static struct rl_producer *make(rd_kafka_t *rk, struct rl_wake wake) {
  static const uint64_t ring = 1;
  struct rl_producer *p = rl_zalloc(sizeof *p);
  p->rk = rk;
  p->wake = wake;
  p->events = rd_kafka_queue_get_main(rk);
  rd_kafka_queue_io_event_enable(p->events, wake.wr, &ring, sizeof ring);
  rl_topics_init(&p->topics);
  learn_limits(p);
  return p;
}

int rl_producer_open(struct rl_producer **out, const struct rl_producer_opts *opts, struct rl_err *err) {
  struct rl_client_opts client = {
      .side = RL_SIDE_PRODUCER, .conf = opts->conf, .brokers = opts->brokers, .lane = opts->lane};
  struct rl_wake wake;
  if (rl_wake_open(&wake)) return rl_fail(err, RL_EFAIL, "cannot make an eventfd: %s", strerror(errno));
  rd_kafka_t *rk = rl_client_open(&client, err);
  if (!rk) {
    rl_wake_close(&wake);
    return RL_EUSAGE;
  }
  *out = make(rk, wake);
  return 0;
}

/* A purge makes a report of everything that is unsent or unanswered; each holds something of the caller's. */
static void report_rest(struct rl_producer *p, rl_delivered *fn, void *arg) {
  int64_t deadline = rl_now() + 10 * RL_NS_PER_S;
  rd_kafka_purge(p->rk, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
  while (rl_producer_pending(p) > 0 && rl_now() < deadline) {
    if (rl_producer_serve(p, fn, arg)) continue;
    struct timespec tick = {0, RL_NS_PER_MS};
    nanosleep(&tick, NULL);
  }
  if (rl_producer_pending(p) > 0)
    rl_log(RL_ERROR, "kafka: %d messages were never reported as sent or failed", rl_producer_pending(p));
}

void rl_producer_destroy(struct rl_producer *p, rl_delivered *fn, void *arg) {
  if (!p) return;
  report_rest(p, fn, arg);
  rl_topics_free(&p->topics);
  rd_kafka_queue_io_event_enable(p->events, -1, NULL, 0);
  rd_kafka_queue_destroy(p->events);
  rl_client_close(p->rk, 0);
  rl_wake_close(&p->wake);
  rl_free(p->headers);
  rl_free(p);
}

int rl_producer_fd(const struct rl_producer *p) { return p->wake.rd; }
void rl_producer_clear(struct rl_producer *p) { rl_wake_clear(&p->wake); }
int rl_producer_pending(const struct rl_producer *p) {
  return atomic_load(&((struct rl_producer *)p)->pending);
}
size_t rl_producer_max_bytes(const struct rl_producer *p) { return p->max_bytes; }

static rd_kafka_resp_err_t ask_topic(struct rl_producer *p, rd_kafka_topic_t *rkt, int timeout_ms) {
  const struct rd_kafka_metadata *md = NULL;
  rd_kafka_resp_err_t code = rd_kafka_metadata(p->rk, 0, rkt, &md, timeout_ms);
  if (code) return code;
  code = md->topic_cnt ? md->topics[0].err : RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
  rd_kafka_metadata_destroy(md);
  return code;
}

/* A topic that was made a moment ago may not be known everywhere yet: an "unknown" is asked again for two
 * seconds, or as long as there is time when asking makes the topic. */
static bool ask_again(const struct rl_producer *p, rd_kafka_resp_err_t code, int64_t asked_for) {
  if (code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART)
    return p->creates_topics || asked_for < 2 * RL_NS_PER_S;
  return code == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE || code == RD_KAFKA_RESP_ERR__TRANSPORT;
}

int rl_producer_connect(struct rl_producer *p, int timeout_ms, struct rl_err *err) {
  return rl_client_connect(p->rk, p->events, timeout_ms, err);
}

static int topic_unseen(struct rl_producer *p, const char *topic, rd_kafka_resp_err_t code, double seconds,
                        struct rl_err *err) {
  char brokers[256];
  if (!rl_reason_is_connection(code)) {
    rl_reason(err, code, "output topic %s", topic);
    return RL_EBROKER;
  }
  rl_client_setting(p->rk, "bootstrap.servers", brokers, sizeof brokers);
  rl_reason(err, code, "output topic %s: no answer about it from %s in %.3g s", topic, brokers, seconds);
  return RL_EBROKER;
}

int rl_producer_has_topic(struct rl_producer *p, const char *topic, int timeout_ms, struct rl_err *err) {
  int64_t start = rl_now(), deadline = start + timeout_ms * RL_NS_PER_MS;
  rd_kafka_topic_t *rkt = rl_topics_get(&p->topics, p->rk, topic);
  if (!rkt) return rl_reason(err, rd_kafka_last_error(), "output topic '%s'", topic);
  rd_kafka_resp_err_t code;
  for (;;) {
    code = ask_topic(p, rkt, rl_poll_ms(rl_now(), deadline, INT32_MAX));
    if (!code) return 0;
    if (!ask_again(p, code, rl_now() - start) || rl_now() >= deadline) break;
    struct timespec pause = {0, 100 * RL_NS_PER_MS};
    nanosleep(&pause, NULL);
  }
  return topic_unseen(p, topic, code, (double)(rl_now() - start) / (double)RL_NS_PER_S, err);
}

int rl_producer_has_partition(struct rl_producer *p, const char *topic, int32_t partition, int timeout_ms,
                              struct rl_err *err) {
  const struct rd_kafka_metadata *md = NULL;
  rd_kafka_topic_t *rkt = rl_topics_get(&p->topics, p->rk, topic);
  if (!rkt) return rl_reason(err, rd_kafka_last_error(), "output topic '%s'", topic);
  rd_kafka_resp_err_t code = rd_kafka_metadata(p->rk, 0, rkt, &md, timeout_ms);
  if (code) return topic_unseen(p, topic, code, timeout_ms / 1e3, err);
  int n = md->topic_cnt ? md->topics[0].partition_cnt : 0;
  rd_kafka_metadata_destroy(md);
  if (partition < n) return 0;
  return rl_fail_kafka(err, RL_EBROKER, RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION,
                       "topic %s has no partition %d: it has %d, the last is %d", topic, partition, n, n - 1);
}
