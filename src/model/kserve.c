/* The Open Inference Protocol over HTTP (KServe v2, Triton, MLServer): the backend. */
#include "base/mem.h"
#include "model/kserve_impl.h"

void rl_kserve_put_path(const struct rl_served *s, struct rl_buf *path) {
  rl_buf_puts(path, "/v2/models/");
  rl_http_put_escaped(path, rl_bytes_str(s->name));
  if (!s->version) return;
  rl_buf_puts(path, "/versions/");
  rl_http_put_escaped(path, rl_bytes_str(s->version));
}

static void put_infer_path(const struct rl_served *s, struct rl_buf *path) {
  rl_kserve_put_path(s, path);
  rl_buf_puts(path, "/infer");
}

static void kserve_close(void *self) {
  struct rl_kserve *k = self;
  rl_served_done(&k->s);
  rl_free(k);
}

static int kserve_open(void **self, const char *uri, const struct rl_model_opts *opts,
                       struct rl_model_ports *inputs, struct rl_model_ports *outputs,
                       bool (*go_on)(void *arg), void *arg, struct rl_err *err) {
  struct rl_asking asking;
  struct rl_kserve *k = rl_zalloc(sizeof *k);
  int code = rl_served_init(&k->s, uri, opts, err);
  if (code != 0) {
    rl_free(k);
    return code;
  }
  rl_asking_init(&asking, &k->s, go_on, arg);
  code = rl_kserve_load(k, &asking, err);
  if (code != 0) {
    kserve_close(k);
    return code;
  }
  rl_served_copy(&k->s.in, inputs);
  rl_served_copy(&k->s.out, outputs);
  *self = k;
  return 0;
}

static int kserve_run(void *self, struct rl_model_run *run, struct rl_err *err) {
  static const struct rl_protocol protocol = {put_infer_path, rl_kserve_ready, rl_kserve_put, rl_kserve_take};
  struct rl_kserve *k = self;
  return rl_served_run(&k->s, &protocol, run, err);
}

const struct rl_model_backend rl_model_kserve = {.schemes = (const char *const[]){"kserve", "kserves", NULL},
                                                 .open = kserve_open,
                                                 .run = kserve_run,
                                                 .close = kserve_close,
                                                 .splits = true,
                                                 .served = true};
