#include <float.h>

#include "codec/json_decimal.h"
#include "codec/json_walk.h"

/* A number's parts as they are read. */
struct number {
  bool negative;
  uint64_t digits;         /* all of them as one integer; wrapped when there are more than fit */
  int64_t exponent;        /* of ten, that the integer is to be multiplied by */
  const char *first, *end; /* of the digits, and the point among them */
};

#if RL_JSON_EIGHT
/* The last few are shifted behind zeros. */
static inline const char *read_digits(const char *p, uint64_t *digits) {
  uint64_t v, bad;
  for (;;) {
    memcpy(&v, p, 8);
    bad = rl_json_no_digits(v);
    v -= UINT64_C(0x3030303030303030);
    if (bad) break;
    *digits = *digits * 100000000 + (rl_json_join(v) & UINT32_MAX);
    p += 8;
    if (!rl_json_is_digit(*p)) return p;
  }
  unsigned bits = (unsigned)__builtin_ctzll(bad) & ~7u;
  if (bits == 0) return p;
  if (bits == 8)
    *digits = *digits * 10 + (v & 0xFF);
  else
    *digits = *digits * rl_json_tens[bits / 8] + (rl_json_join(v << (64 - bits)) & UINT32_MAX);
  return p + bits / 8;
}
#else
static inline const char *read_digits(const char *p, uint64_t *digits) {
  for (; rl_json_is_digit(*p); p++) *digits = *digits * 10 + (uint64_t)(*p - '0');
  return p;
}
#endif

/* How many digits there are from the first that is not 0: up to 19, `digits` holds them all. */
static int64_t significant(const struct number *n) {
  const char *p = n->first;
  while (p < n->end && (*p == '0' || *p == '.')) p++;
  int64_t count = n->end - p;
  return count - (memchr(p, '.', (size_t)count) != NULL);
}

static inline bool wrapped(const struct number *n) { return n->end - n->first > 19 && significant(n) > 19; }

/* NULL: no digits. Stops counting where no double is left anyway. */
static const char *read_exponent(const char *p, int64_t *exponent) {
  bool negative = *p == '-';
  if (*p == '-' || *p == '+') p++;
  if (!rl_json_is_digit(*p)) return NULL;
  int64_t value = 0;
  for (; rl_json_is_digit(*p); p++)
    if (value < INT64_C(1000000000000)) value = value * 10 + (*p - '0');
  *exponent += negative ? -value : value;
  return p;
}

static struct rl_cell big(const char *text, const char *end) {
  return (struct rl_cell){.tag = RL_BIG, .len = (uint32_t)(end - text), .s = text};
}

static struct rl_cell integer(const struct number *n, const char *text, const char *end) {
  uint64_t limit = (uint64_t)INT64_MAX + n->negative;
  if (wrapped(n) || n->digits > limit) return big(text, end);
  int64_t value = n->negative ? (int64_t)(0 - n->digits) : (int64_t)n->digits;
  return (struct rl_cell){.tag = RL_INT, .i = value};
}

static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Both factors are exact doubles, so that one rounding gives the nearest double (Clinger). Where doubles are
 * computed with more than their own precision there would be two. */
static bool exact_double(const struct number *n, double *value) {
  if (FLT_EVAL_METHOD != 0 || n->exponent < -22 || n->exponent > 22) return false;
  if (n->digits > UINT64_C(1) << 53 || wrapped(n)) return false;
  double digits = (double)n->digits;
  *value = n->exponent < 0 ? digits / powers_of_ten[-n->exponent] : digits * powers_of_ten[n->exponent];
  if (n->negative) *value = -*value;
  return true;
}

/* Too small is 0, as the nearest double is; too large is kept as written (1e400). */
static struct rl_cell fraction(const struct number *n, const char *text, const char *end) {
  struct rl_cell cell = {.tag = RL_DOUBLE};
  if (exact_double(n, &cell.d)) return cell;
  if (!wrapped(n) && rl_double_of(n->digits, n->exponent, n->negative, &cell.d)) return cell;
  enum rl_double_result result = rl_double_from(text, end, &cell.d);
  if (result == RL_DOUBLE_OK) return cell;
  int64_t count = significant(n);
  if (count > 0 && count + n->exponent > 0) return big(text, end);
  cell.d = n->negative ? -0.0 : 0.0;
  return cell;
}

/* Where the digits end at p, `exponent` of them behind the point as its negative, and the nearest double is
 * not plain. */
__attribute__((noinline)) static size_t slow_fraction(const char *text, const char *p, uint64_t digits,
                                                      int64_t exponent, struct rl_cell *cell) {
  struct number n = {*text == '-', digits, exponent, text + (*text == '-'), p};
  if (*p == 'e' || *p == 'E') p = read_exponent(p + 1, &n.exponent);
  if (!p) return 0;
  *cell = fraction(&n, text, p);
  return (size_t)(p - text);
}

__attribute__((noinline)) static size_t slow_integer(const char *text, const char *p, uint64_t digits,
                                                     struct rl_cell *cell) {
  struct number n = {*text == '-', digits, 0, text + (*text == '-'), p};
  *cell = integer(&n, text, p);
  return (size_t)(p - text);
}

static inline bool is_exponent(char c) { return c == 'e' || c == 'E'; }

/* Most numbers are done here, without a call: what does not wrap and needs no more than one rounding. */
size_t rl_json_number(const char *text, struct rl_cell *cell) {
  enum { NEVER_WRAPS = 18 };
  static const double signs[] = {1, -1}; /* signs come as they like: no branch */
  const char *first = text + (*text == '-');
  bool one = rl_json_is_digit(*first) && first[1] == '.'; /* as most measurements begin */
  uint64_t digits = one ? (uint64_t)(*first - '0') : 0;
  const char *p = one ? first + 1 : read_digits(first, &digits);
  if (p == first || (*first == '0' && p > first + 1)) return 0;
  if (*p == '.') {
    const char *point = p;
    p = read_digits(p + 1, &digits);
    if (p == point + 1) return 0;
    int64_t behind = p - point - 1;
    bool plain =
        FLT_EVAL_METHOD == 0 && behind <= 22 && p - first <= NEVER_WRAPS && digits <= UINT64_C(1) << 53;
    if (!plain || is_exponent(*p)) return slow_fraction(text, p, digits, -behind, cell);
    double value = (double)(int64_t)digits / powers_of_ten[behind];
    *cell = (struct rl_cell){.tag = RL_DOUBLE, .d = value * signs[first - text]};
    return (size_t)(p - text);
  }
  if (is_exponent(*p)) return slow_fraction(text, p, digits, 0, cell);
  if (p - first > NEVER_WRAPS) return slow_integer(text, p, digits, cell);
  *cell = (struct rl_cell){.tag = RL_INT, .i = first > text ? -(int64_t)digits : (int64_t)digits};
  return (size_t)(p - text);
}
