/* Who is in a group, and which groups there are. */
#include <string.h>

#include "base/mem.h"
#include "kafka/admin_impl.h"
#include "kafka/parts.h"
#include "kafka/reason.h"

static char *copy(const char *text) { return rl_strdup(text ? text : ""); }

static void read_member(struct rl_member *out, const rd_kafka_MemberDescription_t *m) {
  struct rl_tps none = RL_TPS_INIT;
  const rd_kafka_MemberAssignment_t *assignment = rd_kafka_MemberDescription_assignment(m);
  out->id = copy(rd_kafka_MemberDescription_consumer_id(m));
  out->client_id = copy(rd_kafka_MemberDescription_client_id(m));
  out->host = copy(rd_kafka_MemberDescription_host(m));
  out->parts = none;
  if (assignment) rl_parts_from(&out->parts, rd_kafka_MemberAssignment_partitions(assignment));
}

static void read_group(struct rl_group *out, const rd_kafka_ConsumerGroupDescription_t *g) {
  rd_kafka_consumer_group_state_t state = rd_kafka_ConsumerGroupDescription_state(g);
  size_t n = rd_kafka_ConsumerGroupDescription_member_count(g);
  out->name = copy(rd_kafka_ConsumerGroupDescription_group_id(g));
  out->state = copy(rd_kafka_consumer_group_state_name(state));
  out->protocol = copy(rd_kafka_ConsumerGroupDescription_partition_assignor(g));
  out->exists = state != RD_KAFKA_CONSUMER_GROUP_STATE_DEAD;
  out->members = rl_zalloc((n + 1) * sizeof *out->members);
  out->n_members = n;
  for (size_t i = 0; i < n; i++)
    read_member(&out->members[i], rd_kafka_ConsumerGroupDescription_member(g, i));
}

void rl_group_free(struct rl_group *group) {
  for (size_t i = 0; i < group->n_members; i++) {
    struct rl_member *m = &group->members[i];
    rl_free(m->id);
    rl_free(m->client_id);
    rl_free(m->host);
    rl_tps_free(&m->parts);
  }
  rl_free(group->members);
  rl_free(group->name);
  rl_free(group->state);
  rl_free(group->protocol);
  memset(group, 0, sizeof *group);
}

static int described(struct rl_group *out, rd_kafka_event_t *event, const char *name, struct rl_err *err) {
  size_t n;
  const rd_kafka_DescribeConsumerGroups_result_t *result =
      rd_kafka_event_DescribeConsumerGroups_result(event);
  const rd_kafka_ConsumerGroupDescription_t **groups =
      rd_kafka_DescribeConsumerGroups_result_groups(result, &n);
  if (!n) return rl_fail(err, RL_EBROKER, "group %s: the broker did not answer for it", name);
  const rd_kafka_error_t *error = rd_kafka_ConsumerGroupDescription_error(groups[0]);
  rd_kafka_resp_err_t code = error ? rd_kafka_error_code(error) : RD_KAFKA_RESP_ERR_NO_ERROR;
  if (code && code != RD_KAFKA_RESP_ERR_GROUP_ID_NOT_FOUND)
    return rl_reason_text(err, code, rd_kafka_error_string(error), "group %s", name);
  read_group(out, groups[0]);
  if (code) out->exists = false;
  return 0;
}

static int describe(struct rl_admin *a, const char *name, struct rl_group *out, struct rl_err *err) {
  struct rl_order order;
  int rc = RL_EBROKER;
  rl_order_begin(&order, a->rk, RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS, a->timeout_ms);
  rd_kafka_DescribeConsumerGroups(a->rk, &name, 1, order.options, order.queue);
  rd_kafka_event_t *event = rl_order_wait(&order, "cannot describe the group", err);
  if (event) {
    rc = described(out, event, name, err);
    rd_kafka_event_destroy(event);
  }
  rl_order_end(&order);
  return rc;
}

typedef int list_reader(rd_kafka_event_t *event, void *arg, struct rl_err *err);

static int list(struct rl_admin *a, list_reader *read, void *arg, struct rl_err *err) {
  struct rl_order order;
  int rc = RL_EBROKER;
  rl_order_begin(&order, a->rk, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPS, a->timeout_ms);
  rd_kafka_ListConsumerGroups(a->rk, order.options, order.queue);
  rd_kafka_event_t *event = rl_order_wait(&order, "cannot list groups", err);
  if (event) {
    rc = read(event, arg, err);
    rd_kafka_event_destroy(event);
  }
  rl_order_end(&order);
  return rc;
}

/* Gives the group the state that the list has for it. */
static int find_state(rd_kafka_event_t *event, void *arg, struct rl_err *err) {
  struct rl_group *group = arg;
  const rd_kafka_ListConsumerGroups_result_t *result = rd_kafka_event_ListConsumerGroups_result(event);
  size_t n;
  const rd_kafka_ConsumerGroupListing_t **groups = rd_kafka_ListConsumerGroups_result_valid(result, &n);
  (void)err;
  for (size_t i = 0; i < n && !group->exists; i++) {
    if (strcmp(rd_kafka_ConsumerGroupListing_group_id(groups[i]), group->name) != 0) continue;
    rl_free(group->state);
    group->state = copy(rd_kafka_consumer_group_state_name(rd_kafka_ConsumerGroupListing_state(groups[i])));
    group->exists = true;
  }
  return 0;
}

/* A group under the consumer protocol (KIP-848) is "dead" for an older librdkafka, that cannot ask for its
 * members; but the list of groups has it. */
int rl_admin_group(struct rl_admin *a, const char *name, struct rl_group *out, struct rl_err *err) {
  memset(out, 0, sizeof *out);
  int rc = describe(a, name, out, err);
  if (!rc && !out->exists) rc = list(a, find_state, out, err);
  if (rc) rl_group_free(out);
  return rc;
}

struct names {
  char **at;
  size_t n;
};

static int read_names(rd_kafka_event_t *event, void *arg, struct rl_err *err) {
  struct names *out = arg;
  const rd_kafka_ListConsumerGroups_result_t *result = rd_kafka_event_ListConsumerGroups_result(event);
  size_t failed;
  const rd_kafka_error_t **errors = rd_kafka_ListConsumerGroups_result_errors(result, &failed);
  if (failed)
    return rl_reason_text(err, rd_kafka_error_code(errors[0]), rd_kafka_error_string(errors[0]),
                          "cannot list groups");
  const rd_kafka_ConsumerGroupListing_t **groups = rd_kafka_ListConsumerGroups_result_valid(result, &out->n);
  out->at = rl_zalloc((out->n + 1) * sizeof *out->at);
  for (size_t i = 0; i < out->n; i++) out->at[i] = copy(rd_kafka_ConsumerGroupListing_group_id(groups[i]));
  return 0;
}

int rl_admin_groups(struct rl_admin *a, char ***names, size_t *n, struct rl_err *err) {
  struct names out = {NULL, 0};
  int rc = list(a, read_names, &out, err);
  if (rc) return rc;
  *names = out.at;
  *n = out.n;
  return 0;
}

void rl_admin_names_free(char **names, size_t n) {
  for (size_t i = 0; i < n; i++) rl_free(names[i]);
  rl_free(names);
}
