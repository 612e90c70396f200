/* Commits of a lane: one under way at most, and what becomes of those that are refused (S2.4, S3.1). */
#include "lane_bed.h"

#define ROUND_MS 300

/* Older librdkafkas have no names for what KIP-848 brought. */
enum { FENCED_MEMBER_EPOCH = 110, STALE_MEMBER_EPOCH = 113 };

/* Forty batches are done while few commits can be answered: the answers set the pace, not the batches. */
TEST(s3_1_a_commit_waits_for_the_answer_to_the_last) {
  struct bed b = bed_start("in", 1);
  struct script script = {.slow_ms = 20};
  struct lanes l;
  lane_fill(b.address, "in", 1, 0, 40, 0);
  lanes_init(&l, b.address, "in", "g");
  lanes_set(&l, "batch.size", "1");
  lanes_set(&l, "in_flight", "100");
  for (int i = 0; i < 40; i++)
    rd_kafka_mock_broker_push_request_error_rtts(b.cluster, 1, KAFKA_OFFSET_COMMIT, 1,
                                                 RD_KAFKA_RESP_ERR_NO_ERROR, ROUND_MS);
  lanes_go(&l, &script);
  LANE_UNTIL(atomic_load(&script.calls) >= 1);
  int64_t begun = rl_now();
  LANE_UNTIL(lane_committed(b.address, "in", "g") == 40);
  lanes_stop(&l);
  lanes_end(&l);
  int64_t rounds = (rl_now() - begun) / (ROUND_MS * RL_NS_PER_MS);
  CHECK_INT(script.total, 40);
  CHECK_INT(l.err[0].code, 0);
  CHECK(l.stats[0].commits >= 1 && l.stats[0].commits <= rounds + 2);
  bed_stop(&b);
}

/* The first commit's answer takes seconds: no more than in_flight batches are handled before it, and all
 * after. */
static void bounded_by(int in_flight) {
  struct bed b = bed_start("in", 1);
  struct script script = {.forward = NULL};
  struct lanes l;
  lane_fill(b.address, "in", 1, 0, 40, 0);
  lanes_init(&l, b.address, "in", "g");
  lanes_set(&l, "batch.size", "1");
  lanes_set(&l, "in_flight", in_flight == 1 ? "1" : "4");
  rd_kafka_mock_broker_push_request_error_rtts(b.cluster, 1, KAFKA_OFFSET_COMMIT, 1,
                                               RD_KAFKA_RESP_ERR_NO_ERROR, 4000);
  lanes_go(&l, &script);
  LANE_UNTIL(atomic_load(&script.calls) >= in_flight);
  usleep(1000 * 1000);
  CHECK_INT(atomic_load(&script.calls), in_flight);
  LANE_UNTIL(lane_committed(b.address, "in", "g") == 40);
  lanes_stop(&l);
  lanes_end(&l);
  CHECK_INT(script.total, 40);
  bed_stop(&b);
}

TEST(promise_1_in_flight_bounds_what_is_handled_and_not_committed) { bounded_by(4); }
TEST(s3_1_in_flight_1_hands_no_batch_over_before_the_last_is_committed) { bounded_by(1); }

/* Refused once each, the answer being about the coordinator: the same offsets go again, no message does. */
TEST(s2_4_offsets_that_the_coordinator_does_not_take_go_again) {
  static const rd_kafka_resp_err_t answers[] = {
      RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS, RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS,
      RD_KAFKA_RESP_ERR_NOT_COORDINATOR, (rd_kafka_resp_err_t)STALE_MEMBER_EPOCH};
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
    struct bed b = bed_start("in", 1);
    struct script script = {.forward = NULL};
    struct lanes l;
    lane_fill(b.address, "in", 1, 0, 20, 0);
    lanes_init(&l, b.address, "in", "g");
    rd_kafka_mock_push_request_errors(b.cluster, KAFKA_OFFSET_COMMIT, 2, answers[i], answers[i]);
    lanes_go(&l, &script);
    LANE_UNTIL(lane_committed(b.address, "in", "g") == 20);
    lanes_stop(&l);
    lanes_end(&l);
    CHECK_STR(l.err[0].text, "");
    CHECK_INT(lane_missing(&script, 20), 0);
    bed_stop(&b);
  }
}

static char said[16384];

static void keep(enum rl_level level, const char *line, void *arg) {
  (void)level, (void)arg;
  size_t len = strlen(said);
  snprintf(said + len, sizeof said - len, "%s\n", line);
}

static void hear(void) {
  rl_log_level(RL_WARN);
  rl_log_to(keep, NULL);
  said[0] = '\0';
}

/* The first batch and the last fail by themselves, the second for the weather. */
static int fails_three_times(struct script *s, const struct rl_view *view, struct rl_outbox *out,
                             struct rl_failure *why) {
  (void)view, (void)out;
  if (atomic_load(&s->calls) == 2) return lane_transient(s, why);
  rl_failure_set(why, RL_BLAME_MESSAGE, "no", "stack traceback: …");
  return RL_EHANDLER;
}

TEST(s3_2_what_is_lost_at_most_once_is_named_by_its_first_message_and_its_last) {
  struct bed b = bed_start("in", 1);
  struct script script = {.handle = fails_three_times};
  struct lanes l;
  lane_fill(b.address, "in", 1, 0, 11, 0);
  lanes_init(&l, b.address, "in", "g");
  lanes_set(&l, "delivery", "at_most_once");
  lanes_set(&l, "batch.size", "5");
  lanes_set(&l, "batch.timeout", "60");
  lanes_set(&l, "exit_at_end", "true");
  hear();
  lanes_go(&l, &script);
  lanes_end(&l);
  rl_log_to(NULL, NULL);
  CHECK_STR(l.err[0].text, "");
  CHECK_HAS(said, "\nrille: warning: in[0] offset 0 to in[0] offset 4: 5 messages lost (at most once): no\n");
  CHECK_HAS(said, "in[0] offset 5 to in[0] offset 9: 5 messages lost (at most once): the model is down\n");
  CHECK_HAS(said, "\nrille: warning: in[0] offset 10: no: lost (at most once)\n");
  bed_stop(&b);
}

/* The membership is gone: the commit is dropped with a word, the messages come again to whoever has them now.
 */
static void dropped(rd_kafka_resp_err_t answer) {
  struct bed b = bed_start("in", 1);
  struct script script = {.forward = NULL};
  struct lanes l;
  lane_fill(b.address, "in", 1, 0, 20, 0);
  lanes_init(&l, b.address, "in", "g");
  hear();
  rd_kafka_mock_push_request_errors(b.cluster, KAFKA_OFFSET_COMMIT, 1, answer);
  lanes_go(&l, &script);
  LANE_UNTIL(lane_committed(b.address, "in", "g") == 20);
  lanes_stop(&l);
  lanes_end(&l);
  rl_log_to(NULL, NULL);
  CHECK_STR(l.err[0].text, "");
  CHECK_INT(lane_missing(&script, 20), 0);
  CHECK_HAS(said, "commit of in[0]");
  CHECK_HAS(said, "dropped");
  bed_stop(&b);
}

TEST(s2_4_a_commit_of_a_generation_that_is_over_is_dropped_and_told) {
  dropped(RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION);
}
TEST(s2_4_a_commit_of_an_unknown_member_is_dropped_and_told) { dropped(RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID); }
TEST(s2_4_a_commit_of_a_fenced_member_is_dropped_and_told) {
  dropped((rd_kafka_resp_err_t)FENCED_MEMBER_EPOCH);
}

/* Another process has taken the place of this static member: it cannot go on, and says whom to look for. */
TEST(s2_4_a_static_member_that_is_fenced_ends) {
  struct bed b = bed_start("in", 1);
  struct script script = {.forward = NULL};
  struct lanes l;
  lane_fill(b.address, "in", 1, 0, 20, 0);
  lanes_init(&l, b.address, "in", "g");
  rd_kafka_mock_push_request_errors(b.cluster, KAFKA_OFFSET_COMMIT, 1, RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID);
  lanes_go(&l, &script);
  lanes_end(&l);
  CHECK_INT(l.err[0].code, RL_EBROKER);
  CHECK_HAS(l.err[0].text, "another member runs with the same group.instance.id");
  bed_stop(&b);
}

static int waits(struct script *s, const struct rl_view *view, struct rl_outbox *out,
                 struct rl_failure *why) {
  if (atomic_load(&s->fail) > 0) return lane_transient(s, why);
  lane_pass(s, view, out);
  return 0;
}

/* The model is down for minutes; a second member comes: it gets its half long before the next try would be
 * due. */
TEST(s4_1_a_wait_for_the_weather_ends_when_its_partitions_are_revoked) {
  struct bed b = bed_start("in", 4);
  struct script script = {.handle = waits, .fail = 1}, other = {.forward = NULL};
  struct lanes l;
  lane_fill(b.address, "in", 4, 0, 40, 0);
  lanes_init(&l, b.address, "in", "g");
  lanes_set(&l, "kafka", "partition.assignment.strategy=cooperative-sticky");
  lanes_set(&l, "backoff", "600");
  lanes_set(&l, "backoff_max", "600");
  lanes_set(&l, "drain", "500");
  lanes_go(&l, &script);
  LANE_UNTIL(atomic_load(&script.fail) == 0);
  lanes_start(&l, &other);
  LANE_UNTIL(lanes_assigned(&l, 0) == 2 && lanes_assigned(&l, 1) == 2);
  LANE_UNTIL(atomic_load(&script.total) + atomic_load(&other.total) >= 40);
  lanes_stop(&l);
  lanes_end(&l);
  CHECK_INT(l.err[0].code, 0);
  for (int i = 0; i < 40; i++) atomic_fetch_add(&script.seen[i], atomic_load(&other.seen[i]));
  CHECK_INT(lane_missing(&script, 40), 0);
  bed_stop(&b);
}

static atomic_int armed; /* the next call of `every` sends */

static int tick_once(void *self, enum rl_hook hook, const struct rl_tps *parts, const char *reason,
                     struct rl_outbox *out, struct rl_failure *why) {
  struct rl_out tick = {
      .topic = "out", .partition = -1, .message = RL_NO_MESSAGE, .value = rl_bytes_str("tick")};
  struct rl_err err = {0};
  (void)self, (void)parts, (void)reason, (void)why;
  if (hook != RL_HOOK_EVERY || !atomic_exchange(&armed, 0)) return 0;
  return rl_outbox_send(out, &tick, &err);
}

/* The broker takes its time with what `every` sent: batches that were handled since are not committed before.
 */
TEST(s5_6_what_every_sent_is_acknowledged_before_the_next_commit) {
  struct bed b = bed_start("in", 1);
  struct script script = {.has_hook[RL_HOOK_EVERY] = true};
  struct rl_engine engine = lane_engine(&script);
  struct lanes l;
  rd_kafka_mock_topic_create(b.cluster, "out", 1, 1);
  lanes_init(&l, b.address, "in", "g");
  engine.hook = tick_once;
  engine.every = 0.2;
  if (lanes_prepare(&l) && rl_lane_start(&l.at[0], &l.run, 0, &engine, &l.err[0]))
    UNIT_FAIL("%s", l.err[0].text);
  l.n = 1;
  lane_fill(b.address, "in", 1, 0, 10, 0); /* the group is not joined yet */
  rd_kafka_mock_broker_push_request_error_rtts(b.cluster, 1, KAFKA_PRODUCE, 1, RD_KAFKA_RESP_ERR_NO_ERROR,
                                               5000);
  atomic_store(&armed, 1);
  LANE_UNTIL(lane_committed(b.address, "in", "g") == 10);
  CHECK_INT(lanes_sent(&l, 0), 1);
  lanes_stop(&l);
  lanes_end(&l);
  CHECK_INT(l.err[0].code, 0);
  bed_stop(&b);
}
