/* dead_letter_max: when is it the handler, not the messages (S4.4)? */
#include "stream/history.h"

#include "unit.h"

/* How many of n dead letters come before the limit is passed; n when it is not. */
static int dead(struct rl_history *h, int n, bool by_handler) {
  for (int i = 0; i < n; i++)
    if (rl_history_dead(h, by_handler)) return i;
  return n;
}

TEST(s4_4_so_many_in_a_row_are_too_many) {
  struct rl_history h;
  rl_history_init(&h, 10);
  CHECK_INT(dead(&h, 20, true), 9); /* the tenth */
}

TEST(s4_4_one_that_passes_ends_the_row) {
  struct rl_history h;
  rl_history_init(&h, 10);
  for (int i = 0; i < 50; i++) {
    CHECK_INT(dead(&h, 9, true), 9);
    rl_history_passed(&h, 10);
  }
}

TEST(s4_4_over_half_of_the_last_thousand_are_too_many) {
  struct rl_history h;
  int n = 0;
  rl_history_init(&h, 10);
  for (int i = 0; i < 499; i++) rl_history_passed(&h, 1); /* before: 499 that passed */
  for (bool over = false; !over && n < 2000; n++) {       /* two of three fail, never ten in a row */
    over = rl_history_dead(&h, true) || rl_history_dead(&h, true);
    if (!over) rl_history_passed(&h, 1);
  }
  CHECK(n > 167 && n < 600); /* not before there are 1,000, and soon after */
  CHECK(h.dead_n == RL_HISTORY / 2 + 1);
}

TEST(s4_4_exactly_half_of_the_last_thousand_is_not_over_half) {
  struct rl_history h;
  rl_history_init(&h, 10);
  for (int i = 0; i < 3000; i++) {
    CHECK_INT(dead(&h, 1, true), 1);
    rl_history_passed(&h, 1);
  }
}

TEST(s4_4_what_does_not_decode_counts_among_the_thousand_only) {
  struct rl_history h;
  rl_history_init(&h, 10);
  rl_history_passed(&h, 400);
  CHECK_INT(dead(&h, 500, false), 500); /* of 900 */
  rl_history_passed(&h, 200);           /* the oldest 100 that passed went out: 500 of 1,000 */
  CHECK_INT(dead(&h, 5, false), 0);
}

TEST(s4_4_what_is_long_ago_is_forgotten) {
  struct rl_history h;
  rl_history_init(&h, 10);
  for (int i = 0; i < 400; i++) {
    CHECK_INT(dead(&h, 1, true), 1);
    rl_history_passed(&h, 1);
  }
  rl_history_passed(&h, 1000);
  CHECK_INT(h.dead_n, 0);
  rl_history_passed(&h, 5000000);
  CHECK_INT(h.n, RL_HISTORY);
}

TEST(s4_4_nought_is_no_limit) {
  struct rl_history h;
  rl_history_init(&h, 0);
  CHECK_INT(dead(&h, 5000, true), 5000);
}
