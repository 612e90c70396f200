/* The batcher under a fake clock: single cases, then random arrivals. */
#include "stream/batcher.h"

#include "base/clock.h"
#include "stream_fake.h"
#include "unit.h"

#define MS RL_NS_PER_MS

TEST(s6_1_the_timeout_runs_from_the_first_message) {
  struct rl_batcher b;
  enum rl_cause cause = RL_CAUSE_STOP;
  rl_batcher_init(&b, 10, 1000, 500 * MS);
  CHECK(!rl_batcher_due(&b, 900 * MS, false, &cause)); /* a lull before it counts for nothing */
  CHECK(b.deadline == RL_NEVER);
  rl_batcher_add(&b, 1, 10, 1000 * MS);
  rl_batcher_add(&b, 1, 10, 1400 * MS);
  CHECK_INT(b.deadline, 1500 * MS);
  CHECK(!rl_batcher_due(&b, 1500 * MS - 1, false, &cause));
  CHECK(rl_batcher_due(&b, 1500 * MS, true, &cause));
  CHECK_INT(cause, RL_CAUSE_TIMEOUT);
}

TEST(s6_1_past_its_deadline_a_batch_stays_open) {
  struct rl_batcher b;
  enum rl_cause cause;
  rl_batcher_init(&b, 3, 1000, MS);
  rl_batcher_add(&b, 1, 10, 0);
  CHECK(rl_batcher_due(&b, 9 * MS, false, &cause));
  CHECK(rl_batcher_fits(&b, 1, 10));
  rl_batcher_add(&b, 1, 10, 9 * MS);
  rl_batcher_add(&b, 1, 10, 9 * MS);
  CHECK(rl_batcher_full(&b));
  CHECK(!rl_batcher_fits(&b, 1, 0));
  CHECK(rl_batcher_due(&b, 9 * MS, false, &cause));
  CHECK_INT(cause, RL_CAUSE_SIZE);
  rl_batcher_taken(&b);
  CHECK(!rl_batcher_due(&b, 99 * MS, false, &cause));
}

TEST(s6_2_timeout_0_takes_what_is_there) {
  struct rl_batcher b;
  enum rl_cause cause;
  rl_batcher_init(&b, 3, 1000, 0);
  CHECK(!rl_batcher_due(&b, 0, false, &cause));
  rl_batcher_add(&b, 1, 1, 5);
  CHECK(!rl_batcher_due(&b, 5, true, &cause));
  CHECK(rl_batcher_due(&b, 5, false, &cause));
  CHECK_INT(cause, RL_CAUSE_TIMEOUT);
  rl_batcher_add(&b, 1, 1, 5);
  rl_batcher_add(&b, 1, 1, 5);
  CHECK(rl_batcher_due(&b, 5, true, &cause));
  CHECK_INT(cause, RL_CAUSE_SIZE);
}

TEST(columns_that_reach_their_limit_make_the_batch_full) {
  struct rl_batcher b;
  enum rl_cause cause;
  rl_batcher_init(&b, 10, 1000, 500 * MS);
  b.most = 4096;
  rl_batcher_add(&b, 1, 2, 0);
  rl_batcher_set_columns(&b, 4095);
  CHECK(rl_batcher_fits(&b, 1, 2) && !rl_batcher_full(&b));
  rl_batcher_add(&b, 1, 2, 0);
  rl_batcher_set_columns(&b, 4096);
  CHECK(!rl_batcher_fits(&b, 1, 2));
  CHECK(rl_batcher_due(&b, 0, true, &cause));
  CHECK_INT(cause, RL_CAUSE_BYTES);
  rl_batcher_taken(&b);
  CHECK(rl_batcher_fits(&b, 1, 2) && !rl_batcher_full(&b));
}

TEST(s6_2_the_message_that_would_exceed_bytes_begins_the_next) {
  struct rl_batcher b;
  enum rl_cause cause;
  rl_batcher_init(&b, 10, 100, MS);
  rl_batcher_add(&b, 1, 60, 0);
  CHECK(rl_batcher_fits(&b, 1, 40));
  CHECK(!rl_batcher_fits(&b, 1, 41));
  CHECK(!rl_batcher_due(&b, 0, true, &cause));
  rl_batcher_add(&b, 1, 40, 0);
  CHECK(rl_batcher_due(&b, 0, true, &cause));
  CHECK_INT(cause, RL_CAUSE_BYTES);
}

TEST(s6_2_a_larger_message_goes_alone) {
  struct rl_batcher b;
  enum rl_cause cause;
  rl_batcher_init(&b, 10, 100, MS);
  CHECK(rl_batcher_fits(&b, 1, 5000));
  rl_batcher_add(&b, 1, 5000, 0);
  CHECK(!rl_batcher_fits(&b, 1, 0));
  CHECK(rl_batcher_due(&b, 0, true, &cause));
  CHECK_INT(cause, RL_CAUSE_BYTES);
}

TEST(s6_2_the_message_whose_rows_would_exceed_size_begins_the_next) {
  struct rl_batcher b;
  enum rl_cause cause;
  rl_batcher_init(&b, 10, 1000, MS);
  rl_batcher_add(&b, 6, 50, 0);
  CHECK(rl_batcher_fits(&b, 4, 50));
  CHECK(!rl_batcher_fits(&b, 5, 50));
  CHECK(!rl_batcher_due(&b, 0, true, &cause));
  rl_batcher_add(&b, 4, 50, 0);
  CHECK(rl_batcher_due(&b, 0, true, &cause));
  CHECK_INT(cause, RL_CAUSE_SIZE);
}

TEST(s6_2_a_message_with_more_rows_than_size_goes_alone) {
  struct rl_batcher b;
  enum rl_cause cause;
  rl_batcher_init(&b, 10, 1000, MS);
  CHECK(rl_batcher_fits(&b, 11, 50));
  rl_batcher_add(&b, 11, 50, 0);
  CHECK(!rl_batcher_fits(&b, 1, 0));
  CHECK(rl_batcher_due(&b, 0, true, &cause));
  CHECK_INT(cause, RL_CAUSE_SIZE);
  rl_batcher_struck(&b, 11, 50);
  CHECK(b.deadline == RL_NEVER);
}

TEST(a_timeout_for_ever_does_not_overflow) {
  struct rl_batcher b;
  enum rl_cause cause;
  rl_batcher_init(&b, 10, 100, RL_NEVER);
  rl_batcher_add(&b, 1, 1, INT64_C(1) << 62);
  CHECK(b.deadline == RL_NEVER);
  CHECK(!rl_batcher_due(&b, RL_NEVER - 1, false, &cause));
}

TEST(s2_1_struck_messages_leave_room) {
  struct rl_batcher b;
  enum rl_cause cause;
  rl_batcher_init(&b, 3, 100, 10 * MS);
  rl_batcher_add(&b, 1, 50, 0);
  rl_batcher_add(&b, 1, 30, MS);
  rl_batcher_add(&b, 1, 20, 2 * MS);
  rl_batcher_struck(&b, 1, 50);
  CHECK(rl_batcher_fits(&b, 1, 50));
  CHECK(!rl_batcher_fits(&b, 1, 51));
  CHECK_INT(b.deadline, 10 * MS);
  rl_batcher_struck(&b, 2, 50);
  CHECK(b.deadline == RL_NEVER);
  CHECK(!rl_batcher_due(&b, 99 * MS, false, &cause));
}

/* ---- random arrivals: a reader, a handler that is busy at times, and revocations ---- */

enum { PARTS = 3, MOST = 600 };

struct arrival {
  uint32_t slot;
  int64_t offset;
  size_t bytes;
  int64_t at; /* when the source has it; RL_NEVER once struck */
};

struct world {
  uint64_t seed;
  struct rl_batcher b;
  int64_t now, free_at, first; /* tick; the handler's; the filling batch's first arrival */
  struct arrival all[MOST];
  size_t n, next;            /* made; next to be taken */
  size_t fill[MOST], n_fill; /* the filling batch */
  int64_t seen[PARTS];       /* last offset handed over */
  size_t handed, struck;
};

static void make_arrivals(struct world *w) {
  int64_t offsets[PARTS] = {0};
  int64_t at = 0;
  size_t pace = 1 + fake_pick(&w->seed, 6), large = 2 + fake_pick(&w->seed, 20);
  w->n = fake_pick(&w->seed, MOST);
  for (size_t i = 0; i < w->n; i++) {
    struct arrival *a = &w->all[i];
    if (fake_chance(&w->seed, pace)) at += (int64_t)fake_pick(&w->seed, 9);
    a->slot = (uint32_t)fake_pick(&w->seed, PARTS);
    a->offset = offsets[a->slot] += 1 + (int64_t)fake_pick(&w->seed, 2);
    a->bytes = fake_pick(&w->seed, 40);
    if (fake_chance(&w->seed, large)) a->bytes *= 10;
    a->at = at;
  }
}

static bool waiting(const struct world *w) { return w->next < w->n && w->all[w->next].at <= w->now; }

static void check_batch(const struct world *w, enum rl_cause cause, bool held_back) {
  size_t bytes = 0;
  for (size_t i = 0; i < w->n_fill; i++) bytes += w->all[w->fill[i]].bytes;
  CHECK(w->n_fill > 0);
  CHECK(w->n_fill <= w->b.size);
  CHECK(bytes <= w->b.bytes || w->n_fill == 1);
  CHECK_INT(w->b.held, bytes);
  CHECK_INT(w->b.n, w->n_fill);
  CHECK((cause == RL_CAUSE_SIZE) == (w->n_fill == w->b.size));
  if (cause == RL_CAUSE_BYTES) CHECK(bytes >= w->b.bytes || held_back);
  if (cause == RL_CAUSE_TIMEOUT) CHECK(w->now >= w->first + w->b.timeout);
}

static void hand_over(struct world *w, enum rl_cause cause, bool held_back) {
  check_batch(w, cause, held_back);
  int64_t due = w->first + w->b.timeout;
  int64_t latest = due > w->free_at ? due : w->free_at;
  CHECK(w->now <= latest || latest == RL_NEVER); /* a tick of the fake clock is 1: it was not missed */
  for (size_t i = 0; i < w->n_fill; i++) {
    const struct arrival *a = &w->all[w->fill[i]];
    CHECK(a->offset > w->seen[a->slot]); /* neither twice nor out of order */
    w->seen[a->slot] = a->offset;
  }
  w->handed += w->n_fill;
  w->n_fill = 0;
  rl_batcher_taken(&w->b);
  if (!fake_chance(&w->seed, 3)) w->free_at = w->now + (int64_t)fake_pick(&w->seed, 12);
}

static bool take_one(struct world *w) {
  const struct arrival *a = &w->all[w->next];
  if (!waiting(w) || !rl_batcher_fits(&w->b, 1, a->bytes)) return false;
  if (w->n_fill == 0) w->first = w->now;
  rl_batcher_add(&w->b, 1, a->bytes, w->now);
  w->fill[w->n_fill++] = w->next++;
  return true;
}

static bool give_one(struct world *w) {
  enum rl_cause cause;
  bool held_back = waiting(w) && !rl_batcher_fits(&w->b, 1, w->all[w->next].bytes);
  bool due = rl_batcher_due(&w->b, w->now, waiting(w) && !held_back, &cause);
  if (!due && held_back) cause = RL_CAUSE_BYTES;
  if (!(due || held_back) || w->now < w->free_at) return false;
  hand_over(w, cause, held_back);
  return true;
}

static void revoke(struct world *w, uint32_t slot) {
  size_t n = 0, gone = 0, bytes = 0;
  for (size_t i = 0; i < w->n_fill; i++) {
    const struct arrival *a = &w->all[w->fill[i]];
    if (a->slot == slot) {
      gone++;
      bytes += a->bytes;
    } else {
      w->fill[n++] = w->fill[i];
    }
  }
  w->n_fill = n;
  w->struck += gone;
  rl_batcher_struck(&w->b, gone, bytes);
}

static void run_world(uint64_t seed, bool revokes) {
  struct world w = {.seed = seed};
  rl_batcher_init(&w.b, 1 + fake_pick(&w.seed, 30), 1 + fake_pick(&w.seed, 400),
                  (int64_t)fake_pick(&w.seed, 15));
  make_arrivals(&w);
  for (uint32_t p = 0; p < PARTS; p++) w.seen[p] = -1;
  for (; w.handed + w.struck < w.n && w.now < 100000; w.now++) {
    while (take_one(&w) || give_one(&w)) continue;
    if (revokes && fake_chance(&w.seed, 10)) revoke(&w, (uint32_t)fake_pick(&w.seed, PARTS));
    if (w.n_fill && w.now >= w.free_at) CHECK(w.now < w.b.deadline); /* else it would have gone */
  }
  CHECK_INT(w.handed + w.struck, w.n); /* none lost */
  if (!revokes) CHECK_INT(w.struck, 0);
}

TEST(s6_1_random_arrivals_lose_double_and_reorder_nothing) {
  for (uint64_t seed = 1; seed <= 3000; seed++) {
    run_world(seed, false);
    if (unit_failures) {
      UNIT_FAIL("seed %llu", (unsigned long long)seed);
      return;
    }
  }
}

TEST(s2_1_random_arrivals_with_revocations) {
  for (uint64_t seed = 1; seed <= 3000; seed++) {
    run_world(seed, true);
    if (unit_failures) {
      UNIT_FAIL("seed %llu", (unsigned long long)seed);
      return;
    }
  }
}
