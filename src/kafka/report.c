/* What comes back: delivery reports and the producer's errors. */
#include <string.h>

#include "base/log.h"
#include "kafka/klog.h"
#include "kafka/producer_impl.h"
#include "kafka/reason.h"

static void why_not(const rd_kafka_message_t *m, struct rl_err *err) {
  const char *topic = rd_kafka_topic_name(m->rkt);
  rl_reason(err, m->err, "output to %s[%d]", topic, m->partition);
  if (m->err == RD_KAFKA_RESP_ERR__PURGE_QUEUE || m->err == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT)
    err->code = RL_EFAIL;
}

static int reports(struct rl_producer *p, rd_kafka_event_t *event, rl_delivered *fn, void *arg) {
  static const struct rl_err ok;
  const rd_kafka_message_t *m;
  int n = 0;
  for (; (m = rd_kafka_event_message_next(event)); n++) {
    struct rl_err err;
    if (m->err) why_not(m, &err);
    atomic_fetch_sub(&p->pending, 1);
    if (fn) fn(m->_private, m->err ? &err : &ok, arg);
  }
  return n;
}

/* Nobody else hears of these: `send` has no consumer. */
static void tell(struct rl_producer *p, rd_kafka_event_t *event) {
  struct rl_err err;
  rd_kafka_resp_err_t code = rd_kafka_event_error(event);
  const char *text = rl_reason_news(code, rd_kafka_event_error_string(event));
  bool quiet = !text || rl_klog_repeats(rd_kafka_opaque(p->rk), text);
  rl_reason_text(&err, code, text ? text : rd_kafka_event_error_string(event), "producer");
  rl_log(quiet ? RL_DEBUG : RL_WARN, "%s", err.text);
}

int rl_producer_serve(struct rl_producer *p, rl_delivered *fn, void *arg) {
  rd_kafka_event_t *event;
  int n = 0;
  while ((event = rd_kafka_queue_poll(p->events, 0))) {
    if (rd_kafka_event_type(event) == RD_KAFKA_EVENT_DR)
      n += reports(p, event, fn, arg);
    else if (rd_kafka_event_type(event) == RD_KAFKA_EVENT_ERROR)
      tell(p, event);
    rd_kafka_event_destroy(event);
  }
  return n;
}

bool rl_producer_fatal(struct rl_producer *p, struct rl_err *err) {
  char why[512] = "";
  rd_kafka_resp_err_t code = rd_kafka_fatal_error(p->rk, why, sizeof why);
  if (!code) return false;
  rl_reason_text(err, code, why, "the producer cannot go on");
  return true;
}

bool rl_producer_too_large(const struct rl_err *err) {
  return err->kafka == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE ||
         err->kafka == RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE ||
         err->kafka == RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE;
}
