#include "base/clock.h"
#include "kafka/lookup.h"
#include "kafka/parts.h"
#include "kafka/reason.h"

static int ask(rd_kafka_t *rk, rd_kafka_topic_partition_list_t *list, int timeout_ms, struct rl_err *err) {
  rd_kafka_resp_err_t code = rd_kafka_offsets_for_times(rk, list, timeout_ms);
  const rd_kafka_topic_partition_t *bad = rl_parts_failed(list);
  if (bad) return rl_reason(err, bad->err, "cannot look up offsets of %s[%d]", bad->topic, bad->partition);
  return code ? rl_reason(err, code, "cannot look up offsets") : 0;
}

/* Kafka answers a time by which nothing came later with "end", a number that is none: then it is asked for.
 */
static int ask_ends(rd_kafka_t *rk, rd_kafka_topic_partition_list_t *list, int64_t deadline,
                    struct rl_err *err) {
  rd_kafka_topic_partition_list_t *open = rd_kafka_topic_partition_list_new(list->cnt);
  for (int i = 0; i < list->cnt; i++)
    if (list->elems[i].offset < 0)
      rd_kafka_topic_partition_list_add(open, list->elems[i].topic, list->elems[i].partition)->offset =
          RL_OFFSET_END;
  int rc = open->cnt ? ask(rk, open, rl_poll_ms(rl_now(), deadline, INT32_MAX), err) : 0;
  for (int i = 0; i < open->cnt && !rc; i++)
    rd_kafka_topic_partition_list_set_offset(list, open->elems[i].topic, open->elems[i].partition,
                                             open->elems[i].offset);
  rd_kafka_topic_partition_list_destroy(open);
  return rc;
}

static void give(struct rl_tps *parts, const rd_kafka_topic_partition_list_t *list) {
  for (int i = 0; i < list->cnt; i++) {
    struct rl_tp *tp = rl_tps_find(parts, list->elems[i].topic, list->elems[i].partition);
    if (tp) tp->offset = list->elems[i].offset;
  }
}

/* ListOffsets takes "beginning" and "end" in the place of a time, one request a leader; under read_committed
 * its end is the last stable offset. */
int rl_lookup_offsets(rd_kafka_t *rk, struct rl_tps *parts, int64_t when, int timeout_ms,
                      struct rl_err *err) {
  if (!parts->n) return 0;
  int64_t deadline = rl_now() + timeout_ms * RL_NS_PER_MS;
  rd_kafka_topic_partition_list_t *list = rl_parts_to(parts);
  for (int i = 0; i < list->cnt && when != RL_OFFSET_INVALID; i++) list->elems[i].offset = when;
  int rc = ask(rk, list, timeout_ms, err);
  if (!rc) rc = ask_ends(rk, list, deadline, err);
  if (!rc) give(parts, list);
  rd_kafka_topic_partition_list_destroy(list);
  return rc;
}
