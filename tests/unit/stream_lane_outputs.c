/* Outputs of a lane that do not go out at once, or not at all (S5). */
#include "lane_bed.h"

TEST(s5_2_a_forward_too_large_without_a_dead_letter_topic_ends_the_run) {
  struct bed b = bed_start("in", 1);
  struct script script = {.forward = "out"};
  struct lanes l;
  rd_kafka_mock_topic_create(b.cluster, "out", 1, 1);
  lane_fill(b.address, "in", 1, 0, 5, 0);
  lane_fill(b.address, "in", 1, 5, 1, 1200000);
  lanes_init(&l, b.address, "in", "g");
  lanes_set(&l, "exit_at_end", "true");
  lanes_set(&l, "batch.size", "1");
  if (lanes_prepare(&l)) lanes_start(&l, &script);
  lanes_end(&l);
  CHECK_INT(l.err[0].code, RL_EHANDLER);
  CHECK_HAS(l.err[0].text, "message.max.bytes");
  CHECK_INT(lane_committed(b.address, "in", "g"), 5);
  bed_stop(&b);
}

/* The second message is past its deadline while the first one's output is not acknowledged for three seconds.
 */
TEST(a_batch_that_may_not_fly_yet_is_waited_for_asleep) {
  struct bed b = bed_start("in", 1);
  struct script script = {.forward = "out"};
  struct lanes l;
  rd_kafka_mock_topic_create(b.cluster, "out", 1, 1);
  lanes_init(&l, b.address, "in", NULL);
  lanes_set(&l, "start", "beginning");
  lanes_set(&l, "in_flight", "1");
  lanes_set(&l, "count", "3");
  if (lanes_prepare(&l)) lanes_start(&l, &script);
  lane_fill(b.address, "in", 1, 0, 1, 0);
  LANE_UNTIL(lanes_sent(&l, 0) == 1);
  rd_kafka_mock_broker_push_request_error_rtts(b.cluster, 1, KAFKA_PRODUCE, 2, RD_KAFKA_RESP_ERR_NO_ERROR, 0,
                                               RD_KAFKA_RESP_ERR_NO_ERROR, 3000);
  lane_fill(b.address, "in", 1, 1, 1, 0);
  LANE_UNTIL(atomic_load(&script.total) == 2);
  lane_fill(b.address, "in", 1, 2, 1, 0);
  double cpu = lane_cpu();
  int64_t clock = rl_now();
  LANE_UNTIL(atomic_load(&script.total) == 3);
  double waited = (double)(rl_now() - clock) / 1e9;
  CHECK(waited > 1); /* it did wait */
  CHECK(lane_cpu() - cpu < waited / 2);
  lanes_end(&l);
  CHECK_INT(l.err[0].code, 0);
  bed_stop(&b);
}
