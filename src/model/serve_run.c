/* A run in calls: cut into parts of rows, several under way at once, joined in order. */
#include <inttypes.h>
#include <sys/types.h>

#include "base/mem.h"
#include "model/serve.h"

/* ---- inputs ---- */

enum rl_wire rl_part_wire(const struct rl_served *s, const struct rl_part *part, size_t i) {
  return s->in.is.n ? s->in.wire[i] : rl_wire_of(part->inputs[i].t.dtype);
}

const char *rl_part_name(const struct rl_served *s, const struct rl_part *part, size_t i) {
  return s->in.is.n ? s->in.is.at[i].name : part->inputs[i].name;
}

/* ---- outputs ---- */

/* A name that lives as long as the model. NULL: there have been too many. */
static const char *keep_name(struct rl_served *s, const char *name) {
  const char *kept = NULL;
  pthread_mutex_lock(&s->mu);
  for (size_t i = 0; !kept && i < s->n_names; i++)
    if (strcmp(s->names[i], name) == 0) kept = s->names[i];
  if (!kept && s->n_names < RL_PORTS_MAX) {
    RL_GROW(s->names, s->cap_names, s->n_names + 1);
    kept = s->names[s->n_names++] = rl_strdup(name);
  }
  pthread_mutex_unlock(&s->mu);
  return kept;
}

static size_t add_output(struct rl_join *join, const char *name) {
  struct rl_model_run *run = join->run;
  RL_GROW(run->outputs, join->cap_outputs, run->n_outputs + 1);
  RL_GROW(join->placed, join->cap_placed, run->n_outputs + 1);
  run->outputs[run->n_outputs] = (struct rl_model_value){.name = name};
  join->placed[run->n_outputs] = 0;
  return run->n_outputs++;
}

void rl_join_init(struct rl_join *join, struct rl_served *s, struct rl_model_run *run, int64_t rows) {
  *join = (struct rl_join){.s = s, .run = run, .rows = rows, .parts = 1};
  run->outputs = NULL;
  run->n_outputs = 0;
  for (size_t i = 0; i < s->out.is.n; i++) add_output(join, s->out.is.at[i].name);
}

void rl_join_done(struct rl_join *join, bool drop) {
  struct rl_model_run *run = join->run;
  rl_free(join->placed);
  if (!drop) return;
  for (size_t i = 0; i < run->n_outputs; i++) rl_tensor_free(&run->outputs[i].t);
  rl_free(run->outputs);
  run->outputs = NULL;
  run->n_outputs = 0;
}

static ssize_t find_output(const struct rl_join *join, const char *name) {
  for (size_t i = 0; i < join->run->n_outputs; i++)
    if (strcmp(join->run->outputs[i].name, name) == 0) return (ssize_t)i;
  return -1;
}

int rl_join_count(int rank, const int64_t *shape, size_t *count, struct rl_err *err) {
  char text[RL_SHAPE_TEXT];
  *count = 1;
  for (int i = 0; i < rank; i++)
    if (shape[i] < 0 || __builtin_mul_overflow(*count, (size_t)shape[i], count) || *count > SIZE_MAX / 8)
      return rl_fail(err, RL_EFAIL, "its shape %s cannot be", rl_shape_text(text, rank, shape));
  return 0;
}

static bool fits(const struct rl_model_port *port, int rank, const int64_t *shape) {
  if (port->rank < 0) return true;
  if (port->rank != rank) return false;
  for (int i = 0; i < rank; i++)
    if (port->shape[i] >= 0 && port->shape[i] != shape[i]) return false;
  return true;
}

/* Against what the model declares. */
static int check_declared(const struct rl_model_port *port, int rank, const int64_t *shape,
                          struct rl_err *err) {
  char came[RL_SHAPE_TEXT], declared[RL_SHAPE_TEXT];
  if (!port || fits(port, rank, shape)) return 0;
  return rl_fail(err, RL_EFAIL, "it is %s, the model declares %s", rl_shape_text(came, rank, shape),
                 rl_shape_text(declared, port->rank, port->shape));
}

/* The outer dimension is the rows' that were sent, but of an output that is declared to have another. */
static int check_rows(const struct rl_join *join, const struct rl_part *part,
                      const struct rl_model_port *port, int rank, const int64_t *shape, struct rl_err *err) {
  char came[RL_SHAPE_TEXT];
  bool fixed = port && port->rank >= 0 && (port->rank == 0 || port->shape[0] >= 0);
  if (part->rows < 0 || (fixed && join->parts == 1)) return 0;
  if (rank > 0 && shape[0] == part->rows) return 0;
  return rl_fail(err, RL_EFAIL, "it is %s, where %" PRId64 " rows were sent",
                 rl_shape_text(came, rank, shape), part->rows);
}

static int make_whole(struct rl_join *join, size_t i, enum rl_dtype dtype, int rank, const int64_t *shape,
                      struct rl_err *err) {
  int64_t whole[RL_RANK_MAX];
  size_t count;
  memcpy(whole, shape, (size_t)rank * sizeof *whole);
  if (join->parts > 1) whole[0] = join->rows;
  int code = rl_join_count(rank, whole, &count, err);
  return code ? code : rl_tensor_new(&join->run->outputs[i].t, dtype, rank, whole, join->run->alloc, err);
}

static int check_parts(const struct rl_tensor *whole, int rank, const int64_t *shape, struct rl_err *err) {
  char came[RL_SHAPE_TEXT], before[RL_SHAPE_TEXT];
  bool same = rank == whole->rank;
  for (int i = 1; same && i < rank; i++) same = shape[i] == whole->shape[i];
  if (same) return 0;
  return rl_fail(err, RL_EFAIL, "it is %s, after %s for the rows before", rl_shape_text(came, rank, shape),
                 rl_shape_text(before, whole->rank, whole->shape));
}

static int check_shape(const struct rl_join *join, const struct rl_part *part,
                       const struct rl_model_port *port, int rank, const int64_t *shape, struct rl_err *err) {
  int code = check_rows(join, part, port, rank, shape, err);
  return code ? code : check_declared(port, rank, shape, err);
}

static int place(struct rl_join *join, const struct rl_part *part, size_t i, enum rl_wire wire, int rank,
                 const int64_t *shape, struct rl_tensor *where, struct rl_err *err) {
  const struct rl_model_port *port = join->s->out.is.n ? &join->s->out.is.at[i] : NULL;
  struct rl_tensor *whole = &join->run->outputs[i].t;
  int code = check_shape(join, part, port, rank, shape, err);
  if (code == 0 && join->placed[i] != part->number) code = rl_fail(err, RL_EFAIL, "it stands there twice");
  if (code == 0 && part->number == 0)
    code = make_whole(join, i, port ? port->dtype : rl_wire_dtype(wire), rank, shape, err);
  else if (code == 0)
    code = check_parts(whole, rank, shape, err);
  if (code != 0) return code;
  join->placed[i]++;
  *where = join->parts > 1 ? rl_tensor_range(whole, part->first, part->rows, 1) : *whole;
  return rl_wire_check(wire, whole->dtype, err);
}

int rl_join_place(struct rl_join *join, const struct rl_part *part, const char *name, enum rl_wire wire,
                  int rank, const int64_t *shape, struct rl_tensor *where, struct rl_err *err) {
  ssize_t i = find_output(join, name);
  if (i < 0 && part->number > 0) return rl_fail(err, RL_EFAIL, "the calls before had no such output");
  const char *kept = i < 0 ? keep_name(join->s, name) : NULL;
  if (i < 0 && !kept) return rl_fail(err, RL_EFAIL, "the model has given over %d outputs", RL_PORTS_MAX);
  if (i < 0) i = (ssize_t)add_output(join, kept);
  return place(join, part, (size_t)i, wire, rank, shape, where, err);
}

int rl_join_check(const struct rl_join *join, const struct rl_part *part, struct rl_err *err) {
  for (size_t i = 0; i < join->run->n_outputs; i++)
    if (join->placed[i] != part->number + 1)
      return rl_fail(err, RL_EFAIL, "the answer is without the output '%s'", join->run->outputs[i].name);
  return join->run->n_outputs ? 0 : rl_fail(err, RL_EFAIL, "the answer is without outputs");
}

/* ---- calls ---- */

/* Parts that are asked for at once. */
struct wave {
  struct rl_part *parts;
  struct rl_model_value *inputs; /* of all of them */
  struct rl_request *requests;
  struct rl_http_call *calls;
  const char *(*headers)[3];
  size_t n;
  struct rl_buf url;
};

static void wave_init(struct wave *w, const struct rl_join *join, const struct rl_protocol *protocol) {
  size_t most = join->parts < join->s->in_flight ? join->parts : join->s->in_flight;
  struct rl_buf path = RL_BUF_INIT;
  *w = (struct wave){.parts = rl_zalloc(most * sizeof *w->parts),
                     .inputs = rl_zalloc(most * join->run->n_inputs * sizeof *w->inputs),
                     .requests = rl_zalloc(most * sizeof *w->requests),
                     .calls = rl_zalloc(most * sizeof *w->calls),
                     .headers = rl_zalloc(most * sizeof *w->headers)};
  protocol->put_path(join->s, &path);
  rl_http_put_url(&w->url, join->s->url, path.data);
  rl_buf_free(&path);
}

static void wave_clear(struct wave *w) {
  for (size_t i = 0; i < w->n; i++) {
    rl_http_call_free(&w->calls[i]);
    rl_buf_free(&w->requests[i].body);
    w->requests[i].n_headers = 0;
  }
  w->n = 0;
}

static void wave_free(struct wave *w) {
  wave_clear(w);
  rl_free(w->parts);
  rl_free(w->inputs);
  rl_free(w->requests);
  rl_free(w->calls);
  rl_free((void *)w->headers);
  rl_buf_free(&w->url);
}

/* The part that begins at a row; its views of the inputs are the wave's. */
static void set_part(struct wave *w, const struct rl_join *join, size_t number) {
  const struct rl_model_run *run = join->run;
  int64_t batch = join->s->batch, first = (int64_t)number * batch;
  struct rl_model_value *inputs = w->inputs + w->n * run->n_inputs;
  w->parts[w->n] = (struct rl_part){inputs, run->n_inputs, 0, join->rows, number};
  memcpy(inputs, run->inputs, run->n_inputs * sizeof *inputs);
  if (join->parts == 1) return;
  w->parts[w->n].first = first;
  w->parts[w->n].rows = join->rows - first < batch ? join->rows - first : batch;
  rl_model_part(&join->s->in.is, run->inputs, run->n_inputs, first, w->parts[w->n].rows, inputs);
}

static int add_call(struct wave *w, const struct rl_join *join, const struct rl_protocol *protocol,
                    size_t number, struct rl_err *err) {
  set_part(w, join, number);
  size_t at = w->n++;
  struct rl_request *request = &w->requests[at];
  w->calls[at] = (struct rl_http_call){0};
  int code = protocol->put(join->s, &w->parts[at], request, err);
  for (size_t i = 0; i < request->n_headers; i++) w->headers[at][i] = request->headers[i];
  w->calls[at] = (struct rl_http_call){.method = "POST",
                                       .url = w->url.data,
                                       .headers = w->headers[at],
                                       .n_headers = request->n_headers,
                                       .body = rl_buf_bytes(&request->body)};
  return code;
}

static int take_answers(struct wave *w, struct rl_join *join, const struct rl_protocol *protocol,
                        struct rl_err *err) {
  int code = 0;
  for (size_t i = 0; code == 0 && i < w->n; i++) {
    code = protocol->take(join, &w->parts[i], &w->calls[i], err);
    if (code == 0) code = rl_join_check(join, &w->parts[i], err);
    if (code != 0) rl_err_prefix(err, "POST %s: ", w->url.data);
    rl_buf_free(&w->calls[i].answer); /* before the next one's numbers are made */
  }
  return code;
}

static int run_wave(struct wave *w, struct rl_join *join, const struct rl_protocol *protocol,
                    struct rl_asking *asking, size_t from, struct rl_err *err) {
  int code = 0;
  for (size_t i = from; code == 0 && i < join->parts && i < from + join->s->in_flight; i++)
    code = add_call(w, join, protocol, i, err);
  rl_asking_renew(asking); /* retries are a call's, not the run's */
  if (code == 0) code = rl_asking_run(asking, w->calls, w->n, err);
  if (code == 0) code = take_answers(w, join, protocol, err);
  wave_clear(w);
  return code;
}

static int run_parts(struct rl_join *join, const struct rl_protocol *protocol, struct rl_err *err) {
  struct rl_asking asking;
  struct wave wave;
  int code = 0;
  rl_asking_init(&asking, join->s, join->run->go_on, join->run->arg);
  if (join->s->tells_ready) asking.ready = protocol->ready;
  wave_init(&wave, join, protocol);
  for (size_t i = 0; code == 0 && i < join->parts; i += join->s->in_flight)
    code = run_wave(&wave, join, protocol, &asking, i, err);
  wave_free(&wave);
  return code;
}

int rl_served_run(struct rl_served *s, const struct rl_protocol *protocol, struct rl_model_run *run,
                  struct rl_err *err) {
  struct rl_join join;
  int64_t rows = rl_model_rows(&s->in.is, run->inputs, run->n_inputs);
  rl_join_init(&join, s, run, rows);
  if (s->batch > 0 && rows > s->batch) join.parts = (size_t)((rows + s->batch - 1) / s->batch);
  int code = run_parts(&join, protocol, err);
  rl_join_done(&join, code != 0);
  return code;
}
