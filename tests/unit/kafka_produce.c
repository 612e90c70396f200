/* Sending: what is acknowledged, what is refused and as what, what a full queue does. */
#include "kafka_bed.h"

#define PRODUCE 0

static struct rl_record record_of(const char *topic, struct rl_bytes value) {
  struct rl_record r = {.topic = topic, .partition = -1, .value = value};
  return r;
}

TEST(a_value_may_be_pinned_until_its_report) {
  struct bed b = bed_start("alerts", 1);
  struct rl_producer *p = bed_producer(b.address, NULL);
  struct bed_reports r = {0, 0, {0}};
  struct rl_err err;
  char *value = strdup("pinned");
  struct rl_record record = record_of("alerts", rl_bytes_str(value));
  record.pinned = true;
  for (int i = 0; i < 100; i++) CHECK_INT(rl_producer_send(p, &record, &err), 0);
  CHECK(rl_producer_pending(p) > 0);
  bed_flush(p, &r);
  CHECK_INT(r.ok, 100);
  free(value);
  rl_producer_destroy(p, bed_delivered, &r);
  bed_stop(&b);
}

TEST(s5_2_too_large_is_refused_at_once) {
  struct bed b = bed_start("alerts", 1);
  struct rl_producer *p = bed_producer(b.address, NULL);
  struct rl_err err;
  size_t size = rl_producer_max_bytes(p) + 1;
  char *value = calloc(1, size);
  struct rl_record record = record_of("alerts", rl_bytes(value, size));
  CHECK_INT(rl_producer_send(p, &record, &err), RL_EHANDLER);
  CHECK(rl_producer_too_large(&err));
  CHECK_HAS(err.text, "alerts");
  CHECK_INT(rl_producer_pending(p), 0);
  free(value);
  rl_producer_destroy(p, NULL, NULL);
  bed_stop(&b);
}

TEST(s5_2_the_embedded_broker_is_not_waited_for_to_say_a_limit) {
  struct bed b = bed_start("alerts", 1);
  struct rl_producer *p = bed_producer(b.address, NULL);
  struct rl_err err;
  int64_t began = rl_now();
  CHECK_INT(rl_producer_has_topic(p, "alerts", 20000, &err), 0);
  CHECK_INT(rl_producer_topic_limit(p, "alerts", 20000), 0);
  CHECK(rl_now() - began < 10 * RL_NS_PER_S);
  rl_producer_destroy(p, NULL, NULL);
  bed_stop(&b);
}

static struct bed_reports refused_with(rd_kafka_resp_err_t code) {
  struct bed b = bed_start("alerts", 1);
  struct rl_producer *p = bed_producer(b.address, NULL);
  struct bed_reports r = {0, 0, {0}};
  struct rl_err err;
  struct rl_record record = record_of("alerts", rl_bytes_str("x"));
  rd_kafka_mock_push_request_errors(b.cluster, PRODUCE, 1, code);
  CHECK_INT(rl_producer_send(p, &record, &err), 0);
  bed_flush(p, &r);
  rl_producer_destroy(p, bed_delivered, &r);
  bed_stop(&b);
  return r;
}

TEST(s5_2_what_the_broker_refuses_has_a_class) {
  struct bed_reports r = refused_with(RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
  CHECK_INT(r.failed, 1);
  CHECK_INT(r.last.code, RL_EHANDLER);
  CHECK(rl_producer_too_large(&r.last));
  r = refused_with(RD_KAFKA_RESP_ERR_INVALID_RECORD);
  CHECK_INT(r.failed, 1);
  CHECK_INT(r.last.code, RL_EHANDLER);
  r = refused_with(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  CHECK_INT(r.failed, 1);
  CHECK_INT(r.last.code, RL_EBROKER);
  CHECK_HAS(r.last.text, "output to alerts[0]");
  CHECK_HAS(r.last.text, "access");
}

TEST(s5_1_an_outage_is_waited_out) {
  struct bed b = bed_start("alerts", 1);
  struct rl_producer *p = bed_producer(b.address, NULL);
  struct bed_reports r = {0, 0, {0}};
  struct rl_err err;
  struct rl_record record = record_of("alerts", rl_bytes_str("x"));
  CHECK_INT(rl_producer_send(p, &record, &err), 0);
  bed_flush(p, &r);
  rd_kafka_mock_broker_set_down(b.cluster, 1);
  CHECK_INT(rl_producer_send(p, &record, &err), 0);
  for (int i = 0; i < 20; i++) {
    bed_wait(rl_producer_fd(p));
    rl_producer_clear(p);
    rl_producer_serve(p, bed_delivered, &r);
  }
  CHECK_INT(r.ok, 1);
  CHECK_INT(rl_producer_pending(p), 1);
  rd_kafka_mock_broker_set_up(b.cluster, 1);
  bed_flush(p, &r);
  CHECK_INT(r.ok, 2);
  CHECK_INT(r.failed, 0);
  CHECK(!rl_producer_fatal(p, &err));
  rl_producer_destroy(p, bed_delivered, &r);
  bed_stop(&b);
}

TEST(a_full_queue_takes_nothing_and_destroy_reports_the_rest) {
  struct rl_kconf conf = RL_KCONF_INIT;
  struct bed_reports r = {0, 0, {0}};
  struct rl_err err;
  int sent = 0;
  rl_kconf_set(&conf, "queue.buffering.max.messages", "10", "-X", &err);
  struct rl_producer *p = bed_producer("127.0.0.1:1", &conf);
  struct rl_record record = record_of("alerts", rl_bytes_str("x"));
  int rc = 0;
  while (sent < 100 && !(rc = rl_producer_send(p, &record, &err))) sent++;
  CHECK_INT(rc, RL_EFULL);
  CHECK_INT(sent, 10);
  CHECK_INT(rl_producer_pending(p), 10);
  rl_producer_destroy(p, bed_delivered, &r);
  CHECK_INT(r.failed, 10);
  CHECK_INT(r.last.code, RL_EFAIL);
  rl_kconf_free(&conf);
}

TEST(s5_2_an_unknown_output_topic_is_found_out) {
  struct bed b = bed_start("alerts", 1);
  struct rl_producer *p = bed_producer(b.address, NULL);
  struct rl_err err;
  rd_kafka_mock_topic_set_error(b.cluster, "nowhere", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  CHECK_INT(rl_producer_has_topic(p, "alerts", 20000, &err), 0);
  CHECK_INT(rl_producer_has_topic(p, "nowhere", 20000, &err), RL_EBROKER);
  CHECK_HAS(err.text, "nowhere");
  CHECK_HAS(err.text, "create the topic, or list what is there with kafka-topics --list");
  CHECK_INT(rl_producer_has_topic(p, "nowhere", 500, &err), RL_EBROKER);
  struct rl_record record = record_of("alerts", rl_bytes_str("x"));
  record.partition = 7;
  CHECK_INT(rl_producer_send(p, &record, &err), RL_EBROKER);
  CHECK_HAS(err.text, "alerts[7]");
  rl_producer_destroy(p, NULL, NULL);
  bed_stop(&b);
}

/* Java's murmur2 of these keys, positive, modulo the partitions: from Kafka's own UtilsTest. */
TEST(s5_4_keys_go_where_java_puts_them) {
  static const struct {
    const char *key;
    int32_t murmur2;
  } known[] = {{"21", -973932308},
               {"foobar", -790332482},
               {"a-little-bit-long-string", -985981536},
               {"abc", 479470107}};
  struct bed b = bed_start("alerts", 7);
  struct rl_producer *p = bed_producer(b.address, NULL);
  struct bed_reports r = {0, 0, {0}};
  struct rl_err err;
  for (int i = 0; i < 4; i++) {
    struct rl_record record = record_of("alerts", rl_bytes_str(known[i].key));
    record.key = record.value;
    CHECK_INT(rl_producer_send(p, &record, &err), 0);
  }
  bed_flush(p, &r);
  struct rl_consumer_opts opts = {.brokers = b.address, .manual = true};
  struct bed_member m = {.c = bed_consumer(&opts)};
  struct rl_tps parts = RL_TPS_INIT;
  for (int32_t i = 0; i < 7; i++) rl_tps_add(&parts, "alerts", i, 0);
  CHECK_INT(rl_consumer_assign(m.c, &parts, &err), 0);
  int64_t end = rl_now() + BED_PATIENCE;
  for (int seen = 0; seen < 4 && rl_now() < end;) {
    struct rl_msg msg;
    bed_wait(rl_consumer_fd(m.c));
    rl_consumer_clear(m.c);
    while (rl_consumer_take(m.c, &msg, &err) == RL_TAKE_MSG) {
      for (int i = 0; i < 4; i++)
        if (rl_bytes_eq(msg.key, rl_bytes_str(known[i].key)))
          CHECK_INT(msg.partition, (known[i].murmur2 & 0x7fffffff) % 7);
      seen++;
      rl_msg_release(&msg);
    }
  }
  bed_leave(&m);
  rl_tps_free(&parts);
  rl_producer_destroy(p, bed_delivered, &r);
  bed_stop(&b);
}
