#include "stream/batch.h"

#include "stream_fake.h"
#include "unit.h"

static bool is_of_slot(const struct rl_msg *msg, void *arg) { return msg->slot == *(uint32_t *)arg; }
static bool is_none(const struct rl_msg *msg, void *arg) { return !msg && !arg; }

TEST(causes_have_the_names_scripts_see) {
  CHECK_STR(rl_cause_name(RL_CAUSE_SIZE), "size");
  CHECK_STR(rl_cause_name(RL_CAUSE_BYTES), "bytes");
  CHECK_STR(rl_cause_name(RL_CAUSE_TIMEOUT), "timeout");
  CHECK_STR(rl_cause_name(RL_CAUSE_END), "end");
  CHECK_STR(rl_cause_name(RL_CAUSE_STOP), "stop");
}

TEST(messages_keep_their_order_and_are_released_once) {
  size_t released = 0;
  struct rl_batch *b = rl_batch_new(NULL, 0);
  for (int i = 0; i < 100; i++) {
    struct rl_msg m = fake_msg(0, i, "abc", &released);
    CHECK_INT(rl_batch_add(b, &m), i);
  }
  CHECK_INT(b->n, 100);
  CHECK_INT(b->bytes, 300);
  for (int i = 0; i < 100; i++) CHECK_INT(b->msgs[i].offset, i);
  CHECK(!b->columns && !b->bad);
  rl_batch_release_messages(b);
  CHECK_INT(released, 100);
  CHECK(!b->msgs[7].value.data);
  CHECK_INT(b->msgs[7].offset, 7);
  rl_batch_free(b);
  CHECK_INT(released, 100);
}

TEST(a_batch_without_fields_has_no_columns) {
  struct rl_fields none = RL_FIELDS_INIT;
  struct rl_batch *b = rl_batch_new(&none, 4);
  CHECK(!b->columns);
  rl_batch_free(b);
  rl_batch_free(NULL);
}

TEST(why_a_row_is_bad_moves_with_it) {
  size_t released = 0;
  uint32_t gone = 0;
  struct rl_batch *b = rl_batch_new(NULL, 2);
  for (int i = 0; i < 40; i++) {
    struct rl_msg m = fake_msg(i % 2 ? 1 : 0, i, "x", &released);
    size_t row = rl_batch_add(b, &m);
    if (i == 3 || i == 6) rl_batch_set_bad(b, row, i == 3 ? "first" : "goes");
    if (i == 3) rl_batch_set_bad(b, row, "three");
    if (i == 39) rl_batch_set_bad(b, row, "last");
  }
  CHECK_INT(rl_batch_strike(b, is_of_slot, &gone), 20);
  CHECK_INT(released, 20);
  CHECK_INT(b->n, 20);
  CHECK_INT(b->bytes, 20);
  CHECK_STR(b->bad[1], "three");
  CHECK_INT(b->msgs[1].offset, 3);
  CHECK_STR(b->bad[19], "last");
  for (size_t i = 0; i < 100; i++) { /* places that are filled anew are not bad */
    struct rl_msg more = fake_msg(1, 99, "y", &released);
    CHECK_INT(rl_batch_add(b, &more), 20 + i);
  }
  for (size_t i = 0; i < b->n; i++) CHECK(i == 1 || i == 19 || !b->bad[i]);
  rl_batch_free(b);
  CHECK_INT(released, 140);
}

static struct rl_batch *batch_with_columns(struct rl_fields *fields, size_t rows, size_t decoded,
                                           size_t *released) {
  rl_fields_add(fields, "a", "a", RL_AUTO, false, NULL);
  struct rl_batch *b = rl_batch_new(fields, rows);
  for (size_t i = 0; i < rows; i++) {
    struct rl_msg m = fake_msg((uint32_t)(i % 3), (int64_t)i, "x", released);
    rl_batch_add(b, &m);
    if (i >= decoded) continue;
    size_t row = rl_columns_add_row(b->columns);
    b->columns->col[0][row].tag = RL_INT;
    b->columns->col[0][row].i = (int64_t)i;
  }
  return b;
}

TEST(s2_1_struck_rows_leave_the_columns_too) {
  size_t released = 0;
  uint32_t gone = 1;
  struct rl_fields fields = RL_FIELDS_INIT;
  struct rl_batch *b = batch_with_columns(&fields, 9, 9, &released);
  CHECK_INT(rl_batch_strike(b, is_of_slot, &gone), 3);
  CHECK_INT(b->columns->rows, 6);
  for (size_t i = 0; i < b->n; i++) {
    CHECK(b->msgs[i].slot != 1);
    CHECK_INT(b->columns->col[0][i].i, b->msgs[i].offset);
  }
  CHECK_INT(rl_batch_strike(b, is_none, NULL), 0);
  CHECK_INT(b->columns->rows, 6);
  rl_batch_free(b);
  rl_fields_free(&fields);
  CHECK_INT(released, 9);
}

TEST(s2_1_rows_not_decoded_yet_may_be_struck) {
  size_t released = 0;
  uint32_t gone = 0;
  struct rl_fields fields = RL_FIELDS_INIT;
  struct rl_batch *b = batch_with_columns(&fields, 9, 5, &released);
  CHECK_INT(rl_batch_strike(b, is_of_slot, &gone), 3);
  CHECK_INT(b->n, 6);
  CHECK_INT(b->columns->rows, 3); /* 1 2 4 were decoded; 5 7 8 were not */
  CHECK_INT(b->columns->col[0][2].i, 4);
  rl_batch_free(b);
  rl_fields_free(&fields);
}

TEST(an_empty_batch_may_be_struck) {
  struct rl_batch *b = rl_batch_new(NULL, 8);
  CHECK_INT(rl_batch_strike(b, is_none, NULL), 0);
  rl_batch_free(b);
}
