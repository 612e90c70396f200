/* The main queue: librdkafka's events as ours. */
#include <string.h>

#include "base/log.h"
#include "kafka/consumer_impl.h"
#include "kafka/klog.h"
#include "kafka/parts.h"
#include "kafka/reason.h"

/* Offsets of an event's list are of no use to an ASSIGN but as "where it was committed". */
static bool rebalance(struct rl_consumer *c, rd_kafka_event_t *event, struct rl_kev *ev) {
  rd_kafka_resp_err_t code = rd_kafka_event_error(event);
  const char *protocol = rd_kafka_rebalance_protocol(c->rk);
  if (protocol && strcmp(protocol, "NONE") != 0) c->cooperative = !strcmp(protocol, "COOPERATIVE");
  rl_parts_from(&ev->tps, rd_kafka_event_topic_partition_list(event));
  if (code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
    ev->kind = RL_KEV_ASSIGN;
    c->joined = true;
  } else if (code == RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS) {
    ev->kind = rd_kafka_assignment_lost(c->rk) ? RL_KEV_LOST : RL_KEV_REVOKE;
  } else {
    ev->kind = RL_KEV_LOST;
    rl_reason(&ev->err, code, "the group's rebalance failed");
  }
  return true;
}

static bool committed(rd_kafka_event_t *event, struct rl_kev *ev) {
  rd_kafka_resp_err_t code = rd_kafka_event_error(event);
  const rd_kafka_topic_partition_list_t *list = rd_kafka_event_topic_partition_list(event);
  ev->kind = RL_KEV_COMMITTED;
  rl_parts_from(&ev->tps, list);
  const rd_kafka_topic_partition_t *bad = list ? rl_parts_failed(list) : NULL;
  if (bad)
    rl_reason(&ev->err, bad->err, "commit of %s[%d] at %lld", bad->topic, bad->partition,
              (long long)bad->offset);
  else if (code)
    rl_reason(&ev->err, code, "commit");
  return true;
}

/* What to tell of an error event, NULL for nothing: what a broker that is down says again and again is told
 * once a minute. */
static const char *news(struct rl_consumer *c, rd_kafka_resp_err_t code, const char *text) {
  const char *told = rl_reason_news(code, text);
  if (told && (!rl_reason_is_connection(code) || !rl_klog_repeats(rd_kafka_opaque(c->rk), told))) return told;
  rl_log(RL_DEBUG, "kafka: %s", text);
  return NULL;
}

/* Without a group of ours the one that librdkafka needs for its queues may be refused: of no consequence. */
static bool of_nobodys_group(const struct rl_consumer *c, rd_kafka_resp_err_t code) {
  return !c->grouped &&
         (code == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED || code == RD_KAFKA_RESP_ERR_INVALID_GROUP_ID);
}

static bool failed(struct rl_consumer *c, rd_kafka_event_t *event, struct rl_kev *ev) {
  rd_kafka_resp_err_t code = rd_kafka_event_error(event);
  const char *text = news(c, code, rd_kafka_event_error_string(event));
  char why[512] = "";
  if (!text || of_nobodys_group(c, code)) return false;
  ev->kind = RL_KEV_ERROR;
  ev->fatal = rd_kafka_event_error_is_fatal(event) || code == RD_KAFKA_RESP_ERR__FATAL;
  ev->all_brokers_down = code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN;
  if (ev->fatal) {
    rd_kafka_resp_err_t cause = rd_kafka_fatal_error(c->rk, why, sizeof why);
    if (cause) code = cause;
  }
  rd_kafka_topic_partition_t *part = rd_kafka_event_topic_partition(event);
  if (part) {
    rl_tps_add(&ev->tps, part->topic, part->partition, part->offset)->error = (int)code;
    rd_kafka_topic_partition_destroy(part);
  }
  rl_reason_text(&ev->err, code, *why ? why : text, "kafka");
  return true;
}

/* Messages never come here: a partition's queue is forwarded before it is fetched. Were one to come, going
 * on would skip it. */
static bool stray(struct rl_kev *ev) {
  ev->kind = RL_KEV_ERROR;
  ev->fatal = true;
  rl_fail(&ev->err, RL_EFAIL,
          "a message came out of librdkafka's event queue; stopping rather than skipping it");
  return true;
}

static bool convert(struct rl_consumer *c, rd_kafka_event_t *event, struct rl_kev *ev) {
  switch (rd_kafka_event_type(event)) {
    case RD_KAFKA_EVENT_REBALANCE: return rebalance(c, event, ev);
    case RD_KAFKA_EVENT_OFFSET_COMMIT: return committed(event, ev);
    case RD_KAFKA_EVENT_ERROR: return failed(c, event, ev);
    case RD_KAFKA_EVENT_FETCH: return stray(ev);
    case RD_KAFKA_EVENT_STATS:
      rl_log(RL_INFO, "kafka: statistics %s", rd_kafka_event_stats(event));
      return false;
    default: rl_log(RL_DEBUG, "kafka: event %s", rd_kafka_event_name(event)); return false;
  }
}

bool rl_consumer_serve(struct rl_consumer *c, struct rl_kev *ev) {
  memset(ev, 0, sizeof *ev);
  rd_kafka_event_t *event;
  while ((event = rd_kafka_queue_poll(c->events, 0))) {
    bool ours = convert(c, event, ev);
    rd_kafka_event_destroy(event);
    if (ours) return true;
  }
  return false;
}

void rl_kev_free(struct rl_kev *ev) { rl_tps_free(&ev->tps); }

int rl_consumer_commit(struct rl_consumer *c, const struct rl_tps *positions, struct rl_err *err) {
  rd_kafka_topic_partition_list_t *list = rl_parts_to(positions);
  rd_kafka_resp_err_t code = rd_kafka_commit_queue(c->rk, list, c->events, NULL, NULL);
  rd_kafka_topic_partition_list_destroy(list);
  return code ? rl_reason(err, code, "cannot send a commit") : 0;
}
