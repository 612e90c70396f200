#include "lua/json_tensor.h"

#include <math.h>

#include "base/str.h"
#include "model/tensor_line.h"

struct writer {
  struct rl_buf *out;
  bool nan_null;
  size_t most;
  int64_t at[RL_RANK_MAX]; /* where it is */
};

static enum rl_json_tensor put_float(const struct writer *w, const struct rl_tensor *t, double x) {
  if (!isfinite(x)) {
    rl_buf_puts(w->out, "null");
    return w->nan_null ? RL_JSON_TENSOR_PUT : RL_JSON_TENSOR_NAN;
  }
  if (t->dtype == RL_FLOAT32)
    rl_put_float(w->out, (float)x);
  else
    rl_put_double(w->out, x);
  return RL_JSON_TENSOR_PUT;
}

static enum rl_json_tensor put_element(const struct writer *w, const struct rl_tensor *t) {
  struct rl_line line = {t->data, t->dtype, 1};
  double x;
  int64_t whole;
  if (rl_dtype_is_float(t->dtype)) {
    rl_line_load(&line, 1, &x);
    return put_float(w, t, x);
  }
  rl_line_load_int(&line, 1, &whole);
  if (t->dtype == RL_TRUTH)
    rl_buf_puts(w->out, whole ? "true" : "false");
  else
    rl_buf_printf(w->out, "%lld", (long long)whole);
  return RL_JSON_TENSOR_PUT;
}

static enum rl_json_tensor put_axis(struct writer *w, const struct rl_tensor *t, int depth) {
  if (w->out->len > w->most) return RL_JSON_TENSOR_TOO_LONG;
  if (t->rank == 0) return put_element(w, t);
  enum rl_json_tensor result = RL_JSON_TENSOR_PUT;
  rl_buf_putc(w->out, '[');
  for (int64_t i = 0; i < t->shape[0] && result == RL_JSON_TENSOR_PUT; i++) {
    struct rl_tensor row = rl_tensor_row(t, i);
    if (i) rl_buf_putc(w->out, ',');
    w->at[depth] = i + 1;
    result = put_axis(w, &row, depth + 1);
  }
  rl_buf_putc(w->out, ']');
  return result;
}

enum rl_json_tensor rl_json_put_tensor(struct rl_buf *out, const struct rl_tensor *t, bool nan_null,
                                       size_t most, int64_t at[RL_RANK_MAX]) {
  struct writer w = {out, nan_null, most, {0}};
  enum rl_json_tensor result = put_axis(&w, t, 0);
  memcpy(at, w.at, sizeof w.at);
  return result;
}
