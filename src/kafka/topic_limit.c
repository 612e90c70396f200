/* What a topic takes in a request, asked of the broker. */
#include "base/log.h"
#include "base/str.h"
#include "kafka/client.h"
#include "kafka/producer_impl.h"

static size_t limit_of(const rd_kafka_ConfigResource_t *of) {
  size_t n;
  int64_t bytes = 0;
  const rd_kafka_ConfigEntry_t **entries = rd_kafka_ConfigResource_configs(of, &n);
  for (size_t i = 0; i < n; i++)
    if (!strcmp(rd_kafka_ConfigEntry_name(entries[i]), "max.message.bytes"))
      rl_parse_i64(rd_kafka_ConfigEntry_value(entries[i]), &bytes);
  return bytes > 0 ? (size_t)bytes : 0;
}

static size_t read_answer(rd_kafka_event_t *event, const char *topic) {
  size_t n = 0;
  const char *why = "no answer";
  const rd_kafka_ConfigResource_t **at = NULL;
  if (event && rd_kafka_event_error(event)) why = rd_kafka_event_error_string(event);
  if (event && !rd_kafka_event_error(event))
    at = rd_kafka_DescribeConfigs_result_resources(rd_kafka_event_DescribeConfigs_result(event), &n);
  if (n && !rd_kafka_ConfigResource_error(at[0])) return limit_of(at[0]);
  if (n) why = rd_kafka_ConfigResource_error_string(at[0]);
  rl_log(RL_DEBUG, "output topic %s: its max.message.bytes is not known: %s", topic, why);
  return 0;
}

static size_t ask(struct rl_producer *p, const char *topic, int timeout_ms) {
  char why[128];
  rd_kafka_queue_t *queue = rd_kafka_queue_new(p->rk);
  rd_kafka_AdminOptions_t *options = rd_kafka_AdminOptions_new(p->rk, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
  rd_kafka_ConfigResource_t *what = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic);
  rd_kafka_AdminOptions_set_request_timeout(options, timeout_ms, why, sizeof why);
  rd_kafka_DescribeConfigs(p->rk, &what, 1, options, queue);
  rd_kafka_event_t *event = rd_kafka_queue_poll(queue, timeout_ms);
  size_t limit = read_answer(event, topic);
  if (event) rd_kafka_event_destroy(event);
  rd_kafka_ConfigResource_destroy(what);
  rd_kafka_AdminOptions_destroy(options);
  rd_kafka_queue_destroy(queue);
  return limit;
}

/* The embedded broker has no such setting, and what asks for one waits its time out there. */
size_t rl_producer_topic_limit(struct rl_producer *p, const char *topic, int timeout_ms) {
  bool asked = timeout_ms > 0 && !rl_client_is_embedded(p->rk, timeout_ms);
  size_t limit = asked ? ask(p, topic, timeout_ms) : 0;
  return limit < p->batch_bytes ? limit : 0;
}
