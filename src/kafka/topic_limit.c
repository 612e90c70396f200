/* What a topic takes in a request, asked of the broker. */
#include "base/log.h"
#include "base/str.h"
#include "kafka/admin_impl.h"
#include "kafka/client.h"
#include "kafka/producer_impl.h"

static size_t limit_of(const rd_kafka_ConfigResource_t *of) {
  size_t n;
  int64_t bytes = 0;
  const rd_kafka_ConfigEntry_t **entries = rd_kafka_ConfigResource_configs(of, &n);
  for (size_t i = 0; i < n; i++) {
    const char *value = rd_kafka_ConfigEntry_value(entries[i]);
    if (value && !strcmp(rd_kafka_ConfigEntry_name(entries[i]), "max.message.bytes"))
      rl_parse_i64(value, &bytes);
  }
  return bytes > 0 ? (size_t)bytes : 0;
}

static size_t read_answer(rd_kafka_event_t *event, struct rl_err *err) {
  size_t n;
  const rd_kafka_ConfigResource_t **at =
      rd_kafka_DescribeConfigs_result_resources(rd_kafka_event_DescribeConfigs_result(event), &n);
  if (n && !rd_kafka_ConfigResource_error(at[0])) return limit_of(at[0]);
  rl_fail(err, RL_EBROKER, "%s", n ? rd_kafka_ConfigResource_error_string(at[0]) : "no answer");
  return 0;
}

static size_t ask(struct rl_producer *p, const char *topic, int timeout_ms) {
  struct rl_order order;
  struct rl_err err = {0};
  size_t limit = 0;
  rd_kafka_ConfigResource_t *what = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic);
  rl_order_begin(&order, p->rk, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, timeout_ms);
  rd_kafka_DescribeConfigs(p->rk, &what, 1, order.options, order.queue);
  rd_kafka_event_t *event = rl_order_wait(&order, "cannot describe it", &err);
  if (event) {
    limit = read_answer(event, &err);
    rd_kafka_event_destroy(event);
  }
  if (err.code) rl_log(RL_DEBUG, "output topic %s: its max.message.bytes is not known: %s", topic, err.text);
  rl_order_end(&order);
  rd_kafka_ConfigResource_destroy(what);
  return limit;
}

/* The embedded broker has no such setting, and what asks for one waits its time out there. */
size_t rl_producer_topic_limit(struct rl_producer *p, const char *topic, int timeout_ms) {
  bool asked = timeout_ms > 0 && !rl_client_is_embedded(p->rk, timeout_ms);
  size_t limit = asked ? ask(p, topic, timeout_ms) : 0;
  return limit < p->batch_bytes ? limit : 0;
}
