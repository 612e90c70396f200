#include "cli/progress.h"
#include "unit.h"

static struct rl_stats stats(void) {
  struct rl_stats s;
  memset(&s, 0, sizeof s);
  s.handled = 2000;
  s.batches = 9;
  s.by_cause[RL_CAUSE_SIZE] = 3;
  s.by_cause[RL_CAUSE_TIMEOUT] = 5;
  s.by_cause[RL_CAUSE_END] = 1;
  s.sent = 240;
  s.commits = 1;
  return s;
}

TEST(the_summary_counts_by_cause) {
  struct rl_stats s = stats();
  struct rl_buf out = RL_BUF_INIT;
  rl_summary_put(&out, &s, 2.0);
  CHECK_STR(
      out.data,
      "2000 messages in 9 batches (size 3, timeout 5, end 1), 240 outputs, 0 dead letters, offsets committed "
      "once, 2.0 s, 1000/s");
  s.commits = 12;
  rl_buf_clear(&out);
  rl_summary_put(&out, &s, 2.0);
  CHECK_HAS(out.data, ", offsets committed 12 times, ");
  rl_buf_free(&out);
}

TEST(a_run_without_a_batch_has_no_causes) {
  struct rl_stats s;
  struct rl_buf out = RL_BUF_INIT;
  memset(&s, 0, sizeof s);
  rl_summary_put(&out, &s, 0.0);
  CHECK_STR(out.data, "0 messages in 0 batches, 0 outputs, 0 dead letters, 0.0 s, 0/s");
  rl_buf_free(&out);
}

TEST(the_progress_line_says_when_the_lag_is_not_known) {
  struct rl_stats s = stats();
  struct rl_buf out = RL_BUF_INIT;
  s.lag = -1;
  rl_progress_put(&out, &s, 12.4);
  CHECK_STR(out.data, "2000 messages  12/s  lag ?  9 batches  240 passed");
  rl_buf_clear(&out);
  s.lag = 7;
  s.rejected = 1;
  rl_progress_put(&out, &s, 12.4);
  CHECK_STR(out.data, "2000 messages  12/s  lag 7  9 batches  240 passed  1 dead letter");
  rl_buf_free(&out);
}

TEST(lanes_add_up_and_one_unknown_lag_makes_the_sum_unknown) {
  struct rl_stats sum = stats(), one = stats();
  sum.lag = 3;
  one.lag = 4;
  rl_stats_add(&sum, &one);
  CHECK_INT(sum.handled, 4000);
  CHECK_INT(sum.by_cause[RL_CAUSE_TIMEOUT], 10);
  CHECK_INT(sum.lag, 7);
  one.lag = -1;
  rl_stats_add(&sum, &one);
  CHECK_INT(sum.lag, -1);
  one.lag = 4;
  rl_stats_add(&sum, &one);
  CHECK_INT(sum.lag, -1);
}
