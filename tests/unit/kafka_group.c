/* Membership: rebalances under both assignors, commits, and leaving. */
#include "kafka/broker.h"
#include "kafka/consumer_impl.h"
#include "kafka_bed.h"

static struct bed_member member(struct bed *b, struct rl_kconf *conf, const char *assignor) {
  char *topics[] = {"alerts"};
  struct rl_err err;
  rl_kconf_set(conf, "partition.assignment.strategy", assignor, "-X", &err);
  rl_kconf_set(conf, "session.timeout.ms", "6000", "-X", &err);
  rl_kconf_set(conf, "heartbeat.interval.ms", "200", "-X", &err);
  struct rl_consumer_opts opts = {.conf = conf, .brokers = b->address, .group = "g"};
  struct bed_member m = {.c = bed_consumer(&opts)};
  if (rl_consumer_subscribe(m.c, topics, 1, &err)) UNIT_FAIL("subscribe: %s", err.text);
  return m;
}

static void both(struct bed_member *a, struct bed_member *b) {
  bed_wait(rl_consumer_fd(a->c));
  bed_round(a);
  bed_wait(rl_consumer_fd(b->c));
  bed_round(b);
}

static void two_members(const char *assignor, bool cooperative) {
  struct bed b = bed_start("alerts", 4);
  struct rl_kconf conf = RL_KCONF_INIT;
  bed_fill(b.address, "alerts", 4, 100);
  struct bed_member first = member(&b, &conf, assignor);
  CHECK(!rl_consumer_joined(first.c));
  BED_UNTIL(&first, first.messages == 100);
  CHECK(rl_consumer_joined(first.c));
  CHECK_INT(first.owned.n, 4);
  CHECK(rl_consumer_cooperative(first.c) == cooperative);
  struct bed_member second = member(&b, &conf, assignor);
  int64_t end = rl_now() + BED_PATIENCE;
  while ((second.owned.n != 2 || first.owned.n != 2) && rl_now() < end) both(&first, &second);
  CHECK_INT(first.owned.n, 2);
  CHECK_INT(second.owned.n, 2);
  CHECK_INT(first.losts + second.losts, 0);
  struct rl_tps forwarded;
  rl_consumer_assignment(first.c, &forwarded);
  CHECK_INT(forwarded.n, 2);
  rl_tps_free(&forwarded);
  int before = first.messages + second.messages;
  bed_fill(b.address, "alerts", 4, 40);
  end = rl_now() + BED_PATIENCE;
  int again = cooperative ? 0 : 100; /* nothing was committed: an eager group reads all anew */
  while (first.messages + second.messages < before + 40 && rl_now() < end) both(&first, &second);
  CHECK(first.messages + second.messages >= 140);
  CHECK(first.messages + second.messages <= 140 + 100 + again);
  bed_leave(&second);
  BED_UNTIL(&first, first.owned.n == 4);
  bed_leave(&first);
  CHECK_INT(first.fatal + second.fatal, 0);
  rl_kconf_free(&conf);
  bed_stop(&b);
}

/* The first member keeps a partition and joins anew for the second one's sake: no event tells. */
TEST(s2_2_a_join_under_way_is_seen_though_nothing_tells) {
  struct bed b = bed_start("alerts", 1);
  struct rl_kconf conf = RL_KCONF_INIT;
  struct bed_member first = member(&b, &conf, "cooperative-sticky");
  BED_UNTIL(&first, first.owned.n == 1);
  BED_UNTIL(&first, rl_consumer_may_commit(first.c));
  CHECK(rl_consumer_joined(first.c));
  struct bed_member second = member(&b, &conf, "cooperative-sticky");
  BED_UNTIL(&first, !rl_consumer_joined(first.c));
  CHECK(!rl_consumer_joined(first.c));
  CHECK_INT(first.revokes, 0);
  int64_t end = rl_now() + BED_PATIENCE;
  while ((!second.assigns || !rl_consumer_joined(first.c)) && rl_now() < end) both(&first, &second);
  CHECK_INT(first.revokes, 0);
  CHECK(rl_consumer_joined(first.c));
  bed_leave(&second);
  bed_leave(&first);
  rl_kconf_free(&conf);
  bed_stop(&b);
}

TEST(s2_two_members_share_under_range) { two_members("range", false); }
TEST(s2_two_members_share_under_cooperative_sticky) { two_members("cooperative-sticky", true); }

static void leaves(const char *assignor) {
  struct bed b = bed_start("alerts", 2);
  struct rl_kconf conf = RL_KCONF_INIT;
  struct rl_err err;
  struct bed_member m = member(&b, &conf, assignor);
  BED_UNTIL(&m, m.assigns == 1);
  CHECK_INT(rl_consumer_close_begin(m.c, &err), 0);
  BED_UNTIL(&m, rl_consumer_closed(m.c));
  CHECK_INT(m.revokes, 1);
  CHECK_INT(m.owned.n, 0);
  CHECK_INT(m.committed, 0);
  rl_consumer_destroy(m.c);
  rl_tps_free(&m.owned);
  rl_kconf_free(&conf);
  bed_stop(&b);
}

TEST(hyrax_5_close_revokes_and_never_commits_under_range) { leaves("range"); }
TEST(hyrax_5_close_revokes_and_never_commits_under_cooperative) { leaves("cooperative-sticky"); }

TEST(d_2_close_before_the_join_was_answered) {
  struct bed b = bed_start("alerts", 1);
  struct rl_kconf conf = RL_KCONF_INIT;
  struct bed_member m = member(&b, &conf, "range");
  bed_leave(&m);
  rl_kconf_free(&conf);
  bed_stop(&b);
}

TEST(d_2_destroy_with_a_rebalance_unanswered) {
  struct bed b = bed_start("alerts", 1);
  struct rl_kconf conf = RL_KCONF_INIT;
  struct bed_member m = member(&b, &conf, "range");
  struct rl_kev ev = {.kind = RL_KEV_NONE};
  int64_t end = rl_now() + BED_PATIENCE;
  while (ev.kind != RL_KEV_ASSIGN && rl_now() < end) {
    bed_wait(rl_consumer_fd(m.c));
    rl_kev_free(&ev);
    rl_consumer_clear(m.c);
    rl_consumer_serve(m.c, &ev);
  }
  CHECK_INT(ev.kind, RL_KEV_ASSIGN);
  rl_kev_free(&ev);
  rl_consumer_destroy(m.c);
  rl_kconf_free(&conf);
  bed_stop(&b);
}

TEST(s3_a_commit_is_answered_and_found_again) {
  struct bed b = bed_start("alerts", 1);
  struct rl_kconf conf = RL_KCONF_INIT;
  struct rl_tps at = RL_TPS_INIT;
  struct rl_err err;
  bed_fill(b.address, "alerts", 1, 10);
  struct bed_member m = member(&b, &conf, "range");
  BED_UNTIL(&m, m.eofs == 1);
  rl_tps_add(&at, "alerts", 0, 6);
  CHECK_INT(rl_consumer_commit(m.c, &at, &err), 0);
  BED_UNTIL(&m, m.committed == 1);
  CHECK_INT(m.last.code, 0);
  bed_leave(&m);
  m = member(&b, &conf, "range");
  BED_UNTIL(&m, m.eofs == 1);
  CHECK_INT(m.messages, 4);
  rd_kafka_mock_push_request_errors(b.cluster, 8 /* OffsetCommit */, 1,
                                    RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  at.at[0].offset = 10;
  CHECK_INT(rl_consumer_commit(m.c, &at, &err), 0);
  BED_UNTIL(&m, m.committed == 1);
  CHECK_INT(m.last.code, RL_EBROKER);
  CHECK_INT(m.last.kafka, RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
  rl_tps_free(&at);
  bed_leave(&m);
  rl_kconf_free(&conf);
  bed_stop(&b);
}

TEST(s1_4_accept_may_start_elsewhere_than_at_the_committed_offset) {
  struct bed b = bed_start("alerts", 1);
  struct rl_kconf conf = RL_KCONF_INIT;
  struct rl_err err;
  bed_fill(b.address, "alerts", 1, 10);
  struct bed_member m = member(&b, &conf, "range");
  struct rl_kev ev = {.kind = RL_KEV_NONE};
  int64_t end = rl_now() + BED_PATIENCE;
  while (ev.kind != RL_KEV_ASSIGN && rl_now() < end) {
    bed_wait(rl_consumer_fd(m.c));
    rl_consumer_clear(m.c);
    rl_consumer_serve(m.c, &ev);
  }
  ev.tps.at[0].offset = 8;
  CHECK_INT(rl_consumer_accept(m.c, &ev.tps, &err), 0);
  rl_kev_free(&ev);
  BED_UNTIL(&m, m.eofs == 1);
  CHECK_INT(m.messages, 2);
  bed_leave(&m);
  rl_kconf_free(&conf);
  bed_stop(&b);
}

TEST(s6_3_an_idle_member_that_serves_stays) {
  struct bed b = bed_start("alerts", 1);
  struct rl_kconf conf = RL_KCONF_INIT;
  struct rl_err err;
  rl_kconf_set(&conf, "max.poll.interval.ms", "6000", "-X", &err);
  struct bed_member m = member(&b, &conf, "range");
  BED_UNTIL(&m, m.eofs == 1);
  for (int64_t end = rl_now() + 9 * RL_NS_PER_S; rl_now() < end;) {
    struct pollfd p = {rl_consumer_fd(m.c), POLLIN, 0};
    struct rl_kev ev;
    poll(&p, 1, 2000);
    rl_consumer_clear(m.c);
    while (rl_consumer_serve(m.c, &ev)) bed_event(&m, &ev); /* events only: messages are not taken */
  }
  CHECK_INT(m.losts, 0);
  CHECK_INT(m.errors, 0);
  CHECK_INT(m.owned.n, 1);
  bed_leave(&m);
  rl_kconf_free(&conf);
  bed_stop(&b);
}

TEST(a_fatal_error_says_so_with_its_cause) {
  struct bed b = bed_start("alerts", 1);
  struct rl_kconf conf = RL_KCONF_INIT;
  struct bed_member m = member(&b, &conf, "range");
  rd_kafka_test_fatal_error(m.c->rk, RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID, "fenced by the test");
  BED_UNTIL(&m, m.fatal > 0);
  CHECK_INT(m.last.kafka, RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID);
  CHECK_HAS(m.last.text, "fenced by the test");
  CHECK_HAS(m.last.text, "group.instance.id");
  bed_leave(&m);
  rl_kconf_free(&conf);
  bed_stop(&b);
}

TEST(d_7_a_missing_topic_is_told_and_the_others_flow) {
  struct bed b = bed_start("alerts", 1);
  struct rl_err err;
  char *topics[] = {"alerts", "nowhere"};
  rd_kafka_mock_topic_set_error(b.cluster, "nowhere", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  bed_fill(b.address, "alerts", 1, 5);
  struct rl_consumer_opts opts = {.brokers = b.address, .group = "g"};
  struct bed_member m = {.c = bed_consumer(&opts)};
  CHECK_INT(rl_consumer_subscribe(m.c, topics, 2, &err), 0);
  BED_UNTIL(&m, m.messages == 5 && m.errors > 0);
  CHECK_INT(m.last.kafka, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  CHECK_HAS(m.last.text, "nowhere");
  CHECK_INT(m.fatal, 0);
  bed_leave(&m);
  bed_stop(&b);
}

TEST(subscribing_without_a_group_is_refused) {
  struct rl_consumer_opts opts = {.brokers = "127.0.0.1:1"};
  struct rl_consumer *c;
  struct rl_err err;
  char *topics[] = {"alerts"};
  CHECK_INT(rl_consumer_open(&c, &opts, &err), 0);
  CHECK_INT(rl_consumer_subscribe(c, topics, 1, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "-G GROUP");
  rl_consumer_destroy(c);
}

TEST(s12_the_embedded_broker_listens_on_loopback) {
  struct rl_broker *broker;
  struct rl_err err;
  CHECK_INT(rl_broker_start(&broker, "alerts:3,other", 1, &err), 0);
  CHECK(!strncmp(rl_broker_address(broker), "127.0.0.1:", 10));
  bed_fill(rl_broker_address(broker), "alerts", 3, 6);
  bed_fill(rl_broker_address(broker), "other", 1, 2);
  rl_broker_stop(broker);
  CHECK_INT(rl_broker_start(&broker, "alerts:none", 1, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "alerts:none");
}
