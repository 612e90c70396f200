#include "model/tensor_pair.h"

#include <math.h>

#include "base/vectors.h"
#include "model/tensor_line.h"

/* The size of axis `axis` of `rank`, counted so that the last axes stand beside each other. */
static int64_t size_at(const struct rl_tensor *t, int axis, int rank) {
  int own = axis - (rank - t->rank);
  return own < 0 ? 1 : t->shape[own];
}

int rl_tensor_pair_shape(const struct rl_tensor *a, const struct rl_tensor *b, int *rank,
                         int64_t shape[RL_RANK_MAX], struct rl_err *err) {
  *rank = a->rank > b->rank ? a->rank : b->rank;
  for (int i = 0; i < *rank; i++) {
    int64_t x = size_at(a, i, *rank), y = size_at(b, i, *rank);
    shape[i] = x == 1 ? y : x;
    if (x == y || x == 1 || y == 1) continue;
    char left[RL_SHAPE_TEXT], right[RL_SHAPE_TEXT];
    return rl_fail(err, RL_EUSAGE, "the shapes %s and %s do not go together",
                   rl_shape_text(left, a->rank, a->shape), rl_shape_text(right, b->rank, b->shape));
  }
  return 0;
}

/* The tensor in the pair's shape: a repeated axis has the stride 0. */
static struct rl_tensor spread(const struct rl_tensor *t, int rank, const int64_t *shape) {
  struct rl_tensor to = *t;
  to.rank = rank;
  for (int i = 0; i < rank; i++) {
    int own = i - (rank - t->rank);
    to.shape[i] = shape[i];
    to.stride[i] = own < 0 || t->shape[own] == 1 ? 0 : t->stride[own];
  }
  return to;
}

static struct rl_line line_of(const struct rl_tensor *t) {
  return (struct rl_line){t->data, t->dtype, t->rank ? t->stride[t->rank - 1] : 1};
}

/* Works on n elements of each. */
typedef void pair_fn(struct rl_line *a, struct rl_line *b, struct rl_line *out, size_t n, int how);

static void pair_line(struct rl_line a, struct rl_line b, struct rl_line out, size_t count, pair_fn *fn,
                      int how) {
  for (size_t at = 0; at < count; at += RL_LINE) {
    size_t n = count - at < RL_LINE ? count - at : RL_LINE;
    fn(&a, &b, &out, n, how);
    rl_line_skip(&a, n);
    rl_line_skip(&b, n);
    rl_line_skip(&out, n);
  }
}

static void pair_axis(const struct rl_tensor *a, const struct rl_tensor *b, const struct rl_tensor *out,
                      pair_fn *fn, int how) {
  if (out->rank <= 1) {
    pair_line(line_of(a), line_of(b), line_of(out), rl_tensor_count(out), fn, how);
    return;
  }
  for (int64_t i = 0; i < out->shape[0]; i++) {
    struct rl_tensor x = rl_tensor_row(a, i), y = rl_tensor_row(b, i), to = rl_tensor_row(out, i);
    pair_axis(&x, &y, &to, fn, how);
  }
}

static bool in_one_piece(const struct rl_tensor *t, const struct rl_tensor *out) {
  return rl_tensor_same_shape(t, out) && rl_tensor_is_compact(t);
}

static void pair(const struct rl_tensor *a, const struct rl_tensor *b, const struct rl_tensor *out,
                 pair_fn *fn, int how) {
  bool flat_b = in_one_piece(b, out) || b->rank == 0;
  if (in_one_piece(a, out) && flat_b) { /* one line, whatever the shape */
    struct rl_line repeated = {b->data, b->dtype, b->rank ? 1 : 0};
    pair_line(rl_tensor_line(a, 0), repeated, rl_tensor_line(out, 0), rl_tensor_count(out), fn, how);
    return;
  }
  struct rl_tensor x = spread(a, out->rank, out->shape), y = spread(b, out->rank, out->shape);
  pair_axis(&x, &y, out, fn, how);
}

/* ---- comparisons ---- */

#define RELATE(T)                                                                                    \
  RL_VECTORS static void relate_##T(enum rl_relation relation, const T *a, const T *b, int64_t *out, \
                                    size_t n) {                                                      \
    switch (relation) {                                                                              \
      case RL_REL_EQ:                                                                                \
        for (size_t i = 0; i < n; i++) out[i] = a[i] == b[i];                                        \
        break;                                                                                       \
      case RL_REL_NE:                                                                                \
        for (size_t i = 0; i < n; i++) out[i] = (a[i] < b[i]) | (a[i] > b[i]);                       \
        break;                                                                                       \
      case RL_REL_LT:                                                                                \
        for (size_t i = 0; i < n; i++) out[i] = a[i] < b[i];                                         \
        break;                                                                                       \
      case RL_REL_LE:                                                                                \
        for (size_t i = 0; i < n; i++) out[i] = a[i] <= b[i];                                        \
        break;                                                                                       \
      case RL_REL_GT:                                                                                \
        for (size_t i = 0; i < n; i++) out[i] = a[i] > b[i];                                         \
        break;                                                                                       \
      default:                                                                                       \
        for (size_t i = 0; i < n; i++) out[i] = a[i] >= b[i];                                        \
        break;                                                                                       \
    }                                                                                                \
  }
RELATE(double)
RELATE(int64_t)

/* -1, 0, 1, or 2 when b is NaN. */
static int order_int_double(int64_t a, double b) {
  if (isnan(b)) return 2;
  if (b >= 9223372036854775808.0) return -1;
  if (b < -9223372036854775808.0) return 1;
  int64_t whole = (int64_t)b;
  if (a != whole) return a < whole ? -1 : 1;
  double rest = b - (double)whole;
  return (rest < 0) - (rest > 0);
}

static bool holds(enum rl_relation relation, int order) {
  if (order == 2) return false;
  switch (relation) {
    case RL_REL_EQ: return order == 0;
    case RL_REL_NE: return order != 0;
    case RL_REL_LT: return order < 0;
    case RL_REL_LE: return order <= 0;
    case RL_REL_GT: return order > 0;
    default: return order >= 0;
  }
}

/* int64 beside floats: neither can be had as the other. */
static void relate_mixed(enum rl_relation relation, struct rl_line *a, struct rl_line *b, int64_t *out,
                         size_t n) {
  int64_t whole[RL_LINE];
  double x[RL_LINE];
  bool int_left = !rl_dtype_is_float(a->dtype);
  rl_line_load_int(int_left ? a : b, n, whole);
  rl_line_load(int_left ? b : a, n, x);
  for (size_t i = 0; i < n; i++) {
    int order = order_int_double(whole[i], x[i]);
    out[i] = holds(relation, int_left || order == 2 ? order : -order);
  }
}

static void compare_line(struct rl_line *a, struct rl_line *b, struct rl_line *out, size_t n, int how) {
  int64_t result[RL_LINE];
  bool float_a = rl_dtype_is_float(a->dtype), float_b = rl_dtype_is_float(b->dtype);
  if (!float_a && !float_b) {
    int64_t x[RL_LINE], y[RL_LINE];
    rl_line_load_int(a, n, x);
    rl_line_load_int(b, n, y);
    relate_int64_t((enum rl_relation)how, x, y, result, n);
  } else if (a->dtype == RL_INT64 || b->dtype == RL_INT64) {
    relate_mixed((enum rl_relation)how, a, b, result, n);
  } else {
    double x[RL_LINE], y[RL_LINE];
    rl_line_load(a, n, x);
    rl_line_load(b, n, y);
    relate_double((enum rl_relation)how, x, y, result, n);
  }
  rl_line_store_int(out, n, result);
}

void rl_tensor_compare(enum rl_relation relation, const struct rl_tensor *a, const struct rl_tensor *b,
                       const struct rl_tensor *out) {
  pair(a, b, out, compare_line, (int)relation);
}

static void logic_line(struct rl_line *a, struct rl_line *b, struct rl_line *out, size_t n, int how) {
  int64_t x[RL_LINE], y[RL_LINE];
  rl_line_load_int(a, n, x);
  rl_line_load_int(b, n, y);
  for (size_t i = 0; i < n; i++) x[i] = how == RL_BOTH ? x[i] && y[i] : x[i] || y[i];
  rl_line_store_int(out, n, x);
}

void rl_tensor_logic(enum rl_logic logic, const struct rl_tensor *a, const struct rl_tensor *b,
                     const struct rl_tensor *out) {
  pair(a, b, out, logic_line, (int)logic);
}

/* ---- arithmetic ---- */

enum rl_dtype rl_tensor_arith_dtype(enum rl_arith op, enum rl_dtype a, enum rl_dtype b) {
  if (a == RL_FLOAT64 || b == RL_FLOAT64) return RL_FLOAT64;
  if (a == RL_FLOAT32 || b == RL_FLOAT32) return RL_FLOAT32;
  return op == RL_DIV ? RL_FLOAT64 : RL_INT64;
}

RL_VECTORS static void arith_floats(enum rl_arith op, const double *a, const double *b, double *out,
                                    size_t n) {
  switch (op) {
    case RL_ADD:
      for (size_t i = 0; i < n; i++) out[i] = a[i] + b[i];
      break;
    case RL_SUB:
      for (size_t i = 0; i < n; i++) out[i] = a[i] - b[i];
      break;
    case RL_MUL:
      for (size_t i = 0; i < n; i++) out[i] = a[i] * b[i];
      break;
    default:
      for (size_t i = 0; i < n; i++) out[i] = a[i] / b[i];
      break;
  }
}

static int64_t arith_int(enum rl_arith op, int64_t a, int64_t b) {
  uint64_t x = (uint64_t)a, y = (uint64_t)b;
  switch (op) {
    case RL_ADD: return (int64_t)(x + y);
    case RL_SUB: return (int64_t)(x - y);
    default: return (int64_t)(x * y);
  }
}

static void arith_line(struct rl_line *a, struct rl_line *b, struct rl_line *out, size_t n, int how) {
  if (rl_dtype_is_float(out->dtype)) {
    double x[RL_LINE], y[RL_LINE];
    rl_line_load(a, n, x);
    rl_line_load(b, n, y);
    arith_floats((enum rl_arith)how, x, y, x, n);
    rl_line_store(out, n, x);
    return;
  }
  int64_t x[RL_LINE], y[RL_LINE];
  rl_line_load_int(a, n, x);
  rl_line_load_int(b, n, y);
  for (size_t i = 0; i < n; i++) x[i] = arith_int((enum rl_arith)how, x[i], y[i]);
  rl_line_store_int(out, n, x);
}

void rl_tensor_arith(enum rl_arith op, const struct rl_tensor *a, const struct rl_tensor *b,
                     const struct rl_tensor *out) {
  pair(a, b, out, arith_line, (int)op);
}
