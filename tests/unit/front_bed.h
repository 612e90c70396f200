/* For the tests of the front of models: a backend made here, and runs of it. */
#ifndef FRONT_BED_H
#define FRONT_BED_H

#include <pthread.h>

#include "base/mem.h"
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

static inline void reset(void) {
  fake.opened = fake.closed = fake.calls = 0;
  fake.lost = fake.wide = 0;
  fake.open_fails = fake.run_fails = 0;
  fake.gate = fake.waiting = fake.whole = false;
}

static inline void add_port(struct rl_model_ports *ports, const char *name, enum rl_dtype dtype, int rank,
                            const int64_t *shape) {
  ports->at = rl_realloc(ports->at, (ports->n + 1) * sizeof *ports->at);
  struct rl_model_port *port = &ports->at[ports->n++];
  *port = (struct rl_model_port){rl_strdup(name), dtype, rank, {0}};
  for (int i = 0; i < rank; i++) port->shape[i] = shape[i];
}

static inline void wait_for_gate(void) {
  pthread_mutex_lock(&fake.mu);
  fake.waiting = true;
  pthread_cond_broadcast(&fake.cv);
  while (fake.gate) pthread_cond_wait(&fake.cv, &fake.mu);
  pthread_mutex_unlock(&fake.mu);
}

static struct rl_model_ports *told_outputs;

static inline int fake_open(void **self, const struct rl_model_opening *o, struct rl_err *err) {
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

static inline float *floats(const struct rl_tensor *t) { return (float *)(void *)t->data; }

static inline int make(struct rl_tensor *t, enum rl_dtype dtype, const struct rl_tensor_alloc *alloc,
                       int rank, const int64_t *shape, struct rl_err *err) {
  int rc = rl_tensor_new(t, dtype, rank, shape, alloc, err);
  if (!rc) memset(t->data, 0, rl_tensor_count(t) * rl_dtype_size(dtype));
  return rc;
}

static inline int answer_bare(struct rl_model_run *run) {
  run->n_outputs = 1;
  run->outputs[0] = (struct rl_model_value){"out", rl_tensor_share(&run->inputs[0].t)};
  return 0;
}

static inline int fake_run(void *self, struct rl_model_run *run, struct rl_err *err) {
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

static inline void fake_close(void *self) {
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

static inline struct rl_model *open_with(const char *uri, struct rl_model_opts opts) {
  struct rl_model *m = NULL;
  struct rl_err err;
  if (rl_model_open_among(&m, backends, uri, &opts, NULL, NULL, &err)) UNIT_FAIL("%s", err.text);
  return m;
}

/* ---- runs ---- */

static inline struct rl_tensor counted(enum rl_dtype dtype, int rank, const int64_t *shape) {
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
static inline int run_rows(struct bench *b, struct rl_model *m, enum rl_dtype dtype, int64_t rows) {
  memset(b, 0, sizeof *b);
  b->in[0] = (struct rl_model_value){"w", counted(RL_FLOAT32, SHAPE(2))};
  b->in[1] = (struct rl_model_value){"x", counted(dtype, SHAPE(rows, 2))};
  b->run = (struct rl_model_run){.inputs = b->in, .n_inputs = 2};
  return rl_model_run(m, &b->run, &b->err);
}

static inline void done(struct bench *b) {
  rl_model_values_free(b->run.outputs, b->run.n_outputs);
  for (int i = 0; i < 3; i++) rl_tensor_free(&b->in[i].t);
}

static inline void check_sums(const struct bench *b, int64_t rows) {
  CHECK_INT(b->run.n_outputs, 2);
  CHECK_STR(b->run.outputs[0].name, "sum");
  CHECK_INT(b->run.outputs[0].t.shape[0], rows);
  for (int64_t i = 0; i < rows; i++)
    if (floats(&b->run.outputs[0].t)[i] != (float)(2 * i + 1)) UNIT_FAIL("row %d", (int)i);
}

#endif
