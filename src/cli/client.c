#include "cli/client.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stream/start.h"

const char *rl_client_brokers(const struct rl_cli *cli) {
  const struct rl_settings *s = &cli->settings;
  if (s->brokers) return s->brokers;
  bool named =
      rl_kconf_get(&s->kafka, "bootstrap.servers") || rl_kconf_get(&s->kafka, "metadata.broker.list");
  return named ? NULL : "localhost:9092";
}

int rl_client_connect_ms(const struct rl_cli *cli) { return (int)(cli->settings.connect * 1000); }

int rl_client_admin(struct rl_cli *cli, struct rl_admin **out, struct rl_err *err) {
  return rl_admin_open(out, &cli->settings.kafka, rl_client_brokers(cli), rl_client_connect_ms(cli), err);
}

int rl_client_real_admin(struct rl_cli *cli, struct rl_admin **out, struct rl_err *err) {
  if (rl_client_admin(cli, out, err)) return err->code;
  if (!rl_admin_is_embedded(*out)) return 0;
  rl_admin_close(*out);
  return rl_fail(
      err, RL_EBROKER,
      "the embedded broker cannot say which groups and members there are: `rille lag` shows a group's "
      "offsets there, the rest needs Apache Kafka");
}

int rl_client_form(struct rl_cli *cli, bool group, bool topic, struct rl_err *err) {
  const char *name = rl_cmd_name(cli->cmd);
  if (cli->args.n)
    return rl_cli_misuse(cli, err, "`rille %s` takes options only, not \"%s\"", name, cli->args.at[0]);
  if (group && (!cli->settings.group || !*cli->settings.group))
    return rl_cli_misuse(cli, err, "`rille %s` needs a group: -G GROUP", name);
  if (topic && !cli->settings.topics.n)
    return rl_cli_misuse(cli, err, "`rille %s` needs a topic: -t TOPIC", name);
  return 0;
}

static bool in_range(const struct rl_range *r, const struct rl_tp *tp) {
  if (tp->partition < r->first || tp->partition > r->last) return false;
  return !r->topic || (strlen(tp->topic) == r->topic_len && memcmp(tp->topic, r->topic, r->topic_len) == 0);
}

int rl_client_select(struct rl_cli *cli, struct rl_tps *list, struct rl_err *err) {
  const struct rl_list *wanted = &cli->settings.partitions;
  if (!wanted->n) return 0;
  struct rl_tps kept = RL_TPS_INIT;
  for (size_t i = 0; i < wanted->n; i++) {
    struct rl_range range;
    size_t before = kept.n;
    if (!rl_range_parse(wanted->at[i], &range)) {
      rl_tps_free(&kept);
      return rl_cli_misuse(cli, err, "-p: \"%s\" is no partition: 0, 0-3 or TOPIC:0 are", wanted->at[i]);
    }
    for (size_t j = 0; j < list->n; j++) {
      const struct rl_tp *tp = &list->at[j];
      if (in_range(&range, tp) && !rl_tps_find(&kept, tp->topic, tp->partition))
        rl_tps_add(&kept, tp->topic, tp->partition, tp->offset);
    }
    if (kept.n == before) {
      rl_tps_free(&kept);
      return rl_fail(err, RL_EBROKER, "-p %s: the topic has no such partition", wanted->at[i]);
    }
  }
  rl_tps_free(list);
  *list = kept;
  return 0;
}

ssize_t rl_client_holder(const struct rl_group *group, const char *topic, int32_t partition) {
  for (size_t i = 0; i < group->n_members; i++)
    if (rl_tps_find(&group->members[i].parts, topic, partition)) return (ssize_t)i;
  return -1;
}

static int compare(const void *a, const void *b) {
  const struct rl_tp *x = a, *y = b;
  int order = strcmp(x->topic, y->topic);
  return order ? order : (x->partition > y->partition) - (x->partition < y->partition);
}

void rl_client_sort(struct rl_tps *list) {
  if (list->n) qsort(list->at, list->n, sizeof *list->at, compare);
}
