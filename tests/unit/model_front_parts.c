/* The front of models: a run in several calls, what they gave joined and checked, and runs of no rows. */
#include "front_bed.h"
#include "meter.h"

/* ---- splitting and joining ---- */

TEST(batch_splits_and_joins) {
  reset();
  struct rl_model *m = open_with("fake:sum", (struct rl_model_opts){.batch = 3});
  struct bench b;
  CHECK_INT(run_rows(&b, m, RL_FLOAT32, 8), 0);
  CHECK_INT(fake.calls, 3);
  CHECK_INT(fake.rows[0], 3);
  CHECK_INT(fake.rows[2], 2);
  check_sums(&b, 8);
  const int64_t *n = (const int64_t *)(const void *)b.run.outputs[1].t.data;
  CHECK(n[0] == 3 && n[5] == 3 && n[6] == 2 && n[7] == 2);
  done(&b);
  fake.calls = 0;
  CHECK_INT(run_rows(&b, m, RL_FLOAT64, 3), 0); /* no more than a call takes: one */
  CHECK_INT(fake.calls, 1);
  done(&b);
  rl_model_close(m);
}

TEST(a_backend_may_split_where_batch_is_not_said) {
  struct bench b;
  static const struct {
    int64_t batch;
    bool whole;
    int calls;
  } cases[] = {{0, false, 3}, {8, false, 2}, {100, false, 1}, {0, true, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    reset();
    fake.whole = cases[i].whole;
    struct rl_model *m = open_with("fake5:sum", (struct rl_model_opts){.batch = cases[i].batch});
    CHECK_INT(run_rows(&b, m, RL_FLOAT32, 12), 0);
    CHECK_INT(fake.calls, cases[i].calls);
    check_sums(&b, 12);
    done(&b);
    rl_model_close(m);
  }
}

TEST(batch_and_an_output_that_has_no_rows_do_not_go_together) {
  struct rl_model *m = NULL;
  struct rl_err err;
  const struct rl_model_opts opts = {.batch = 3};
  reset();
  fake.whole = true;
  CHECK_INT(rl_model_open_among(&m, backends, "fake:sum", &opts, NULL, NULL, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "fake:sum: batch: the output mean float32 [1] is no row's");
  CHECK(!m);
  CHECK_INT(fake.opened, 1);
  CHECK_INT(fake.closed, 1);
}

static bool until_two_calls(void *arg) {
  (void)arg;
  return fake.calls < 2;
}

TEST(s10_3_a_run_is_ended_between_its_calls) {
  reset();
  struct rl_model *m = open_with("fake5:sum", plain);
  struct rl_model_value in[2] = {{"x", counted(RL_FLOAT32, SHAPE(50, 2))},
                                 {"w", counted(RL_FLOAT32, SHAPE(2))}};
  struct rl_model_run run = {.inputs = in, .n_inputs = 2, .go_on = until_two_calls};
  struct rl_err err;
  CHECK_INT(rl_model_run(m, &run, &err), RL_ETRANSIENT);
  CHECK_HAS(err.text, "fake5:sum: the run was ended");
  CHECK_INT(fake.calls, 2);
  rl_model_clear(in, 2);
  rl_model_close(m);
}

TEST(the_outer_dimension_of_every_output_is_checked) {
  struct bench b;
  for (int64_t batch = 0; batch <= 3; batch += 3) {
    reset();
    fake.lost = 1;
    struct rl_model *m = open_with("fake:sum", (struct rl_model_opts){.batch = batch});
    CHECK_INT(run_rows(&b, m, RL_FLOAT32, 8), RL_EFAIL);
    CHECK_HAS(b.err.text, batch ? "fake:sum: 3 rows went in, and the output 'sum' has the shape [2, 1]"
                                : "fake:sum: 8 rows went in, and the output 'sum' has the shape [7, 1]");
    CHECK(!b.run.outputs);
    done(&b);
    rl_model_close(m);
  }
}

TEST(parts_that_differ_are_not_joined) {
  reset();
  struct rl_model *m = open_with("fake:sum", (struct rl_model_opts){.batch = 4});
  struct bench b;
  fake.wide = 2;
  CHECK_INT(run_rows(&b, m, RL_FLOAT32, 8), RL_EFAIL);
  CHECK_HAS(b.err.text, "cannot be joined: 'sum' float32 [8, 1] and 'sum' float32 [4, 2]");
  done(&b);
  rl_model_close(m);
}

TEST(parts_join_in_any_order) {
  struct rl_model_join join = {.rows = 5};
  struct rl_err err;
  struct rl_tensor t = counted(RL_INT64, SHAPE(5, 2));
  for (int64_t first = 4; first >= 0; first -= 2) {
    int64_t n = first == 4 ? 1 : 2;
    struct rl_model_value part = {"out", rl_tensor_range(&t, first, n, 1)};
    CHECK_INT(rl_model_join(&join, first, n, &part, 1, &err), 0);
  }
  CHECK_INT(join.n, 1);
  for (int64_t i = 0; i < 10; i++) CHECK_INT(((int64_t *)(void *)join.outputs[0].t.data)[i], i);
  rl_model_values_free(join.outputs, join.n);
  rl_tensor_free(&t);
}

TEST(no_rows_ask_nobody) {
  reset();
  struct rl_model *m = open_with("fake:sum", plain);
  struct bench b;
  CHECK_INT(run_rows(&b, m, RL_FLOAT32, 0), 0);
  CHECK_INT(fake.calls, 0);
  CHECK_INT(b.run.n_outputs, 2);
  CHECK_INT(b.run.outputs[0].t.rank, 2);
  CHECK_INT(b.run.outputs[0].t.shape[0], 0);
  CHECK_INT(b.run.outputs[0].t.shape[1], 1);
  CHECK_STR(b.run.outputs[1].name, "n");
  CHECK_INT(b.run.outputs[1].t.dtype, RL_INT64);
  done(&b);
  rl_model_close(m);
}

/* Nobody is to blame for a batch of which nothing was left. */
TEST(no_rows_of_a_model_that_declares_nothing) {
  reset();
  struct rl_model *m = open_with("fake:bare", plain);
  struct rl_err err = {0};
  struct rl_model_value in = {"x", counted(RL_FLOAT32, SHAPE(0, 2))};
  struct rl_model_run run = {.inputs = &in, .n_inputs = 1};
  if (rl_model_run(m, &run, &err)) UNIT_FAIL("%s", err.text);
  CHECK_INT(fake.calls, 0);
  CHECK_INT(run.n_outputs, 1);
  if (run.n_outputs == 1) CHECK_INT(run.outputs[0].t.rank, 1);
  if (run.n_outputs == 1) CHECK_INT(run.outputs[0].t.shape[0], 0);
  rl_model_values_free(run.outputs, run.n_outputs);
  rl_tensor_free(&in.t);
  rl_model_close(m);
}

TEST(errors_of_the_backend_keep_their_class) {
  reset();
  static const int codes[] = {RL_ETRANSIENT, RL_EFAIL, RL_EUSAGE};
  struct bench b;
  for (int64_t batch = 0; batch <= 1; batch++) {
    struct rl_model *m = open_with("fake:sum", (struct rl_model_opts){.batch = batch});
    for (int i = 0; i < 3; i++) {
      fake.run_fails = codes[i];
      CHECK_INT(run_rows(&b, m, RL_FLOAT32, 2), codes[i]);
      CHECK_STR(b.err.text, "fake:sum: it broke");
      done(&b);
    }
    rl_model_close(m);
  }
}

/* ---- memory ---- */

TEST(outputs_come_from_the_callers_allocator_which_may_refuse) {
  struct rl_err err;
  for (int64_t batch = 0; batch <= 3; batch += 3) {
    struct meter meter = {.limit = 1 << 20};
    struct rl_tensor_alloc alloc = {metered, &meter};
    reset();
    struct rl_model *m = open_with("fake:sum", (struct rl_model_opts){.batch = batch});
    struct rl_model_value in[2] = {{"x", counted(RL_FLOAT32, SHAPE(8, 2))},
                                   {"w", counted(RL_FLOAT32, SHAPE(2))}};
    struct rl_model_run run = {.inputs = in, .n_inputs = 2, .alloc = &alloc};
    CHECK_INT(rl_model_run(m, &run, &err), 0);
    CHECK(meter.used > 8 * 12);
    rl_model_values_free(run.outputs, run.n_outputs);
    CHECK_INT(meter.used, 0);
    for (size_t limit = 0; limit < 200; limit += 100) {
      meter.limit = limit;
      CHECK_INT(rl_model_run(m, &run, &err), RL_ENOMEM);
      CHECK(!run.outputs);
      CHECK_INT(meter.used, 0);
    }
    rl_model_clear(in, 2);
    rl_model_close(m);
  }
}
