/* What is produced comes back as it was: bytes, nulls, headers, times; ends and offsets as they are. */
#include "kafka_bed.h"

static struct bed_member solo(struct bed *b, const struct rl_kconf *conf, const struct rl_tps *parts) {
  struct rl_consumer_opts opts = {.conf = conf, .brokers = b->address, .manual = true};
  struct bed_member m = {.c = bed_consumer(&opts)};
  struct rl_err err;
  if (rl_consumer_assign(m.c, parts, &err)) UNIT_FAIL("assign: %s", err.text);
  return m;
}

static struct bed_member solo_from(struct bed *b, int64_t offset) {
  struct rl_tps parts = RL_TPS_INIT;
  rl_tps_add(&parts, "alerts", 0, offset);
  struct bed_member m = solo(b, NULL, &parts);
  rl_tps_free(&parts);
  return m;
}

/* The next thing that is not nothing. */
static enum rl_take next(struct bed_member *m, struct rl_msg *msg, struct rl_err *err) {
  int64_t end = rl_now() + BED_PATIENCE;
  enum rl_take t;
  while ((t = rl_consumer_take(m->c, msg, err)) == RL_TAKE_NONE && rl_now() < end) {
    struct rl_kev ev;
    bed_wait(rl_consumer_fd(m->c));
    rl_consumer_clear(m->c);
    while (rl_consumer_serve(m->c, &ev)) bed_event(m, &ev);
  }
  return t;
}

static void send_one(struct bed *b, struct rl_record record) {
  struct rl_producer *p = bed_producer(b->address, NULL);
  struct bed_reports r = {0, 0, {0}};
  struct rl_err err;
  if (rl_producer_send(p, &record, &err)) UNIT_FAIL("send: %s", err.text);
  bed_flush(p, &r);
  CHECK_INT(r.ok, 1);
  rl_producer_destroy(p, bed_delivered, &r);
}

TEST(null_empty_and_absent_stay_different) {
  struct bed b = bed_start("alerts", 1);
  struct rl_header headers[] = {{"a", rl_bytes_str("1")},
                                {"a", rl_bytes_str("2")},
                                {"null", rl_bytes(NULL, 0)},
                                {"empty", rl_bytes("", 0)}};
  struct rl_record record = {.topic = "alerts", .partition = 0, .timestamp = 1600000000123};
  send_one(&b, record); /* null key and value */
  record.key = record.value = rl_bytes("", 0);
  record.headers = headers;
  record.n_headers = 4;
  send_one(&b, record);
  struct bed_member m = solo_from(&b, RL_OFFSET_BEGINNING);
  struct rl_msg msg;
  struct rl_header h;
  struct rl_err err;
  CHECK_INT(next(&m, &msg, &err), RL_TAKE_MSG);
  CHECK_STR(msg.topic, "alerts");
  CHECK_INT(msg.offset, 0);
  CHECK_INT(msg.timestamp, 1600000000123);
  CHECK_INT(msg.timestamp_type, RL_TIMESTAMP_CREATE);
  CHECK_INT(msg.slot, rl_consumer_slot(m.c, "alerts", 0));
  CHECK(msg.key.data == NULL && msg.value.data == NULL);
  CHECK(!rl_msg_header(&msg, 0, &h));
  rl_msg_release(&msg);
  CHECK_INT(next(&m, &msg, &err), RL_TAKE_MSG);
  CHECK(msg.key.data && msg.key.len == 0);
  CHECK(msg.value.data && msg.value.len == 0);
  for (size_t i = 0; i < 4; i++) {
    CHECK(rl_msg_header(&msg, i, &h));
    CHECK_STR(h.name, headers[i].name);
    CHECK(rl_bytes_eq(h.value, headers[i].value));
  }
  CHECK(!rl_msg_header(&msg, 4, &h));
  rl_msg_release(&msg);
  CHECK(msg.handle == NULL);
  CHECK_INT(next(&m, &msg, &err), RL_TAKE_EOF);
  CHECK_STR(msg.topic, "alerts");
  CHECK_INT(msg.offset, 2);
  CHECK(msg.handle == NULL);
  bed_leave(&m);
  bed_stop(&b);
}

TEST(s1_3_without_a_group_from_an_offset) {
  struct bed b = bed_start("alerts", 1);
  bed_fill(b.address, "alerts", 1, 10);
  struct bed_member m = solo_from(&b, 7);
  struct rl_msg msg;
  struct rl_err err;
  CHECK_INT(next(&m, &msg, &err), RL_TAKE_MSG);
  CHECK_INT(msg.offset, 7);
  CHECK(rl_bytes_eq(msg.value, rl_bytes_str("7")));
  rl_msg_release(&msg);
  struct rl_tps assigned;
  rl_consumer_assignment(m.c, &assigned);
  CHECK_INT(assigned.n, 1);
  rl_tps_free(&assigned);
  BED_UNTIL(&m, m.eofs == 1);
  CHECK_INT(rl_consumer_high(m.c, "alerts", 0), 10);
  CHECK_INT(rl_consumer_high(m.c, "nothing", 0), -1);
  bed_leave(&m);
  bed_stop(&b);
}

TEST(s6_3_what_is_left_in_the_queue_rings_no_second_time) {
  struct bed b = bed_start("alerts", 1);
  bed_fill(b.address, "alerts", 1, 50);
  struct bed_member m = solo_from(&b, RL_OFFSET_BEGINNING);
  struct rl_msg msg;
  struct rl_err err;
  int taken = 0;
  CHECK_INT(next(&m, &msg, &err), RL_TAKE_MSG);
  rl_msg_release(&msg);
  rl_consumer_clear(m.c);
  for (enum rl_take t; (t = next(&m, &msg, &err)) != RL_TAKE_EOF;) {
    CHECK_INT(t, RL_TAKE_MSG);
    rl_msg_release(&msg);
    taken++;
  }
  CHECK_INT(taken, 49);
  bed_leave(&m);
  bed_stop(&b);
}

TEST(a_message_outlives_its_assignment) {
  struct bed b = bed_start("alerts", 1);
  bed_fill(b.address, "alerts", 1, 3);
  struct bed_member m = solo_from(&b, RL_OFFSET_BEGINNING);
  struct rl_tps none = RL_TPS_INIT;
  struct rl_msg msg;
  struct rl_err err;
  CHECK_INT(next(&m, &msg, &err), RL_TAKE_MSG);
  CHECK_INT(rl_consumer_assign(m.c, &none, &err), 0);
  CHECK(rl_bytes_eq(msg.value, rl_bytes_str("0")));
  rl_msg_release(&msg);
  bed_leave(&m);
  bed_stop(&b);
}

TEST(seek_goes_back_and_nothing_older_comes_after_it) {
  struct bed b = bed_start("alerts", 1);
  bed_fill(b.address, "alerts", 1, 20);
  struct bed_member m = solo_from(&b, RL_OFFSET_BEGINNING);
  struct rl_tps to = RL_TPS_INIT;
  struct rl_msg msg;
  struct rl_err err;
  BED_UNTIL(&m, m.messages == 20);
  rl_tps_add(&to, "alerts", 0, 5);
  CHECK_INT(rl_consumer_seek(m.c, &to, 20000, &err), 0);
  enum rl_take t;
  while ((t = next(&m, &msg, &err)) == RL_TAKE_EOF) continue; /* of before */
  CHECK_INT(t, RL_TAKE_MSG);
  CHECK_INT(msg.offset, 5);
  rl_msg_release(&msg);
  rl_tps_free(&to);
  bed_leave(&m);
  bed_stop(&b);
}

TEST(lookups_of_topics_and_offsets) {
  struct bed b = bed_start("alerts", 2);
  char *names[] = {"alerts", "nowhere", "^al.*", "^zz"};
  struct rl_topic_info *infos;
  struct rl_tps parts = RL_TPS_INIT;
  struct rl_err err;
  size_t n;
  bed_fill(b.address, "alerts", 2, 5);
  rd_kafka_mock_topic_set_error(b.cluster, "nowhere", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  struct rl_consumer_opts opts = {.brokers = b.address, .manual = true};
  struct rl_consumer *c = bed_consumer(&opts);
  CHECK_INT(rl_consumer_topics(c, names, 4, 20000, &infos, &n, &err), 0);
  CHECK_INT(n, 2);
  CHECK_STR(infos[0].name, "alerts");
  CHECK_INT(infos[0].partitions, 2);
  CHECK_STR(infos[1].name, "nowhere");
  CHECK_INT(infos[1].error, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  rl_topic_infos_free(infos, n);
  char *bad[] = {"^al("};
  CHECK_INT(rl_consumer_topics(c, bad, 1, 20000, &infos, &n, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "^al(");
  rl_tps_add(&parts, "alerts", 0, 0);
  rl_tps_add(&parts, "alerts", 1, 0);
  CHECK_INT(rl_consumer_ends(c, &parts, 20000, &err), 0);
  CHECK_INT(parts.at[0].offset, 3);
  CHECK_INT(parts.at[1].offset, 2);
  CHECK_INT(rl_consumer_begins(c, &parts, 20000, &err), 0);
  CHECK_INT(parts.at[0].offset, 0);
  rl_tps_add(&parts, "alerts", 9, 0);
  CHECK_INT(rl_consumer_ends(c, &parts, 2000, &err), RL_EBROKER);
  CHECK_HAS(err.text, "alerts[9]");
  rl_tps_free(&parts);
  rl_consumer_destroy(c);
  bed_stop(&b);
}

TEST(an_offset_that_is_not_there_is_an_error_that_says_where) {
  struct bed b = bed_start("alerts", 1);
  struct rl_kconf conf = RL_KCONF_INIT;
  struct rl_tps parts = RL_TPS_INIT;
  struct rl_msg msg;
  struct rl_err err;
  bed_fill(b.address, "alerts", 1, 2);
  rl_kconf_set(&conf, "auto.offset.reset", "error", "-X", &err);
  rl_tps_add(&parts, "alerts", 0, 1000);
  struct bed_member m = solo(&b, &conf, &parts);
  CHECK_INT(next(&m, &msg, &err), RL_TAKE_ERROR);
  CHECK_INT(err.code, RL_EBROKER);
  CHECK_HAS(err.text, "alerts[0]");
  CHECK_HAS(err.text, "1000");
  CHECK_HAS(err.text, "start at beginning");
  rl_tps_free(&parts);
  rl_kconf_free(&conf);
  bed_leave(&m);
  bed_stop(&b);
}

TEST(an_outage_is_told_once_and_ends) {
  struct bed b = bed_start("alerts", 1);
  bed_fill(b.address, "alerts", 1, 1);
  struct bed_member m = solo_from(&b, RL_OFFSET_BEGINNING);
  BED_UNTIL(&m, m.messages == 1);
  rd_kafka_mock_broker_set_down(b.cluster, 1);
  BED_UNTIL(&m, m.errors >= 2); /* this broker; all brokers */
  CHECK_INT(m.fatal, 0);
  CHECK_INT(m.last.code, RL_EBROKER);
  rd_kafka_mock_broker_set_up(b.cluster, 1);
  bed_fill(b.address, "alerts", 1, 1);
  BED_UNTIL(&m, m.messages == 2);
  CHECK(m.errors < 6);
  bed_leave(&m);
  bed_stop(&b);
}

TEST(d_2_destroy_ends_although_a_message_was_not_released) {
  struct bed b = bed_start("alerts", 1);
  bed_fill(b.address, "alerts", 1, 1);
  struct bed_member m = solo_from(&b, RL_OFFSET_BEGINNING);
  struct rl_msg msg;
  struct rl_err err;
  CHECK_INT(next(&m, &msg, &err), RL_TAKE_MSG);
  int64_t start = rl_now();
  bed_leave(&m);
  CHECK(rl_now() - start < 40 * RL_NS_PER_S);
  CHECK(rl_bytes_eq(msg.value, rl_bytes_str("0")));
  rl_msg_release(&msg);
  bed_stop(&b);
}
