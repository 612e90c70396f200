/* A run in several calls: parts of its rows in, one answer out. */
#include <string.h>

#include "base/mem.h"
#include "model/model_impl.h"

static const char *name_of(const struct rl_model_value *value) { return value->name ? value->name : ""; }

/* ---- joining ---- */

static int check_part(const struct rl_model_value *part, int64_t rows, struct rl_err *err) {
  char shape[RL_SHAPE_TEXT];
  if (part->t.rank && part->t.shape[0] == rows) return 0;
  return rl_fail(err, RL_EFAIL, "%lld rows went in, and the output '%s' has the shape %s", (long long)rows,
                 name_of(part), rl_shape_text(shape, part->t.rank, part->t.shape));
}

/* Makes the whole of the first part that came. */
static int begin(struct rl_model_join *join, const struct rl_model_value *part, size_t n,
                 struct rl_err *err) {
  join->outputs = rl_zalloc(n * sizeof *join->outputs);
  join->n = n;
  for (size_t i = 0; i < n; i++) {
    struct rl_tensor shape = part[i].t;
    shape.shape[0] = join->rows;
    join->outputs[i].name = part[i].name;
    int rc = rl_tensor_new(&join->outputs[i].t, shape.dtype, shape.rank, shape.shape, join->alloc, err);
    if (rc) return rc;
  }
  return 0;
}

/* All but the number of rows is the same. */
static bool is_like(const struct rl_model_value *a, const struct rl_model_value *b) {
  struct rl_tensor row = b->t;
  row.shape[0] = a->t.shape[0];
  return a->t.dtype == b->t.dtype && rl_tensor_same_shape(&a->t, &row) && strcmp(name_of(a), name_of(b)) == 0;
}

static int unlike(const struct rl_model_value *a, const struct rl_model_value *b, struct rl_err *err) {
  char first[RL_SHAPE_TEXT], second[RL_SHAPE_TEXT];
  return rl_fail(err, RL_EFAIL,
                 "the model's answers to parts of the batch cannot be joined: '%s' %s %s and '%s' %s %s",
                 name_of(a), rl_dtype_name(a->t.dtype), rl_shape_text(first, a->t.rank, a->t.shape),
                 name_of(b), rl_dtype_name(b->t.dtype), rl_shape_text(second, b->t.rank, b->t.shape));
}

static int place(struct rl_model_value *whole, int64_t first, const struct rl_model_value *part,
                 struct rl_err *err) {
  if (!is_like(whole, part)) return unlike(whole, part, err);
  struct rl_tensor to = rl_tensor_range(&whole->t, first, part->t.shape[0], 1);
  rl_tensor_copy(&to, &part->t);
  return 0;
}

int rl_model_join(struct rl_model_join *join, int64_t first, int64_t rows, const struct rl_model_value *part,
                  size_t n, struct rl_err *err) {
  int rc = 0;
  for (size_t i = 0; i < n && !rc; i++) rc = check_part(&part[i], rows, err);
  if (!rc && !join->outputs) rc = begin(join, part, n, err);
  if (!rc && n != join->n)
    rc = rl_fail(err, RL_EFAIL, "the model gave %zu outputs for a part of the batch and %zu for another",
                 join->n, n);
  for (size_t i = 0; i < n && !rc; i++) rc = place(&join->outputs[i], first, &part[i], err);
  return rc;
}

/* ---- running ---- */

struct split {
  const struct rl_model_backend *backend;
  void *self;
  const struct rl_model_ports *ports;
  struct rl_model_run *run;
  struct rl_model_join join;
};

/* What can only be ended between its steps (a file's model of one large one) is so between its calls. */
static int call(struct split *s, int64_t first, int64_t rows, struct rl_err *err) {
  struct rl_model_run *run = s->run, part = *run;
  if (run->go_on && !run->go_on(run->arg)) return rl_fail(err, RL_ETRANSIENT, "the run was ended");
  part.alloc = NULL; /* only what is joined is kept */
  struct rl_model_value *inputs = rl_alloc(run->n_inputs * sizeof *inputs);
  rl_model_part(s->ports, run->inputs, run->n_inputs, first, rows, inputs);
  part.inputs = inputs;
  int rc = s->backend->run(s->self, &part, err);
  if (!rc) rc = rl_model_join(&s->join, first, rows, part.outputs, part.n_outputs, err);
  rl_model_values_free(part.outputs, part.n_outputs);
  rl_free(inputs);
  return rc;
}

int rl_model_run_split(const struct rl_model_backend *backend, void *self, const struct rl_model_ports *ports,
                       int64_t batch, int64_t rows, struct rl_model_run *run, struct rl_err *err) {
  struct split s = {backend, self, ports, run, {.rows = rows, .alloc = run->alloc}};
  int rc = 0;
  for (int64_t first = 0; first < rows && !rc; first += batch)
    rc = call(&s, first, rows - first < batch ? rows - first : batch, err);
  run->outputs = s.join.outputs;
  run->n_outputs = s.join.n;
  return rc;
}
