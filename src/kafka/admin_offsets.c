/* A group's committed offsets. librdkafka takes one group a request. */
#include <string.h>

#include "kafka/admin_impl.h"
#include "kafka/parts.h"
#include "kafka/reason.h"

/* The members' epoch or generation is missing from an order that comes from outside the group: that is how
 * brokers say that members are up. */
static int of_partition(struct rl_err *err, const char *group, const rd_kafka_topic_partition_t *bad) {
  if (bad->err == RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID || bad->err == RD_KAFKA_RESP_ERR_NON_EMPTY_GROUP)
    return rl_fail_kafka(err, RL_EBROKER, (int)bad->err,
                         "the offsets of group %s cannot be set while members are up: stop them first",
                         group);
  return rl_reason(err, bad->err, "offset of group %s for %s[%d]", group, bad->topic, bad->partition);
}

static int check(const rd_kafka_group_result_t *result, const char *group, struct rl_err *err) {
  const rd_kafka_error_t *error = rd_kafka_group_result_error(result);
  if (error) {
    rd_kafka_topic_partition_t whole = {.err = rd_kafka_error_code(error)};
    if (whole.err == RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID || whole.err == RD_KAFKA_RESP_ERR_NON_EMPTY_GROUP)
      return of_partition(err, group, &whole);
    return rl_reason_text(err, whole.err, rd_kafka_error_string(error), "group %s", group);
  }
  const rd_kafka_topic_partition_list_t *parts = rd_kafka_group_result_partitions(result);
  const rd_kafka_topic_partition_t *bad = parts ? rl_parts_failed(parts) : NULL;
  return bad ? of_partition(err, group, bad) : 0;
}

static int read_offsets(rd_kafka_event_t *event, const char *group, struct rl_tps *out, struct rl_err *err) {
  size_t n;
  const rd_kafka_ListConsumerGroupOffsets_result_t *answer =
      rd_kafka_event_ListConsumerGroupOffsets_result(event);
  const rd_kafka_group_result_t **results = rd_kafka_ListConsumerGroupOffsets_result_groups(answer, &n);
  if (!n) return rl_fail(err, RL_EBROKER, "group %s: the broker did not answer for it", group);
  int rc = check(results[0], group, err);
  if (!rc) rl_parts_from(out, rd_kafka_group_result_partitions(results[0]));
  return rc;
}

int rl_admin_offsets(struct rl_admin *a, const char *group, struct rl_tps *out, struct rl_err *err) {
  struct rl_order order;
  int rc = RL_EBROKER;
  struct rl_tps none = RL_TPS_INIT;
  *out = none;
  rd_kafka_ListConsumerGroupOffsets_t *what = rd_kafka_ListConsumerGroupOffsets_new(group, NULL);
  rl_order_begin(&order, a->rk, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS, a->timeout_ms);
  rd_kafka_ListConsumerGroupOffsets(a->rk, &what, 1, order.options, order.queue);
  rd_kafka_event_t *event = rl_order_wait(&order, "cannot read the group's offsets", err);
  if (event) {
    rc = read_offsets(event, group, out, err);
    rd_kafka_event_destroy(event);
  }
  rl_order_end(&order);
  rd_kafka_ListConsumerGroupOffsets_destroy(what);
  return rc;
}

static int check_set(rd_kafka_event_t *event, const char *group, struct rl_err *err) {
  size_t n;
  const rd_kafka_AlterConsumerGroupOffsets_result_t *answer =
      rd_kafka_event_AlterConsumerGroupOffsets_result(event);
  const rd_kafka_group_result_t **results = rd_kafka_AlterConsumerGroupOffsets_result_groups(answer, &n);
  if (!n) return rl_fail(err, RL_EBROKER, "group %s: the broker did not answer for it", group);
  return check(results[0], group, err);
}

int rl_admin_set_offsets(struct rl_admin *a, const char *group, const struct rl_tps *to, struct rl_err *err) {
  struct rl_order order;
  int rc = RL_EBROKER;
  rd_kafka_topic_partition_list_t *list = rl_parts_to(to);
  rd_kafka_AlterConsumerGroupOffsets_t *what = rd_kafka_AlterConsumerGroupOffsets_new(group, list);
  rl_order_begin(&order, a->rk, RD_KAFKA_ADMIN_OP_ALTERCONSUMERGROUPOFFSETS, a->timeout_ms);
  rd_kafka_AlterConsumerGroupOffsets(a->rk, &what, 1, order.options, order.queue);
  rd_kafka_event_t *event = rl_order_wait(&order, "cannot set the group's offsets", err);
  if (event) {
    rc = check_set(event, group, err);
    rd_kafka_event_destroy(event);
  }
  rl_order_end(&order);
  rd_kafka_AlterConsumerGroupOffsets_destroy(what);
  rd_kafka_topic_partition_list_destroy(list);
  return rc;
}
