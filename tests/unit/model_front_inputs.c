/* The front of models: names, shapes and types of what goes in. */
#include "front_bed.h"

static int run_named(struct rl_model *m, size_t n, const char *a, const char *b, struct rl_err *err) {
  struct rl_model_value in[2] = {{a, counted(RL_FLOAT32, SHAPE(2, 2))}, {b, counted(RL_FLOAT32, SHAPE(2))}};
  struct rl_model_run run = {.inputs = in, .n_inputs = n};
  int rc = rl_model_run(m, &run, err);
  rl_model_values_free(run.outputs, run.n_outputs);
  rl_model_clear(in, 2);
  return rc;
}

TEST(names) {
  reset();
  struct rl_model *m = open_with("fake:sum", plain);
  struct rl_err err;
  CHECK_INT(run_named(m, 2, "x", "w", &err), 0);
  CHECK_INT(run_named(m, 1, "x", NULL, &err), RL_EUSAGE);
  CHECK_STR(err.text, "fake:sum: the input 'w' is missing: the model takes x, w");
  CHECK_INT(run_named(m, 2, "X", "w", &err), RL_EUSAGE);
  CHECK_STR(err.text, "fake:sum: the model has no input 'X' (did you mean 'x'?): it takes x, w");
  CHECK_INT(run_named(m, 1, NULL, NULL, &err), RL_EUSAGE);
  CHECK_STR(err.text, "fake:sum: the model has 2 inputs (x, w): give them by name, { x = tensor, ... }");
  CHECK_INT(run_named(m, 0, NULL, NULL, &err), RL_EUSAGE);
  CHECK_INT(fake.calls, 1);
  rl_model_close(m);
}

static void check_shape(struct rl_model *m, int rank, const int64_t *shape, const char *part) {
  struct rl_err err;
  struct rl_model_value in[2] = {{"x", counted(RL_FLOAT32, rank, shape)},
                                 {"w", counted(RL_FLOAT32, SHAPE(2))}};
  struct rl_model_run run = {.inputs = in, .n_inputs = 2};
  CHECK_INT(rl_model_run(m, &run, &err), RL_EFAIL);
  CHECK_HAS(err.text, part);
  CHECK(!run.outputs && !run.n_outputs);
  rl_model_clear(in, 2);
}

TEST(s4_wrong_shapes_are_the_batchs_and_both_are_named) {
  reset();
  struct rl_model *m = open_with("fake:sum", plain);
  check_shape(m, SHAPE(4, 3), "the model takes x float32 [?, 2], and the tensor's shape is [4, 3]");
  check_shape(m, SHAPE(4), "takes x float32 [?, 2], and the tensor's shape is [4]");
  check_shape(m, SHAPE(1, 4, 2), "takes x float32 [?, 2], and the tensor's shape is [1, 4, 2]");
  CHECK_INT(fake.calls, 0);
  rl_model_close(m);
}

TEST(types_that_lose_nothing_are_converted) {
  reset();
  struct rl_model *m = open_with("fake:sum", plain);
  static const enum rl_dtype taken[] = {RL_FLOAT32, RL_FLOAT64};
  struct bench b;
  for (size_t i = 0; i < 2; i++) {
    CHECK_INT(run_rows(&b, m, taken[i], 3), 0);
    CHECK_INT(fake.seen, RL_FLOAT32);
    check_sums(&b, 3);
    done(&b);
  }
  CHECK_INT(run_rows(&b, m, RL_TRUTH, 3), 0);
  CHECK_INT(fake.seen, RL_FLOAT32);
  CHECK(floats(&b.run.outputs[0].t)[2] == 1);
  done(&b);
  CHECK_INT(run_rows(&b, m, RL_INT64, 3), RL_EFAIL);
  CHECK_HAS(b.err.text, "the input 'x' is float32, and the tensor int64: t:to(\"float32\") converts it");
  done(&b);
  rl_model_close(m);
}

TEST(a_model_that_declares_nothing_takes_what_comes) {
  reset();
  struct rl_model *m = open_with("fake:bare", (struct rl_model_opts){.batch = 2});
  struct rl_err err;
  struct rl_model_value in = {NULL, counted(RL_INT64, SHAPE(5))};
  struct rl_model_run run = {.inputs = &in, .n_inputs = 1};
  CHECK_INT(rl_model_inputs(m)->n, 0);
  CHECK_INT(rl_model_run(m, &run, &err), 0);
  CHECK_INT(fake.calls, 3);
  CHECK_INT(run.outputs[0].t.shape[0], 5);
  CHECK_INT(((int64_t *)(void *)run.outputs[0].t.data)[4], 4);
  rl_model_values_free(run.outputs, run.n_outputs);
  rl_model_clear(&in, 1);
  rl_model_close(m);
}
