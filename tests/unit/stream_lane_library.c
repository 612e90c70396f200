/* The library form: batches are taken and settled by the caller (S11). */
#include "lane_bed.h"

static struct rl_batch *next(struct lanes *l) {
  struct rl_batch *batch = NULL;
  int rc = rl_lane_next(l->at[0], (int)(BED_PATIENCE / RL_NS_PER_MS), &batch, &l->err[0]);
  return rc == 1 ? batch : NULL;
}

static size_t good(const struct rl_batch *batch) {
  size_t n = 0;
  for (size_t i = 0; i < batch->n; i++) n += !batch->bad || !batch->bad[i];
  return n;
}

/* A third of the values is no JSON. */
static void put_json(struct rl_buf *value, int number, const void *arg) {
  (void)arg;
  rl_buf_puts(value, number % 3 ? "{\"a\":1}" : "{");
}

/* That is far from "over half of the last 1,000". */
TEST(s4_4_messages_that_pass_in_the_library_form_are_counted_too) {
  struct bed b = bed_start("in", 1);
  struct lanes l;
  size_t passed = 0;
  rd_kafka_mock_topic_create(b.cluster, "dead", 1, 1);
  bed_send(&(struct bed_load){b.address, "in", 1, 0, 3600, put_json, NULL, NULL});
  lanes_init(&l, b.address, "in", NULL);
  lanes_set(&l, "start", "beginning");
  lanes_set(&l, "exit_at_end", "true");
  lanes_set(&l, "decode", "json");
  lanes_set(&l, "fields", "a");
  lanes_set(&l, "dead_letter", "dead");
  lanes_go(&l, NULL);
  for (struct rl_batch *batch; (batch = next(&l));) {
    passed += good(batch);
    rl_lane_done(l.at[0], batch, NULL, &l.err[0]);
  }
  lanes_end(&l);
  CHECK_STR(l.err[0].text, "");
  CHECK_INT(passed, 2400);
  CHECK_INT(lane_ends(b.address, "dead", NULL, NULL), 1200);
  bed_stop(&b);
}

/* A batch that was handed over and not taken up yet belongs to whoever gets the partitions. */
TEST(s2_1_what_the_caller_has_not_taken_leaves_with_its_partition) {
  struct bed b = bed_start("in", 2);
  struct lanes l;
  struct script other = {.forward = NULL};
  struct rl_batch *batch = NULL;
  lanes_init(&l, b.address, "in", "g");
  lanes_set(&l, "batch.size", "100");
  lanes_set(&l, "drain", "30");
  lanes_go(&l, NULL);
  LANE_UNTIL(lanes_assigned(&l, 0) == 2);
  CHECK_INT(rl_lane_next(l.at[0], 0, &batch, &l.err[0]), 2); /* asks, and goes away */
  lane_fill(b.address, "in", 2, 0, 20, 0);
  struct rl_stats stats;
  LANE_UNTIL((rl_lane_stats(l.at[0], &stats), stats.batches == 1));
  int64_t begun = rl_now();
  lanes_start(&l, &other);
  LANE_UNTIL(lanes_assigned(&l, 0) == 1 && lanes_assigned(&l, 1) == 1);
  CHECK(rl_now() - begun < 25 * RL_NS_PER_S); /* not held for drain */
  size_t taken = 0;
  for (int64_t until = rl_now() + 20 * RL_NS_PER_S; taken + (size_t)other.total < 20 && rl_now() < until;)
    if (rl_lane_next(l.at[0], 500, &batch, &l.err[0]) == 1) {
      taken += batch->n;
      rl_lane_done(l.at[0], batch, NULL, &l.err[0]);
    }
  CHECK_INT(taken + (size_t)other.total, 20);
  CHECK_INT(taken, 10);
  lanes_stop(&l);
  while (rl_lane_next(l.at[0], -1, &batch, &l.err[0]) == 1) rl_lane_done(l.at[0], batch, NULL, &l.err[0]);
  lanes_end(&l);
  CHECK_INT(lane_committed(b.address, "in", "g"), 20);
  bed_stop(&b);
}

/* Ten of the twenty that were taken leave with their partition: the count is of messages that are handled. */
TEST(count_does_not_count_what_left_with_its_partition) {
  struct bed b = bed_start("in", 2);
  struct lanes l;
  struct script other = {.forward = NULL};
  struct rl_batch *batch = NULL;
  struct rl_stats stats;
  size_t taken = 0;
  lanes_init(&l, b.address, "in", "g");
  lanes_set(&l, "batch.size", "100");
  lanes_set(&l, "count", "25");
  lanes_go(&l, NULL);
  LANE_UNTIL(lanes_assigned(&l, 0) == 2);
  CHECK_INT(rl_lane_next(l.at[0], 0, &batch, &l.err[0]), 2);
  lane_fill(b.address, "in", 2, 0, 20, 0);
  LANE_UNTIL((rl_lane_stats(l.at[0], &stats), stats.messages == 20 && stats.batches == 1));
  lanes_start(&l, &other);
  LANE_UNTIL(atomic_load(&other.total) == 10 || rl_lane_ended(l.at[1]));
  lane_fill(b.address, "in", 1, 20, 50, 0);
  while (rl_lane_next(l.at[0], -1, &batch, &l.err[0]) == 1) {
    taken += batch->n;
    rl_lane_done(l.at[0], batch, NULL, &l.err[0]);
  }
  lanes_end(&l);
  CHECK_INT(taken + (size_t)other.total, 25);
  bed_stop(&b);
}

TEST(s11_2_a_done_batch_is_committed_on_the_way_out_and_one_in_hand_is_not) {
  struct bed b = bed_start("in", 1);
  struct lanes l;
  lane_fill(b.address, "in", 1, 0, 20, 0);
  lanes_init(&l, b.address, "in", "g");
  lanes_set(&l, "batch.size", "10");
  lanes_go(&l, NULL);
  struct rl_batch *batch = next(&l);
  CHECK(batch && batch->n == 10);
  if (batch) rl_lane_done(l.at[0], batch, NULL, &l.err[0]);
  batch = next(&l);
  CHECK(batch && batch->n == 10);
  if (batch) rl_lane_abandon(l.at[0], batch);
  lanes_stop(&l);
  while (rl_lane_next(l.at[0], -1, &batch, &l.err[0]) == 1) rl_lane_abandon(l.at[0], batch);
  lanes_end(&l);
  CHECK_INT(l.err[0].code, 0);
  CHECK_INT(lane_committed(b.address, "in", "g"), 10);
  bed_stop(&b);
}
