/* Before the lanes start: is the broker there, are the topics, where does each partition begin and end?
 * (S1.2, S1.3, S7) */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "kafka/reason.h"
#include "stream/lane_state.h"
#include "stream/start.h"

#define LOOK_UP_MS 10000
#define LOOK_AGAIN_MS 1000

static void before_end(const struct rl_tps *begins, struct rl_tps *ends, int64_t n) {
  for (size_t i = 0; i < ends->n; i++) {
    int64_t at = ends->at[i].offset - n;
    ends->at[i].offset = at > begins->at[i].offset ? at : begins->at[i].offset;
  }
}

static void set_all(struct rl_tps *parts, int64_t offset) {
  for (size_t i = 0; i < parts->n; i++) parts->at[i].offset = offset;
}

static int find_before_end(struct rl_consumer *c, int64_t n, struct rl_tps *parts, struct rl_err *err) {
  struct rl_tps begins;
  rl_tps_copy(&begins, parts);
  int rc = rl_consumer_begins(c, &begins, LOOK_UP_MS, err);
  if (rc == 0) rc = rl_consumer_ends(c, parts, LOOK_UP_MS, err);
  if (rc == 0) before_end(&begins, parts, n);
  rl_tps_free(&begins);
  return rc;
}

/* Replaces each offset of `parts` by that of the place that the text names. */
static int find_place(struct rl_consumer *c, const char *text, struct rl_tps *parts, struct rl_err *err) {
  struct rl_start place;
  if (!rl_start_parse(text, &place)) return rl_fail(err, RL_EUSAGE, "'%s' is no place in a partition", text);
  switch (place.kind) {
    case RL_START_BEGINNING: return rl_consumer_begins(c, parts, LOOK_UP_MS, err);
    case RL_START_STORED: /* refused where there is no group (settings_finish); the group knows itself */
    case RL_START_END: return rl_consumer_ends(c, parts, LOOK_UP_MS, err);
    case RL_START_OFFSET: set_all(parts, place.value); return 0;
    case RL_START_TIME: set_all(parts, place.value); return rl_consumer_times(c, parts, LOOK_UP_MS, err);
    case RL_START_BEFORE: return find_before_end(c, place.value, parts, err);
  }
  return 0;
}

static bool has_regex(const struct rl_settings *s) {
  for (size_t i = 0; i < s->topics.n; i++)
    if (s->topics.at[i][0] == '^') return true;
  return false;
}

/* All named topics unknown: an error. Some: one line, the others flow (S7.2). */
static int check_topics(const struct rl_settings *s, const struct rl_topic_info *infos, size_t n,
                        struct rl_err *err) {
  struct rl_buf unknown = RL_BUF_INIT;
  size_t missing = 0;
  for (size_t i = 0; i < n; i++)
    if (infos[i].partitions == 0) rl_buf_printf(&unknown, "%s%s", missing++ ? ", " : "", infos[i].name);
  int rc = 0;
  if (missing && missing == n && !has_regex(s))
    rc = rl_fail(err, RL_EBROKER, "unknown topic: %s, at %s; " RL_REASON_TOPICS, rl_buf_text(&unknown),
                 s->brokers ? s->brokers : "localhost:9092");
  else if (missing)
    rl_log(RL_ERROR, "unknown topic: %s; the other topics flow", rl_buf_text(&unknown));
  rl_buf_free(&unknown);
  return rc;
}

static bool names_partition(const char *item, const char *topic, int32_t partition) {
  struct rl_range range;
  if (!rl_range_parse(item, &range) || partition < range.first || partition > range.last) return false;
  return !range.topic ||
         (strlen(topic) == range.topic_len && memcmp(topic, range.topic, range.topic_len) == 0);
}

static bool wanted(const struct rl_settings *s, const char *topic, int32_t partition) {
  if (!s->partitions.n) return true;
  for (size_t i = 0; i < s->partitions.n; i++)
    if (names_partition(s->partitions.at[i], topic, partition)) return true;
  return false;
}

static int check_item(const char *item, const struct rl_tps *parts, struct rl_err *err) {
  for (size_t i = 0; i < parts->n; i++)
    if (names_partition(item, parts->at[i].topic, parts->at[i].partition)) return 0;
  return rl_fail(err, RL_EBROKER, "no partition '%s' in the topics asked for", item);
}

static bool any_partition(const struct rl_topic_info *infos, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (infos[i].partitions > 0) return true;
  return false;
}

static int list_partitions(const struct rl_settings *s, const struct rl_topic_info *infos, size_t n,
                           struct rl_tps *out, struct rl_err *err) {
  for (size_t i = 0; i < n; i++)
    for (int32_t p = 0; p < infos[i].partitions; p++)
      if (wanted(s, infos[i].name, p)) rl_tps_add(out, infos[i].name, p, RL_OFFSET_INVALID);
  for (size_t i = 0; i < s->partitions.n && any_partition(infos, n); i++)
    if (check_item(s->partitions.at[i], out, err)) return err->code;
  return 0;
}

static void begin_at(struct rl_tp *tp, int64_t offset, const char *why) {
  rl_log(RL_WARN, "%s[%d] has no offset %lld: it begins at %lld, its %s", tp->topic, tp->partition,
         (long long)tp->offset, (long long)offset, why);
  tp->offset = offset;
}

/* An offset that is not there would have librdkafka begin anew, at the beginning. */
static int keep_within(struct rl_consumer *c, struct rl_tps *starts, struct rl_err *err) {
  struct rl_tps begins;
  rl_tps_copy(&begins, starts);
  int rc = rl_consumer_begins(c, &begins, LOOK_UP_MS, err);
  for (size_t i = 0; i < starts->n && rc == 0; i++) {
    struct rl_tp *tp = &starts->at[i];
    int64_t last;
    rc = rl_consumer_last(c, tp->topic, tp->partition, LOOK_UP_MS, &last, err);
    if (rc == 0 && tp->offset > last)
      begin_at(tp, last, "end");
    else if (rc == 0 && tp->offset < begins.at[i].offset)
      begin_at(tp, begins.at[i].offset, "beginning");
  }
  rl_tps_free(&begins);
  return rc;
}

static int find_starts(struct rl_run *run, struct rl_consumer *c, struct rl_err *err) {
  struct rl_start place;
  if (run->settings->group) {
    set_all(&run->starts, RL_OFFSET_STORED);
    return 0;
  }
  int rc = find_place(c, run->settings->start, &run->starts, err);
  bool offset = rc == 0 && rl_start_parse(run->settings->start, &place) && place.kind == RL_START_OFFSET;
  return offset ? keep_within(c, &run->starts, err) : rc;
}

static int find_ends(struct rl_run *run, struct rl_consumer *c, const struct rl_tps *parts,
                     struct rl_err *err) {
  const struct rl_settings *s = run->settings;
  if (!s->exit_at_end && !s->end) return 0;
  rl_tps_copy(&run->ends, parts);
  return find_place(c, s->end ? s->end : "end", &run->ends, err);
}

static int look_up(struct rl_run *run, struct rl_consumer *c, const struct rl_topic_info *infos, size_t n,
                   struct rl_err *err) {
  struct rl_tps parts = RL_TPS_INIT;
  int rc = list_partitions(run->settings, infos, n, &parts, err);
  if (rc == 0) rc = find_ends(run, c, &parts, err);
  if (rc == 0 && run->manual) {
    rl_tps_copy(&run->starts, &parts);
    rc = find_starts(run, c, err);
  }
  rl_tps_free(&parts);
  return rc;
}

static int ask_broker(struct rl_run *run, struct rl_consumer *c, struct rl_err *err) {
  const struct rl_settings *s = run->settings;
  struct rl_topic_info *infos = NULL;
  size_t n = 0;
  int ms = (int)(s->connect * 1000);
  int rc = rl_consumer_connect(c, ms, err);
  if (rc == 0) run->embedded = rl_consumer_is_embedded(c, ms);
  run->manual = !s->group || (run->embedded && s->lanes > 1); /* kafka/broker.h says why */
  if (rc == 0) rc = rl_consumer_topics(c, s->topics.at, s->topics.n, ms, &infos, &n, err);
  if (rc == 0) rc = check_topics(s, infos, n, err);
  atomic_store(&run->no_topics, !any_partition(infos, n));
  if (rc == 0) rc = look_up(run, c, infos, n, err);
  rl_topic_infos_free(infos, n);
  return rc;
}

/* What came after the start is read whole: the end of what was there then lies before its beginning. */
static int find_late_starts(struct rl_run *run, struct rl_consumer *c, struct rl_err *err) {
  struct rl_start place;
  const struct rl_settings *s = run->settings;
  bool at_end = !s->group && rl_start_parse(s->start, &place) && place.kind == RL_START_END;
  return at_end ? rl_consumer_begins(c, &run->starts, LOOK_UP_MS, err) : find_starts(run, c, err);
}

static int take_late(struct rl_run *run, struct rl_consumer *c, struct rl_err *err) {
  struct rl_topic_info *infos = NULL;
  size_t n = 0;
  const struct rl_settings *s = run->settings;
  int rc = rl_consumer_topics(c, s->topics.at, s->topics.n, LOOK_AGAIN_MS, &infos, &n, err);
  if (rc == 0 && any_partition(infos, n)) {
    rc = list_partitions(s, infos, n, &run->starts, err);
    if (rc == 0) rc = find_late_starts(run, c, err);
    if (rc == 0)
      atomic_store(&run->no_topics, false);
    else
      rl_tps_free(&run->starts);
  }
  rl_topic_infos_free(infos, n);
  return rc;
}

int rl_run_look_again(struct rl_run *run, struct rl_consumer *c, struct rl_err *err) {
  pthread_mutex_lock(&run->mu);
  int rc = atomic_load(&run->no_topics) ? take_late(run, c, err) : 0;
  pthread_mutex_unlock(&run->mu);
  return rc;
}

static int look_up_brokers(struct rl_run *run, struct rl_err *err) {
  struct rl_consumer *c;
  const struct rl_settings *s = run->settings;
  if (s->input) return 0; /* a file: settings_finish has turned a kafka:// input into brokers and topics */
  struct rl_consumer_opts opts = {.conf = &s->kafka, .brokers = s->brokers, .manual = true, .lane = -1};
  int rc = rl_consumer_open(&c, &opts, err);
  if (rc) return rc;
  rc = ask_broker(run, c, err);
  rl_consumer_destroy(c);
  return rc;
}

/* A registry that is down is told at once and waited for, as one that goes down later (S4.1): nothing says
 * which messages need it. One that refuses the log-in is no outage. */
static int check_registry(const struct rl_settings *s, struct rl_err *err) {
  struct rl_err why = {0};
  if (!s->registry_client) return 0;
  int rc = rl_registry_check(s->registry_client, &why);
  if (rc != RL_ETRANSIENT) return rc ? rl_fail(err, rc, "registry: %s", why.text) : 0;
  rl_log(RL_WARN, "schema registry: %s; going on without it: messages that need it wait for it%s", why.text,
         s->outage > 0 ? " (--outage)" : "");
  return 0;
}

int rl_run_prepare(struct rl_run *run, const struct rl_settings *s, struct rl_err *err) {
  *run = (struct rl_run){.settings = s};
  pthread_mutex_init(&run->mu, NULL);
  atomic_init(&run->left, s->count > 0 ? s->count : -1);
  if (rl_wake_open(&run->changed)) {
    pthread_mutex_destroy(&run->mu);
    return rl_fail(err, RL_EFAIL, "eventfd: %s", strerror(errno));
  }
  int rc = look_up_brokers(run, err);
  if (rc == 0) rc = check_registry(s, err);
  if (rc) rl_run_free(run);
  return rc;
}

void rl_run_free(struct rl_run *run) {
  rl_tps_free(&run->ends);
  rl_tps_free(&run->starts);
  rl_wake_close(&run->changed);
  pthread_mutex_destroy(&run->mu);
}
