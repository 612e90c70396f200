#include "stream/bisect.h"

#include "stream_fake.h"
#include "unit.h"

enum { MOST = 48 };

/* A handler that fails for poisoned rows, for a pair of rows in company, and at first now and then. */
struct trial {
  struct rl_bisect b;
  size_t n;
  int ids[MOST]; /* row to what it was at the start; strikes renumber rows */
  bool poisoned[MOST], settled[MOST], blamed[MOST], gone[MOST];
  int runs[MOST], company[2];
  uint64_t seed;
  int last; /* the last id that was settled */
};

static bool has(const struct trial *t, const struct rl_part_of *part, int id) {
  for (size_t i = part->first; i < part->first + part->n; i++)
    if (t->ids[i] == id) return true;
  return false;
}

static bool handler_passes(const struct trial *t, const struct rl_part_of *part) {
  for (size_t i = part->first; i < part->first + part->n; i++)
    if (t->poisoned[t->ids[i]]) return false;
  bool pair = t->company[0] != t->company[1];
  return !(pair && has(t, part, t->company[0]) && has(t, part, t->company[1]));
}

/* Everything is settled once, from left to right. */
static void settle(struct trial *t, size_t first, size_t n, bool blamed) {
  for (size_t i = first; i < first + n; i++) {
    int id = t->ids[i];
    CHECK(!t->settled[id]);
    CHECK(id > t->last);
    t->settled[id] = true;
    t->blamed[id] = blamed;
    t->last = id;
  }
}

static void report(struct trial *t, const struct rl_part_of *part, bool ok) {
  size_t first, n;
  rl_bisect_report(&t->b, ok);
  if (ok) {
    settle(t, part->first, part->n, false);
    CHECK(!rl_bisect_blamed(&t->b, &first, &n));
  } else if (rl_bisect_blamed(&t->b, &first, &n)) {
    settle(t, first, n, true);
    CHECK(!rl_bisect_blamed(&t->b, &first, &n));
  }
}

static void start(struct trial *t, uint64_t seed, int retries, bool bisect) {
  *t = (struct trial){.seed = seed, .last = -1};
  t->n = fake_pick(&t->seed, MOST);
  size_t rate = 1 + fake_pick(&t->seed, 20);
  for (size_t i = 0; i < t->n; i++) {
    t->ids[i] = (int)i;
    t->poisoned[i] = rate < 18 && fake_chance(&t->seed, rate + 1);
  }
  if (t->n && fake_chance(&t->seed, 2)) {
    t->company[0] = (int)fake_pick(&t->seed, t->n);
    t->company[1] = (int)fake_pick(&t->seed, t->n);
  }
  rl_bisect_start(&t->b, t->n, retries, bisect);
}

static void check_blame(const struct trial *t, size_t n, bool any_gone) {
  size_t settled = 0;
  for (size_t i = 0; i < n; i++) {
    settled += t->settled[i] || t->gone[i];
    if (!t->gone[i] || !any_gone) CHECK_INT(t->blamed[i], t->poisoned[i]);
  }
  CHECK_INT(settled, n);
}

static void run_trial(uint64_t seed) {
  struct trial t;
  struct rl_part_of part, again;
  int retries = (int)(seed % 4);
  start(&t, seed, retries, true);
  for (int steps = 0; rl_bisect_next(&t.b, &part); steps++) {
    CHECK(steps < 4 * MOST + 8);
    CHECK(part.n > 0 && part.first + part.n <= t.n);
    if (fake_chance(&t.seed, 5)) { /* the weather: not reported, the same part comes again */
      CHECK(rl_bisect_next(&t.b, &again));
      CHECK(memcmp(&part, &again, sizeof part) == 0);
    }
    bool whole = part.n == t.n;
    CHECK(part.attempt <= (whole ? 1 + retries : 1));
    for (size_t i = part.first; i < part.first + part.n; i++) CHECK_INT(++t.runs[i], part.tries);
    if (!whole) CHECK(part.tries > 1 + retries); /* halved only after all retries */
    report(&t, &part, handler_passes(&t, &part));
  }
  check_blame(&t, t.n, false);
  rl_bisect_free(&t.b);
}

TEST(s4_3_exactly_the_poisoned_are_blamed_from_left_to_right) {
  for (uint64_t seed = 1; seed <= 10000 && !unit_failures; seed++) {
    run_trial(seed);
    if (unit_failures) UNIT_FAIL("seed %llu", (unsigned long long)seed);
  }
}

/* Rows leave, between the runs and during them; unsettled ones only matter. */
static void strike(struct trial *t) {
  bool keep[MOST];
  size_t left = 0, rate = 2 + fake_pick(&t->seed, 10);
  for (size_t i = 0; i < t->n; i++) {
    keep[i] = !fake_chance(&t->seed, rate);
    if (!keep[i] && !t->settled[t->ids[i]]) t->gone[t->ids[i]] = true;
  }
  rl_bisect_strike(&t->b, keep, t->n);
  for (size_t i = 0; i < t->n; i++)
    if (keep[i]) t->ids[left++] = t->ids[i];
  t->n = left;
}

static void run_with_strikes(uint64_t seed) {
  struct trial t;
  struct rl_part_of part;
  start(&t, seed, (int)(seed % 3), true);
  size_t n = t.n;
  for (int steps = 0; rl_bisect_next(&t.b, &part); steps++) {
    CHECK(steps < 1000);
    bool ok = handler_passes(&t, &part);
    if (fake_chance(&t.seed, 4)) strike(&t);
    part = t.b.now; /* what is left of the part that ran */
    report(&t, &part, ok);
    if (fake_chance(&t.seed, 8)) strike(&t);
  }
  check_blame(&t, n, true);
  rl_bisect_free(&t.b);
}

TEST(s2_1_struck_rows_are_not_run_and_blame_nobody) {
  for (uint64_t seed = 1; seed <= 10000 && !unit_failures; seed++) {
    run_with_strikes(seed);
    if (unit_failures) UNIT_FAIL("seed %llu", (unsigned long long)seed);
  }
}

TEST(s4_2_retries_first_then_halves) {
  struct rl_bisect b;
  struct rl_part_of part;
  size_t first, n;
  rl_bisect_start(&b, 4, 2, true);
  for (int attempt = 1; attempt <= 3; attempt++) {
    CHECK(rl_bisect_next(&b, &part));
    CHECK_INT(part.n, 4);
    CHECK_INT(part.attempt, attempt);
    CHECK_INT(part.tries, attempt);
    rl_bisect_report(&b, false);
    CHECK(!rl_bisect_blamed(&b, &first, &n));
  }
  static const struct rl_part_of want[] = {{0, 2, 1, 4}, {0, 1, 1, 5}, {1, 1, 1, 5}, {2, 2, 1, 4}};
  static const bool pass[] = {false, true, false, true};
  for (size_t i = 0; i < 4; i++) {
    CHECK(rl_bisect_next(&b, &part));
    CHECK_INT(part.first, want[i].first);
    CHECK_INT(part.n, want[i].n);
    CHECK_INT(part.attempt, want[i].attempt);
    CHECK_INT(part.tries, want[i].tries);
    rl_bisect_report(&b, pass[i]);
    CHECK(rl_bisect_blamed(&b, &first, &n) == (i == 2));
  }
  CHECK_INT(first, 1);
  CHECK_INT(n, 1);
  CHECK(!rl_bisect_next(&b, &part));
  rl_bisect_free(&b);
}

TEST(s4_2_a_retry_that_passes_settles_the_whole) {
  struct rl_bisect b;
  struct rl_part_of part;
  rl_bisect_start(&b, 5, 1, true);
  CHECK(rl_bisect_next(&b, &part));
  rl_bisect_report(&b, false);
  CHECK(rl_bisect_next(&b, &part));
  CHECK_INT(part.attempt, 2);
  rl_bisect_report(&b, true);
  CHECK(!rl_bisect_next(&b, &part));
  rl_bisect_free(&b);
}

TEST(s4_3_bisect_false_blames_the_batch_as_one) {
  struct rl_bisect b;
  struct rl_part_of part;
  size_t first = 9, n = 0;
  rl_bisect_start(&b, 5, 1, false);
  for (int i = 0; i < 2; i++) {
    CHECK(rl_bisect_next(&b, &part));
    CHECK_INT(part.n, 5);
    rl_bisect_report(&b, false);
    CHECK(rl_bisect_blamed(&b, &first, &n) == (i == 1));
  }
  CHECK_INT(first, 0);
  CHECK_INT(n, 5);
  CHECK(!rl_bisect_next(&b, &part));
  rl_bisect_free(&b);
}

TEST(s4_3_a_message_that_fails_only_in_company_passes) {
  struct rl_bisect b;
  struct rl_part_of part;
  size_t first, n;
  rl_bisect_start(&b, 2, 0, true);
  CHECK(rl_bisect_next(&b, &part));
  rl_bisect_report(&b, false);
  for (int i = 0; i < 2; i++) {
    CHECK(rl_bisect_next(&b, &part));
    CHECK_INT(part.n, 1);
    rl_bisect_report(&b, true);
  }
  CHECK(!rl_bisect_blamed(&b, &first, &n));
  CHECK(!rl_bisect_next(&b, &part));
  rl_bisect_free(&b);
}

TEST(s2_1_a_row_that_failed_with_one_now_gone_is_tried_alone) {
  struct rl_bisect b;
  struct rl_part_of part;
  size_t first, n;
  bool keep[] = {true, false};
  rl_bisect_start(&b, 2, 0, true);
  CHECK(rl_bisect_next(&b, &part));
  rl_bisect_strike(&b, keep, 2);
  rl_bisect_report(&b, false);
  CHECK(!rl_bisect_blamed(&b, &first, &n));
  CHECK(rl_bisect_next(&b, &part));
  CHECK_INT(part.n, 1);
  rl_bisect_report(&b, false);
  CHECK(rl_bisect_blamed(&b, &first, &n));
  CHECK(!rl_bisect_next(&b, &part));
  rl_bisect_free(&b);
}

TEST(s2_1_a_part_that_lost_all_rows_is_not_run) {
  struct rl_bisect b;
  struct rl_part_of part;
  bool keep[] = {true, true, false, false};
  bool none[] = {false, false};
  rl_bisect_start(&b, 4, 0, true);
  CHECK(rl_bisect_next(&b, &part));
  rl_bisect_report(&b, false);
  rl_bisect_strike(&b, keep, 4);
  CHECK(rl_bisect_next(&b, &part));
  CHECK_INT(part.first, 0);
  CHECK_INT(part.n, 2);
  rl_bisect_strike(&b, none, 2); /* while it runs and is not reported */
  CHECK(!rl_bisect_next(&b, &part));
  rl_bisect_free(&b);
}
