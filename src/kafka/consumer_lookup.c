/* The consumer's cold paths. */
#include "kafka/client.h"
#include "kafka/consumer_impl.h"
#include "kafka/lookup.h"
#include "kafka/parts.h"
#include "kafka/reason.h"

bool rl_consumer_reachable(struct rl_consumer *c, int timeout_ms) {
  const struct rd_kafka_metadata *md = NULL;
  if (rd_kafka_metadata(c->rk, 0, NULL, &md, timeout_ms)) return false;
  rd_kafka_metadata_destroy(md);
  return true;
}

int rl_consumer_topics(struct rl_consumer *c, char *const *topics, size_t n, int timeout_ms,
                       struct rl_topic_info **out, size_t *n_out, struct rl_err *err) {
  return rl_lookup_topics(c->rk, topics, n, timeout_ms, out, n_out, err);
}

int rl_consumer_ends(struct rl_consumer *c, struct rl_tps *parts, int timeout_ms, struct rl_err *err) {
  return rl_lookup_offsets(c->rk, parts, RL_OFFSET_END, timeout_ms, err);
}

int rl_consumer_begins(struct rl_consumer *c, struct rl_tps *parts, int timeout_ms, struct rl_err *err) {
  return rl_lookup_offsets(c->rk, parts, RL_OFFSET_BEGINNING, timeout_ms, err);
}

int rl_consumer_times(struct rl_consumer *c, struct rl_tps *parts, int timeout_ms, struct rl_err *err) {
  return rl_lookup_offsets(c->rk, parts, RL_OFFSET_INVALID, timeout_ms, err);
}

int rl_consumer_last(struct rl_consumer *c, const char *topic, int32_t partition, int timeout_ms,
                     int64_t *last, struct rl_err *err) {
  int64_t low;
  rd_kafka_resp_err_t code =
      rd_kafka_query_watermark_offsets(c->rk, topic, partition, &low, last, timeout_ms);
  return code ? rl_reason(err, code, "cannot look up offsets of %s[%d]", topic, partition) : 0;
}

int rl_consumer_seek(struct rl_consumer *c, const struct rl_tps *to, int timeout_ms, struct rl_err *err) {
  rd_kafka_topic_partition_list_t *list = rl_parts_to(to);
  rd_kafka_error_t *error = rd_kafka_seek_partitions(c->rk, list, timeout_ms);
  const rd_kafka_topic_partition_t *bad = rl_parts_failed(list);
  int rc = rl_reason_object(err, error, "cannot seek");
  if (!rc && bad) rc = rl_reason(err, bad->err, "cannot seek %s[%d]", bad->topic, bad->partition);
  rd_kafka_topic_partition_list_destroy(list);
  return rc;
}

bool rl_consumer_is_embedded(struct rl_consumer *c, int timeout_ms) {
  return rl_client_is_embedded(c->rk, timeout_ms);
}
