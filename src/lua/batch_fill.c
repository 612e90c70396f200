#include "lua/batch_fill.h"

#include <float.h>
#include <math.h>

#include "base/str.h"
#include "model/tensor_line.h"

enum { BLOCK = 256 }; /* rows that are filled column by column while they stay in the first cache */

/* Its text is no C string where it stands. */
static double wide_number(const struct rl_cell *cell) {
  char text[400];
  double value;
  if (cell->len >= sizeof text) return (double)NAN;
  memcpy(text, cell->s, cell->len);
  text[cell->len] = '\0';
  return rl_parse_double(text, &value) ? value : (double)NAN;
}

/* What is no plain double or integer. */
static double other_number(const struct rl_cell *cell, bool *texts) {
  switch (cell->tag) {
    case RL_BOOL: return (double)cell->i;
    case RL_BIG: return wide_number(cell);
    case RL_TEXT:
    case RL_BLOB: *texts = true; return (double)NAN;
    default: return (double)NAN;
  }
}

static inline double number(const struct rl_cell *cell, bool *texts) {
  if (__builtin_expect(cell->tag == RL_DOUBLE, 1)) return cell->d;
  if (__builtin_expect(cell->tag == RL_INT, 1)) return (double)cell->i;
  return other_number(cell, texts);
}

/* What the loops read stands in locals: a store to `complete`, of bytes, could change anything for all the
 * compiler knows. */
static void fill_doubles(struct rl_fill *f, size_t begin, size_t end, double *to, size_t stride) {
  const struct rl_cell *cells = f->cells;
  const uint32_t *rows = f->rows;
  unsigned char *complete = f->complete;
  bool texts = false;
  for (size_t i = begin; i < end; i++, to += stride) {
    double x = number(&cells[rows[i]], &texts);
    *to = x;
    if (__builtin_expect(isnan(x), 0)) complete[i] = 0;
  }
  f->texts |= texts;
}

/* A finite number that only overflows in a float is not infinite: it is one that the model cannot be given.
 */
static float narrowed(double d) { return isinf(d) ? (float)d : NAN; }

static void fill_floats(struct rl_fill *f, size_t begin, size_t end, float *to, size_t stride) {
  const struct rl_cell *cells = f->cells;
  const uint32_t *rows = f->rows;
  unsigned char *complete = f->complete;
  bool texts = false;
  for (size_t i = begin; i < end; i++, to += stride) {
    double d = number(&cells[rows[i]], &texts);
    float x = (float)d;
    if (__builtin_expect(!isfinite(x), 0)) {
      x = narrowed(d);
      if (isnan(x)) complete[i] = 0;
    }
    *to = x;
  }
  f->texts |= texts;
}

static void fill(struct rl_fill *f, size_t begin, size_t end, const struct rl_tensor *to, size_t column) {
  size_t stride = (size_t)to->shape[1], at = begin * stride + column;
  if (to->dtype == RL_FLOAT32)
    fill_floats(f, begin, end, (float *)(void *)to->data + at, stride);
  else
    fill_doubles(f, begin, end, (double *)(void *)to->data + at, stride);
}

void rl_batch_fill(struct rl_fill *columns, size_t n_columns, const struct rl_tensor *to) {
  size_t n = (size_t)to->shape[0];
  for (size_t begin = 0; begin < n; begin += BLOCK) {
    size_t end = n - begin < BLOCK ? n : begin + BLOCK;
    for (size_t c = 0; c < n_columns; c++) fill(&columns[c], begin, end, to, c);
  }
}

/* ---- arrays ---- */

static enum rl_dtype dtype_of(const struct rl_shaped *shaped) {
  switch (shaped->type) {
    case RL_F32: return RL_FLOAT32;
    case RL_F64: return RL_FLOAT64;
    case RL_I64: return RL_INT64;
    default: return RL_TRUTH;
  }
}

/* Makes NaN of what a float does not hold, and tells whether there is none. */
static bool settle(double *x, size_t n, enum rl_dtype to) {
  bool fine = true;
  for (size_t i = 0; i < n; i++) {
    if (to == RL_FLOAT32 && fabs(x[i]) > (double)FLT_MAX && isinf((float)x[i])) x[i] = (double)narrowed(x[i]);
    fine = fine && !isnan(x[i]);
  }
  return fine;
}

static bool fill_array(const struct rl_shaped *shaped, size_t count, struct rl_line to) {
  struct rl_line from = {shaped->data, dtype_of(shaped), 1};
  bool fine = true;
  for (size_t at = 0; at < count; at += RL_LINE) {
    double x[RL_LINE];
    size_t n = count - at < RL_LINE ? count - at : RL_LINE;
    rl_line_load(&from, n, x);
    fine = settle(x, n, to.dtype) && fine;
    rl_line_store(&to, n, x);
    rl_line_skip(&from, n);
    rl_line_skip(&to, n);
  }
  return fine;
}

/* As most are: floats in floats. */
static bool copy_array(const struct rl_shaped *shaped, size_t count, float *to) {
  const float *from = shaped->data;
  unsigned nans = 0;
  for (size_t i = 0; i < count; i++) {
    to[i] = from[i];
    nans |= from[i] != from[i];
  }
  return nans == 0;
}

static void fill_nan(size_t count, struct rl_line to) {
  const double nan = (double)NAN;
  for (size_t i = 0; i < count; i++, rl_line_skip(&to, 1)) rl_line_store(&to, 1, &nan);
}

void rl_batch_fill_arrays(const struct rl_fill *column, const struct rl_tensor *to) {
  size_t count = column->n ? rl_tensor_count(to) / column->n : 0;
  for (size_t i = 0; i < column->n; i++) {
    const struct rl_cell *cell = &column->cells[column->rows[i]];
    struct rl_line line = rl_tensor_line(to, i * count);
    bool fine = cell->tag == RL_SHAPED && cell->len == count;
    if (!fine)
      fill_nan(count, line);
    else if (to->dtype == RL_FLOAT32 && cell->shaped->type == RL_F32)
      fine = copy_array(cell->shaped, count, (float *)(void *)line.data);
    else
      fine = fill_array(cell->shaped, count, line);
    if (!fine) column->complete[i] = 0;
  }
}
