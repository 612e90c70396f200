#include "model/tensor_fold.h"

#include <math.h>

#include "base/vectors.h"
#include "model/tensor_line.h"

enum rl_dtype rl_tensor_fold_dtype(enum rl_fold fold, enum rl_dtype dtype) {
  switch (fold) {
    case RL_SUM: return rl_dtype_is_float(dtype) ? dtype : RL_INT64;
    case RL_MEAN:
    case RL_STD: return dtype == RL_FLOAT32 ? RL_FLOAT32 : RL_FLOAT64;
    case RL_ARGMAX: return RL_INT64;
    default: return dtype;
  }
}

struct state {
  double d;     /* of floats */
  int64_t i;    /* of integers */
  double mean;  /* STD: known from a round before */
  size_t place; /* ARGMAX */
  bool overflow;
};

/* ---- a line into the state; `at` elements came before ---- */

RL_VECTORS static void square_distances(double *x, size_t n, double mean) {
  for (size_t i = 0; i < n; i++) x[i] = (x[i] - mean) * (x[i] - mean);
}

static void sum_ints(struct state *s, const int64_t *x, size_t n) {
  for (size_t i = 0; i < n; i++) s->overflow |= __builtin_add_overflow(s->i, x[i], &s->i);
}

/* The least or the most; once it is NaN it stays so. */
static void take_best(struct state *s, const double *x, size_t n, size_t at, double sign) {
  for (size_t i = 0; i < n; i++) {
    bool first = at + i == 0;
    if (!first && (isnan(s->d) || !(isnan(x[i]) || sign * x[i] > sign * s->d))) continue;
    s->d = x[i];
    s->place = isnan(x[i]) ? 0 : at + i + 1;
  }
}

RL_VECTORS static bool has_better(const double *x, size_t n, double best, double sign) {
  int64_t better = 0;
  for (size_t i = 0; i < n; i++) better |= !(sign * x[i] <= sign * best); /* NaN is */
  return better;
}

/* Most pieces of a line have nothing better than what came before, and are looked at no closer. */
static void best_float(struct state *s, const double *x, size_t n, size_t at, double sign) {
  enum { PIECE = 32 };
  for (size_t i = 0; i < n; i += PIECE) {
    size_t piece = n - i < PIECE ? n - i : PIECE;
    if (at + i == 0 || (!isnan(s->d) && has_better(x + i, piece, s->d, sign)))
      take_best(s, x + i, piece, at + i, sign);
  }
}

static void best_int(struct state *s, const int64_t *x, size_t n, size_t at, bool least) {
  for (size_t i = 0; i < n; i++) {
    bool better = least ? x[i] < s->i : x[i] > s->i;
    if (at + i && !better) continue;
    s->i = x[i];
    s->place = at + i + 1;
  }
}

static void fold_floats(enum rl_fold fold, struct state *s, const struct rl_line *line, size_t n, size_t at) {
  double x[RL_LINE];
  rl_line_load(line, n, x);
  switch (fold) {
    case RL_STD: square_distances(x, n, s->mean); /* fall through */
    case RL_SUM:
    case RL_MEAN: s->d += rl_line_sum(x, n); break;
    default: best_float(s, x, n, at, fold == RL_MIN ? -1 : 1); break;
  }
}

static void fold_ints(enum rl_fold fold, struct state *s, const struct rl_line *line, size_t n, size_t at) {
  int64_t x[RL_LINE];
  rl_line_load_int(line, n, x);
  if (fold == RL_SUM)
    sum_ints(s, x, n);
  else
    best_int(s, x, n, at, fold == RL_MIN);
}

static bool in_floats(enum rl_fold fold, enum rl_dtype dtype) {
  return rl_dtype_is_float(dtype) || fold == RL_MEAN || fold == RL_STD;
}

static void fold_line(enum rl_fold fold, struct state *s, struct rl_line line, size_t count) {
  for (size_t at = 0; at < count; at += RL_LINE) {
    size_t n = count - at < RL_LINE ? count - at : RL_LINE;
    if (in_floats(fold, line.dtype))
      fold_floats(fold, s, &line, n, at);
    else
      fold_ints(fold, s, &line, n, at);
    rl_line_skip(&line, n);
  }
}

static struct state fold_all(enum rl_fold fold, struct rl_line line, size_t count) {
  struct state s = {0};
  if (fold == RL_STD) {
    fold_line(RL_MEAN, &s, line, count);
    s = (struct state){.mean = s.d / (double)count};
  }
  fold_line(fold, &s, line, count);
  return s;
}

static double number_of(enum rl_fold fold, const struct state *s, size_t count) {
  switch (fold) {
    case RL_MEAN: return s->d / (double)count;
    case RL_STD: return sqrt(s->d / (double)count);
    default: return s->d;
  }
}

static int check(enum rl_fold fold, const struct rl_tensor *in, size_t count, struct rl_err *err) {
  char text[RL_SHAPE_TEXT];
  if (count || fold < RL_MIN) return 0;
  return rl_fail(err, RL_EUSAGE, "the shape %s has nothing that could be the least or most",
                 rl_shape_text(text, in->rank, in->shape));
}

/* How `in` lies around the axis: outer × count × inner. */
struct around {
  size_t outer, count, inner;
};

static struct around look_around(const struct rl_tensor *in, int axis) {
  struct around a = {1, rl_tensor_count(in), 1};
  if (axis < 0) return a;
  for (int i = 0; i < axis; i++) a.outer *= (size_t)in->shape[i];
  for (int i = axis + 1; i < in->rank; i++) a.inner *= (size_t)in->shape[i];
  a.count = (size_t)in->shape[axis];
  return a;
}

static struct rl_line line_at(const struct rl_tensor *in, const struct around *a, size_t i) {
  struct rl_line line = rl_tensor_line(in, i / a->inner * a->count * a->inner + i % a->inner);
  line.stride = (int64_t)a->inner;
  return line;
}

/* The results from `begin` on, as many as a line has. */
static int fold_some(enum rl_fold fold, const struct rl_tensor *in, const struct around *a, size_t begin,
                     size_t n, const struct rl_tensor *out, struct rl_err *err) {
  double numbers[RL_LINE];
  int64_t integers[RL_LINE];
  for (size_t i = 0; i < n; i++) {
    struct state s = fold_all(fold, line_at(in, a, begin + i), a->count);
    if (s.overflow) return rl_fail(err, RL_EUSAGE, "the sum does not fit 64 bits");
    numbers[i] = number_of(fold, &s, a->count);
    integers[i] = fold == RL_ARGMAX ? (int64_t)s.place : s.i;
  }
  struct rl_line to = rl_tensor_line(out, begin);
  if (rl_dtype_is_float(to.dtype))
    rl_line_store(&to, n, numbers);
  else
    rl_line_store_int(&to, n, integers);
  return 0;
}

int rl_tensor_fold(enum rl_fold fold, const struct rl_tensor *in, int axis, const struct rl_tensor *out,
                   struct rl_err *err) {
  struct around a = look_around(in, axis);
  size_t results = a.outer * a.inner;
  int rc = results ? check(fold, in, a.count, err) : 0;
  for (size_t at = 0; !rc && at < results; at += RL_LINE)
    rc = fold_some(fold, in, &a, at, results - at < RL_LINE ? results - at : RL_LINE, out, err);
  return rc;
}
