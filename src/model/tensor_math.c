#include "model/tensor_math.h"

#include <math.h>

#include "base/vectors.h"
#include "model/tensor_line.h"

/* Works on n elements in place; `at` is the place of the first among all. */
typedef void map_fn(double *x, size_t n, size_t at, const void *arg);

static size_t chunk(size_t at, size_t end) { return end - at < RL_LINE ? end - at : RL_LINE; }

/* Elements from `begin` to `end` of all. */
static void map_range(const struct rl_tensor *out, const struct rl_tensor *in, size_t begin, size_t end,
                      map_fn *fn, const void *arg) {
  double x[RL_LINE];
  for (size_t at = begin; at < end; at += RL_LINE) {
    size_t n = chunk(at, end);
    struct rl_line from = rl_tensor_line(in, at), to = rl_tensor_line(out, at);
    rl_line_load(&from, n, x);
    fn(x, n, at, arg);
    rl_line_store(&to, n, x);
  }
}

static void map(const struct rl_tensor *out, const struct rl_tensor *in, map_fn *fn, const void *arg) {
  map_range(out, in, 0, rl_tensor_count(in), fn, arg);
}

/* ---- element by element ---- */

static void map_log(double *x, size_t n, size_t at, const void *arg) {
  (void)at, (void)arg;
  for (size_t i = 0; i < n; i++) x[i] = log(x[i]);
}

void rl_tensor_log(const struct rl_tensor *out, const struct rl_tensor *in) { map(out, in, map_log, NULL); }

static void map_exp(double *x, size_t n, size_t at, const void *arg) {
  (void)at, (void)arg;
  for (size_t i = 0; i < n; i++) x[i] = exp(x[i]);
}

void rl_tensor_exp(const struct rl_tensor *out, const struct rl_tensor *in) { map(out, in, map_exp, NULL); }

RL_VECTORS static void map_nan_to(double *x, size_t n, size_t at, const void *arg) {
  double value = *(const double *)arg;
  (void)at;
  for (size_t i = 0; i < n; i++) x[i] = isnan(x[i]) ? value : x[i];
}

void rl_tensor_nan_to(const struct rl_tensor *out, const struct rl_tensor *in, double value) {
  map(out, in, map_nan_to, &value);
}

struct bounds {
  double low, high;
};

/* NaN fails both comparisons and stays. */
RL_VECTORS static void map_clip(double *x, size_t n, size_t at, const void *arg) {
  struct bounds b = *(const struct bounds *)arg;
  (void)at;
  for (size_t i = 0; i < n; i++) {
    x[i] = x[i] < b.low ? b.low : x[i];
    x[i] = x[i] > b.high ? b.high : x[i];
  }
}

void rl_tensor_clip(const struct rl_tensor *out, const struct rl_tensor *in, double low, double high) {
  struct bounds b = {low, high};
  map(out, in, map_clip, &b);
}

RL_VECTORS static void clip_ints(int64_t *x, size_t n, int64_t low, int64_t high) {
  for (size_t i = 0; i < n; i++) {
    x[i] = x[i] < low ? low : x[i];
    x[i] = x[i] > high ? high : x[i];
  }
}

void rl_tensor_clip_int(const struct rl_tensor *out, const struct rl_tensor *in, int64_t low, int64_t high) {
  int64_t x[RL_LINE];
  size_t count = rl_tensor_count(in);
  for (size_t at = 0; at < count; at += RL_LINE) {
    size_t n = chunk(at, count);
    struct rl_line from = rl_tensor_line(in, at), to = rl_tensor_line(out, at);
    rl_line_load_int(&from, n, x);
    clip_ints(x, n, low, high);
    rl_line_store_int(&to, n, x);
  }
}

/* ---- by the place along the last axis ---- */

struct scale {
  const double *mean, *deviation;
  size_t n_mean, n_deviation, width;
};

static void map_scale(double *x, size_t n, size_t at, const void *arg) {
  const struct scale *s = arg;
  size_t j = at % s->width;
  for (size_t i = 0; i < n; i++) {
    x[i] = (x[i] - s->mean[s->n_mean == 1 ? 0 : j]) / s->deviation[s->n_deviation == 1 ? 0 : j];
    if (++j == s->width) j = 0;
  }
}

/* Of the last axis; 1 at rank 0. */
static size_t width_of(const struct rl_tensor *t) { return t->rank ? (size_t)t->shape[t->rank - 1] : 1; }

void rl_tensor_scale(const struct rl_tensor *out, const struct rl_tensor *in, const double *mean,
                     size_t n_mean, const double *deviation, size_t n_deviation) {
  struct scale s = {mean, deviation, n_mean, n_deviation, width_of(in)};
  map(out, in, map_scale, &s);
}

/* ---- row by row ---- */

/* Of what `fn` makes of the elements. */
static double sum_of(const struct rl_tensor *in, size_t begin, size_t end, map_fn *fn, const void *arg) {
  double x[RL_LINE], total = 0;
  for (size_t at = begin; at < end; at += RL_LINE) {
    size_t n = chunk(at, end);
    struct rl_line from = rl_tensor_line(in, at);
    rl_line_load(&from, n, x);
    fn(x, n, at, arg);
    total += rl_line_sum(x, n);
  }
  return total;
}

RL_VECTORS static void map_square(double *x, size_t n, size_t at, const void *arg) {
  (void)at, (void)arg;
  for (size_t i = 0; i < n; i++) x[i] *= x[i];
}

RL_VECTORS static void map_divide(double *x, size_t n, size_t at, const void *arg) {
  double by = *(const double *)arg;
  (void)at;
  for (size_t i = 0; i < n; i++) x[i] /= by;
}

void rl_tensor_normalize(const struct rl_tensor *out, const struct rl_tensor *in) {
  size_t count = rl_tensor_count(in), rows = in->rank > 1 ? (size_t)in->shape[0] : 1;
  size_t width = count && rows ? count / rows : 0;
  for (size_t at = 0; width && at < count; at += width) {
    double norm = sqrt(sum_of(in, at, at + width, map_square, NULL));
    if (norm == 0) norm = 1;
    map_range(out, in, at, at + width, map_divide, &norm);
  }
}

static double largest(const struct rl_tensor *in, size_t begin, size_t end) {
  double x[RL_LINE], most = -HUGE_VAL;
  for (size_t at = begin; at < end; at += RL_LINE) {
    size_t n = chunk(at, end);
    struct rl_line from = rl_tensor_line(in, at);
    rl_line_load(&from, n, x);
    for (size_t i = 0; i < n; i++) most = x[i] > most ? x[i] : most;
  }
  return most;
}

struct soft {
  double most, total;
};

static void map_soft(double *x, size_t n, size_t at, const void *arg) {
  const struct soft *s = arg;
  (void)at;
  for (size_t i = 0; i < n; i++) x[i] = exp(x[i] - s->most) / s->total;
}

void rl_tensor_softmax(const struct rl_tensor *out, const struct rl_tensor *in) {
  size_t count = rl_tensor_count(in), width = width_of(in);
  for (size_t at = 0; width && at < count; at += width) {
    struct soft s = {largest(in, at, at + width), 1};
    s.total = sum_of(in, at, at + width, map_soft, &s);
    map_range(out, in, at, at + width, map_soft, &s);
  }
}
