/* A server of models in the test's process, for both protocols: what it declares is the test's text, what it
 * answers to a call is the test's function. And a model of a backend, with runs of a float32 matrix. */
#ifndef SERVE_BED_H
#define SERVE_BED_H

#include "base/json_read.h"
#include "http_bed.h"
#include "model/model.h"

struct serve_bed {
  struct http_bed http;
  /* A POST: as http_bed's serve. */
  bool (*answer)(struct serve_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out);
  const char *model;       /* metadata; NULL: 404 */
  const char *server;      /* the server's own, of kserve */
  const char *state;       /* the model's, of tfserving; NULL: 404 */
  const char *unready;     /* the status of what is not ready */
  atomic_int unready_asks; /* so often */
  atomic_int posts;
  void *arg;
};

static inline void bed_say(struct rl_buf *out, const char *body) {
  if (body)
    http_say(out, "200 OK", "Content-Type: application/json\r\n", body);
  else
    http_say(out, "404 Not Found", "", "{\"error\":\"none of that name\"}");
}

static inline bool bed_ends(const char *text, const char *end) {
  size_t len = strlen(text), n = strlen(end);
  return len >= n && strcmp(text + len - n, end) == 0;
}

static inline bool bed_serve(struct http_bed *http, int fd, const struct http_asked *asked,
                             struct rl_buf *out) {
  struct serve_bed *bed = http->arg;
  bool ready = bed_ends(asked->path, "/ready"), described = bed_ends(asked->path, "/metadata");
  bool kserve = strncmp(asked->path, "/v2", 3) == 0;
  if (strncmp(asked->head, "POST ", 5) == 0) {
    atomic_fetch_add(&bed->posts, 1);
    return bed->answer(bed, fd, asked, out);
  }
  if ((ready || (!kserve && !described)) && atomic_fetch_sub(&bed->unready_asks, 1) > 0)
    http_say(out, bed->unready, "", "{\"error\":\"still loading\"}");
  else if (ready)
    bed_say(out, bed_ends(asked->path, "/health/ready") || bed->model ? "" : NULL);
  else if (kserve)
    bed_say(out, strcmp(asked->path, "/v2") == 0 ? bed->server : bed->model);
  else
    bed_say(out, described ? bed->model : bed->state);
  return true;
}

static inline void bed_start(struct serve_bed *bed,
                             bool (*answer)(struct serve_bed *, int, const struct http_asked *,
                                            struct rl_buf *)) {
  bed->answer = answer;
  if (!bed->unready) bed->unready = "503 Service Unavailable";
  http_bed_start(&bed->http, 0, bed_serve, bed);
}

/* The URI of the bed's model "m". */
static inline const char *bed_uri(const struct serve_bed *bed, const char *scheme, char uri[100]) {
  snprintf(uri, 100, "%s://127.0.0.1:%d/m", scheme, bed->http.port);
  return uri;
}

struct served {
  const struct rl_model_backend *backend;
  void *self;
  struct rl_model_ports in, out;
  struct rl_err err;
};

/* go_on NULL: as long as it takes. */
static inline int served_open_while(struct served *m, const struct rl_model_backend *backend, const char *uri,
                                    const struct rl_model_opts *opts, bool (*go_on)(void *arg)) {
  static const struct rl_model_opts none;
  *m = (struct served){.backend = backend};
  const struct rl_model_opening opening = {uri, opts ? opts : &none, go_on, NULL, &m->in, &m->out};
  return backend->open(&m->self, &opening, &m->err);
}

static inline int served_open(struct served *m, const struct rl_model_backend *backend, const char *uri,
                              const struct rl_model_opts *opts) {
  return served_open_while(m, backend, uri, opts, NULL);
}

static inline void served_close(struct served *m) {
  rl_model_ports_free(&m->in);
  rl_model_ports_free(&m->out);
  if (m->self) m->backend->close(m->self);
}

static inline void bed_stop(struct serve_bed *bed, struct served *m) {
  served_close(m);
  http_bed_stop(&bed->http);
}

/* A run of one float32 input; 0: y of run_done has its output. */
struct ran {
  struct rl_model_value x;
  struct rl_model_run run;
  struct rl_err err;
  int code;
};

static inline void run_rows(struct ran *r, struct served *m, const char *name, int64_t rows, int64_t columns,
                            const float *data, bool (*go_on)(void *), void *arg) {
  const int64_t shape[2] = {rows, columns};
  *r = (struct ran){.x = {.name = name}};
  if (rl_tensor_new(&r->x.t, RL_FLOAT32, 2, shape, NULL, NULL) != 0) UNIT_FAIL("no tensor");
  for (int64_t i = 0; i < rows * columns; i++) ((float *)(void *)r->x.t.data)[i] = data ? data[i] : (float)i;
  r->run = (struct rl_model_run){.inputs = &r->x, .n_inputs = 1, .go_on = go_on, .arg = arg};
  r->code = m->backend->run(m->self, &r->run, &r->err);
}

static inline void run_done(struct ran *r) {
  rl_tensor_free(&r->x.t);
  rl_model_values_free(r->run.outputs, r->run.n_outputs);
}

static inline float run_at(const struct ran *r, size_t output, size_t i) {
  float value = NAN;
  if (output < r->run.n_outputs && i < rl_tensor_count(&r->run.outputs[output].t))
    memcpy(&value, r->run.outputs[output].t.data + i * sizeof value, sizeof value);
  else
    UNIT_FAIL("there is no element %zu of output %zu", i, output);
  return value;
}

#endif
