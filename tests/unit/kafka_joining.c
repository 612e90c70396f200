/* When a commit is in doubt because a join may be under way: the requests as they go out and come back. */
#include <poll.h>

#include "base/clock.h"
#include "kafka/joining.h"
#include "unit.h"

enum { OFFSET_FETCH = 9, JOIN_GROUP = 11, HEARTBEAT = 12, LEAVE_GROUP = 13, SYNC_GROUP = 14 };

static int64_t at; /* the time */

static struct rl_joining *joined(const struct rl_wake *wake) {
  at += 100 * RL_NS_PER_S;
  struct rl_joining *j = rl_joining_new(wake);
  rl_joining_sent(j, JOIN_GROUP, at);
  rl_joining_received(j, JOIN_GROUP, at);
  rl_joining_sent(j, SYNC_GROUP, at);
  return j;
}

static void probe(struct rl_joining *j) {
  CHECK_INT(rl_joining_doubt(j, at), RL_PROBE);
  CHECK_INT(rl_joining_doubt(j, at), RL_WAIT); /* one at a time */
  rl_joining_sent(j, OFFSET_FETCH, at);
}

static struct rl_joining *settled(const struct rl_wake *wake) {
  struct rl_joining *j = joined(wake);
  at += 2 * RL_NS_PER_S;
  rl_joining_received(j, SYNC_GROUP, at);
  for (int i = 0; i < 3; i++) probe(j);
  CHECK_INT(rl_joining_doubt(j, at), RL_SURE);
  return j;
}

static bool rung(const struct rl_wake *wake) {
  struct pollfd fd = {.fd = wake->rd, .events = POLLIN};
  bool yes = poll(&fd, 1, 0) > 0;
  rl_wake_clear(wake);
  return yes;
}

TEST(s2_3_a_join_is_under_way_until_its_second_half_is_answered) {
  struct rl_joining *j = joined(NULL);
  CHECK(rl_joining_now(j, at));
  rl_joining_received(j, HEARTBEAT, at); /* of before */
  CHECK(rl_joining_now(j, at));
  rl_joining_received(j, SYNC_GROUP, at);
  CHECK(!rl_joining_now(j, at));
  rl_joining_free(j);
}

/* The answer may have said that the group joins anew. */
TEST(s2_3_three_probes_after_a_join_make_it_sure) { rl_joining_free(settled(NULL)); }

TEST(s2_3_a_heartbeat_leaves_doubt_until_three_probes_are_out) {
  struct rl_joining *j = settled(NULL);
  rl_joining_sent(j, HEARTBEAT, at);
  CHECK(!rl_joining_now(j, at));
  CHECK_INT(rl_joining_doubt(j, at), RL_WAIT);
  rl_joining_sent(j, OFFSET_FETCH, at); /* somebody's: before the answer it proves nothing */
  CHECK_INT(rl_joining_doubt(j, at), RL_WAIT);
  rl_joining_received(j, HEARTBEAT, at);
  rl_joining_sent(j, OFFSET_FETCH, at); /* nor one that was not asked for since */
  for (int i = 0; i < 3; i++) probe(j);
  CHECK_INT(rl_joining_doubt(j, at), RL_SURE);
  rl_joining_free(j);
}

TEST(s2_3_a_heartbeat_between_the_probes_begins_anew) {
  struct rl_joining *j = settled(NULL);
  rl_joining_sent(j, HEARTBEAT, at);
  rl_joining_received(j, HEARTBEAT, at);
  probe(j);
  probe(j);
  rl_joining_sent(j, HEARTBEAT, at);
  rl_joining_received(j, HEARTBEAT, at);
  for (int i = 0; i < 3; i++) probe(j);
  CHECK_INT(rl_joining_doubt(j, at), RL_SURE);
  rl_joining_free(j);
}

TEST(s2_3_a_join_that_came_of_it_counts) {
  struct rl_joining *j = settled(NULL);
  rl_joining_sent(j, HEARTBEAT, at);
  rl_joining_received(j, HEARTBEAT, at);
  probe(j);
  rl_joining_sent(j, JOIN_GROUP, at);
  CHECK(rl_joining_now(j, at));
  rl_joining_sent(j, OFFSET_FETCH, at);
  CHECK(rl_joining_now(j, at));
  rl_joining_free(j);
}

/* The next join is due a second after the last: what is on its way before that is in front of it. */
TEST(s2_3_until_the_next_join_can_be_due_a_commit_may_go) {
  struct rl_joining *j = joined(NULL);
  int64_t sent = at;
  rl_joining_received(j, SYNC_GROUP, at);
  CHECK_INT(rl_joining_doubt(j, at), RL_SURE);
  at = sent + 700 * RL_NS_PER_MS;
  rl_joining_sent(j, HEARTBEAT, at);
  CHECK_INT(rl_joining_doubt(j, at), RL_SURE);
  rl_joining_received(j, HEARTBEAT, at);
  at = sent + 800 * RL_NS_PER_MS;
  CHECK_INT(rl_joining_doubt(j, at), RL_WAIT);
  at = sent + 1000 * RL_NS_PER_MS;
  CHECK_INT(rl_joining_doubt(j, at), RL_WAIT);
  at++;
  for (int i = 0; i < 3; i++) probe(j);
  CHECK_INT(rl_joining_doubt(j, at), RL_SURE);
  rl_joining_free(j);
}

TEST(s7_1_a_coordinator_that_is_silent_ends_the_doubt) {
  struct rl_joining *j = settled(NULL);
  rl_joining_sent(j, HEARTBEAT, at);
  at += 1999 * RL_NS_PER_MS;
  CHECK_INT(rl_joining_doubt(j, at), RL_WAIT);
  at += RL_NS_PER_MS;
  CHECK_INT(rl_joining_doubt(j, at), RL_SURE);
  rl_joining_free(j);
}

TEST(s2_3_what_is_given_up_is_followed_by_a_join_where_there_are_any) {
  struct rl_joining *j = rl_joining_new(NULL);
  rl_joining_follows(j, at); /* KIP-848 */
  CHECK(!rl_joining_now(j, at));
  rl_joining_free(j);
  j = settled(NULL);
  rl_joining_follows(j, at);
  CHECK(rl_joining_now(j, at));
  rl_joining_sent(j, HEARTBEAT, at);
  CHECK(rl_joining_now(j, at));
  rl_joining_free(j);
}

TEST(s6_3_it_rings_when_there_is_something_to_do) {
  struct rl_wake wake;
  CHECK_INT(rl_wake_open(&wake), 0);
  struct rl_joining *j = settled(&wake);
  CHECK(rung(&wake));
  rl_joining_sent(j, HEARTBEAT, at);
  CHECK(!rung(&wake));
  rl_joining_received(j, HEARTBEAT, at);
  CHECK(rung(&wake));
  for (int i = 0; i < 3; i++) {
    probe(j);
    CHECK(rung(&wake));
  }
  rl_joining_sent(j, LEAVE_GROUP, at);
  CHECK(!rung(&wake));
  rl_joining_free(j);
  rl_wake_close(&wake);
}
