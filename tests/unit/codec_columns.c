/* Columns: rows come, go and keep their order. */
#include "codec_support.h"

static struct rl_columns *numbered(const struct rl_fields *fields, int n) {
  struct rl_columns *c = rl_columns_new(fields);
  for (int i = 0; i < n; i++) {
    CHECK_INT(rl_columns_add_row(c), i);
    CHECK_INT(c->col[1][i].tag, RL_MISSING);
    c->col[0][i] = (struct rl_cell){.tag = RL_INT, .i = i};
  }
  return c;
}

TEST(bytes_are_cells_and_what_the_arena_holds) {
  struct rl_fields fields = RL_FIELDS_INIT;
  CHECK_INT(rl_fields_parse(&fields, "a,b,c", NULL), 0);
  struct rl_columns *c = rl_columns_new(&fields);
  struct rl_cell row[3] = {{.tag = RL_INT, .i = 1}, {.tag = RL_MISSING}, {.tag = RL_DOUBLE, .d = 0.5}};
  CHECK_INT(rl_columns_bytes(c), 0);
  for (size_t i = 0; i < 100; i++) CHECK_INT(rl_columns_put_row(c, row), i);
  CHECK_INT(rl_columns_bytes(c), 100 * 3 * sizeof *row);
  CHECK(c->col[0][99].i == 1 && c->col[1][99].tag == RL_MISSING && c->col[2][99].d == 0.5);
  rl_arena_alloc(&c->arena, 64);
  CHECK_INT(rl_columns_bytes(c), 100 * 3 * sizeof *row + 64);
  rl_columns_reset(c);
  CHECK_INT(rl_columns_bytes(c), 0);
  rl_columns_free(c);
  rl_fields_free(&fields);
}

TEST(rows_are_added_and_dropped) {
  struct rl_fields fields = RL_FIELDS_INIT;
  rl_fields_parse(&fields, "a,b", NULL);
  struct rl_columns *c = numbered(&fields, 1000);
  CHECK_INT(c->rows, 1000);
  CHECK_INT(c->col[0][999].i, 999);
  rl_columns_drop_last(c);
  CHECK_INT(rl_columns_add_row(c), 999);
  CHECK_INT(c->col[0][999].tag, RL_MISSING);
  rl_columns_free(c);
  rl_fields_free(&fields);
}

TEST(kept_rows_stay_in_order) {
  struct rl_fields fields = RL_FIELDS_INIT;
  rl_fields_parse(&fields, "a,b", NULL);
  struct rl_columns *c = numbered(&fields, 10);
  uint32_t rows[] = {0, 3, 9};
  rl_columns_keep(c, rows, 3);
  CHECK_INT(c->rows, 3);
  CHECK_INT(c->col[0][0].i, 0);
  CHECK_INT(c->col[0][1].i, 3);
  CHECK_INT(c->col[0][2].i, 9);
  rl_columns_keep(c, rows, 0);
  CHECK_INT(c->rows, 0);
  rl_columns_drop_last(c);
  CHECK_INT(c->rows, 0);
  rl_columns_free(c);
  rl_fields_free(&fields);
}

TEST(a_reset_empties_rows_and_arena) {
  struct rl_fields fields = RL_FIELDS_INIT;
  rl_fields_parse(&fields, "a,b", NULL);
  struct rl_columns *c = numbered(&fields, 5);
  rl_arena_alloc(&c->arena, 100);
  rl_columns_reset(c);
  CHECK_INT(c->rows, 0);
  CHECK_INT(c->arena.used, 0);
  CHECK_INT(rl_columns_add_row(c), 0);
  rl_columns_free(c);
  rl_columns_free(NULL);
  rl_fields_free(&fields);
}

TEST(columns_of_no_fields_count_rows) {
  struct rl_fields fields = RL_FIELDS_INIT;
  struct rl_columns *c = rl_columns_new(&fields);
  for (int i = 0; i < 100; i++) rl_columns_add_row(c);
  CHECK_INT(c->rows, 100);
  rl_columns_free(c);
}

/* Texts that were in the arena outlive the columns they were decoded into; those of rows before them do not
 * live longer for it. */
TEST(moved_rows_keep_their_texts) {
  struct rl_fields fields = RL_FIELDS_INIT;
  rl_fields_parse(&fields, "a,b", NULL);
  struct rl_columns *at = numbered(&fields, 5);
  for (int i = 0; i < 3; i++) {
    struct rl_columns *to = rl_columns_new(&fields);
    size_t row = rl_columns_add_row(at);
    at->col[1][row] = (struct rl_cell){.tag = RL_TEXT, .len = 4, .s = rl_arena_strdup(&at->arena, "text")};
    rl_columns_move(at, row, to);
    CHECK_INT(at->rows, row);
    CHECK_INT(to->rows, 1);
    CHECK_INT(to->n_shared, 1);
    rl_columns_free(at);
    CHECK_STR(to->col[1][0].s, "text");
    at = to;
  }
  rl_columns_free(at);
  rl_fields_free(&fields);
}
