/* Offsets, case by case; stream_offsets_random.c has random histories. */
#include "stream/offsets.h"

#include "unit.h"

static void begin(struct rl_offsets *o, uint32_t slot) {
  rl_offsets_part(o, slot, "t", (int32_t)slot);
  rl_offsets_assign(o, slot);
}

static bool take(struct rl_offsets *o, uint32_t slot, int64_t offset) {
  struct rl_msg m = {.topic = "t", .partition = (int32_t)slot, .slot = slot, .offset = offset};
  bool taken = rl_offsets_take(o, &m);
  if (taken) CHECK_INT(m.epoch, o->at[slot].epoch);
  return taken;
}

static void done(struct rl_offsets *o, uint32_t slot, int64_t next) {
  rl_offsets_done(o, slot, o->at[slot].epoch, next);
}

static int64_t position(const struct rl_offsets *o, uint32_t slot) {
  return rl_offsets_position(&o->at[slot]);
}

/* What a commit asks for the slot; INVALID when nothing. Answers it. */
static int64_t commit(struct rl_offsets *o, uint32_t slot, bool ok) {
  struct rl_tps tps;
  rl_offsets_commit(o, &tps);
  struct rl_tp *tp = rl_tps_find(&tps, "t", (int32_t)slot);
  int64_t offset = tp ? tp->offset : RL_OFFSET_INVALID;
  if (tps.n) rl_offsets_answer(o, ok);
  rl_tps_free(&tps);
  return offset;
}

TEST(s1_1_the_position_is_last_done_plus_one) {
  struct rl_offsets o;
  rl_offsets_init(&o);
  begin(&o, 0);
  CHECK_INT(position(&o, 0), RL_OFFSET_INVALID);
  CHECK(take(&o, 0, 10) && take(&o, 0, 11) && take(&o, 0, 20));
  CHECK_INT(position(&o, 0), RL_OFFSET_INVALID);
  CHECK_INT(commit(&o, 0, true), RL_OFFSET_INVALID);
  done(&o, 0, 12);
  CHECK_INT(position(&o, 0), 12);
  done(&o, 0, 11); /* an older answer takes nothing back */
  CHECK_INT(position(&o, 0), 12);
  CHECK(!rl_offsets_all_done(&o));
  done(&o, 0, 21);
  CHECK_INT(position(&o, 0), 21);
  CHECK(rl_offsets_all_done(&o) && !rl_offsets_settled(&o));
  CHECK_INT(commit(&o, 0, true), 21);
  CHECK(rl_offsets_settled(&o));
  CHECK_INT(commit(&o, 0, true), RL_OFFSET_INVALID);
  rl_offsets_free(&o);
}

TEST(s1_1_eof_is_the_position_once_all_before_it_is_done) {
  struct rl_offsets o;
  rl_offsets_init(&o);
  begin(&o, 0);
  CHECK(take(&o, 0, 4));
  rl_offsets_eof(&o, 0, 9); /* 5 to 8: control records */
  CHECK_INT(position(&o, 0), RL_OFFSET_INVALID);
  CHECK(take(&o, 0, 9));
  done(&o, 0, 5); /* all that was before the EOF */
  CHECK_INT(position(&o, 0), 9);
  done(&o, 0, 10);
  CHECK_INT(position(&o, 0), 10);
  rl_offsets_free(&o);
}

TEST(s1_1_a_partition_with_nothing_to_read_has_its_eof_as_position) {
  struct rl_offsets o;
  rl_offsets_init(&o);
  begin(&o, 0);
  rl_offsets_eof(&o, 0, 7);
  CHECK_INT(position(&o, 0), 7);
  CHECK_INT(commit(&o, 0, true), 7);
  CHECK(!rl_offsets_all_ended(&o)); /* no end was asked for */
  rl_offsets_free(&o);
}

TEST(s1_2_a_partition_ends_where_it_should) {
  struct rl_offsets o;
  rl_offsets_init(&o);
  CHECK(!rl_offsets_all_ended(&o));
  for (uint32_t slot = 0; slot < 4; slot++) {
    begin(&o, slot);
    o.at[slot].end = 5;
  }
  CHECK(take(&o, 0, 4)); /* the last one wanted: its batch need not wait for more */
  CHECK(o.at[0].ended);
  CHECK(!take(&o, 0, 5));
  CHECK(take(&o, 1, 3));
  CHECK(!take(&o, 1, 8)); /* at or past the end: not handled */
  CHECK(o.at[1].ended);
  done(&o, 1, 4);
  CHECK_INT(position(&o, 1), 5); /* nothing lies between 4 and the end */
  rl_offsets_eof(&o, 1, 9);
  CHECK_INT(position(&o, 1), 5); /* 8 was seen and not handled */
  rl_offsets_eof(&o, 2, 5);      /* nothing to read: end == beginning */
  CHECK(o.at[2].ended);
  CHECK(!rl_offsets_all_ended(&o));
  CHECK(!take(&o, 3, 6)); /* begins behind its end */
  CHECK(o.at[3].ended);
  CHECK_INT(position(&o, 3), RL_OFFSET_INVALID); /* and its offset is not taken back */
  CHECK(rl_offsets_all_ended(&o));
  rl_offsets_revoke(&o, 0);
  rl_offsets_revoke(&o, 1);
  rl_offsets_revoke(&o, 2);
  CHECK(rl_offsets_all_ended(&o));
  rl_offsets_revoke(&o, 3);
  CHECK(!rl_offsets_all_ended(&o));
  rl_offsets_free(&o);
}

TEST(s1_4_own_positions_survive_a_revocation) {
  struct rl_offsets o;
  rl_offsets_init(&o);
  begin(&o, 2);
  CHECK_INT(o.at[2].kept, RL_OFFSET_INVALID);
  CHECK(take(&o, 2, 0) && take(&o, 2, 1));
  done(&o, 2, 1);
  rl_offsets_revoke(&o, 2);
  CHECK_INT(o.at[2].kept, 1);
  rl_offsets_assign(&o, 2);
  CHECK_INT(o.at[2].kept, 1);
  CHECK(take(&o, 2, 1));
  done(&o, 2, 2);
  rl_offsets_eof(&o, 2, 6);
  CHECK_INT(o.at[2].kept, 6);
  rl_offsets_free(&o);
}

TEST(s2_1_done_of_an_old_epoch_counts_for_nothing) {
  struct rl_offsets o;
  rl_offsets_init(&o);
  begin(&o, 0);
  uint32_t old = o.at[0].epoch;
  CHECK(take(&o, 0, 0) && take(&o, 0, 1));
  rl_offsets_revoke(&o, 0);
  CHECK(o.at[0].epoch != old);
  CHECK(!take(&o, 0, 2));
  rl_offsets_done(&o, 0, old, 2);
  rl_offsets_eof(&o, 0, 2);
  CHECK_INT(commit(&o, 0, true), RL_OFFSET_INVALID);
  CHECK(rl_offsets_settled(&o));
  rl_offsets_assign(&o, 0);
  rl_offsets_done(&o, 0, old, 2);
  CHECK_INT(position(&o, 0), RL_OFFSET_INVALID);
  CHECK(take(&o, 0, 0)); /* comes again */
  rl_offsets_done(&o, 0, old, 2);
  CHECK_INT(commit(&o, 0, true), RL_OFFSET_INVALID);
  rl_offsets_free(&o);
}

TEST(s2_3_an_answer_does_not_reach_over_an_epoch) {
  struct rl_offsets o;
  struct rl_tps tps;
  rl_offsets_init(&o);
  begin(&o, 0);
  CHECK(take(&o, 0, 0));
  done(&o, 0, 1);
  rl_offsets_commit(&o, &tps);
  CHECK_INT(tps.n, 1);
  rl_tps_free(&tps);
  rl_offsets_revoke(&o, 0);
  rl_offsets_assign(&o, 0);
  rl_offsets_answer(&o, true);
  CHECK_INT(o.at[0].committed, RL_OFFSET_INVALID);
  CHECK(take(&o, 0, 0));
  done(&o, 0, 1);
  CHECK_INT(commit(&o, 0, true), 1);
  rl_offsets_free(&o);
}

TEST(s2_4_what_failed_goes_again_with_the_next) {
  struct rl_offsets o;
  rl_offsets_init(&o);
  begin(&o, 0);
  CHECK(take(&o, 0, 0) && take(&o, 0, 1));
  done(&o, 0, 1);
  CHECK_INT(commit(&o, 0, false), 1);
  done(&o, 0, 2);
  CHECK_INT(commit(&o, 0, false), 2);
  CHECK(!rl_offsets_settled(&o));
  CHECK_INT(commit(&o, 0, true), 2);
  CHECK(rl_offsets_settled(&o));
  rl_offsets_free(&o);
}

TEST(s2_4_a_partition_that_was_refused_goes_again_by_itself) {
  struct rl_offsets o;
  struct rl_tps tps;
  rl_offsets_init(&o);
  for (uint32_t slot = 0; slot < 2; slot++) {
    begin(&o, slot);
    CHECK(take(&o, slot, 0));
    done(&o, slot, 1);
  }
  rl_offsets_commit(&o, &tps);
  CHECK_INT(tps.n, 2);
  rl_tps_free(&tps);
  rl_offsets_refused(&o, "t", 1);
  rl_offsets_answer(&o, true);
  rl_offsets_commit(&o, &tps);
  CHECK_INT(tps.n, 1);
  CHECK_INT(tps.at[0].partition, 1);
  rl_tps_free(&tps);
  rl_offsets_free(&o);
}

TEST(s3_1_one_commit_is_under_way_and_the_next_carries_all) {
  struct rl_offsets o;
  struct rl_tps first, second;
  rl_offsets_init(&o);
  begin(&o, 0);
  begin(&o, 1);
  for (int64_t i = 0; i < 3; i++) CHECK(take(&o, 0, i) && take(&o, 1, i));
  done(&o, 0, 1);
  rl_offsets_commit(&o, &first);
  CHECK_INT(first.n, 1);
  done(&o, 0, 3);
  done(&o, 1, 2);
  rl_offsets_commit(&o, &second);
  CHECK_INT(second.n, 0);
  rl_offsets_answer(&o, true);
  CHECK_INT(o.at[0].committed, 1);
  rl_offsets_commit(&o, &second);
  CHECK_INT(second.n, 2);
  CHECK_INT(rl_tps_find(&second, "t", 0)->offset, 3);
  CHECK_INT(rl_tps_find(&second, "t", 1)->offset, 2);
  rl_tps_free(&first);
  rl_tps_free(&second);
  rl_offsets_free(&o);
}

TEST(d_6_a_topic_that_was_made_anew_is_noticed) {
  struct rl_offsets o;
  rl_offsets_init(&o);
  begin(&o, 0);
  CHECK(take(&o, 0, 100));
  struct rl_msg back = {.topic = "t", .offset = 0};
  CHECK(rl_offsets_went_back(&o, &back));
  CHECK(!rl_offsets_take(&o, &back));
  rl_offsets_assign(&o, 0);
  CHECK(!rl_offsets_went_back(&o, &back));
  CHECK(rl_offsets_take(&o, &back));
  done(&o, 0, 1);
  CHECK_INT(commit(&o, 0, true), 1);
  o.at[0].end = 2;
  CHECK(take(&o, 0, 1));
  CHECK(o.at[0].ended);
  CHECK(!rl_offsets_went_back(&o, &back)); /* or -e would never end */
  rl_offsets_free(&o);
}

TEST(slots_come_in_any_order) {
  struct rl_offsets o;
  rl_offsets_init(&o);
  rl_offsets_part(&o, 5, "b", 1);
  CHECK_INT(o.n, 6);
  CHECK(!o.at[2].topic && !o.at[2].assigned);
  CHECK(!take(&o, 2, 0));
  CHECK(!take(&o, 77, 0));
  rl_offsets_eof(&o, 77, 1);
  rl_offsets_done(&o, 77, 0, 1);
  CHECK_STR(rl_offsets_part(&o, 5, "other", 9)->topic, "b");
  rl_offsets_part(&o, 2, "a", 0);
  CHECK_STR(o.at[2].topic, "a");
  rl_offsets_free(&o);
}
