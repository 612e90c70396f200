#include "base/backoff.h"

#include "base/clock.h"
#include "unit.h"

static void check_wait(int64_t wait, double whole_s) {
  int64_t whole = rl_seconds(whole_s);
  if (wait < whole - whole / 2 || wait > whole)
    UNIT_FAIL("waits %lld of %lld", (long long)wait, (long long)whole);
}

TEST(waits_double_up_to_the_cap_and_jitter_between_half_and_whole) {
  for (uint64_t seed = 0; seed < 500; seed++) {
    struct rl_backoff b;
    rl_backoff_init(&b, 1, 10, seed);
    static const double want[] = {1, 2, 4, 8, 10, 10, 10};
    for (size_t i = 0; i < 7; i++) check_wait(rl_backoff_next(&b), want[i]);
    rl_backoff_reset(&b);
    check_wait(rl_backoff_next(&b), 1);
  }
}

TEST(the_same_seed_waits_the_same_and_another_does_not) {
  struct rl_backoff a, b, c;
  int differ = 0;
  rl_backoff_init(&a, 1, 60, 7);
  rl_backoff_init(&b, 1, 60, 7);
  rl_backoff_init(&c, 1, 60, 8);
  for (int i = 0; i < 20; i++) {
    int64_t wait = rl_backoff_next(&a);
    CHECK_INT(rl_backoff_next(&b), wait);
    differ += rl_backoff_next(&c) != wait;
  }
  CHECK(differ > 15);
}

TEST(jitter_reaches_both_halves_of_its_range) {
  struct rl_backoff b;
  int low = 0, high = 0;
  for (uint64_t seed = 0; seed < 1000; seed++) {
    rl_backoff_init(&b, 1, 60, seed);
    int64_t wait = rl_backoff_next(&b);
    low += wait < RL_NS_PER_S * 3 / 4;
    high += wait >= RL_NS_PER_S * 3 / 4;
  }
  CHECK(low > 300 && high > 300);
}

TEST(odd_settings_do_not_overflow) {
  struct rl_backoff b;
  rl_backoff_init(&b, 0, 60, 1);
  for (int i = 0; i < 100; i++) CHECK_INT(rl_backoff_next(&b), 0);
  rl_backoff_init(&b, 5, 1, 1); /* a cap below the first wait holds */
  check_wait(rl_backoff_next(&b), 1);
  rl_backoff_init(&b, 1e-9, 1e12, 1);
  for (int i = 0; i < 1000; i++) CHECK(rl_backoff_next(&b) >= 0);
}
