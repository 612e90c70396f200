#include "model/model.h"

#include <pthread.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/thread.h"
#include "model/model_impl.h"

enum { GO_ON_MS = 50 }; /* how often a wait for another lane's opening looks up */

enum state { OPENING, OPEN, FAILED };

struct rl_model {
  const struct rl_model_backend *backend;
  char *uri, *key;
  void *self;
  struct rl_model_ports inputs, outputs;
  int64_t batch;
  /* the table's: */
  struct rl_model *next;
  size_t owners;
  enum state state;
  struct rl_err failure;
};

/* The open models of the process. */
static struct {
  pthread_mutex_t mu;
  pthread_cond_t cv; /* one of them is no longer opening */
  struct rl_model *first;
} table = {.mu = PTHREAD_MUTEX_INITIALIZER};

static void init_table(void) { rl_cond_init(&table.cv); }

static const char *text(const char *value) { return value ? value : ""; }

/* What makes two openings the same: the URI and every option. */
static char *key_of(const struct rl_model_backend *backend, const char *uri, const struct rl_model_opts *o) {
  struct rl_buf key = RL_BUF_INIT;
  rl_buf_printf(&key, "%p\n%s\n%lld %d %.17g %d %lld %d", (const void *)backend, uri, (long long)o->batch,
                o->threads, o->timeout, o->retries, (long long)o->warmup, o->in_flight);
  const char *const texts[] = {o->ca, o->certificate, o->key, o->user, o->password, o->token};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    rl_buf_printf(&key, "\n%zu %s", strlen(text(texts[i])), text(texts[i]));
  return rl_buf_take(&key);
}

/* ---- the table; mu is held ---- */

static struct rl_model *find(const char *key) {
  for (struct rl_model *m = table.first; m; m = m->next)
    if (strcmp(m->key, key) == 0) return m;
  return NULL;
}

static void take_off(struct rl_model *model) {
  struct rl_model **at = &table.first;
  while (*at && *at != model) at = &(*at)->next;
  if (*at) *at = model->next;
}

static void end(struct rl_model *model) {
  if (model->state == OPEN) model->backend->close(model->self);
  rl_model_ports_free(&model->inputs);
  rl_model_ports_free(&model->outputs);
  rl_free(model->uri);
  rl_free(model->key);
  rl_free(model);
}

/* ---- opening ---- */

static bool always(void *arg) {
  (void)arg;
  return true;
}

static int ended(const char *uri, struct rl_err *err) {
  rl_fail(err, RL_ETRANSIENT, "the wait for it was ended");
  return rl_model_prefix_uri(uri, err);
}

/* Another lane opens it: waits until that is done. */
static int await(struct rl_model *model, bool (*go_on)(void *arg), void *arg, struct rl_err *err) {
  int rc = 0;
  while (model->state == OPENING && !rc) {
    rl_cond_wait_until(&table.cv, &table.mu, rl_after(rl_now(), GO_ON_MS * RL_NS_PER_MS));
    if (model->state == OPENING && !go_on(arg)) rc = ended(model->uri, err);
  }
  if (rc || model->state == OPEN) return rc;
  if (err) *err = model->failure;
  return model->failure.code;
}

/* Zeros at every input. */
static int warm_up(struct rl_model *model, int64_t rows, bool (*go_on)(void *arg), void *arg,
                   struct rl_err *err) {
  size_t n = model->inputs.n;
  if (!n) return rl_fail(err, RL_EUSAGE, "%s: warmup: the model does not say what it takes", model->uri);
  struct rl_model_value *inputs = rl_zalloc(n * sizeof *inputs);
  struct rl_model_run run = {.inputs = inputs, .n_inputs = n, .go_on = go_on, .arg = arg};
  int rc = 0;
  for (size_t i = 0; i < n && !rc; i++) {
    const struct rl_model_port *port = &model->inputs.at[i];
    int64_t shape[RL_RANK_MAX];
    for (int k = 0; k < port->rank; k++) shape[k] = port->shape[k] >= 0 ? port->shape[k] : k ? 1 : rows;
    inputs[i].name = port->name;
    rc = rl_tensor_new(&inputs[i].t, port->dtype, port->rank < 0 ? 0 : port->rank, shape, NULL, err);
    if (!rc) memset(inputs[i].t.data, 0, rl_tensor_count(&inputs[i].t) * rl_dtype_size(port->dtype));
  }
  if (!rc) rc = rl_model_run(model, &run, err);
  if (!rc) rl_model_values_free(run.outputs, run.n_outputs);
  rl_model_values_free(inputs, n);
  return rc;
}

/* Runs of many rows can be split: an input's outer size is free. */
static bool has_rows(const struct rl_model_ports *inputs) {
  for (size_t i = 0; i < inputs->n; i++)
    if (inputs->at[i].rank > 0 && inputs->at[i].shape[0] < 0) return true;
  return false;
}

/* The output whose outer size is not the rows': what parts give cannot be joined. */
static const struct rl_model_port *without_rows(const struct rl_model_ports *outputs) {
  for (size_t i = 0; i < outputs->n; i++)
    if (outputs->at[i].rank == 0 || (outputs->at[i].rank > 0 && outputs->at[i].shape[0] >= 0))
      return &outputs->at[i];
  return NULL;
}

static int choose_batch(struct rl_model *model, struct rl_err *err) {
  char text[RL_PORT_TEXT];
  if (!has_rows(&model->inputs)) return 0;
  const struct rl_model_port *whole = without_rows(&model->outputs);
  if (!model->batch && !whole) model->batch = model->backend->batch;
  if (!model->batch || !whole) return 0;
  rl_fail(err, RL_EUSAGE, "batch: the output %s is no row's, so calls cannot be joined: leave it out",
          rl_model_port_text(text, whole));
  return rl_model_prefix_uri(model->uri, err);
}

static int open_it(struct rl_model *model, const struct rl_model_opts *opts, bool (*go_on)(void *arg),
                   void *arg, struct rl_err *err) {
  const struct rl_model_opening opening = {model->uri, opts, go_on, arg, &model->inputs, &model->outputs};
  int rc = model->backend->open(&model->self, &opening, err);
  if (rc) return rl_model_prefix_uri(model->uri, err);
  rc = choose_batch(model, err);
  if (!rc && opts->warmup > 0) rc = warm_up(model, opts->warmup, go_on, arg, err);
  if (rc) model->backend->close(model->self);
  return rc;
}

static struct rl_model *new_model(const struct rl_model_backend *backend, int64_t batch) {
  struct rl_model *model = rl_zalloc(sizeof *model);
  *model = (struct rl_model){.backend = backend, .batch = batch, .owners = 1, .next = table.first};
  return table.first = model;
}

/* The table is unlocked meanwhile: a server may take long. */
static int open_new(struct rl_model *model, const struct rl_model_opts *opts, bool (*go_on)(void *arg),
                    void *arg, struct rl_err *err) {
  struct rl_err own;
  pthread_mutex_unlock(&table.mu);
  int rc = open_it(model, opts, go_on, arg, &own);
  pthread_mutex_lock(&table.mu);
  model->state = rc ? FAILED : OPEN;
  if (rc) {
    model->failure = own;
    take_off(model); /* the next one tries again */
    if (err) *err = own;
  }
  pthread_cond_broadcast(&table.cv);
  return rc;
}

int rl_model_open_among(struct rl_model **out, const struct rl_model_backend *const *backends,
                        const char *uri, const struct rl_model_opts *opts, bool (*go_on)(void *arg),
                        void *arg, struct rl_err *err) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, init_table);
  char *whole = rl_model_whole_uri(uri);
  while (*backends && !rl_model_has_scheme(*backends, whole)) backends++;
  *out = NULL;
  if (!*backends) {
    rl_free(whole);
    return rl_model_unknown_uri(uri, err);
  }
  if (!go_on) go_on = always;
  char *key = key_of(*backends, whole, opts);
  pthread_mutex_lock(&table.mu);
  struct rl_model *model = find(key);
  int rc;
  if (model) {
    rl_free(key);
    rl_free(whole);
    model->owners++;
    rc = await(model, go_on, arg, err);
  } else {
    model = new_model(*backends, opts->batch);
    model->uri = whole;
    model->key = key;
    rc = open_new(model, opts, go_on, arg, err);
  }
  pthread_mutex_unlock(&table.mu);
  if (rc)
    rl_model_close(model);
  else
    *out = model;
  return rc;
}

int rl_model_open(struct rl_model **out, const char *uri, const struct rl_model_opts *opts,
                  bool (*go_on)(void *arg), void *arg, struct rl_err *err) {
  return rl_model_open_among(out, rl_model_backends, uri, opts, go_on, arg, err);
}

struct rl_model *rl_model_share(struct rl_model *model) {
  pthread_mutex_lock(&table.mu);
  model->owners++;
  pthread_mutex_unlock(&table.mu);
  return model;
}

void rl_model_close(struct rl_model *model) {
  if (!model) return;
  pthread_mutex_lock(&table.mu);
  bool last = --model->owners == 0;
  if (last) take_off(model);
  pthread_mutex_unlock(&table.mu);
  if (last) end(model);
}

const char *rl_model_uri(const struct rl_model *model) { return model->uri; }
bool rl_model_is_served(const struct rl_model *model) { return model->backend->served; }
const struct rl_model_ports *rl_model_inputs(const struct rl_model *model) { return &model->inputs; }
const struct rl_model_ports *rl_model_outputs(const struct rl_model *model) { return &model->outputs; }

/* ---- running ---- */

static int run_checked(struct rl_model *model, struct rl_model_run *run, struct rl_err *err) {
  int64_t rows = rl_model_rows(&model->inputs, run->inputs, run->n_inputs);
  if (rows == 0) return rl_model_no_rows(&model->outputs, run, err);
  if (rows > model->batch && model->batch > 0 && !model->backend->splits)
    return rl_model_run_split(model->backend, model->self, &model->inputs, model->batch, rows, run, err);
  int rc = model->backend->run(model->self, run, err);
  return rc ? rc : rl_model_check_outputs(&model->outputs, run, rows, err);
}

int rl_model_run(struct rl_model *model, struct rl_model_run *run, struct rl_err *err) {
  size_t n = model->inputs.n ? model->inputs.n : run->n_inputs;
  struct rl_model_value *inputs = rl_zalloc((n ? n : 1) * sizeof *inputs);
  struct rl_model_run checked = *run;
  checked.inputs = inputs;
  checked.n_inputs = n;
  checked.outputs = NULL;
  checked.n_outputs = 0;
  checked.began = rl_now();
  int rc = rl_model_check(&model->inputs, run->inputs, run->n_inputs, inputs, err);
  if (!rc) {
    rc = run_checked(model, &checked, err);
    rl_model_clear(inputs, n);
  }
  rl_free(inputs);
  if (rc) {
    rl_err_prefix(err, "%s: ", model->uri);
    rl_model_values_free(checked.outputs, checked.n_outputs);
    checked.outputs = NULL;
    checked.n_outputs = 0;
  }
  run->outputs = checked.outputs;
  run->n_outputs = checked.n_outputs;
  return rc;
}
