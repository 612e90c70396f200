/* TensorFlow Serving's REST protocol: the backend. */
#include "base/mem.h"
#include "model/tfserving_impl.h"

void rl_tfserving_put_path(const struct rl_served *s, struct rl_buf *path) {
  rl_buf_puts(path, "/v1/models/");
  rl_http_put_escaped(path, rl_bytes_str(s->name));
  if (!s->version) return;
  bool number = strspn(s->version, "0123456789") == strlen(s->version);
  rl_buf_puts(path, number ? "/versions/" : "/labels/");
  rl_http_put_escaped(path, rl_bytes_str(s->version));
}

static void put_predict_path(const struct rl_served *s, struct rl_buf *path) {
  rl_tfserving_put_path(s, path);
  rl_buf_puts(path, ":predict");
}

static void tfserving_close(void *self) {
  struct rl_tfserving *tf = self;
  rl_free(tf->signature);
  rl_served_close(self);
}

static const struct rl_protocol protocol = {.size = sizeof(struct rl_tfserving),
                                            .load = rl_tfserving_load,
                                            .close = tfserving_close,
                                            .put_path = put_predict_path,
                                            .ready = rl_tfserving_ready,
                                            .put = rl_tfserving_put,
                                            .take = rl_tfserving_take};

static int tfserving_open(void **self, const struct rl_model_opening *o, struct rl_err *err) {
  return rl_served_open(self, &protocol, o, err);
}

static int tfserving_run(void *self, struct rl_model_run *run, struct rl_err *err) {
  return rl_served_run(self, &protocol, run, err);
}

const struct rl_model_backend rl_model_tfserving = {
    .schemes = (const char *const[]){"tfserving", "tfservings", NULL},
    .open = tfserving_open,
    .run = tfserving_run,
    .close = tfserving_close,
    .splits = true,
    .served = true};
