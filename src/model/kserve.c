/* The Open Inference Protocol over HTTP (KServe v2, Triton, MLServer): the backend. */
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

static const struct rl_protocol protocol = {.size = sizeof(struct rl_kserve),
                                            .load = rl_kserve_load,
                                            .close = rl_served_close,
                                            .put_path = put_infer_path,
                                            .ready = rl_kserve_ready,
                                            .put = rl_kserve_put,
                                            .take = rl_kserve_take};

static int kserve_open(void **self, const struct rl_model_opening *o, struct rl_err *err) {
  return rl_served_open(self, &protocol, o, err);
}

static int kserve_run(void *self, struct rl_model_run *run, struct rl_err *err) {
  return rl_served_run(self, &protocol, run, err);
}

const struct rl_model_backend rl_model_kserve = {.schemes = (const char *const[]){"kserve", "kserves", NULL},
                                                 .open = kserve_open,
                                                 .run = kserve_run,
                                                 .close = rl_served_close,
                                                 .splits = true,
                                                 .served = true};
