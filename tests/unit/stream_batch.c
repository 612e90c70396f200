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

/* ---- messages of any number of rows ---- */

/* Message i has rows[i] rows, whose cells are 10 * i, 10 * i + 1 …; its slot is i % 3. */
static struct rl_batch *batch_of_rows(struct rl_fields *fields, const size_t *rows, size_t n,
                                      size_t *released) {
  rl_fields_add(fields, "a", "a", RL_AUTO, false, NULL);
  struct rl_batch *b = rl_batch_new(fields, 0);
  for (size_t i = 0; i < n; i++) {
    struct rl_msg m = fake_msg((uint32_t)(i % 3), (int64_t)i, "xy", released);
    rl_batch_add(b, &m);
    for (size_t k = 0; k < rows[i]; k++) {
      size_t at = rl_columns_add_row(b->columns);
      b->columns->col[0][at] = (struct rl_cell){.tag = RL_INT, .i = (int64_t)(10 * i + k)};
    }
    rl_batch_set_rows(b, rows[i]);
  }
  return b;
}

/* Rows are their messages', adjacent, and the columns' are the batch's. */
static void check_rows(const struct rl_batch *b, const size_t *rows) {
  size_t at = 0;
  for (size_t i = 0; i < b->n; i++) {
    size_t was = (size_t)b->msgs[i].offset;
    CHECK_INT(rl_batch_first(b, i), at);
    CHECK_INT(rl_batch_rows_of(b, i), rows[was]);
    for (size_t k = 0; k < rows[was]; k++, at++) {
      CHECK_INT(rl_batch_owner(b, at), i);
      if (b->columns) CHECK_INT(b->columns->col[0][at].i, 10 * was + k);
    }
  }
  CHECK_INT(b->rows, at);
  if (b->columns) CHECK_INT(b->columns->rows, at);
}

TEST(while_messages_are_of_one_row_no_row_is_told_from_its_message) {
  size_t released = 0;
  static const size_t rows[] = {1, 1, 1, 1};
  struct rl_fields fields = RL_FIELDS_INIT;
  struct rl_batch *b = batch_of_rows(&fields, rows, 4, &released);
  CHECK(!b->first && !b->owner);
  check_rows(b, rows);
  CHECK_INT(rl_batch_places(b), 4);
  rl_batch_free(b);
  rl_fields_free(&fields);
}

TEST(rows_of_a_message_are_adjacent_and_know_it) {
  size_t released = 0;
  static const size_t rows[] = {1, 3, 0, 1, 0, 2, 200};
  struct rl_fields fields = RL_FIELDS_INIT;
  struct rl_batch *b = batch_of_rows(&fields, rows, 7, &released);
  CHECK_INT(b->n, 7);
  CHECK_INT(b->rows, 207);
  CHECK_INT(b->bytes, 14); /* once a message */
  CHECK_INT(rl_batch_places(b), 209);
  check_rows(b, rows);
  rl_batch_free(b);
  CHECK_INT(released, 7);
  rl_fields_free(&fields);
}

TEST(a_batch_without_a_row_has_its_messages) {
  size_t released = 0;
  static const size_t rows[] = {0, 0};
  struct rl_fields fields = RL_FIELDS_INIT;
  struct rl_batch *b = batch_of_rows(&fields, rows, 2, &released);
  check_rows(b, rows);
  CHECK_INT(rl_batch_places(b), 2);
  rl_batch_free(b);
  CHECK_INT(released, 2);
  rl_fields_free(&fields);
}

TEST(s2_1_a_struck_message_takes_all_its_rows) {
  size_t released = 0;
  static const size_t rows[] = {2, 3, 0, 1, 0, 2, 5, 1, 4};
  for (uint32_t gone = 0; gone < 3; gone++) {
    struct rl_fields fields = RL_FIELDS_INIT;
    struct rl_batch *b = batch_of_rows(&fields, rows, 9, &released);
    released = 0;
    rl_batch_set_bad(b, 8, "no");
    CHECK_INT(rl_batch_strike(b, is_of_slot, &gone), 3);
    CHECK_INT(released, 3);
    CHECK_INT(b->bytes, 12);
    check_rows(b, rows);
    if (gone != 2) CHECK_STR(b->bad[5], "no");
    rl_batch_free(b);
    rl_fields_free(&fields);
  }
}

TEST(the_last_message_leaves_with_its_rows_as_they_are) {
  size_t released = 0;
  static const size_t rows[] = {2, 0, 3};
  struct rl_fields fields = RL_FIELDS_INIT;
  struct rl_batch *b = batch_of_rows(&fields, rows, 3, &released);
  char *text = rl_arena_strdup(&b->columns->arena, "of the arena");
  b->columns->col[0][4] = (struct rl_cell){.tag = RL_TEXT, .len = 3, .s = text};
  struct rl_batch *last = rl_batch_take_last(b);
  CHECK_INT(b->n, 2);
  CHECK_INT(b->bytes, 4);
  check_rows(b, rows);
  CHECK_INT(last->n, 1);
  CHECK_INT(last->rows, 3);
  CHECK_INT(last->bytes, 2);
  CHECK_INT(last->columns->rows, 3);
  CHECK_INT(last->columns->col[0][0].i, 20);
  rl_batch_free(b);
  CHECK_INT(released, 2);
  CHECK_STR(last->columns->col[0][2].s, "of the arena");
  struct rl_msg more = fake_msg(0, 9, "z", &released);
  CHECK_INT(rl_batch_add(last, &more), 1);
  CHECK_INT(rl_batch_first(last, 1), 3);
  rl_batch_free(last);
  CHECK_INT(released, 4);
  rl_fields_free(&fields);
}

TEST(why_the_last_message_is_bad_leaves_with_it) {
  size_t released = 0;
  struct rl_batch *b = rl_batch_new(NULL, 0);
  for (int i = 0; i < 2; i++) {
    struct rl_msg m = fake_msg(0, i, "x", &released);
    rl_batch_set_bad(b, rl_batch_add(b, &m), i ? "last" : "first");
  }
  struct rl_batch *last = rl_batch_take_last(b);
  CHECK_STR(last->bad[0], "last");
  struct rl_msg m = fake_msg(0, 2, "x", &released);
  CHECK(!b->bad[rl_batch_add(b, &m)]);
  rl_batch_free(b);
  rl_batch_free(last);
  CHECK_INT(released, 3);
}
