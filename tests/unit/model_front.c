/* The front of models: sharing, names, types, shapes, splitting and joining, over a backend made here. */
#include "model/model.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/thread.h"
#include "meter.h"
#include "model/model_impl.h"
#include "unit.h"

#define SHAPE(...) (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), ((const int64_t[]){__VA_ARGS__})

/* ---- a backend ---- */

/* "fake:sum" takes x [?, 2] float32 and w [2] float32, and gives sum [?, 1] float32 (x . w) and n [?] int64
 * (the rows of its call). "fake:bare" declares nothing and gives its first input back. */
static struct {
  pthread_mutex_t mu;
  pthread_cond_t cv;
  int opened, closed, calls;
  int64_t rows[16]; /* of each call */
  int64_t lost;     /* rows that the answer lacks */
  int64_t wide;     /* of the sum in calls but the first; 0: 1 */
  enum rl_dtype seen;
  int open_fails, run_fails;
  bool gate, waiting; /* open waits for the gate to go */
  bool whole;         /* there is an output of a fixed outer size, too */
  struct rl_model_opts opts;
} fake = {.mu = PTHREAD_MUTEX_INITIALIZER, .cv = PTHREAD_COND_INITIALIZER};

static void reset(void) {
  fake.opened = fake.closed = fake.calls = 0;
  fake.lost = fake.wide = 0;
  fake.open_fails = fake.run_fails = 0;
  fake.gate = fake.waiting = fake.whole = false;
}

static void add_port(struct rl_model_ports *ports, const char *name, enum rl_dtype dtype, int rank,
                     const int64_t *shape) {
  ports->at = rl_realloc(ports->at, (ports->n + 1) * sizeof *ports->at);
  struct rl_model_port *port = &ports->at[ports->n++];
  *port = (struct rl_model_port){rl_strdup(name), dtype, rank, {0}};
  for (int i = 0; i < rank; i++) port->shape[i] = shape[i];
}

static void wait_for_gate(void) {
  pthread_mutex_lock(&fake.mu);
  fake.waiting = true;
  pthread_cond_broadcast(&fake.cv);
  while (fake.gate) pthread_cond_wait(&fake.cv, &fake.mu);
  pthread_mutex_unlock(&fake.mu);
}

static struct rl_model_ports *told_outputs;

static int fake_open(void **self, const struct rl_model_opening *o, struct rl_err *err) {
  fake.opened++;
  fake.opts = *o->opts;
  wait_for_gate();
  if (fake.open_fails) return rl_fail(err, fake.open_fails, "it is not there");
  *self = strcmp(o->uri, "fake:bare") == 0 ? NULL : &fake;
  told_outputs = o->outputs;
  if (!*self) return 0;
  add_port(o->inputs, "x", RL_FLOAT32, SHAPE(-1, 2));
  add_port(o->inputs, "w", RL_FLOAT32, SHAPE(2));
  add_port(o->outputs, "sum", RL_FLOAT32, SHAPE(-1, 1));
  add_port(o->outputs, "n", RL_INT64, SHAPE(-1));
  if (fake.whole) add_port(o->outputs, "mean", RL_FLOAT32, SHAPE(1));
  return 0;
}

static float *floats(const struct rl_tensor *t) { return (float *)(void *)t->data; }

static int make(struct rl_tensor *t, enum rl_dtype dtype, const struct rl_tensor_alloc *alloc, int rank,
                const int64_t *shape, struct rl_err *err) {
  int rc = rl_tensor_new(t, dtype, rank, shape, alloc, err);
  if (!rc) memset(t->data, 0, rl_tensor_count(t) * rl_dtype_size(dtype));
  return rc;
}

static int answer_bare(struct rl_model_run *run) {
  run->n_outputs = 1;
  run->outputs[0] = (struct rl_model_value){"out", rl_tensor_share(&run->inputs[0].t)};
  return 0;
}

static int fake_run(void *self, struct rl_model_run *run, struct rl_err *err) {
  int64_t rows = run->inputs[0].t.shape[0], given = rows - fake.lost;
  fake.rows[fake.calls++ % 16] = rows;
  fake.seen = run->inputs[0].t.dtype;
  if (fake.run_fails) return rl_fail(err, fake.run_fails, "it broke");
  run->outputs = rl_zalloc(2 * sizeof *run->outputs);
  if (!self) return answer_bare(run);
  run->n_outputs = 2;
  run->outputs[0].name = told_outputs->at[0].name;
  run->outputs[1].name = told_outputs->at[1].name;
  int64_t wide = fake.wide && fake.calls > 1 ? fake.wide : 1;
  int rc = make(&run->outputs[0].t, RL_FLOAT32, run->alloc, SHAPE(given, wide), err);
  if (!rc) rc = make(&run->outputs[1].t, RL_INT64, run->alloc, SHAPE(given), err);
  if (rc) return rc;
  const float *x = floats(&run->inputs[0].t), *w = floats(&run->inputs[1].t);
  for (int64_t i = 0; i < given; i++) {
    floats(&run->outputs[0].t)[i * wide] = x[2 * i] * w[0] + x[2 * i + 1] * w[1];
    ((int64_t *)(void *)run->outputs[1].t.data)[i] = rows;
  }
  return 0;
}

static void fake_close(void *self) {
  (void)self;
  fake.closed++;
}

static const char *const schemes[] = {"fake", NULL};
static const struct rl_model_backend backend = {
    .schemes = schemes, .open = fake_open, .run = fake_run, .close = fake_close};
/* The same, of its own accord in calls of 5 rows. */
static const char *const schemes_by_5[] = {"fake5", NULL};
static const struct rl_model_backend by_5 = {
    .schemes = schemes_by_5, .open = fake_open, .run = fake_run, .close = fake_close, .batch = 5};
static const struct rl_model_backend *const backends[] = {&backend, &by_5, NULL};

static const struct rl_model_opts plain;

static struct rl_model *open_with(const char *uri, struct rl_model_opts opts) {
  struct rl_model *m = NULL;
  struct rl_err err;
  if (rl_model_open_among(&m, backends, uri, &opts, NULL, NULL, &err)) UNIT_FAIL("%s", err.text);
  return m;
}

/* ---- runs ---- */

static struct rl_tensor counted(enum rl_dtype dtype, int rank, const int64_t *shape) {
  struct rl_tensor t;
  struct rl_err err;
  if (make(&t, dtype, NULL, rank, shape, &err)) UNIT_FAIL("%s", err.text);
  for (size_t i = 0; i < rl_tensor_count(&t); i++) {
    if (dtype == RL_FLOAT32) ((float *)(void *)t.data)[i] = (float)i;
    if (dtype == RL_FLOAT64) ((double *)(void *)t.data)[i] = (double)i;
    if (dtype == RL_INT64) ((int64_t *)(void *)t.data)[i] = (int64_t)i;
    if (dtype == RL_TRUTH) t.data[i] = i % 2 == 1;
  }
  return t;
}

struct bench {
  struct rl_model_value in[3];
  struct rl_model_run run;
  struct rl_err err;
};

/* x of `rows` rows in that type, w = (0, 1): the sums are 1, 3, 5 … */
static int run_rows(struct bench *b, struct rl_model *m, enum rl_dtype dtype, int64_t rows) {
  memset(b, 0, sizeof *b);
  b->in[0] = (struct rl_model_value){"w", counted(RL_FLOAT32, SHAPE(2))};
  b->in[1] = (struct rl_model_value){"x", counted(dtype, SHAPE(rows, 2))};
  b->run = (struct rl_model_run){.inputs = b->in, .n_inputs = 2};
  return rl_model_run(m, &b->run, &b->err);
}

static void done(struct bench *b) {
  rl_model_values_free(b->run.outputs, b->run.n_outputs);
  for (int i = 0; i < 3; i++) rl_tensor_free(&b->in[i].t);
}

static void check_sums(const struct bench *b, int64_t rows) {
  CHECK_INT(b->run.n_outputs, 2);
  CHECK_STR(b->run.outputs[0].name, "sum");
  CHECK_INT(b->run.outputs[0].t.shape[0], rows);
  for (int64_t i = 0; i < rows; i++)
    if (floats(&b->run.outputs[0].t)[i] != (float)(2 * i + 1)) UNIT_FAIL("row %d", (int)i);
}

/* ---- sharing ---- */

TEST(one_uri_with_the_same_options_is_one_model) {
  reset();
  struct rl_model *a = open_with("fake:sum", plain), *b = open_with("fake:sum", plain);
  CHECK(a == b);
  CHECK_INT(fake.opened, 1);
  struct rl_model *c = open_with("fake:sum", (struct rl_model_opts){.batch = 3});
  struct rl_model *d = open_with("fake:sum", (struct rl_model_opts){.token = "t"});
  CHECK(c != a && d != a && d != c);
  CHECK_INT(fake.opened, 3);
  rl_model_close(a);
  CHECK_INT(fake.closed, 0);
  struct bench t;
  CHECK_INT(run_rows(&t, b, RL_FLOAT32, 2), 0); /* the other owner's still runs */
  done(&t);
  rl_model_close(b);
  CHECK_INT(fake.closed, 1);
  a = open_with("fake:sum", plain); /* anew */
  CHECK_INT(fake.opened, 4);
  rl_model_close(a);
  rl_model_close(c);
  rl_model_close(d);
  CHECK_INT(fake.closed, 4);
  rl_model_close(NULL);
}

struct opener {
  pthread_t thread;
  struct rl_model *m;
  int rc;
  struct rl_err err;
};

static void *open_it(void *arg) {
  struct opener *o = arg;
  o->rc = rl_model_open_among(&o->m, backends, "fake:sum", &plain, NULL, NULL, &o->err);
  return NULL;
}

static bool no(void *arg) {
  (void)arg;
  return false;
}

/* Starts a thread that is within open, and stays there until open_gate. */
static void open_behind_gate(struct opener *o) {
  fake.gate = true;
  pthread_create(&o->thread, NULL, open_it, o);
  pthread_mutex_lock(&fake.mu);
  while (!fake.waiting) pthread_cond_wait(&fake.cv, &fake.mu);
  pthread_mutex_unlock(&fake.mu);
}

static void open_gate(void) {
  pthread_mutex_lock(&fake.mu);
  fake.gate = false;
  pthread_cond_broadcast(&fake.cv);
  pthread_mutex_unlock(&fake.mu);
}

TEST(who_comes_while_it_opens_waits_and_shares_it) {
  reset();
  struct opener first = {0}, second = {0};
  struct rl_model *m;
  struct rl_err err;
  open_behind_gate(&first);
  CHECK_INT(rl_model_open_among(&m, backends, "fake:sum", &plain, no, NULL, &err), RL_ETRANSIENT);
  CHECK(m == NULL);
  CHECK_HAS(err.text, "fake:sum: the wait for it was ended");
  pthread_create(&second.thread, NULL, open_it, &second);
  open_gate();
  pthread_join(first.thread, NULL);
  pthread_join(second.thread, NULL);
  CHECK(first.m && first.m == second.m);
  CHECK_INT(fake.opened, 1);
  rl_model_close(first.m);
  rl_model_close(second.m);
  CHECK_INT(fake.closed, 1);
}

TEST(an_opening_that_failed_is_tried_anew) {
  reset();
  struct opener first = {0};
  fake.open_fails = RL_ETRANSIENT;
  open_behind_gate(&first);
  open_gate();
  pthread_join(first.thread, NULL);
  CHECK_INT(first.rc, RL_ETRANSIENT);
  CHECK_STR(first.err.text, "fake:sum: it is not there");
  fake.open_fails = 0;
  struct rl_model *m = open_with("fake:sum", plain);
  CHECK_INT(fake.opened, 2);
  rl_model_close(m);
}

TEST(uris) {
  struct rl_model *m;
  struct rl_err err;
  CHECK_INT(rl_model_open(&m, "http://host/model", &plain, NULL, NULL, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "\"http://host/model\" is no model: expected FILE.onnx, onnx:FILE");
  CHECK_INT(rl_model_open(&m, "http://me:secret@host/model.onnx", &plain, NULL, NULL, &err), RL_EUSAGE);
  CHECK(!strstr(err.text, "secret"));
  CHECK_INT(rl_model_open(&m, "http://host/model?token=secret", &plain, NULL, NULL, &err), RL_EUSAGE);
  CHECK(!strstr(err.text, "secret"));
  CHECK_INT(rl_model_open(&m, "", &plain, NULL, NULL, &err), RL_EUSAGE);
  CHECK_INT(rl_model_open(&m, "/nowhere/there.is.no.onnx", &plain, NULL, NULL, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "onnx:/nowhere/there.is.no.onnx: cannot read the file: No such file");
}

/* The backend refuses it in words of its own; the front puts the URI before them. */
TEST(no_uri_that_may_hold_a_secret_is_told) {
  static const char *const uris[] = {"fake://me:secret@host/m", "fake:me:secret@host/m",
                                     "fake://host/m?token=secret", "fake://host/m#secret"};
  struct rl_model *m;
  struct rl_err err;
  reset();
  fake.open_fails = RL_EUSAGE;
  for (size_t i = 0; i < 4; i++) {
    CHECK_INT(rl_model_open_among(&m, backends, uris[i], &plain, NULL, NULL, &err), RL_EUSAGE);
    CHECK_STR(err.text, "fake:…: it is not there");
  }
}

/* ---- what goes in ---- */

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

/* ---- memory, warmup ---- */

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

TEST(warmup_runs_zeros_before_anybody_asks) {
  reset();
  struct rl_model *m = open_with("fake:sum", (struct rl_model_opts){.warmup = 7});
  CHECK_INT(fake.calls, 1);
  CHECK_INT(fake.rows[0], 7);
  rl_model_close(m);
  fake.run_fails = RL_EFAIL;
  struct rl_err err;
  CHECK_INT(
      rl_model_open_among(&m, backends, "fake:sum", &(struct rl_model_opts){.warmup = 1}, NULL, NULL, &err),
      RL_EFAIL);
  CHECK_STR(err.text, "fake:sum: it broke");
  CHECK_INT(fake.opened, fake.closed);
  fake.run_fails = 0;
  CHECK_INT(
      rl_model_open_among(&m, backends, "fake:bare", &(struct rl_model_opts){.warmup = 1}, NULL, NULL, &err),
      RL_EUSAGE);
  CHECK_HAS(err.text, "warmup: the model does not say what it takes");
}
