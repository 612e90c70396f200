#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "kafka/lookup.h"
#include "kafka/reason.h"

struct infos {
  struct rl_topic_info *at;
  size_t n, cap;
};

static void add(struct infos *list, const char *name, int32_t partitions, int error) {
  for (size_t i = 0; i < list->n; i++)
    if (!strcmp(list->at[i].name, name)) return;
  RL_GROW(list->at, list->cap, list->n + 1);
  struct rl_topic_info info = {rl_strdup(name), error ? 0 : partitions, error};
  list->at[list->n++] = info;
}

static void add_metadata(struct infos *list, const struct rd_kafka_metadata_topic *t) {
  add(list, t->topic, t->partition_cnt, (int)t->err);
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct rl_topic_info *)a)->name, ((const struct rl_topic_info *)b)->name);
}

/* Topics that match, in the order of their names. librdkafka matches by the same regcomp(3). */
static int add_matches(struct infos *list, const struct rd_kafka_metadata *md, const char *pattern,
                       struct rl_err *err) {
  regex_t regex;
  int rc = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
  if (rc) {
    char why[128];
    regerror(rc, &regex, why, sizeof why);
    return rl_fail(err, RL_EUSAGE, "topic pattern '%s': %s", pattern, why);
  }
  size_t from = list->n;
  for (int i = 0; i < md->topic_cnt; i++)
    if (!md->topics[i].err && !regexec(&regex, md->topics[i].topic, 0, NULL, 0))
      add_metadata(list, &md->topics[i]);
  regfree(&regex);
  if (list->n > from) qsort(list->at + from, list->n - from, sizeof *list->at, by_name);
  return 0;
}

/* One topic by its name: a list of all leaves out what one may not see, and does not say so. */
static int add_asked(rd_kafka_t *rk, struct infos *list, const char *name, int timeout_ms,
                     struct rl_err *err) {
  const struct rd_kafka_metadata *md = NULL;
  rd_kafka_topic_t *rkt = rd_kafka_topic_new(rk, name, NULL);
  rd_kafka_resp_err_t code = rkt ? rd_kafka_metadata(rk, 0, rkt, &md, timeout_ms) : rd_kafka_last_error();
  if (md && md->topic_cnt) add_metadata(list, &md->topics[0]);
  if (md) rd_kafka_metadata_destroy(md);
  if (rkt) rd_kafka_topic_destroy(rkt);
  return code ? rl_reason(err, code, "cannot look topic %s up", name) : 0;
}

static bool add_listed(struct infos *list, const struct rd_kafka_metadata *md, const char *name) {
  for (int i = 0; i < md->topic_cnt; i++) {
    if (strcmp(md->topics[i].topic, name) != 0) continue;
    add_metadata(list, &md->topics[i]);
    return true;
  }
  return false;
}

void rl_topic_infos_free(struct rl_topic_info *infos, size_t n) {
  for (size_t i = 0; i < n; i++) rl_free(infos[i].name);
  rl_free(infos);
}

static int left(int64_t deadline) { return rl_poll_ms(rl_now(), deadline, INT32_MAX); }

int rl_lookup_topics(rd_kafka_t *rk, char *const *topics, size_t n, int timeout_ms,
                     struct rl_topic_info **out, size_t *n_out, struct rl_err *err) {
  int64_t deadline = rl_now() + timeout_ms * RL_NS_PER_MS;
  const struct rd_kafka_metadata *md;
  struct infos list = {NULL, 0, 0};
  rd_kafka_resp_err_t code = rd_kafka_metadata(rk, 1, NULL, &md, timeout_ms);
  if (code) return rl_reason(err, code, "cannot list topics");
  int rc = 0;
  for (size_t i = 0; i < n && !rc; i++) {
    if (topics[i][0] == '^')
      rc = add_matches(&list, md, topics[i], err);
    else if (!add_listed(&list, md, topics[i]))
      rc = add_asked(rk, &list, topics[i], left(deadline), err);
  }
  rd_kafka_metadata_destroy(md);
  if (rc) {
    rl_topic_infos_free(list.at, list.n);
    return rc;
  }
  *out = list.at;
  *n_out = list.n;
  return 0;
}
