/* Faults of the brokers that a lane waits out (S7.1). */
#include "lane_bed.h"

TEST(s7_1_a_broker_that_cannot_serve_a_fetch_is_waited_for) {
  struct bed b = bed_start("in", 1);
  struct script script = {.forward = NULL};
  struct lanes l;
  lane_fill(b.address, "in", 1, 0, 10, 0);
  lanes_init(&l, b.address, "in", "g");
  lanes_set(&l, "count", "20");
  lanes_go(&l, &script);
  LANE_UNTIL(atomic_load(&script.total) == 10);
  rd_kafka_mock_push_request_errors(b.cluster, KAFKA_FETCH, 3, RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR,
                                    RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, RD_KAFKA_RESP_ERR_UNKNOWN);
  lane_nap(2000);
  lane_fill(b.address, "in", 1, 10, 10, 0);
  lanes_end(&l);
  CHECK_STR(l.err[0].text, "");
  CHECK_INT(script.total, 20);
  CHECK_INT(lane_committed(b.address, "in", "g"), 20);
  bed_stop(&b);
}

TEST(s7_1_a_fetch_that_is_not_allowed_ends_the_run) {
  struct bed b = bed_start("in", 1);
  struct script script = {.forward = NULL};
  struct lanes l;
  lane_fill(b.address, "in", 1, 0, 10, 0);
  lanes_init(&l, b.address, "in", "g");
  lanes_go(&l, &script);
  LANE_UNTIL(atomic_load(&script.total) == 10);
  rd_kafka_mock_push_request_errors(b.cluster, KAFKA_FETCH, 1, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  lanes_end(&l);
  CHECK_INT(l.err[0].code, RL_EBROKER);
  CHECK_HAS(l.err[0].text, "in[0]");
  bed_stop(&b);
}

/* The topic is quiet after the brokers are back: that is not the outage going on. */
TEST(s7_1_an_outage_ends_when_the_brokers_are_back_even_if_nothing_comes) {
  struct bed b = bed_start("in", 1);
  struct script script = {.forward = NULL};
  struct lanes l;
  lane_fill(b.address, "in", 1, 0, 10, 0);
  lanes_init(&l, b.address, "in", "g");
  lanes_set(&l, "outage", "4");
  lanes_set(&l, "kafka", "reconnect.backoff.max.ms=200");
  lanes_go(&l, &script);
  LANE_UNTIL(atomic_load(&script.total) == 10);
  LANE_UNTIL(lane_committed(b.address, "in", "g") == 10);
  rd_kafka_mock_broker_set_down(b.cluster, 1);
  lane_nap(1000);
  rd_kafka_mock_broker_set_up(b.cluster, 1);
  lane_nap(6000);
  CHECK(!rl_lane_ended(l.at[0]));
  lane_fill(b.address, "in", 1, 10, 10, 0);
  LANE_UNTIL(atomic_load(&script.total) >= 20 || rl_lane_ended(l.at[0]));
  lanes_stop(&l);
  lanes_end(&l);
  CHECK_STR(l.err[0].text, "");
  CHECK_INT(lane_missing(&script, 20), 0);
  bed_stop(&b);
}

TEST(s7_1_an_outage_that_lasts_ends_the_run) {
  struct bed b = bed_start("in", 1);
  struct script script = {.forward = NULL};
  struct lanes l;
  lane_fill(b.address, "in", 1, 0, 10, 0);
  lanes_init(&l, b.address, "in", "g");
  lanes_set(&l, "outage", "2");
  lanes_set(&l, "drain", "1");
  lanes_go(&l, &script);
  LANE_UNTIL(atomic_load(&script.total) == 10);
  rd_kafka_mock_broker_set_down(b.cluster, 1);
  rl_lane_wait(l.at[0], &l.err[0]);
  CHECK_INT(l.err[0].code, RL_EBROKER);
  CHECK_HAS(l.err[0].text, "--outage 2 s");
  rl_lane_free(l.at[0]);
  rl_run_free(&l.run);
  rl_settings_free(&l.s);
  bed_stop(&b);
}

static atomic_int told;

static void hear(enum rl_level level, const char *line, void *address) {
  if (level <= RL_WARN && strstr(line, address)) atomic_fetch_add(&told, 1);
}

/* The brokers' errors come as events beside the messages: the first is told with the broker's name, not each.
 */
TEST(hyrax_13_broker_errors_are_logged_and_not_dropped) {
  struct bed b = bed_start("in", 1);
  struct script script = {.forward = NULL};
  struct lanes l;
  char address[64];
  lane_fill(b.address, "in", 1, 0, 10, 0);
  lanes_init(&l, b.address, "in", "g");
  lanes_set(&l, "drain", "1");
  lanes_go(&l, &script);
  LANE_UNTIL(lane_committed(b.address, "in", "g") == 10);
  snprintf(address, sizeof address, "%s", b.address);
  rl_log_level(RL_WARN);
  rl_log_to(hear, address);
  rd_kafka_mock_broker_set_down(b.cluster, 1);
  LANE_UNTIL(atomic_load(&told) > 0);
  lane_nap(3000); /* it goes on failing, many times a second */
  CHECK(atomic_load(&told) < 10);
  rl_log_to(NULL, NULL);
  lanes_stop(&l);
  lanes_end(&l);
  CHECK_INT(script.total, 10);
  bed_stop(&b);
}
