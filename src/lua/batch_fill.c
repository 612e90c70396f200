#include "lua/batch_fill.h"

#include <math.h>

#include "base/str.h"

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
