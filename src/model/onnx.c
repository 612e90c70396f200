/* Models in files, computed in this process by ONNX Runtime. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cores.h"
#include "base/mem.h"
#include "model/onnx_session.h"

/* ---- opening ---- */

static const char **names_of(const struct rl_model_ports *ports) {
  const char **names = rl_alloc(ports->n * sizeof *names);
  for (size_t i = 0; i < ports->n; i++) names[i] = ports->at[i].name;
  return names;
}

static int set_options(const struct rl_ort_api *api, struct OrtSessionOptions *o, int threads,
                       struct rl_err *err) {
  static const char *const entries[][2] = {{"session.intra_op.allow_spinning", "0"},
                                           {"session.inter_op.allow_spinning", "0"},
                                           {"session.use_env_allocators", "1"}};
  int rc = rl_onnx_check(api, api->SetIntraOpNumThreads(o, threads), err);
  if (!rc) rc = rl_onnx_check(api, api->SetInterOpNumThreads(o, 1), err);
  if (!rc) rc = rl_onnx_check(api, api->SetSessionGraphOptimizationLevel(o, RL_ORT_ALL_OPTIMIZED), err);
  for (size_t i = 0; i < sizeof entries / sizeof *entries && !rc; i++)
    rc = rl_onnx_check(api, api->AddSessionConfigEntry(o, entries[i][0], entries[i][1]), err);
  return rc;
}

/* The runtime's threads start here, and inherit what signals are blocked: all. */
static int create(struct rl_onnx_session *s, const char *path, struct OrtSessionOptions *o,
                  struct rl_err *err) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int rc = rl_onnx_check(s->onnx.api, s->onnx.api->CreateSession(s->onnx.env, path, o, &s->session), err);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return rc;
}

static int open_session(struct rl_onnx_session *s, const char *path, const struct rl_model_opts *opts,
                        struct rl_err *err) {
  const struct rl_ort_api *api = s->onnx.api;
  struct OrtSessionOptions *o = NULL;
  int rc = rl_onnx_check(api, api->CreateSessionOptions(&o), err);
  if (rc) return rc;
  rc = set_options(api, o, opts->threads ? opts->threads : rl_cores(), err);
  if (!rc) rc = create(s, path, o, err);
  api->ReleaseSessionOptions(o);
  if (!rc)
    rc = rl_onnx_check(api, api->CreateCpuMemoryInfo(RL_ORT_ARENA, RL_ORT_MEM_DEFAULT, &s->memory), err);
  return rc;
}

/* The runtime's own words for a missing file are longer and say less. */
static int check_file(const char *path, struct rl_err *err) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return rl_fail(err, RL_EUSAGE, "cannot read the file: %s", strerror(errno));
  close(fd);
  return 0;
}

static void onnx_close(void *self) {
  struct rl_onnx_session *s = self;
  const struct rl_ort_api *api = s->onnx.api;
  if (s->memory) api->ReleaseMemoryInfo(s->memory);
  if (s->session) api->ReleaseSession(s->session);
  rl_onnx_release();
  rl_free(s->inputs);
  rl_free(s->outputs);
  rl_free(s);
}

/* Nothing is waited for: what a file holds is there at once or not at all. */
static int onnx_open(void **self, const struct rl_model_opening *o, struct rl_err *err) {
  const char *path = o->uri + strlen("onnx:");
  struct rl_onnx onnx;
  int rc = check_file(path, err);
  if (!rc) rc = rl_onnx_acquire(&onnx, err);
  if (rc) return rc;
  struct rl_onnx_session *s = rl_zalloc(sizeof *s);
  *s = (struct rl_onnx_session){.onnx = onnx, .timeout = o->opts->timeout};
  rc = open_session(s, path, o->opts, err);
  if (!rc) rc = rl_onnx_read_ports(s, true, o->inputs, err);
  if (!rc) rc = rl_onnx_read_ports(s, false, o->outputs, err);
  if (rc) {
    onnx_close(s);
    return rc;
  }
  s->inputs = names_of(o->inputs);
  s->n_inputs = o->inputs->n;
  s->outputs = names_of(o->outputs);
  s->n_outputs = o->outputs->n;
  *self = s;
  return 0;
}

/* ---- running ---- */

static int make_inputs(const struct rl_onnx_session *s, const struct rl_model_run *run,
                       struct OrtValue **values, struct rl_err *err) {
  int rc = 0;
  for (size_t i = 0; i < run->n_inputs && !rc; i++) {
    const struct rl_tensor *t = &run->inputs[i].t;
    rc = rl_onnx_check(s->onnx.api,
                       s->onnx.api->CreateTensorWithDataAsOrtValue(
                           s->memory, t->data, rl_tensor_count(t) * rl_dtype_size(t->dtype), t->shape,
                           (size_t)t->rank, rl_onnx_type_of(t->dtype), &values[i]),
                       err);
  }
  return rc;
}

static int describe(const struct rl_ort_api *api, const struct OrtValue *value, struct rl_model_port *port,
                    struct rl_err *err) {
  struct OrtTensorTypeAndShapeInfo *info = NULL;
  unsigned element = 0;
  int rc = rl_onnx_check(api, api->GetTensorTypeAndShape(value, &info), err);
  if (rc) return rc;
  rc = rl_onnx_check(api, api->GetTensorElementType(info, &element), err);
  if (!rc && !rl_onnx_find_dtype(element, &port->dtype))
    rc = rl_fail(err, RL_EFAIL, "the output '%s' is %s, which rille has no tensors of", port->name,
                 rl_onnx_type_name(element));
  if (!rc) rc = rl_onnx_read_shape(api, info, port, err);
  api->ReleaseTensorTypeAndShapeInfo(info);
  return rc;
}

/* Outputs are small beside what went in: they are copied to where the caller counts them. */
static int take_output(const struct rl_onnx_session *s, const char *name, struct OrtValue *value,
                       const struct rl_tensor_alloc *alloc, struct rl_model_value *out, struct rl_err *err) {
  struct rl_model_port port = {.name = (char *)(uintptr_t)name};
  void *data = NULL;
  int rc = describe(s->onnx.api, value, &port, err);
  if (!rc) rc = rl_onnx_check(s->onnx.api, s->onnx.api->GetTensorMutableData(value, &data), err);
  if (!rc) rc = rl_tensor_new(&out->t, port.dtype, port.rank, port.shape, alloc, err);
  if (rc) return rc;
  out->name = name;
  size_t bytes = rl_tensor_count(&out->t) * rl_dtype_size(port.dtype);
  if (bytes) memcpy(out->t.data, data, bytes);
  return 0;
}

static int take_outputs(const struct rl_onnx_session *s, struct OrtValue **values, struct rl_model_run *run,
                        struct rl_err *err) {
  int rc = 0;
  run->outputs = rl_zalloc(s->n_outputs * sizeof *run->outputs);
  run->n_outputs = s->n_outputs;
  for (size_t i = 0; i < s->n_outputs && !rc; i++)
    rc = take_output(s, s->outputs[i], values[i], run->alloc, &run->outputs[i], err);
  return rc;
}

static int run_values(const struct rl_onnx_session *s, const struct OrtRunOptions *options,
                      struct OrtValue **inputs, struct OrtValue **outputs, struct rl_err *err) {
  const struct rl_ort_api *api = s->onnx.api;
  return rl_onnx_check(api,
                       api->Run(s->session, options, s->inputs, (const struct OrtValue *const *)inputs,
                                s->n_inputs, s->outputs, s->n_outputs, outputs),
                       err);
}

static int late(const struct rl_onnx_session *s, struct rl_err *err) {
  return rl_fail(err, RL_ETRANSIENT, "the run took longer than its timeout (%g s)", s->timeout);
}

/* Whoever asked for the end knows why. */
static int judge(const struct rl_onnx_session *s, const struct rl_onnx_watch *watch, int rc,
                 struct rl_err *err) {
  if (watch->end == RL_ONNX_STOPPED) return rl_fail(err, RL_ETRANSIENT, "the run was ended");
  return rc && watch->end == RL_ONNX_LATE ? late(s, err) : rc;
}

static int run_watched(const struct rl_onnx_session *s, const struct rl_model_run *run,
                       struct OrtValue **inputs, struct OrtValue **outputs, struct rl_err *err) {
  struct rl_onnx_watch watch = {.api = s->onnx.api, .go_on = run->go_on, .arg = run->arg};
  if (!run->go_on && s->timeout <= 0) return run_values(s, NULL, inputs, outputs, err);
  watch.deadline = s->timeout > 0 ? rl_after(run->began, rl_seconds(s->timeout)) : RL_NEVER;
  if (rl_now() >= watch.deadline) return late(s, err); /* a call of a split run, and not the first */
  int rc = rl_onnx_check(s->onnx.api, s->onnx.api->CreateRunOptions(&watch.options), err);
  if (rc) return rc;
  rl_onnx_watch_begin(&watch);
  rc = run_values(s, watch.options, inputs, outputs, err);
  rl_onnx_watch_end(&watch);
  s->onnx.api->ReleaseRunOptions(watch.options);
  return judge(s, &watch, rc, err);
}

static void release(const struct rl_onnx_session *s, struct OrtValue **values, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (values[i]) s->onnx.api->ReleaseValue(values[i]);
}

static int onnx_run(void *self, struct rl_model_run *run, struct rl_err *err) {
  const struct rl_onnx_session *s = self;
  size_t n = s->n_inputs + s->n_outputs;
  struct OrtValue **values = rl_zalloc(n * sizeof(struct OrtValue *)), **outputs = values + s->n_inputs;
  int rc = make_inputs(s, run, values, err);
  if (!rc) rc = run_watched(s, run, values, outputs, err);
  if (!rc) rc = take_outputs(s, outputs, run, err);
  release(s, values, n);
  rl_free(values);
  return rc;
}

static const char *const schemes[] = {"onnx", NULL};

const struct rl_model_backend rl_model_onnx = {
    .schemes = schemes, .open = onnx_open, .run = onnx_run, .close = onnx_close, .batch = 1024};
