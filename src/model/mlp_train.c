/* A network at work: forward, back, a step; scores and how good they are. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "model/mlp.h"

enum { CHUNK = 256 }; /* rows that are scored at once: what lies between the layers stays in the caches */

/* ---- work memory: what each layer gives, then two places for what comes back ---- */

static size_t widest(const struct rl_mlp_spec *spec) {
  int64_t most = 0;
  for (int i = 1; i <= spec->layers; i++) most = spec->sizes[i] > most ? spec->sizes[i] : most;
  return (size_t)most;
}

/* Of layer i; of i = layers and the one behind it: of the two places. */
static size_t work_at(const struct rl_mlp *m, int i) {
  size_t at = 0;
  for (int k = 0; k < i; k++) {
    size_t width = k < m->spec.layers ? (size_t)m->spec.sizes[k + 1] : widest(&m->spec);
    at += rl_mlp_pad(m->rows * width);
  }
  return at;
}

static float *output_of(const struct rl_mlp *m, int layer) {
  return rl_mlp_floats(&m->work) + work_at(m, layer);
}

static int make_work(struct rl_mlp *m, size_t rows, struct rl_err *err) {
  m->rows = rows;
  const int64_t shape[] = {(int64_t)work_at(m, m->spec.layers + 2)};
  int rc = rl_tensor_new(&m->work, RL_FLOAT32, 1, shape, m->alloc.fn ? &m->alloc : NULL, err);
  if (rc)
    m->rows = 0;
  else
    memset(m->work.data, 0, (size_t)shape[0] * sizeof(float));
  return rc;
}

static int reserve(struct rl_mlp *m, size_t rows, struct rl_err *err) {
  if (rows <= m->rows) return 0;
  if (rows > INT_MAX) return rl_fail(err, RL_ENOMEM, "no memory for a batch of %zu rows", rows);
  rl_tensor_free(&m->work);
  return make_work(m, rows, err);
}

/* OpenBLAS adds its products to what is there (beta 1). That is faster than to have it cleared there (beta
 * 0), and the biases come with it. */

/* ---- forward ---- */

static float *multiply(const struct rl_mlp *m, const float *in, size_t n, int i) {
  struct rl_mlp_layer layer = rl_mlp_layer(&m->spec, i);
  int width = (int)layer.out, inner = (int)layer.in;
  const float *w = rl_mlp_floats(&m->weights);
  float *out = output_of(m, i);
  rl_mlp_repeat(w + layer.biases, n, layer.out, out);
  m->sgemm(RL_ROWS, RL_AS_IT_IS, RL_AS_IT_IS, (int)n, width, inner, 1, in, inner, w + layer.weights, width, 1,
           out, width);
  return out;
}

/* Returns the logits. */
static float *forward(struct rl_mlp *m, const float *x, size_t n, bool training) {
  const float *in = x;
  for (int i = 0;; i++) {
    float *out = multiply(m, in, n, i);
    if (i == m->spec.layers - 1) return out;
    size_t padded = rl_mlp_pad(n * (size_t)m->spec.sizes[i + 1]);
    rl_mlp_relu(out, padded);
    if (training && m->spec.dropout[i] > 0) rl_mlp_drop(out, padded, m->spec.dropout[i], &m->dice);
    in = out;
  }
}

/* ---- the loss ---- */

/* -y log s(z) - (1 - y) log(1 - s(z)), without an exp that could grow. */
static double loss_of(double z, double y) { return (z > 0 ? z : 0) - z * y + log1p(exp(-fabs(z))); }

/* NaN comes out as it is written: a sign would be printed. */
static double sigmoid(double z) { return isnan(z) ? (double)NAN : 1 / (1 + exp(-z)); }

static double sum_losses(const float *z, const float *y, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += loss_of((double)z[i], (double)y[i]);
  return sum;
}

/* ---- back ---- */

static void derive_layer(struct rl_mlp *m, const float *in, const float *d, size_t n, int i) {
  struct rl_mlp_layer layer = rl_mlp_layer(&m->spec, i);
  float *gradient = rl_mlp_floats(&m->gradients);
  memset(gradient + layer.weights, 0, layer.in * layer.out * sizeof *gradient);
  m->sgemm(RL_ROWS, RL_TRANSPOSED, RL_AS_IT_IS, (int)layer.in, (int)layer.out, (int)n, 1, in, (int)layer.in,
           d, (int)layer.out, 1, gradient + layer.weights, (int)layer.out);
  rl_mlp_sum_rows(d, n, layer.out, gradient + layer.biases);
}

/* What came back to layer i, on to what layer i - 1 gave. */
static void pass_back(const struct rl_mlp *m, const float *d, float *to, size_t n, int i) {
  struct rl_mlp_layer layer = rl_mlp_layer(&m->spec, i);
  const float *w = rl_mlp_floats(&m->weights) + layer.weights;
  memset(to, 0, n * layer.in * sizeof *to);
  m->sgemm(RL_ROWS, RL_AS_IT_IS, RL_TRANSPOSED, (int)n, (int)layer.in, (int)layer.out, 1, d, (int)layer.out,
           w, (int)layer.out, 1, to, (int)layer.in);
  rl_mlp_unrelu(to, output_of(m, i - 1), rl_mlp_pad(n * layer.in), (float)(1 / (1 - m->spec.dropout[i - 1])));
}

static void backward(struct rl_mlp *m, const float *x, float *d, float *other, size_t n) {
  for (int i = m->spec.layers - 1;; i--) {
    derive_layer(m, i ? output_of(m, i - 1) : x, d, n, i);
    if (i == 0) return;
    pass_back(m, d, other, n, i);
    float *done = d;
    d = other;
    other = done;
  }
}

int rl_mlp_gradient(struct rl_mlp *m, const float *x, const float *y, size_t n, double *loss,
                    struct rl_err *err) {
  int rc = reserve(m, n, err);
  if (rc) return rc;
  size_t labels = n * (size_t)m->spec.sizes[m->spec.layers];
  const float *z = forward(m, x, n, true);
  float *d = output_of(m, m->spec.layers), *other = output_of(m, m->spec.layers + 1);
  *loss = sum_losses(z, y, labels) / (double)labels;
  for (size_t i = 0; i < labels; i++) d[i] = (float)((sigmoid((double)z[i]) - (double)y[i]) / (double)labels);
  backward(m, x, d, other, n);
  return 0;
}

int rl_mlp_train(struct rl_mlp *m, const float *x, const float *y, size_t n, double *loss,
                 struct rl_err *err) {
  int rc = rl_mlp_gradient(m, x, y, n, loss, err);
  if (rc) return rc;
  if (!isfinite(*loss))
    return rl_fail(err, RL_EFAIL, "the loss is %g: the network's numbers grew too large", *loss);
  double t = (double)++m->steps;
  double rate = m->spec.learning_rate * sqrt(1 - pow(m->spec.beta2, t)) / (1 - pow(m->spec.beta1, t));
  struct rl_mlp_adam how = {(float)rate, (float)m->spec.beta1, (float)m->spec.beta2, (float)m->spec.epsilon};
  rl_mlp_adam(&how, rl_mlp_pad(rl_mlp_parameters(&m->spec)), rl_mlp_floats(&m->gradients),
              rl_mlp_floats(&m->weights), rl_mlp_floats(&m->first), rl_mlp_floats(&m->second));
  return 0;
}

/* ---- scores ---- */

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

int rl_mlp_predict(struct rl_mlp *m, const float *x, size_t n, float *scores, struct rl_err *err) {
  size_t in = (size_t)m->spec.sizes[0], out = (size_t)m->spec.sizes[m->spec.layers];
  int rc = reserve(m, least(n, CHUNK), err);
  for (size_t at = 0; !rc && at < n; at += CHUNK) {
    size_t rows = least(n - at, CHUNK);
    const float *z = forward(m, x + at * in, rows, false);
    for (size_t i = 0; i < rows * out; i++) scores[at * out + i] = (float)sigmoid((double)z[i]);
  }
  return rc;
}

static size_t count_right(const float *z, const float *y, size_t n) {
  size_t right = 0;
  for (size_t i = 0; i < n; i++) right += (z[i] > 0) == (y[i] > 0.5F);
  return right;
}

int rl_mlp_evaluate(struct rl_mlp *m, const float *x, const float *y, size_t n, double *loss,
                    double *accuracy, struct rl_err *err) {
  size_t in = (size_t)m->spec.sizes[0], out = (size_t)m->spec.sizes[m->spec.layers], right = 0;
  int rc = reserve(m, least(n, CHUNK), err);
  double sum = 0;
  for (size_t at = 0; !rc && at < n; at += CHUNK) {
    size_t rows = least(n - at, CHUNK);
    const float *z = forward(m, x + at * in, rows, false);
    sum += sum_losses(z, y + at * out, rows * out);
    right += count_right(z, y + at * out, rows * out);
  }
  *loss = n ? sum / (double)(n * out) : (double)NAN;
  *accuracy = n ? (double)right / (double)(n * out) : (double)NAN;
  return rc;
}
