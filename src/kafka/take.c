/* Messages out of the lane's queue, one by one: the batch calls skip error events (2.2.0 to 2.13.1) and are
 * unsafe across a rebalance (2.0.x). */
#include "kafka/consumer_impl.h"
#include "kafka/reason.h"

static bool msg_header(const struct rl_msg *msg, size_t i, struct rl_header *out) {
  rd_kafka_headers_t *headers;
  const void *value;
  size_t len;
  if (rd_kafka_message_headers(msg->handle, &headers)) return false;
  if (rd_kafka_header_get_all(headers, i, &out->name, &value, &len)) return false;
  out->value = rl_bytes(value, len);
  return true;
}

static void msg_release(struct rl_msg *msg) { rd_kafka_message_destroy(msg->handle); }

static const struct rl_msg_ops ops = {msg_header, msg_release};

static uint8_t timestamp_type(rd_kafka_timestamp_type_t type) {
  if (type == RD_KAFKA_TIMESTAMP_CREATE_TIME) return RL_TIMESTAMP_CREATE;
  return type == RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME ? RL_TIMESTAMP_APPEND : RL_TIMESTAMP_NONE;
}

static void place(struct rl_consumer *c, const rd_kafka_message_t *m, struct rl_msg *msg) {
  msg->slot = rl_slots_of(&c->slots, m->rkt, m->partition);
  msg->topic = c->slots.at[msg->slot].topic;
  msg->partition = m->partition;
  msg->offset = m->offset;
}

static enum rl_take message(struct rl_consumer *c, rd_kafka_message_t *m, struct rl_msg *msg) {
  rd_kafka_timestamp_type_t type;
  place(c, m, msg);
  msg->epoch = 0;
  msg->timestamp = rd_kafka_message_timestamp(m, &type);
  msg->timestamp_type = timestamp_type(type);
  msg->key = rl_bytes(m->key, m->key_len);
  msg->value = rl_bytes(m->payload, m->len);
  msg->handle = m;
  msg->ops = &ops;
  return RL_TAKE_MSG;
}

static enum rl_take other(struct rl_consumer *c, rd_kafka_message_t *m, struct rl_msg *msg,
                          struct rl_err *err) {
  struct rl_msg blank = {
      .topic = NULL, .partition = -1, .offset = RL_OFFSET_INVALID, .timestamp = -1, .ops = &ops};
  rd_kafka_resp_err_t code = m->err;
  *msg = blank;
  if (m->rkt) place(c, m, msg);
  if (code != RD_KAFKA_RESP_ERR__PARTITION_EOF) {
    const char *text = rd_kafka_message_errstr(m);
    if (m->rkt)
      rl_reason_text(err, code, text, "%s[%d] at %lld", msg->topic, msg->partition, (long long)msg->offset);
    else
      rl_reason_text(err, code, text, "kafka");
    if (err && rl_reason_is_outage(code)) err->code = RL_ETRANSIENT;
  }
  rd_kafka_message_destroy(m);
  return code == RD_KAFKA_RESP_ERR__PARTITION_EOF ? RL_TAKE_EOF : RL_TAKE_ERROR;
}

enum rl_take rl_consumer_take(struct rl_consumer *c, struct rl_msg *msg, struct rl_err *err) {
  rd_kafka_message_t *m = rd_kafka_consume_queue(c->lane, 0);
  if (!m) return RL_TAKE_NONE;
  rl_unstall_taken(&c->unstall, c->rk, m->len);
  return m->err ? other(c, m, msg, err) : message(c, m, msg);
}
