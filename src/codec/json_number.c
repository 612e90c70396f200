#include <float.h>

#include "codec/json_walk.h"

static inline bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* A number's parts as they are read. */
struct number {
  bool negative;
  uint64_t digits;         /* all of them as one integer; wrapped when there are more than fit */
  int64_t exponent;        /* of ten, that the integer is to be multiplied by */
  const char *first, *end; /* of the digits, and the point among them */
};

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Eight digits at once, the first in the lowest byte: neighbours are joined to twos, fours and all eight. */
static inline bool read_eight(const char *p, uint64_t *value) {
  uint64_t v;
  memcpy(&v, p, 8);
  uint64_t over = v + UINT64_C(0x4646464646464646), under = v - UINT64_C(0x3030303030303030);
  if ((over | under) & UINT64_C(0x8080808080808080)) return false;
  v = under * 10 + (under >> 8);
  v = ((v & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x000F424000000064) +
       (v >> 16 & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x0000271000000001)) >>
      32;
  *value = v & UINT32_MAX;
  return true;
}
#else
static inline bool read_eight(const char *p, uint64_t *value) { return (void)p, (void)value, false; }
#endif

static inline const char *read_digits(const char *p, uint64_t *digits) {
  for (uint64_t eight; read_eight(p, &eight); p += 8) *digits = *digits * 100000000 + eight;
  for (; is_digit(*p); p++) *digits = *digits * 10 + (uint64_t)(*p - '0');
  return p;
}

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
  if (!is_digit(*p)) return NULL;
  int64_t value = 0;
  for (; is_digit(*p); p++)
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
  enum rl_double_result result = rl_double_from(text, end, &cell.d);
  if (result == RL_DOUBLE_OK) return cell;
  int64_t count = significant(n);
  if (count > 0 && count + n->exponent > 0) return big(text, end);
  cell.d = n->negative ? -0.0 : 0.0;
  return cell;
}

size_t rl_json_number(const char *text, struct rl_cell *cell) {
  struct number n = {.negative = *text == '-', .first = text + (*text == '-')};
  const char *p = read_digits(n.first, &n.digits);
  if (p == n.first || (*n.first == '0' && p > n.first + 1)) return 0;
  n.end = p;
  if (*p != '.' && *p != 'e' && *p != 'E') {
    *cell = integer(&n, text, p);
    return (size_t)(p - text);
  }
  if (*p == '.') {
    n.end = read_digits(p + 1, &n.digits);
    n.exponent = p + 1 - n.end;
    if (n.exponent == 0) return 0;
    p = n.end;
  }
  if (*p == 'e' || *p == 'E') p = read_exponent(p + 1, &n.exponent);
  if (!p) return 0;
  *cell = fraction(&n, text, p);
  return (size_t)(p - text);
}
