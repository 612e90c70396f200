/* The lane whole: reader, handler's thread and delivery, with an engine in C, on the embedded broker. */
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "kafka/admin.h"
#include "kafka/broker.h"
#include "kafka/producer.h"
#include "stream/lane.h"
#include "unit.h"

/* ── an engine whose handler is a rule ── */

struct rule {
  bool (*fails)(const struct rl_msg *msg);
  enum rl_blame blame;
  bool script_alone; /* a message that fails by itself is the script's fault */
  const char *forward;
  atomic_int calls, weather, slow_ms;
  atomic_llong seen;
  int64_t largest;
};

static bool contains(struct rl_bytes hay, const char *needle) {
  return memmem(hay.data, hay.len, needle, strlen(needle)) != NULL;
}

static bool is_bad(const struct rl_msg *msg) { return contains(msg->value, "bad"); }

static int rule_handle(void *self, const struct rl_view *view, struct rl_outbox *out,
                       struct rl_failure *why) {
  struct rule *r = self;
  atomic_fetch_add(&r->calls, 1);
  if (r->slow_ms) usleep((useconds_t)atomic_load(&r->slow_ms) * 1000);
  if (atomic_load(&r->weather) > 0) {
    atomic_fetch_sub(&r->weather, 1);
    rl_failure_set(why, RL_BLAME_WEATHER, "the model is down", NULL);
    return RL_EHANDLER;
  }
  for (size_t i = 0; i < view->n; i++) {
    const struct rl_msg *msg = &view->batch->msgs[view->rows[i]];
    if (r->fails && r->fails(msg)) {
      enum rl_blame blame = r->script_alone && view->n == 1 ? RL_BLAME_SCRIPT : r->blame;
      rl_failure_set(why, blame, "test.lua:1: a bad message", "stack traceback: …");
      return RL_EHANDLER;
    }
    if (r->forward) rl_outbox_forward(out, r->forward, view->rows[i], msg->value.len, -1, 0, NULL);
  }
  if ((int64_t)view->n > r->largest) r->largest = (int64_t)view->n;
  atomic_fetch_add(&r->seen, (long long)view->n);
  return 0;
}

static int no_hook(void *self, enum rl_hook hook, const struct rl_tps *parts, const char *reason,
                   struct rl_outbox *out, struct rl_failure *why) {
  (void)self, (void)hook, (void)parts, (void)reason, (void)out, (void)why;
  return 0;
}
static void no_release(void *self, struct rl_batch *batch) { (void)self, (void)batch; }
static void no_call(void *self) { (void)self; }
static const char *nowhere(void *self) {
  (void)self;
  return NULL;
}

static struct rl_engine engine_of(struct rule *r) {
  return (struct rl_engine){.self = r,
                            .script = "test.lua",
                            .handle = rule_handle,
                            .hook = no_hook,
                            .release = no_release,
                            .interrupt = no_call,
                            .where = nowhere,
                            .destroy = no_call};
}

/* ── a broker with messages ── */

static struct rl_broker *broker;

static void ignore(void *opaque, const struct rl_err *err, void *arg) {
  (void)opaque;
  if (err->code) *(bool *)arg = true;
}

static void produce(const char *topic, int n, const char *(*value)(int i)) {
  struct rl_kconf conf = RL_KCONF_INIT;
  struct rl_producer_opts opts = {.conf = &conf, .brokers = rl_broker_address(broker)};
  struct rl_producer *p;
  struct rl_err err = {0};
  bool failed = false;
  CHECK_INT(rl_producer_open(&p, &opts, &err), 0);
  for (int i = 0; i < n; i++) {
    struct rl_record record = {.topic = topic, .partition = i % 2, .value = rl_bytes_str(value(i))};
    CHECK_INT(rl_producer_send(p, &record, &err), 0);
  }
  for (int64_t until = rl_now() + 20 * RL_NS_PER_S; rl_producer_pending(p) && rl_now() < until; usleep(2000))
    rl_producer_serve(p, ignore, &failed);
  CHECK_INT(rl_producer_pending(p), 0);
  CHECK(!failed);
  rl_producer_destroy(p, ignore, &failed);
}

static const char *numbered(int i) {
  static char text[40];
  snprintf(text, sizeof text, "{\"n\":%d}", i);
  return text;
}

static const char *one_bad(int i) { return i == 37 ? "{\"n\":\"bad\"}" : numbered(i); }

static int64_t ends_of(const char *topic, const char *group, int64_t *committed) {
  struct rl_kconf conf = RL_KCONF_INIT;
  struct rl_admin *admin;
  struct rl_err err = {0};
  struct rl_tps parts = RL_TPS_INIT, offsets = RL_TPS_INIT;
  int64_t total = 0;
  *committed = 0;
  CHECK_INT(rl_admin_open(&admin, &conf, rl_broker_address(broker), 5000, &err), 0);
  CHECK_INT(rl_admin_partitions(admin, topic, &parts, &err), 0);
  CHECK_INT(rl_admin_ends(admin, &parts, &err), 0);
  if (group) CHECK_INT(rl_admin_offsets_embedded(admin, group, &offsets, &err), 0);
  CHECK_STR(err.text, "");
  for (size_t i = 0; i < parts.n; i++) {
    const struct rl_tp *at = rl_tps_find(&offsets, topic, parts.at[i].partition);
    total += parts.at[i].offset;
    if (at && at->offset > 0) *committed += at->offset;
  }
  rl_tps_free(&parts);
  rl_tps_free(&offsets);
  rl_admin_close(admin);
  return total;
}

struct result {
  struct rl_err err;
  struct rl_stats stats;
};

static void settings(struct rl_settings *s, const char *topic, const char *group) {
  rl_settings_init(s);
  struct rl_err err = {0};
  rl_settings_set(s, rl_setting_find("brokers"), rl_broker_address(broker), RL_LAYER_CLI, "test", &err);
  rl_settings_set(s, rl_setting_find("topics"), topic, RL_LAYER_CLI, "test", &err);
  if (group) rl_settings_set(s, rl_setting_find("group"), group, RL_LAYER_CLI, "test", &err);
  s->batch_size = 64;
  s->batch_timeout = 0.1;
  s->exit_at_end = true;
  s->backoff = 0.05;
  CHECK_INT(rl_settings_finish(s, &err), 0);
}

/* Runs a lane to its end; stop_after_ms ≥ 0 stops it after so long. */
static struct result run(const struct rl_settings *s, struct rule *rule, int stop_after_ms) {
  struct result result = {0};
  struct rl_run shared;
  struct rl_lane *lane;
  struct rl_engine engine = engine_of(rule);
  rl_log_level((enum rl_level)(RL_ERROR - 1));
  if (rl_run_prepare(&shared, s, &result.err) == 0 &&
      rl_lane_start(&lane, &shared, 0, &engine, &result.err) == 0) {
    if (stop_after_ms >= 0) {
      usleep((useconds_t)stop_after_ms * 1000);
      rl_lane_stop(lane, false);
    }
    rl_lane_wait(lane, &result.err);
    rl_lane_stats(lane, &result.stats);
    rl_lane_free(lane);
  }
  rl_run_free(&shared);
  return result;
}

static void start_broker(void) {
  struct rl_err err = {0};
  CHECK_INT(rl_broker_start(&broker, "in:2,out:2,dead:1", 1, &err), 0);
}

TEST(a_group_reads_all_and_commits_all) {
  struct rl_settings s;
  struct rule rule = {.forward = "out"};
  int64_t committed, none;
  start_broker();
  produce("in", 300, numbered);
  settings(&s, "in", "g1");
  struct result r = run(&s, &rule, -1);
  CHECK_STR(r.err.text, "");
  CHECK_INT(r.err.code, 0);
  CHECK_INT(rule.seen, 300);
  CHECK(r.stats.commits > 0);
  CHECK(rule.largest <= 64);
  CHECK_INT(ends_of("in", "g1", &committed), 300);
  CHECK_INT(committed, 300);
  CHECK_INT(ends_of("out", NULL, &none), 300);
  CHECK_INT(r.stats.sent, 300);
  rl_settings_free(&s);
  rl_broker_stop(broker);
}

TEST(without_a_group_all_partitions_are_read_and_nothing_is_committed) {
  struct rl_settings s;
  struct rule rule = {0};
  start_broker();
  produce("in", 100, numbered);
  settings(&s, "in", NULL);
  struct result r = run(&s, &rule, -1);
  CHECK_STR(r.err.text, "");
  CHECK_INT(rule.seen, 100);
  CHECK_INT(r.stats.commits, 0);
  rl_settings_free(&s);
  rl_broker_stop(broker);
}

TEST(s4_2_a_bad_message_costs_one_message) {
  struct rl_settings s;
  struct rule rule = {.fails = is_bad, .blame = RL_BLAME_MESSAGE, .forward = "out"};
  int64_t committed, none;
  start_broker();
  produce("in", 100, one_bad);
  settings(&s, "in", "g2");
  s.dead_letter = rl_strdup("dead");
  struct result r = run(&s, &rule, -1);
  CHECK_STR(r.err.text, "");
  CHECK_INT(rule.seen, 99);
  CHECK_INT(ends_of("dead", NULL, &none), 1);
  CHECK_INT(ends_of("out", NULL, &none), 99);
  ends_of("in", "g2", &committed);
  CHECK_INT(committed, 100);
  rl_settings_free(&s);
  rl_broker_stop(broker);
}

TEST(without_a_dead_letter_topic_the_run_stops_there) {
  struct rl_settings s;
  struct rule rule = {.fails = is_bad, .blame = RL_BLAME_MESSAGE};
  int64_t committed;
  start_broker();
  produce("in", 100, one_bad);
  settings(&s, "in", "g3");
  struct result r = run(&s, &rule, -1);
  CHECK_INT(r.err.code, RL_EHANDLER);
  CHECK_HAS(r.err.text, "in[1] offset 18"); /* message 37 */
  ends_of("in", "g3", &committed);
  CHECK(committed <= 68); /* at most partition 0 whole and 18 of the other */
  CHECK_INT(committed, rule.seen);
  rl_settings_free(&s);
  rl_broker_stop(broker);
}

TEST(s4_1_the_weather_is_waited_for) {
  struct rl_settings s;
  struct rule rule = {.weather = 3};
  int64_t committed;
  start_broker();
  produce("in", 50, numbered);
  settings(&s, "in", "g4");
  struct result r = run(&s, &rule, -1);
  CHECK_INT(r.err.code, 0);
  CHECK_INT(rule.seen, 50);
  ends_of("in", "g4", &committed);
  CHECK_INT(committed, 50);
  rl_settings_free(&s);
  rl_broker_stop(broker);
}

TEST(s4_6_not_even_the_parts_that_passed_before_are_committed) {
  struct rl_settings s;
  struct rule rule = {.fails = is_bad, .blame = RL_BLAME_MESSAGE, .script_alone = true};
  int64_t committed;
  start_broker();
  produce("in", 50, one_bad);
  settings(&s, "in", "g10");
  s.batch_size = 512;
  s.batch_timeout = 10;
  struct result r = run(&s, &rule, -1);
  CHECK_INT(r.err.code, RL_EHANDLER);
  CHECK(rule.seen > 0);
  ends_of("in", "g10", &committed);
  CHECK_INT(committed, 0);
  rl_settings_free(&s);
  rl_broker_stop(broker);
}

TEST(s4_6_a_script_failure_commits_nothing_of_its_batch) {
  struct rl_settings s;
  struct rule rule = {.fails = is_bad, .blame = RL_BLAME_SCRIPT};
  int64_t committed;
  start_broker();
  produce("in", 50, one_bad);
  settings(&s, "in", "g5");
  s.dead_letter = rl_strdup("dead");
  s.batch_size = 512;
  struct result r = run(&s, &rule, -1);
  CHECK_INT(r.err.code, RL_EHANDLER);
  ends_of("in", "g5", &committed);
  CHECK_INT(committed, rule.seen);
  CHECK_INT(r.stats.rejected, 0);
  rl_settings_free(&s);
  rl_broker_stop(broker);
}

TEST(a_stop_finishes_what_is_filled_and_commits_it) {
  struct rl_settings s;
  struct rule rule = {0};
  int64_t committed;
  start_broker();
  produce("in", 40, numbered);
  settings(&s, "in", "g6");
  s.exit_at_end = false;
  s.batch_size = 512;
  s.batch_timeout = 100;
  struct result r = run(&s, &rule, 5000);
  CHECK_INT(r.err.code, 0);
  CHECK_INT(rule.seen, 40);
  CHECK_INT(r.stats.by_cause[RL_CAUSE_STOP], 1);
  ends_of("in", "g6", &committed);
  CHECK_INT(committed, 40);
  rl_settings_free(&s);
  rl_broker_stop(broker);
}

TEST(s3_2_at_most_once_commits_first) {
  struct rl_settings s;
  struct rule rule = {.fails = is_bad, .blame = RL_BLAME_MESSAGE};
  int64_t committed;
  start_broker();
  produce("in", 100, one_bad);
  settings(&s, "in", "g7");
  s.delivery = RL_AT_MOST_ONCE;
  struct result r = run(&s, &rule, -1);
  CHECK_INT(r.err.code, 0);
  CHECK(rule.seen < 100); /* the batch with the bad one is lost */
  ends_of("in", "g7", &committed);
  CHECK_INT(committed, 100);
  rl_settings_free(&s);
  rl_broker_stop(broker);
}

TEST(count_takes_no_more_and_commits_no_more) {
  struct rl_settings s;
  struct rule rule = {0};
  int64_t committed;
  start_broker();
  produce("in", 100, numbered);
  settings(&s, "in", "g8");
  s.count = 10;
  struct result r = run(&s, &rule, -1);
  CHECK_INT(r.err.code, 0);
  CHECK_INT(rule.seen, 10);
  ends_of("in", "g8", &committed);
  CHECK_INT(committed, 10);
  rl_settings_free(&s);
  rl_broker_stop(broker);
}

TEST(wait_ends_with_its_own_status) {
  struct rl_settings s;
  struct rule rule = {0};
  start_broker();
  settings(&s, "in", "g9");
  s.exit_at_end = false;
  s.wait = 1;
  struct result r = run(&s, &rule, -1);
  CHECK_INT(r.err.code, RL_EWAIT);
  CHECK_HAS(r.err.text, "--wait 1 s");
  CHECK_HAS(r.err.text, "g9");
  rl_settings_free(&s);
  rl_broker_stop(broker);
}
