/* Ways out of a lane, with work in hand (promise 6). */
#include "lane_bed.h"

static const char *made_file(int n) {
  static char path[64];
  snprintf(path, sizeof path, "/tmp/stream_lane_exits.%d", (int)getpid());
  FILE *f = fopen(path, "w");
  for (int i = 0; f && i < n; i++) fprintf(f, "%d\n", i);
  if (f) fclose(f);
  return path;
}

TEST(a_file_that_has_more_is_not_polled_when_nothing_more_is_taken) {
  struct script script = {.slow_ms = 2000};
  struct lanes l;
  lanes_init(&l, NULL, NULL, NULL);
  lanes_set(&l, "input", made_file(5000));
  lanes_set(&l, "count", "10");
  double cpu = lane_cpu();
  lanes_go(&l, &script);
  lanes_end(&l);
  CHECK_INT(l.err[0].code, 0);
  CHECK_INT(script.total, 10);
  CHECK(lane_cpu() - cpu < 1);
  unlink(made_file(0));
}

static int fails_first(struct script *s, const struct rl_view *view, struct rl_outbox *out,
                       struct rl_failure *why) {
  if (atomic_load(&s->fail) > 0) return lane_transient(s, why);
  lane_pass(s, view, out);
  return 0;
}

TEST(s4_1_the_weather_is_waited_for_over_a_file_too) {
  struct script script = {.handle = fails_first, .fail = 4};
  struct lanes l;
  lanes_init(&l, NULL, NULL, NULL);
  lanes_set(&l, "input", made_file(3));
  lanes_set(&l, "backoff", "0.2");
  int64_t begun = rl_now();
  lanes_go(&l, &script);
  lanes_end(&l);
  CHECK_INT(l.err[0].code, 0);
  CHECK_INT(script.total, 3);
  /* 0.2, 0.4, 0.8, 1.6 s, each at least its half */
  CHECK(rl_now() - begun >= 1500 * RL_NS_PER_MS);
  unlink(made_file(0));
}

static int open_waits(struct script *s, enum rl_hook hook, struct rl_failure *why) {
  return hook == RL_HOOK_OPEN ? lane_transient(s, why) : 0;
}

TEST(a_script_that_did_not_open_handles_nothing) {
  struct bed b = bed_start("in", 1);
  struct script script = {.hook = open_waits, .has_hook[RL_HOOK_OPEN] = true};
  struct lanes l;
  lane_fill(b.address, "in", 1, 0, 10, 0);
  lanes_init(&l, b.address, "in", "g");
  lanes_go(&l, &script);
  struct rl_stats stats;
  LANE_UNTIL((rl_lane_stats(l.at[0], &stats), stats.messages == 10));
  lanes_stop(&l);
  lanes_end(&l);
  CHECK_INT(l.err[0].code, 0);
  CHECK_INT(script.total, 0);
  CHECK_INT(lane_committed(b.address, "in", "g"), 0);
  bed_stop(&b);
}

static int close_waits(struct script *s, enum rl_hook hook, struct rl_failure *why) {
  return hook == RL_HOOK_CLOSE && atomic_fetch_sub(&s->fail, 1) > 0 ? lane_transient(s, why) : 0;
}

static void close_in_weather(int failures, struct lanes *l) {
  struct script script = {.hook = close_waits, .has_hook[RL_HOOK_CLOSE] = true, .fail = failures};
  lanes_init(l, NULL, NULL, NULL);
  lanes_set(l, "input", made_file(3));
  lanes_set(l, "backoff", "0.1");
  lanes_set(l, "drain", "2");
  lanes_go(l, &script);
  lanes_end(l);
  CHECK_INT(script.total, 3);
  unlink(made_file(0));
}

TEST(s5_6_weather_in_close_is_waited_for) {
  struct lanes l;
  close_in_weather(3, &l);
  CHECK_INT(l.err[0].code, 0);
}

TEST(s5_6_a_close_that_never_came_through_is_a_failed_run) {
  struct lanes l;
  int64_t begun = rl_now();
  close_in_weather(1000, &l);
  CHECK_INT(l.err[0].code, RL_EHANDLER);
  CHECK_HAS(l.err[0].text, "close: what it waits for did not come back within --drain 2 s: given up");
  CHECK(rl_now() - begun >= 1900 * RL_NS_PER_MS);
}

/* The commit before the handler never succeeds: the batch goes, unhandled, and nothing hangs. */
TEST(s3_2_at_most_once_leaves_a_batch_whose_commit_fails_unhandled) {
  rd_kafka_resp_err_t refused[100];
  struct bed b = bed_start("in", 1);
  struct script script = {.forward = NULL};
  struct lanes l;
  lane_fill(b.address, "in", 1, 0, 15, 0);
  lanes_init(&l, b.address, "in", "g");
  lanes_set(&l, "delivery", "at_most_once");
  lanes_set(&l, "drain", "1");
  lanes_set(&l, "batch.size", "10");
  for (int i = 0; i < 100; i++) refused[i] = RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED;
  rd_kafka_mock_push_request_errors_array(b.cluster, KAFKA_OFFSET_COMMIT, 100, refused);
  lanes_go(&l, &script);
  struct rl_stats stats;
  double cpu = lane_cpu();
  LANE_UNTIL((rl_lane_stats(l.at[0], &stats), stats.messages == 15));
  lane_nap(3000);
  CHECK(lane_cpu() - cpu < 1.5); /* asleep */
  lanes_stop(&l);
  lanes_end(&l);
  CHECK_INT(script.total, 0);
  bed_stop(&b);
}

static int blames_first(struct script *s, const struct rl_view *view, struct rl_outbox *out,
                        struct rl_failure *why) {
  if (atomic_fetch_sub(&s->fail, 1) > 0) {
    rl_failure_set(why, RL_BLAME_MESSAGE, "not yet", NULL);
    return RL_EHANDLER;
  }
  lane_pass(s, view, out);
  return 0;
}

/* The wait before the retry is longer than any patience: the signal cuts it short, and the retry is made. */
TEST(promise_6_a_signal_while_a_retry_is_waited_for_finishes_the_batch) {
  struct bed b = bed_start("in", 1);
  struct script script = {.handle = blames_first, .fail = 3};
  struct lanes l;
  lane_fill(b.address, "in", 1, 0, 10, 0);
  lanes_init(&l, b.address, "in", "g");
  lanes_set(&l, "retries", "3");
  lanes_set(&l, "backoff", "600");
  lanes_set(&l, "backoff_max", "600");
  lanes_set(&l, "batch.size", "10");
  lanes_set(&l, "batch.timeout", "60");
  lanes_go(&l, &script);
  LANE_UNTIL(atomic_load(&script.calls) == 1);
  lanes_stop(&l);
  lanes_end(&l);
  CHECK_INT(l.err[0].code, 0);
  CHECK_INT(script.calls, 4);
  CHECK_INT(script.total, 10);
  CHECK_INT(lane_committed(b.address, "in", "g"), 10);
  bed_stop(&b);
}

/* S4.1: the weather is not waited for any more, and the batch is not committed. */
TEST(s4_1_a_signal_while_better_weather_is_waited_for_leaves_the_batch) {
  struct bed b = bed_start("in", 1);
  struct script script = {.handle = fails_first, .fail = 1000};
  struct lanes l;
  lane_fill(b.address, "in", 1, 0, 10, 0);
  lanes_init(&l, b.address, "in", "g");
  lanes_set(&l, "backoff", "600");
  lanes_set(&l, "backoff_max", "600");
  lanes_go(&l, &script);
  LANE_UNTIL(atomic_load(&script.calls) == 1);
  lanes_stop(&l);
  lanes_end(&l);
  CHECK_INT(l.err[0].code, 0);
  CHECK_INT(script.calls, 1);
  CHECK_INT(lane_committed(b.address, "in", "g"), 0);
  bed_stop(&b);
}
