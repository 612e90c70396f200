/* When commits are sent (S3.1): the reader's step, with a source that only counts. */
#include "stream/lane_state.h"
#include "unit.h"

#define MS RL_NS_PER_MS

struct bed {
  struct rl_lane lane;
  struct rl_run run;
  struct rl_settings settings;
  int sent;
  bool refuse;
  bool joins;
  int asked;
};

static int commit(void *self, const struct rl_tps *positions, struct rl_err *err) {
  struct bed *b = self;
  if (b->refuse) return rl_fail(err, RL_EBROKER, "no");
  b->sent += positions->n > 0;
  return 0;
}

static bool may_commit(void *self) {
  struct bed *b = self;
  b->asked++;
  return !b->joins;
}

static void begin(struct bed *b) {
  memset(b, 0, sizeof *b);
  b->settings.group = (char *)(uintptr_t) "g";
  b->settings.commit = true;
  b->settings.in_flight = 8;
  b->lane.s = &b->settings;
  b->lane.run = &b->run;
  b->lane.source = (struct rl_source){.self = b, .tracks = true, .commit = commit, .may_commit = may_commit};
  pthread_mutex_init(&b->lane.mu, NULL);
  rl_offsets_init(&b->lane.offsets);
  rl_offsets_part(&b->lane.offsets, 0, "t", 0);
  rl_offsets_assign(&b->lane.offsets, 0);
}

static void end(struct bed *b) {
  rl_offsets_free(&b->lane.offsets);
  pthread_mutex_destroy(&b->lane.mu);
}

static void handle(struct bed *b, int64_t offset) {
  struct rl_msg msg = {.topic = "t", .offset = offset};
  CHECK(rl_offsets_take(&b->lane.offsets, &msg));
  rl_offsets_done(&b->lane.offsets, 0, msg.epoch, offset + 1);
  b->lane.landed++; /* a batch of one */
}

static void answer(struct bed *b, int code, int64_t now) {
  struct rl_kev ev = {.kind = RL_KEV_COMMITTED};
  if (code) rl_fail(&ev.err, code, "refused");
  rl_on_committed(&b->lane, &ev, now);
}

/* A commit was answered at 1,000 ms and another message is done. */
static void begin_answered(struct bed *b) {
  begin(b);
  handle(b, 0);
  rl_commit_step(&b->lane, 995 * MS);
  CHECK_INT(b->sent, 1);
  answer(b, 0, 1000 * MS);
  handle(b, 1);
}

TEST(s3_1_one_commit_is_outstanding_and_the_next_carries_the_rest) {
  struct bed b;
  begin(&b);
  handle(&b, 0);
  rl_commit_step(&b.lane, 0);
  handle(&b, 1);
  handle(&b, 2);
  rl_commit_step(&b.lane, 1000 * MS);
  CHECK_INT(b.sent, 1);
  answer(&b, 0, 1001 * MS);
  rl_commit_step(&b.lane, 2000 * MS);
  CHECK_INT(b.sent, 2);
  answer(&b, 0, 2001 * MS);
  CHECK(rl_committed_all(&b.lane));
  end(&b);
}

TEST(s3_1_a_busy_lane_waits_a_little_between_two_commits) {
  struct bed b;
  begin_answered(&b);
  rl_commit_step(&b.lane, 1001 * MS);
  CHECK_INT(b.sent, 1);
  CHECK(b.lane.commit_again > 1001 * MS && b.lane.commit_again <= 1020 * MS); /* the reader wakes for it */
  rl_commit_step(&b.lane, b.lane.commit_again);
  CHECK_INT(b.sent, 2);
  end(&b);
}

TEST(s3_1_in_flight_1_does_not_wait) {
  struct bed b;
  begin_answered(&b);
  b.settings.in_flight = 1;
  rl_commit_step(&b.lane, 1001 * MS);
  CHECK_INT(b.sent, 2);
  end(&b);
}

TEST(promise_1_half_of_in_flight_does_not_wait) {
  struct bed b;
  begin_answered(&b);
  for (int64_t offset = 2; offset < 4; offset++) handle(&b, offset);
  rl_commit_step(&b.lane, 1001 * MS);
  CHECK_INT(b.sent, 1);
  handle(&b, 4);
  CHECK_INT(rl_uncommitted(&b.lane), 4);
  rl_commit_step(&b.lane, 1001 * MS);
  CHECK_INT(b.sent, 2);
  answer(&b, 0, 1002 * MS);
  CHECK_INT(rl_uncommitted(&b.lane), 0);
  end(&b);
}

TEST(s2_2_a_rebalance_does_not_wait) {
  struct bed b;
  begin_answered(&b);
  b.lane.revoke.open = true;
  rl_commit_step(&b.lane, 1001 * MS);
  CHECK_INT(b.sent, 2);
  end(&b);
}

TEST(s3_2_a_batch_before_its_handler_does_not_wait) {
  struct bed b;
  struct rl_batch pre = {0};
  begin_answered(&b);
  b.lane.pre = &pre;
  rl_commit_step(&b.lane, 1001 * MS);
  CHECK_INT(b.sent, 2);
  end(&b);
}

TEST(the_way_out_does_not_wait) {
  struct bed b;
  begin_answered(&b);
  b.lane.phase = RL_FINISHING;
  rl_commit_step(&b.lane, 1001 * MS);
  CHECK_INT(b.sent, 2);
  end(&b);
}

TEST(s3_1_what_failed_waits_whoever_waits_for_it) {
  struct bed b;
  begin_answered(&b);
  rl_commit_step(&b.lane, 1100 * MS);
  answer(&b, RL_EBROKER, 1101 * MS);
  b.lane.revoke.open = true;
  rl_commit_step(&b.lane, 1150 * MS);
  CHECK_INT(b.sent, 2);
  rl_commit_step(&b.lane, 1201 * MS);
  CHECK_INT(b.sent, 3);
  end(&b);
}

TEST(s3_1_so_does_what_could_not_be_sent) {
  struct bed b;
  begin_answered(&b);
  b.refuse = true;
  b.lane.phase = RL_FINISHING;
  rl_commit_step(&b.lane, 1001 * MS);
  b.refuse = false;
  rl_commit_step(&b.lane, 1050 * MS);
  CHECK_INT(b.sent, 1);
  rl_commit_step(&b.lane, 1101 * MS);
  CHECK_INT(b.sent, 2);
  end(&b);
}

TEST(s2_3_nothing_is_committed_while_the_member_may_be_joining) {
  struct bed b;
  begin_answered(&b);
  b.joins = true;
  b.lane.phase = RL_FINISHING;
  rl_commit_step(&b.lane, 1001 * MS);
  CHECK_INT(b.sent, 1);
  b.joins = false;
  rl_commit_step(&b.lane, 1002 * MS);
  CHECK_INT(b.sent, 2);
  end(&b);
}

/* Else each heartbeat of an idle member would be followed by three probes. */
TEST(s2_3_nobody_asks_when_there_is_nothing_to_commit) {
  struct bed b;
  begin_answered(&b);
  rl_commit_step(&b.lane, 1100 * MS);
  answer(&b, 0, 1101 * MS);
  int asked = b.asked;
  rl_commit_step(&b.lane, 5000 * MS);
  CHECK_INT(b.asked, asked);
  end(&b);
}
