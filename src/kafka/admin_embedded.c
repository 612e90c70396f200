/* A group's offsets on the embedded broker, which does not know "all that were committed": it is asked for
 * each partition there is. */
#include "base/mem.h"
#include "kafka/admin_impl.h"
#include "kafka/lookup.h"
#include "kafka/parts.h"
#include "kafka/reason.h"

static int all_partitions(struct rl_admin *a, struct rl_tps *out, struct rl_err *err) {
  char all[] = "^.*", *name = all;
  struct rl_topic_info *infos;
  size_t n;
  int rc = rl_lookup_topics(a->rk, &name, 1, a->timeout_ms, &infos, &n, err);
  if (rc) return rc;
  for (size_t i = 0; i < n; i++)
    for (int32_t p = 0; p < infos[i].partitions; p++) rl_tps_add(out, infos[i].name, p, RL_OFFSET_INVALID);
  rl_topic_infos_free(infos, n);
  return 0;
}

static void read_committed(rd_kafka_event_t *event, struct rl_tps *out) {
  size_t n;
  const rd_kafka_group_result_t **results = rd_kafka_ListConsumerGroupOffsets_result_groups(
      rd_kafka_event_ListConsumerGroupOffsets_result(event), &n);
  const rd_kafka_topic_partition_list_t *list = n ? rd_kafka_group_result_partitions(results[0]) : NULL;
  for (int i = 0; list && i < list->cnt; i++)
    if (list->elems[i].offset >= 0)
      rl_tps_add(out, list->elems[i].topic, list->elems[i].partition, list->elems[i].offset);
}

static int ask(struct rl_admin *a, const char *group, const struct rl_tps *parts, struct rl_tps *out,
               struct rl_err *err) {
  struct rl_order order;
  rd_kafka_topic_partition_list_t *list = rl_parts_to(parts);
  rd_kafka_ListConsumerGroupOffsets_t *what = rd_kafka_ListConsumerGroupOffsets_new(group, list);
  rl_order_begin(&order, a->rk, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS, a->timeout_ms);
  rd_kafka_ListConsumerGroupOffsets(a->rk, &what, 1, order.options, order.queue);
  rd_kafka_event_t *event = rl_order_wait(&order, "cannot read the group's offsets", err);
  if (event) read_committed(event, out);
  if (event) rd_kafka_event_destroy(event);
  rl_order_end(&order);
  rd_kafka_ListConsumerGroupOffsets_destroy(what);
  rd_kafka_topic_partition_list_destroy(list);
  return event ? 0 : RL_EBROKER;
}

int rl_admin_offsets_embedded(struct rl_admin *a, const char *group, struct rl_tps *out, struct rl_err *err) {
  struct rl_tps parts = RL_TPS_INIT;
  *out = (struct rl_tps)RL_TPS_INIT;
  int rc = all_partitions(a, &parts, err);
  if (!rc && parts.n) rc = ask(a, group, &parts, out, err);
  rl_tps_free(&parts);
  return rc;
}
