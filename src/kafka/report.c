/* What comes back: delivery reports and the producer's errors. */
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
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
    p->reported = m;
    if (fn) fn(m->_private, m->err ? &err : &ok, arg);
  }
  p->reported = NULL;
  return n;
}

static size_t read_headers(struct rl_producer *p, const rd_kafka_message_t *m) {
  rd_kafka_headers_t *list;
  size_t n = 0;
  if (rd_kafka_message_headers(m, &list)) return 0;
  RL_GROW(p->headers, p->headers_cap, rd_kafka_header_cnt(list) + 1);
  for (struct rl_header *h = p->headers; n < rd_kafka_header_cnt(list); n++, h++) {
    const void *value;
    size_t len;
    if (rd_kafka_header_get_all(list, n, &h->name, &value, &len)) break;
    h->value = rl_bytes(value, len);
  }
  return n;
}

void rl_producer_reported(struct rl_producer *p, struct rl_record *out) {
  const rd_kafka_message_t *m = p->reported;
  rd_kafka_timestamp_type_t type;
  *out = (struct rl_record){
      .topic = rd_kafka_topic_name(m->rkt), .partition = m->partition, .opaque = m->_private};
  out->timestamp = rd_kafka_message_timestamp(m, &type);
  out->key = rl_bytes(m->key, m->key_len);
  out->value = rl_bytes(m->payload, m->len);
  out->n_headers = read_headers(p, m);
  out->headers = p->headers;
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
