/* What must happen within a time, shown without waiting: the reader's steps at times of a fake clock, with a
 * source that does what a test says. */
#include "base/log.h"
#include "stream/lane_state.h"
#include "unit.h"

#define MS RL_NS_PER_MS

struct bed {
  struct rl_lane lane;
  struct rl_run run;
  struct rl_settings settings;
  int yields, commits, closes;
  bool joined, closed; /* what the source says */
};

static int fake_yield(void *self, const struct rl_tps *parts, struct rl_err *err) {
  (void)parts, (void)err;
  ((struct bed *)self)->yields++;
  return 0;
}

static int fake_commit(void *self, const struct rl_tps *positions, struct rl_err *err) {
  (void)err;
  ((struct bed *)self)->commits += positions->n > 0;
  return 0;
}

static uint32_t fake_slot(void *self, const char *topic, int32_t partition) {
  (void)self, (void)topic;
  return (uint32_t)partition;
}

static int fake_close_begin(void *self, struct rl_err *err) {
  (void)err;
  ((struct bed *)self)->closes++;
  return 0;
}

static bool fake_may_commit(void *self) {
  (void)self;
  return true;
}
static bool fake_joined(void *self) { return ((struct bed *)self)->joined; }
static bool fake_closed(void *self) { return ((struct bed *)self)->closed; }

/* A member, in the library's form, that holds t[0]. */
static void begin(struct bed *b) {
  memset(b, 0, sizeof *b);
  rl_log_level((enum rl_level)(RL_ERROR - 1));
  b->settings.group = (char *)(uintptr_t) "g";
  b->settings.commit = true;
  b->settings.in_flight = 8;
  b->settings.drain = 5;
  atomic_init(&b->run.left, -1);
  b->joined = true;
  struct rl_lane *lane = &b->lane;
  lane->s = b->run.settings = &b->settings;
  lane->run = &b->run;
  lane->flights_end = &lane->flights;
  lane->deadline = lane->interrupted = lane->next_every = RL_NEVER;
  lane->poll_cap_ms = 1000;
  lane->assigned_once = true;
  lane->source = (struct rl_source){.self = b,
                                    .tracks = true,
                                    .yield = fake_yield,
                                    .commit = fake_commit,
                                    .slot = fake_slot,
                                    .may_commit = fake_may_commit,
                                    .joined = fake_joined,
                                    .close_begin = fake_close_begin,
                                    .closed = fake_closed};
  pthread_mutex_init(&lane->mu, NULL);
  pthread_cond_init(&lane->cv, NULL);
  CHECK_INT(rl_wake_open(&lane->bell), 0);
  CHECK_INT(rl_wake_open(&lane->ready), 0);
  rl_offsets_init(&lane->offsets);
  rl_offsets_part(&lane->offsets, 0, "t", 0);
  rl_offsets_assign(&lane->offsets, 0);
  rl_epoch_set(lane, 0, lane->offsets.at[0].epoch);
}

static void end(struct bed *b) {
  rl_tps_free(&b->lane.revoke.parts);
  rl_offsets_free(&b->lane.offsets);
  rl_free(b->lane.epochs);
  rl_wake_close(&b->lane.bell);
  rl_wake_close(&b->lane.ready);
  pthread_cond_destroy(&b->lane.cv);
  pthread_mutex_destroy(&b->lane.mu);
}

static void take_away(struct bed *b, int64_t now) {
  struct rl_tps parts = RL_TPS_INIT;
  rl_tps_add(&parts, "t", 0, RL_OFFSET_INVALID);
  rl_on_revoke(&b->lane, &parts, false, now);
  rl_tps_free(&parts);
}

static void handle(struct bed *b, int64_t offset) {
  struct rl_msg msg = {.topic = "t", .offset = offset};
  CHECK(rl_offsets_take(&b->lane.offsets, &msg));
  rl_offsets_done(&b->lane.offsets, 0, msg.epoch, offset + 1);
}

static void answer(struct bed *b, int64_t now) {
  struct rl_kev ev = {.kind = RL_KEV_COMMITTED};
  rl_on_committed(&b->lane, &ev, now);
}

/* Well within 100 ms: no step, no time passes between the event and its answer. */
TEST(s2_2_with_nothing_in_flight_a_rebalance_is_answered_with_its_event) {
  struct bed b;
  begin(&b);
  take_away(&b, 1000 * MS);
  CHECK_INT(b.yields, 1);
  CHECK(!b.lane.revoke.open);
  end(&b);
}

TEST(s2_2_what_is_done_is_committed_first_and_its_answer_ends_the_wait) {
  struct bed b;
  begin(&b);
  handle(&b, 0);
  take_away(&b, 1000 * MS);
  CHECK_INT(b.yields, 0);
  rl_commit_step(&b.lane, 1000 * MS); /* in the same turn of the reader's loop */
  rl_revoke_step(&b.lane, 1000 * MS);
  CHECK_INT(b.commits, 1);
  CHECK_INT(b.yields, 0);
  answer(&b, 1030 * MS);
  rl_revoke_step(&b.lane, 1030 * MS);
  CHECK_INT(b.yields, 1);
  end(&b);
}

TEST(s2_2_it_is_open_for_drain_at_most) {
  struct bed b;
  begin(&b);
  handle(&b, 0);
  take_away(&b, 1000 * MS);
  rl_revoke_step(&b.lane, 5999 * MS);
  CHECK_INT(b.yields, 0);
  rl_revoke_step(&b.lane, 6000 * MS);
  CHECK_INT(b.yields, 1);
  end(&b);
}

/* The reader's steps, each when the last one asked for it, until the lane is over: when that is. */
static int64_t leave(struct bed *b, int64_t now) {
  for (int steps = 0; b->lane.phase != RL_ENDED && steps < 100; steps++) {
    enum rl_phase before = b->lane.phase;
    rl_ends_step(&b->lane, now);
    if (b->lane.phase != before) continue;
    int64_t due = rl_ends_deadline(&b->lane);
    CHECK(due != RL_NEVER);
    if (due > now) now = due;
  }
  CHECK_INT(b->lane.phase, RL_ENDED);
  return now;
}

/* What a collector does: outputs that are never answered, a join that is under way, a group that does not
 * answer. */
TEST(s11_4_a_lane_that_must_go_at_once_is_over_within_a_second) {
  struct rl_flight stuck = {.state = RL_FLIGHT_HANDLED};
  struct bed b;
  begin(&b);
  atomic_init(&stuck.pending, 1);
  rl_flight_append(&b.lane, &stuck);
  handle(&b, 0);
  b.joined = false;
  atomic_store(&b.lane.stop, 2);
  CHECK(leave(&b, 1000 * MS) - 1000 * MS <= RL_NS_PER_S);
  CHECK_INT(b.closes, 1);
  end(&b);
}

TEST(s11_4_and_at_once_when_nothing_holds_it) {
  struct bed b;
  begin(&b);
  b.closed = true;
  atomic_store(&b.lane.stop, 2);
  CHECK_INT(leave(&b, 1000 * MS), 1000 * MS);
  CHECK_INT(b.closes, 1);
  end(&b);
}
