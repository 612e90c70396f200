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
  rl_served_done(&tf->s);
  rl_free(tf->signature);
  rl_free(tf);
}

static int tfserving_open(void **self, const char *uri, const struct rl_model_opts *opts,
                          struct rl_model_ports *inputs, struct rl_model_ports *outputs,
                          bool (*go_on)(void *arg), void *arg, struct rl_err *err) {
  struct rl_asking asking;
  struct rl_tfserving *tf = rl_zalloc(sizeof *tf);
  int code = rl_served_init(&tf->s, uri, opts, err);
  if (code != 0) {
    rl_free(tf);
    return code;
  }
  rl_asking_init(&asking, &tf->s, go_on, arg);
  code = rl_tfserving_load(tf, &asking, err);
  if (code != 0) {
    tfserving_close(tf);
    return code;
  }
  rl_served_copy(&tf->s.in, inputs);
  rl_served_copy(&tf->s.out, outputs);
  *self = tf;
  return 0;
}

static int tfserving_run(void *self, struct rl_model_run *run, struct rl_err *err) {
  static const struct rl_protocol protocol = {put_predict_path, rl_tfserving_ready, rl_tfserving_put,
                                              rl_tfserving_take};
  struct rl_tfserving *tf = self;
  return rl_served_run(&tf->s, &protocol, run, err);
}

const struct rl_model_backend rl_model_tfserving = {
    .schemes = (const char *const[]){"tfserving", "tfservings", NULL},
    .open = tfserving_open,
    .run = tfserving_run,
    .close = tfserving_close,
    .splits = true,
    .served = true};
