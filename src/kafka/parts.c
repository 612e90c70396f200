#include "kafka/parts.h"

rd_kafka_topic_partition_list_t *rl_parts_to(const struct rl_tps *tps) {
  rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new((int)tps->n);
  for (size_t i = 0; i < tps->n; i++)
    rd_kafka_topic_partition_list_add(list, tps->at[i].topic, tps->at[i].partition)->offset =
        tps->at[i].offset;
  return list;
}

void rl_parts_from(struct rl_tps *out, const rd_kafka_topic_partition_list_t *list) {
  for (int i = 0; list && i < list->cnt; i++) {
    const rd_kafka_topic_partition_t *p = &list->elems[i];
    rl_tps_add(out, p->topic, p->partition, p->offset)->error = (int)p->err;
  }
}

const rd_kafka_topic_partition_t *rl_parts_failed(const rd_kafka_topic_partition_list_t *list) {
  for (int i = 0; i < list->cnt; i++)
    if (list->elems[i].err) return &list->elems[i];
  return NULL;
}
