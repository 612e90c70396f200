#include "lua/number_order.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A decimal number as a row of digits d1 d2 d3 … without leading zeros: ±0.d1d2d3… × 10^lead. The digits stay
 * in the text; the point among them is stepped over. */
struct decimal {
  bool negative, zero;
  int64_t lead;
  const char *at, *end; /* from d1 to the end of the mantissa */
};

enum { TEXT_MAX = 800 }; /* a double's exact decimal expansion has at most 767 digits */
#define EXPONENT_MAX INT64_C(1000000000000000)

static int64_t read_exponent(const char *at, const char *end) {
  bool negative = at < end && *at == '-';
  int64_t value = 0;
  if (at < end && (*at == '-' || *at == '+')) at++;
  for (; at < end && *at >= '0' && *at <= '9' && value < EXPONENT_MAX; at++) value = value * 10 + (*at - '0');
  if (value > EXPONENT_MAX) value = EXPONENT_MAX;
  return negative ? -value : value;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool ends_mantissa(char c) { return c == 'e' || c == 'E'; }

/* Any other character that is no digit is the point, whatever the locale calls one. */
static struct decimal read_decimal(const char *at, const char *end) {
  struct decimal d = {.zero = true};
  if (at < end && (*at == '-' || *at == '+')) d.negative = *at++ == '-';
  bool point = false;
  for (; at < end && !ends_mantissa(*at); at++) {
    if (!is_digit(*at)) {
      point = true;
      continue;
    }
    if (d.zero && *at != '0') {
      d.zero = false;
      d.at = at;
    }
    if (!point && !d.zero) d.lead++;
    if (point && d.zero) d.lead--;
  }
  d.end = at;
  if (d.zero) d.at = at;
  if (at < end) d.lead += read_exponent(at + 1, end);
  return d;
}

static char next_digit(struct decimal *d) {
  while (d->at < d->end && !is_digit(*d->at)) d->at++;
  return d->at < d->end ? *d->at++ : '0';
}

static int order_magnitudes(struct decimal a, struct decimal b) {
  if (a.lead != b.lead) return a.lead < b.lead ? -1 : 1;
  while (a.at < a.end || b.at < b.end) {
    char x = next_digit(&a), y = next_digit(&b);
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

static int order_decimals(struct decimal a, struct decimal b) {
  int sign_a = a.zero ? 0 : a.negative ? -1 : 1;
  int sign_b = b.zero ? 0 : b.negative ? -1 : 1;
  if (sign_a != sign_b) return sign_a < sign_b ? -1 : 1;
  if (sign_a == 0) return 0;
  return sign_a * order_magnitudes(a, b);
}

static struct decimal decimal_of(const struct rl_cell *cell, char *text) {
  if (cell->tag == RL_BIG) return read_decimal(cell->s, cell->s + cell->len);
  int len = cell->tag == RL_INT ? snprintf(text, TEXT_MAX, "%" PRId64, cell->i)
                                : snprintf(text, TEXT_MAX, "%.767e", cell->d);
  return read_decimal(text, text + len);
}

static int order_doubles(double a, double b) {
  if (a < b) return -1;
  if (a > b) return 1;
  return a == b ? 0 : RL_UNORDERED;
}

static int order_int_double(int64_t i, double d) {
  if (isnan(d)) return RL_UNORDERED;
  if (d >= 0x1p63) return -1;
  if (d < -0x1p63) return 1;
  int64_t whole = (int64_t)d;
  if (i != whole) return i < whole ? -1 : 1;
  return order_doubles(0, d - (double)whole);
}

static int order_big(const struct rl_cell *a, const struct rl_cell *b) {
  char text_a[TEXT_MAX], text_b[TEXT_MAX];
  if (a->tag == RL_DOUBLE && !isfinite(a->d)) return isnan(a->d) ? RL_UNORDERED : a->d < 0 ? -1 : 1;
  if (b->tag == RL_DOUBLE && !isfinite(b->d)) return isnan(b->d) ? RL_UNORDERED : b->d < 0 ? 1 : -1;
  return order_decimals(decimal_of(a, text_a), decimal_of(b, text_b));
}

int rl_number_order(const struct rl_cell *a, const struct rl_cell *b) {
  if (a->tag == RL_BIG || b->tag == RL_BIG) return order_big(a, b);
  if (a->tag == RL_INT && b->tag == RL_INT) return (a->i > b->i) - (a->i < b->i);
  if (a->tag == RL_DOUBLE && b->tag == RL_DOUBLE) return order_doubles(a->d, b->d);
  if (a->tag == RL_INT) return order_int_double(a->i, b->d);
  int order = order_int_double(b->i, a->d);
  return order == RL_UNORDERED ? order : -order;
}
