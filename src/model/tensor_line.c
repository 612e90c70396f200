#include "model/tensor_line.h"

#include "base/vectors.h"

#include "base/str.h"

struct rl_line rl_tensor_line(const struct rl_tensor *t, size_t at) {
  size_t bytes = at * rl_dtype_size(t->dtype);
  return (struct rl_line){bytes ? t->data + bytes : t->data, t->dtype, 1}; /* an empty one may have no data */
}

void rl_line_skip(struct rl_line *line, size_t n) {
  line->data += (int64_t)n * line->stride * (int64_t)rl_dtype_size(line->dtype);
}

/* One loop a type, and more for strides of 1 and 0 (a number beside each element), for the compiler to make
 * vector instructions of. */
#define LOAD(name, type, to)                                                   \
  RL_VECTORS static void name(const struct rl_line *line, size_t n, to *out) { \
    const type *x = (const type *)(const void *)line->data;                    \
    int64_t stride = line->stride;                                             \
    if (stride == 1) {                                                         \
      for (size_t i = 0; i < n; i++) out[i] = (to)x[i];                        \
    } else if (stride == 0) {                                                  \
      for (size_t i = 0; i < n; i++) out[i] = (to)*x;                          \
    } else {                                                                   \
      for (size_t i = 0; i < n; i++, x += stride) out[i] = (to)*x;             \
    }                                                                          \
  }
LOAD(double_of_f32, float, double)
LOAD(double_of_f64, double, double)
LOAD(double_of_i64, int64_t, double)
LOAD(double_of_i32, int32_t, double)
LOAD(double_of_u8, uint8_t, double)
LOAD(int_of_i64, int64_t, int64_t)
LOAD(int_of_i32, int32_t, int64_t)
LOAD(int_of_u8, uint8_t, int64_t)

#define STORE(name, type, from)                                                       \
  RL_VECTORS static void name(const struct rl_line *line, size_t n, const from *in) { \
    type *x = (type *)(void *)line->data;                                             \
    int64_t stride = line->stride;                                                    \
    if (stride == 1) {                                                                \
      for (size_t i = 0; i < n; i++) x[i] = (type)in[i];                              \
    } else {                                                                          \
      for (size_t i = 0; i < n; i++, x += stride) *x = (type)in[i];                   \
    }                                                                                 \
  }
STORE(f32_of_double, float, double)
STORE(f64_of_double, double, double)
STORE(f32_of_int, float, int64_t)
STORE(f64_of_int, double, int64_t)
STORE(i64_of_int, int64_t, int64_t)
STORE(i32_of_int, int32_t, int64_t)
STORE(u8_of_int, uint8_t, int64_t)
STORE(truth_of_int, bool, int64_t)

void rl_line_load(const struct rl_line *line, size_t n, double *out) {
  switch (line->dtype) {
    case RL_FLOAT32: double_of_f32(line, n, out); break;
    case RL_FLOAT64: double_of_f64(line, n, out); break;
    case RL_INT64: double_of_i64(line, n, out); break;
    case RL_INT32: double_of_i32(line, n, out); break;
    default: double_of_u8(line, n, out); break;
  }
}

void rl_line_load_int(const struct rl_line *line, size_t n, int64_t *out) {
  switch (line->dtype) {
    case RL_INT64: int_of_i64(line, n, out); break;
    case RL_INT32: int_of_i32(line, n, out); break;
    default: int_of_u8(line, n, out); break;
  }
}

void rl_line_store(const struct rl_line *line, size_t n, const double *in) {
  if (line->dtype == RL_FLOAT32)
    f32_of_double(line, n, in);
  else
    f64_of_double(line, n, in);
}

void rl_line_store_int(const struct rl_line *line, size_t n, const int64_t *in) {
  switch (line->dtype) {
    case RL_FLOAT32: f32_of_int(line, n, in); break;
    case RL_FLOAT64: f64_of_int(line, n, in); break;
    case RL_INT64: i64_of_int(line, n, in); break;
    case RL_INT32: i32_of_int(line, n, in); break;
    case RL_UINT8: u8_of_int(line, n, in); break;
    case RL_TRUTH: truth_of_int(line, n, in); break;
  }
}

/* As many sums side by side, whatever instructions there are: the result is the same on every machine. */
enum { LANES = 8 };

static double sum_few(const double *x, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i];
  return sum;
}

/* Of whole rounds of LANES. */
RL_VECTORS static double sum_many(const double *x, size_t n) {
  double lane[LANES] = {0};
  for (size_t i = 0; i < n; i += LANES)
    for (size_t k = 0; k < LANES; k++) lane[k] += x[i + k];
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

double rl_line_sum(const double *x, size_t n) {
  size_t whole = n / LANES * LANES;
  return whole ? sum_many(x, whole) + sum_few(x + whole, n - whole) : sum_few(x, n);
}

/* ---- conversion ---- */

static int64_t least(enum rl_dtype dtype) { return dtype == RL_INT32 ? INT32_MIN : 0; }
static int64_t most(enum rl_dtype dtype) { return dtype == RL_INT32 ? INT32_MAX : UINT8_MAX; }

static int refuse(struct rl_err *err, enum rl_dtype to, size_t at, double value) {
  return rl_fail(err, RL_EUSAGE, "element %zu is %.17g, which no %s holds", at + 1, rl_plain_nan(value),
                 rl_dtype_name(to));
}

static int refuse_int(struct rl_err *err, enum rl_dtype to, size_t at, int64_t value) {
  return rl_fail(err, RL_EUSAGE, "element %zu is %lld, which no %s holds", at + 1, (long long)value,
                 rl_dtype_name(to));
}

/* Integers and bools of a line; `at` is for the error. */
static int store_checked(const struct rl_line *to, size_t n, const int64_t *in, size_t at,
                         struct rl_err *err) {
  if (to->dtype == RL_INT32 || to->dtype == RL_UINT8) {
    int64_t low = least(to->dtype), high = most(to->dtype);
    for (size_t i = 0; i < n; i++)
      if (in[i] < low || in[i] > high) return refuse_int(err, to->dtype, at + i, in[i]);
  }
  rl_line_store_int(to, n, in);
  return 0;
}

static int truncate(enum rl_dtype dtype, size_t n, const double *in, int64_t *out, size_t at,
                    struct rl_err *err) {
  for (size_t i = 0; i < n; i++) {
    double x = in[i];
    if (dtype == RL_TRUTH) {
      out[i] = !(x == 0);
      continue;
    }
    if (!(x >= -9223372036854775808.0 && x < 9223372036854775808.0)) return refuse(err, dtype, at + i, x);
    out[i] = (int64_t)x;
  }
  return 0;
}

/* An infinity stays one; what is finite does not become one. */
static int check_range(enum rl_dtype to, size_t n, const double *x, size_t at, struct rl_err *err) {
  for (size_t i = 0; to == RL_FLOAT32 && i < n; i++)
    if (isinf((float)x[i]) && !isinf(x[i])) return refuse(err, to, at + i, x[i]);
  return 0;
}

static int convert_floats(struct rl_line *to, struct rl_line *from, size_t n, size_t at, struct rl_err *err) {
  double x[RL_LINE];
  rl_line_load(from, n, x);
  if (rl_dtype_is_float(to->dtype)) {
    if (check_range(to->dtype, n, x, at, err)) return err->code;
    rl_line_store(to, n, x);
    return 0;
  }
  int64_t whole[RL_LINE] = {0};
  int rc = truncate(to->dtype, n, x, whole, at, err);
  return rc ? rc : store_checked(to, n, whole, at, err);
}

static int convert_ints(struct rl_line *to, struct rl_line *from, size_t n, size_t at, struct rl_err *err) {
  int64_t x[RL_LINE];
  rl_line_load_int(from, n, x);
  return store_checked(to, n, x, at, err);
}

/* A double holds all of them but int64, and vector instructions know the way. */
static bool by_doubles(enum rl_dtype to, enum rl_dtype from) {
  return rl_dtype_is_float(from) || (rl_dtype_is_float(to) && from != RL_INT64);
}

int rl_tensor_convert(const struct rl_tensor *out, const struct rl_tensor *in, struct rl_err *err) {
  size_t count = rl_tensor_count(in);
  bool doubles = by_doubles(out->dtype, in->dtype);
  for (size_t at = 0; at < count; at += RL_LINE) {
    size_t n = count - at < RL_LINE ? count - at : RL_LINE;
    struct rl_line to = rl_tensor_line(out, at), from = rl_tensor_line(in, at);
    int rc = doubles ? convert_floats(&to, &from, n, at, err) : convert_ints(&to, &from, n, at, err);
    if (rc) return rc;
  }
  return 0;
}
