/* A record on its way out. */
#include "kafka/producer_impl.h"
#include "kafka/reason.h"

static rd_kafka_headers_t *headers_of(const struct rl_record *r) {
  if (!r->n_headers) return NULL;
  rd_kafka_headers_t *headers = rd_kafka_headers_new(r->n_headers);
  for (size_t i = 0; i < r->n_headers; i++)
    rd_kafka_header_add(headers, r->headers[i].name, -1, r->headers[i].value.data,
                        (ssize_t)r->headers[i].value.len);
  return headers;
}

static rd_kafka_error_t *produce(struct rl_producer *p, rd_kafka_topic_t *rkt, const struct rl_record *r,
                                 rd_kafka_headers_t *headers) {
  rd_kafka_vu_t vus[8] = {
      {.vtype = RD_KAFKA_VTYPE_RKT, .u.rkt = rkt},
      {.vtype = RD_KAFKA_VTYPE_PARTITION, .u.i32 = r->partition < 0 ? RD_KAFKA_PARTITION_UA : r->partition},
      {.vtype = RD_KAFKA_VTYPE_MSGFLAGS, .u.i = r->pinned ? 0 : RD_KAFKA_MSG_F_COPY},
      {.vtype = RD_KAFKA_VTYPE_VALUE, .u.mem = {(void *)r->value.data, r->value.len}},
      {.vtype = RD_KAFKA_VTYPE_KEY, .u.mem = {(void *)r->key.data, r->key.len}},
      {.vtype = RD_KAFKA_VTYPE_TIMESTAMP, .u.i64 = r->timestamp > 0 ? r->timestamp : 0},
      {.vtype = RD_KAFKA_VTYPE_OPAQUE, .u.ptr = r->opaque},
      {.vtype = RD_KAFKA_VTYPE_HEADERS, .u.headers = headers},
  };
  return rd_kafka_produceva(p->rk, vus, headers ? 8 : 7);
}

/* A message that the queue can never hold would be "full" for ever. */
static int check_size(const struct rl_producer *p, const struct rl_record *r, struct rl_err *err) {
  size_t bytes = r->key.len + r->value.len;
  if (bytes <= p->max_bytes && bytes < p->queue_bytes) return 0;
  return rl_reason(err, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE,
                   "output of %zu bytes to %s, over message.max.bytes=%zu", bytes, r->topic, p->max_bytes);
}

static int refused(const struct rl_record *r, rd_kafka_error_t *error, struct rl_err *err) {
  rd_kafka_resp_err_t code = rd_kafka_error_code(error);
  if (code == RD_KAFKA_RESP_ERR__QUEUE_FULL) { /* often, and nobody reads why */
    rd_kafka_error_destroy(error);
    return rl_fail_kafka(err, RL_EFULL, (int)code, "the producer's queue is full");
  }
  if (r->partition >= 0) return rl_reason_object(err, error, "output to %s[%d]", r->topic, r->partition);
  return rl_reason_object(err, error, "output to %s", r->topic);
}

int rl_producer_send(struct rl_producer *p, const struct rl_record *r, struct rl_err *err) {
  if (check_size(p, r, err)) return RL_EHANDLER;
  rd_kafka_topic_t *rkt = rl_topics_get(&p->topics, p->rk, r->topic);
  if (!rkt) return rl_reason(err, rd_kafka_last_error(), "output to '%s'", r->topic);
  rd_kafka_headers_t *headers = headers_of(r);
  atomic_fetch_add(&p->pending, 1); /* before: its report may come on another thread at once */
  rd_kafka_error_t *error = produce(p, rkt, r, headers);
  if (!error) return 0;
  atomic_fetch_sub(&p->pending, 1);
  if (headers) rd_kafka_headers_destroy(headers);
  return refused(r, error, err);
}
