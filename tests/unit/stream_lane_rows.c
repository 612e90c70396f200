/* Messages of any number of rows through the lane: what handlers see are rows, what is settled are messages.
 */
#include "lane_bed.h"

/* Message i holds i % 4 rows (or as many as `rows` says): 100 * i, 100 * i + 1 … */
struct rows {
  int (*of)(int i);
};

static void put_rows(struct rl_buf *value, int i, const void *arg) {
  const struct rows *rows = arg;
  for (int k = 0; k < (rows->of ? rows->of(i) : i % 4); k++) rl_buf_printf(value, "%d\n", 100 * i + k);
}

static void fill(const char *address, int partitions, int from, int n, int (*rows)(int i)) {
  bed_send(&(struct bed_load){address, "in", partitions, from, n, put_rows, &(struct rows){rows}, NULL});
}

static int none(int i) { return (void)i, 0; }
static int three(int i) { return (void)i, 3; }
static int twelve_at_5(int i) { return i == 5 ? 12 : 2; }

/* What handlers saw: rows by their number, the size of the largest call, and what was wrong. */
static struct {
  atomic_int rows[LANE_MESSAGES];
  atomic_int largest, split, bad; /* bad: the number of the message that fails; -1: none */
} seen;

static int64_t row_at(const struct rl_view *view, size_t i) {
  return view->batch->columns->col[0][view->rows[i]].i;
}

/* All rows of a message are there, one after the other. */
static void look_for_splits(const struct rl_view *view) {
  for (size_t i = 0; i < view->n; i++) {
    size_t message = rl_batch_owner(view->batch, view->rows[i]);
    size_t record = view->rows[i] - rl_batch_first(view->batch, message);
    bool last = record + 1 == rl_batch_rows_of(view->batch, message);
    bool next_is_its_next = i + 1 < view->n && view->rows[i + 1] == view->rows[i] + 1;
    if ((record == 0) != (row_at(view, i) % 100 == 0) || (!last && !next_is_its_next)) seen.split = 1;
  }
}

static int handle(struct script *s, const struct rl_view *view, struct rl_outbox *out,
                  struct rl_failure *why) {
  (void)out;
  if ((int)view->n > seen.largest) seen.largest = (int)view->n;
  look_for_splits(view);
  for (size_t i = 0; i < view->n; i++)
    if (row_at(view, i) / 100 == seen.bad && row_at(view, i) % 100 == 1) {
      rl_failure_set(why, RL_BLAME_MESSAGE, "test.lua:1: a bad row", NULL);
      return RL_EHANDLER;
    }
  for (size_t i = 0; i < view->n; i++) atomic_fetch_add(&seen.rows[row_at(view, i)], 1);
  atomic_fetch_add(&s->total, (int)view->n);
  return 0;
}

static struct bed begin(struct lanes *l) {
  struct bed b = lanes_decode(l, 2, "g", "csv", "id=[0]:i64");
  memset(&seen, 0, sizeof seen);
  seen.bad = -1;
  rd_kafka_mock_topic_create(b.cluster, "dead", 1, 1);
  lanes_set(l, "batch.size", "5");
  lanes_set(l, "exit_at_end", "true");
  return b;
}

static void run(struct lanes *l, struct script *s) {
  lanes_go(l, s);
  lanes_end(l);
}

TEST(rows_are_handled_and_messages_committed) {
  struct lanes l;
  struct script s = {.handle = handle};
  struct bed b = begin(&l);
  fill(b.address, 2, 0, 40, NULL);
  run(&l, &s);
  CHECK_STR(l.err[0].text, "");
  CHECK_INT(s.total, 60);
  for (int i = 0; i < 4000; i++) CHECK_INT(seen.rows[i], i % 100 < i / 100 % 4);
  CHECK(seen.largest <= 5);
  CHECK_INT(seen.split, 0);
  CHECK_INT(l.stats[0].messages, 40);
  CHECK_INT(lane_committed(b.address, "in", "g"), 40);
  bed_stop(&b);
}

TEST(s6_2_a_message_with_more_rows_than_size_goes_alone) {
  struct lanes l;
  struct script s = {.handle = handle};
  struct bed b = begin(&l);
  fill(b.address, 1, 0, 10, twelve_at_5);
  run(&l, &s);
  CHECK_STR(l.err[0].text, "");
  CHECK_INT(s.total, 30);
  CHECK_INT(seen.largest, 12);
  CHECK_INT(seen.split, 0);
  CHECK_INT(lane_committed(b.address, "in", "g"), 10);
  bed_stop(&b);
}

TEST(messages_without_a_row_are_done_without_the_handler) {
  struct lanes l;
  struct script s = {.handle = handle};
  struct bed b = begin(&l);
  fill(b.address, 2, 0, 33, none);
  run(&l, &s);
  CHECK_STR(l.err[0].text, "");
  CHECK_INT(s.calls, 0);
  CHECK_INT(l.stats[0].messages, 33);
  CHECK(l.stats[0].batches >= 33 / 5); /* each takes a place of the batch's size */
  CHECK_INT(lane_committed(b.address, "in", "g"), 33);
  bed_stop(&b);
}

TEST(s4_2_a_part_never_splits_a_message) {
  struct lanes l;
  struct script s = {.handle = handle};
  struct bed b = begin(&l);
  lanes_set(&l, "batch.size", "100");
  lanes_set(&l, "dead_letter", "dead");
  seen.bad = 7;
  fill(b.address, 1, 0, 40, NULL);
  run(&l, &s);
  CHECK_STR(l.err[0].text, "");
  for (int i = 0; i < 4000; i++) CHECK_INT(seen.rows[i], i / 100 != 7 && i % 100 < i / 100 % 4);
  CHECK_INT(seen.split, 0);
  CHECK_INT(l.stats[0].rejected, 1);
  CHECK_INT(lane_ends(b.address, "dead", NULL, NULL), 1);
  CHECK_INT(lane_committed(b.address, "in", "g"), 40);
  bed_stop(&b);
}

/* Messages 0 to 6 are settled, 4 among them without a row; 7 is not. */
TEST(without_a_dead_letter_topic_the_run_stops_at_the_message) {
  struct lanes l;
  struct script s = {.handle = handle};
  struct bed b = begin(&l);
  lanes_set(&l, "batch.size", "100");
  seen.bad = 7;
  fill(b.address, 1, 0, 20, NULL);
  run(&l, &s);
  CHECK_INT(l.err[0].code, RL_EHANDLER);
  CHECK_HAS(l.err[0].text, "in[0] offset 7: the handler failed");
  CHECK_INT(lane_committed(b.address, "in", "g"), 7);
  bed_stop(&b);
}

TEST(s3_2_at_most_once_commits_rows_and_empty_messages_first) {
  struct lanes l;
  struct script s = {.handle = handle};
  struct bed b = begin(&l);
  lanes_set(&l, "delivery", "at_most_once");
  seen.bad = 7;
  fill(b.address, 2, 0, 40, NULL);
  run(&l, &s);
  CHECK_STR(l.err[0].text, "");
  CHECK_INT(seen.split, 0);
  CHECK_INT(seen.rows[700], 0);
  CHECK_INT(seen.rows[300], 1);
  CHECK_INT(lane_committed(b.address, "in", "g"), 40);
  bed_stop(&b);
}

TEST(count_is_of_messages) {
  struct lanes l;
  struct script s = {.handle = handle};
  struct bed b = begin(&l);
  lanes_set(&l, "count", "11");
  fill(b.address, 1, 0, 20, NULL);
  run(&l, &s);
  CHECK_STR(l.err[0].text, "");
  CHECK_INT(s.total, 0 + 1 + 2 + 3 + 0 + 1 + 2 + 3 + 0 + 1 + 2);
  CHECK_INT(lane_committed(b.address, "in", "g"), 11);
  bed_stop(&b);
}

/* One batch of 20 messages of 3 rows waits for the caller when half of them leave with their partition, and
 * one more that has too many rows for it. */
TEST(s2_1_rows_leave_with_their_partition) {
  struct lanes l;
  struct script other = {.handle = handle};
  struct rl_batch *batch = NULL;
  struct rl_stats stats;
  struct bed b = begin(&l);
  lanes_set(&l, "batch.size", "60");
  lanes_set(&l, "exit_at_end", "false");
  lanes_go(&l, NULL);
  LANE_UNTIL(lanes_assigned(&l, 0) == 2);
  CHECK_INT(rl_lane_next(l.at[0], 0, &batch, &l.err[0]), 2); /* asks, and goes away */
  fill(b.address, 2, 0, 20, three);
  fill(b.address, 2, 20, 21, three);
  LANE_UNTIL((rl_lane_stats(l.at[0], &stats), stats.batches == 1 && stats.messages >= 40));
  lanes_start(&l, &other);
  LANE_UNTIL(lanes_assigned(&l, 0) == 1 && lanes_assigned(&l, 1) == 1);
  size_t rows = 0;
  for (int64_t until = rl_now() + 20 * RL_NS_PER_S; rows + (size_t)other.total < 123 && rl_now() < until;)
    if (rl_lane_next(l.at[0], 500, &batch, &l.err[0]) == 1) {
      CHECK_INT(batch->rows, 3 * batch->n);
      CHECK_INT(batch->columns->rows, batch->rows);
      for (size_t i = 0; i < batch->rows; i++)
        CHECK_INT(batch->columns->col[0][i].i / 100 % 2, batch->msgs[0].partition);
      rows += batch->rows;
      rl_lane_done(l.at[0], batch, NULL, &l.err[0]);
    }
  CHECK_INT(rows + (size_t)other.total, 123);
  CHECK_INT(seen.split, 0);
  lanes_stop(&l);
  while (rl_lane_next(l.at[0], -1, &batch, &l.err[0]) == 1) rl_lane_done(l.at[0], batch, NULL, &l.err[0]);
  lanes_end(&l);
  CHECK_INT(lane_committed(b.address, "in", "g"), 41);
  bed_stop(&b);
}
