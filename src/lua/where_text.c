#include "lua/where_text.h"

#include <math.h>

#include "base/str.h"

static int hex_digit(int c) {
  if (c >= '0' && c <= '9') return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The digits of a hexadecimal float's mantissa; *scale counts the binary places after the point. */
static const char *read_mantissa(const char *at, double *value, int *scale, size_t *digits, bool *point) {
  for (;; at++) {
    if (*at == '.' && !*point) {
      *point = true;
      continue;
    }
    int digit = hex_digit((unsigned char)*at);
    if (digit < 0) return at;
    *value = *value * 16 + digit;
    if (*point) *scale -= 4;
    ++*digits;
  }
}

static bool hex_float(const char *at, struct rl_cell *out) {
  double value = 0;
  int scale = 0;
  size_t digits = 0;
  bool point = false;
  at = read_mantissa(at, &value, &scale, &digits, &point);
  if (digits == 0) return false;
  if ((*at | 0x20) == 'p') {
    int64_t exponent;
    if (!rl_parse_i64(at + 1, &exponent)) return false;
    if (exponent > 5000) exponent = 5000;
    if (exponent < -5000) exponent = -5000;
    scale += (int)exponent;
  } else if (*at) {
    return false;
  }
  *out = (struct rl_cell){.tag = RL_DOUBLE, .d = ldexp(value, scale)};
  return true;
}

static bool hexadecimal(const char *at, struct rl_cell *out) {
  uint64_t value = 0;
  const char *end = at;
  for (; hex_digit((unsigned char)*end) >= 0; end++) {
    value = value << 4 | (uint64_t)hex_digit((unsigned char)*end);
  }
  if (*end || end == at) return hex_float(at, out);
  *out = (struct rl_cell){.tag = RL_INT, .i = (int64_t)value};
  return true;
}

/* Whether text is digits with at most one point, then perhaps an exponent. */
static bool is_decimal(const char *at) {
  size_t whole = strspn(at, "0123456789");
  at += whole;
  size_t fraction = 0;
  if (*at == '.') {
    fraction = strspn(at + 1, "0123456789");
    at += 1 + fraction;
  }
  if (whole + fraction == 0) return false;
  if ((*at | 0x20) == 'e') {
    at += 1 + (at[1] == '+' || at[1] == '-');
    size_t exponent = strspn(at, "0123456789");
    return exponent > 0 && at[exponent] == '\0';
  }
  return *at == '\0';
}

bool rl_where_number(const char *text, struct rl_cell *out) {
  if (text[0] == '0' && (text[1] | 0x20) == 'x') return hexadecimal(text + 2, out);
  if (!is_decimal(text)) return false;
  *out = (struct rl_cell){.tag = RL_INT};
  bool integer = text[strspn(text, "0123456789")] == '\0';
  if (integer && rl_parse_i64(text, &out->i)) return true;
  if (!integer && rl_parse_double(text, &out->d)) {
    out->tag = RL_DOUBLE;
    return true;
  }
  *out = (struct rl_cell){.tag = RL_BIG, .len = (uint32_t)strlen(text), .s = text};
  return true;
}

static void put_utf8(struct rl_buf *out, uint32_t c) {
  if (c < 0x80) {
    rl_buf_putc(out, (char)c);
  } else if (c < 0x800) {
    rl_buf_putc(out, (char)(0xC0 | c >> 6));
    rl_buf_putc(out, (char)(0x80 | (c & 0x3F)));
  } else if (c < 0x10000) {
    rl_buf_putc(out, (char)(0xE0 | c >> 12));
    rl_buf_putc(out, (char)(0x80 | (c >> 6 & 0x3F)));
    rl_buf_putc(out, (char)(0x80 | (c & 0x3F)));
  } else {
    rl_buf_putc(out, (char)(0xF0 | c >> 18));
    rl_buf_putc(out, (char)(0x80 | (c >> 12 & 0x3F)));
    rl_buf_putc(out, (char)(0x80 | (c >> 6 & 0x3F)));
    rl_buf_putc(out, (char)(0x80 | (c & 0x3F)));
  }
}

static int at(struct rl_bytes text, size_t i) { return i < text.len ? (unsigned char)text.data[i] : -1; }

/* Each takes what follows the escape's letter at i; returns the bytes it took, 0 if it is no escape. */
static size_t hex_escape(struct rl_bytes text, size_t i, struct rl_buf *out) {
  int high = hex_digit(at(text, i)), low = hex_digit(at(text, i + 1));
  if (high < 0 || low < 0) return 0;
  rl_buf_putc(out, (char)(high << 4 | low));
  return 2;
}

static size_t decimal_escape(struct rl_bytes text, size_t i, struct rl_buf *out) {
  int value = 0;
  size_t n = 0;
  for (; n < 3 && at(text, i + n) >= '0' && at(text, i + n) <= '9'; n++)
    value = value * 10 + at(text, i + n) - '0';
  if (n == 0 || value > 255) return 0;
  rl_buf_putc(out, (char)value);
  return n;
}

static size_t unicode_escape(struct rl_bytes text, size_t i, struct rl_buf *out) {
  uint32_t value = 0;
  size_t n = 1;
  if (at(text, i) != '{') return 0;
  for (; hex_digit(at(text, i + n)) >= 0 && value <= 0x10FFFF; n++) {
    value = value << 4 | (uint32_t)hex_digit(at(text, i + n));
  }
  if (n == 1 || at(text, i + n) != '}' || value > 0x10FFFF) return 0;
  put_utf8(out, value);
  return n + 1;
}

static char simple_escape(int c) {
  static const char from[] = "abfnrtv\\\"'", to[] = "\a\b\f\n\r\t\v\\\"'";
  const char *found = c > 0 ? strchr(from, c) : NULL;
  return found ? to[found - from] : '\0';
}

/* The escape whose backslash is at i; returns its length, 0 if there is no such. */
static size_t escape(struct rl_bytes text, size_t i, struct rl_buf *out) {
  int c = at(text, i + 1);
  if (simple_escape(c)) {
    rl_buf_putc(out, simple_escape(c));
    return 2;
  }
  size_t start = i + 2, n;
  if (c == 'x') {
    n = hex_escape(text, start, out);
  } else if (c == 'u') {
    n = unicode_escape(text, start, out);
  } else {
    start = i + 1;
    n = decimal_escape(text, start, out);
  }
  return n ? start - i + n : 0;
}

bool rl_where_unescape(struct rl_bytes text, struct rl_buf *out, size_t *bad) {
  for (size_t i = 0; i < text.len;) {
    if (text.data[i] != '\\') {
      rl_buf_putc(out, text.data[i++]);
      continue;
    }
    size_t n = escape(text, i, out);
    *bad = i;
    if (n == 0) return false;
    i += n;
  }
  return true;
}
