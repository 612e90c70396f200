/* Members come and go while batches are in flight (S2). */
#include "lane_bed.h"
#include "stream/lane_state.h"

/* Two members under one group; the second comes while the first has a batch in hand and outputs on their way.
 */
static void joined_in_flight(const char *assignor) {
  struct bed b = bed_start("in", 4);
  struct script script = {.forward = "out"};
  struct lanes l;
  char text[80];
  rd_kafka_mock_topic_create(b.cluster, "out", 1, 1);
  lane_fill(b.address, "in", 4, 0, 40, 0);
  lanes_init(&l, b.address, "in", "g");
  snprintf(text, sizeof text, "partition.assignment.strategy=%s", assignor);
  lanes_set(&l, "kafka", text);
  lanes_set(&l, "batch.size", "10");
  lanes_go(&l, &script);
  LANE_UNTIL(lanes_sent(&l, 0) == 40);
  LANE_UNTIL(lane_committed(b.address, "in", "g") == 40);
  atomic_store(&script.gate, 1);
  lane_fill(b.address, "in", 4, 40, 8, 0);
  LANE_UNTIL(atomic_load(&script.calls) >= 5);
  rd_kafka_mock_broker_push_request_error_rtts(b.cluster, 1, KAFKA_PRODUCE, 1, RD_KAFKA_RESP_ERR_NO_ERROR,
                                               1500);
  struct script other = {.forward = "out"};
  lanes_start(&l, &other);
  lane_nap(2000); /* the second member's join has reached the first */
  CHECK_INT(lanes_assigned(&l, 0), 4);
  atomic_store(&script.gate, 0);
  LANE_UNTIL(lanes_assigned(&l, 0) != 4);
  CHECK_INT(lanes_sent(&l, 0), 48); /* not before the outputs of what was handled are acknowledged */
  LANE_UNTIL(lanes_assigned(&l, 0) == 2 && lanes_assigned(&l, 1) == 2);
  lane_fill(b.address, "in", 4, 48, 40, 0);
  LANE_UNTIL(lane_committed(b.address, "in", "g") == 88);
  lanes_stop(&l);
  lanes_end(&l);
  CHECK_INT(l.err[0].code, 0);
  CHECK_INT(l.err[1].code, 0);
  for (int i = 0; i < 88; i++) atomic_fetch_add(&script.seen[i], atomic_load(&other.seen[i]));
  CHECK_INT(lane_missing(&script, 88),
            0); /* doubled are some: the mock takes no commit while it rebalances */
  bed_stop(&b);
}

TEST(s2_2_partitions_stay_until_their_outputs_are_acknowledged_under_range) { joined_in_flight("range"); }
TEST(s2_2_partitions_stay_until_their_outputs_are_acknowledged_under_cooperative) {
  joined_in_flight("cooperative-sticky");
}

/* The one without a partition ends too, when it got those of the others. */
TEST(s1_2_more_members_than_partitions_end_with_the_topic) {
  struct bed b = bed_start("in", 2);
  struct script script = {.forward = NULL};
  struct lanes l;
  lane_fill(b.address, "in", 2, 0, 100, 0);
  lanes_init(&l, b.address, "in", "g");
  lanes_set(&l, "exit_at_end", "true");
  if (lanes_prepare(&l))
    for (int i = 0; i < 3; i++) lanes_start(&l, &script);
  lanes_end(&l);
  CHECK_INT(lane_missing(&script, 100),
            0); /* of commits nothing: the mock takes none while a member leaves */
  bed_stop(&b);
}

/* The second lane never gets a partition: the first message of the run is one of the first lane's. */
TEST(wait_is_for_the_first_message_of_the_run_not_of_each_lane) {
  struct bed b = bed_start("in", 1);
  struct script script = {.forward = NULL};
  struct lanes l;
  lane_fill(b.address, "in", 1, 0, 10, 0);
  lanes_init(&l, b.address, "in", "g");
  lanes_set(&l, "wait", "8");
  if (lanes_prepare(&l))
    for (int i = 0; i < 2; i++) lanes_start(&l, &script);
  int64_t until = rl_now() + 9 * RL_NS_PER_S;
  LANE_UNTIL(atomic_load(&script.total) == 10);
  LANE_UNTIL(rl_now() > until);
  CHECK(!rl_lane_ended(l.at[0]));
  CHECK(!rl_lane_ended(l.at[1]));
  lanes_stop(&l);
  lanes_end(&l);
  CHECK_INT(l.err[0].code, 0);
  CHECK_INT(l.err[1].code, 0);
  bed_stop(&b);
}

/* A group takes seconds to give partitions out: they are not a silence of the topic. */
TEST(idle_counts_from_the_assignment) {
  struct bed b = bed_start("in", 1);
  struct script script = {.forward = NULL};
  struct lanes l;
  lane_fill(b.address, "in", 1, 0, 10, 0);
  lanes_init(&l, b.address, "in", "g");
  lanes_set(&l, "idle", "1");
  lanes_go(&l, &script);
  lanes_end(&l);
  CHECK_INT(l.err[0].code, 0);
  CHECK_INT(script.total, 10);
  bed_stop(&b);
}

TEST(idle_counts_for_all_lanes_together) {
  struct bed b = bed_start("in", 2);
  struct script script = {.forward = NULL};
  struct lanes l;
  lanes_init(&l, b.address, "in", NULL);
  lanes_set(&l, "start", "beginning");
  lanes_set(&l, "lanes", "2");
  lanes_set(&l, "idle", "3");
  if (lanes_prepare(&l))
    for (int i = 0; i < 2; i++) lanes_start(&l, &script);
  for (int i = 0; i < 10; i++) { /* the second partition is quiet for five seconds */
    lane_fill(b.address, "in", 1, i, 1, 0);
    lane_nap(500);
  }
  CHECK(!rl_lane_ended(l.at[0]));
  CHECK(!rl_lane_ended(l.at[1]));
  lanes_end(&l);
  CHECK_INT(l.err[0].code + l.err[1].code, 0);
  CHECK_INT(script.total, 10);
  bed_stop(&b);
}

/* After holes at the end the position was E; what comes then lies behind it again until it is done. Nothing
 * of that is uncommitted, or in_flight = 1 would wait for ever. */
TEST(s1_1_a_position_at_a_hole_is_committed_when_new_messages_come) {
  struct rl_settings s = {.group = "g", .commit = true};
  struct rl_lane lane = {.s = &s, .source.tracks = true};
  struct rl_tps out;
  struct rl_msg msg = {.slot = 0, .offset = 9};
  rl_offsets_part(&lane.offsets, 0, "in", 0)->end = RL_OFFSET_INVALID;
  rl_offsets_assign(&lane.offsets, 0);
  CHECK(rl_offsets_take(&lane.offsets, &msg));
  rl_offsets_eof(&lane.offsets, 0, 12);
  rl_offsets_done(&lane.offsets, 0, msg.epoch, 10);
  rl_offsets_commit(&lane.offsets, &out);
  CHECK_INT(out.n, 1);
  CHECK_INT(out.at[0].offset, 12);
  rl_offsets_answer(&lane.offsets, true);
  CHECK(rl_committed_all(&lane));
  msg.offset = 12;
  CHECK(rl_offsets_take(&lane.offsets, &msg));
  rl_offsets_eof(&lane.offsets, 0, 13);
  CHECK(rl_committed_all(&lane));
  rl_offsets_done(&lane.offsets, 0, msg.epoch, 13);
  CHECK(!rl_committed_all(&lane));
  rl_tps_free(&out);
  rl_offsets_free(&lane.offsets);
}
