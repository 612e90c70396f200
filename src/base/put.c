/* The writers of str.h: JSON strings, doubles, base64. */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/locale.h"
#include "base/str.h"

static const char *escape_of(unsigned char c) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\b': return "\\b";
    case '\f': return "\\f";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    default: return NULL;
  }
}

static bool is_plain(unsigned char c) { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\'; }

/* Puts the character at the start of text, which is not plain; returns its length. */
static size_t put_special(struct rl_buf *out, struct rl_bytes text) {
  unsigned char c = (unsigned char)text.data[0];
  const char *escape = escape_of(c);
  size_t n = rl_utf8_step(text);
  if (escape) {
    rl_buf_puts(out, escape);
  } else if (c < 0x20) {
    rl_buf_printf(out, "\\u%04x", c);
  } else if (n == 0) {
    rl_buf_puts(out, "\xEF\xBF\xBD");
  } else {
    rl_buf_put(out, text.data, n);
  }
  return n ? n : 1;
}

void rl_put_json_string(struct rl_buf *out, struct rl_bytes text) {
  if (!text.data) {
    rl_buf_puts(out, "null");
    return;
  }
  rl_buf_putc(out, '"');
  for (size_t i = 0; i < text.len;) {
    size_t start = i;
    while (i < text.len && is_plain((unsigned char)text.data[i])) i++;
    rl_buf_put(out, text.data + start, i - start);
    if (i < text.len) i += put_special(out, rl_bytes(text.data + i, text.len - i));
  }
  rl_buf_putc(out, '"');
}

/* 15 digits are enough for every double that was written with so many; 17 for all. Below DBL_MIN digits get
 * fewer, so there the search begins at one. */
static void shortest(char *text, size_t size, double value) {
  for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
    snprintf(text, size, "%.*g", digits, value);
    if (strtod(text, NULL) == value) return;
  }
}

/* The same for floats: 6 digits, and 9. */
static void shortest_float(char *text, size_t size, double value) {
  for (int digits = fabs(value) < (double)FLT_MIN ? 1 : 6; digits <= 9; digits++) {
    snprintf(text, size, "%.*g", digits, value);
    if ((double)strtof(text, NULL) == value) return;
  }
}

static void put_shortest(struct rl_buf *out, double value, void (*shorten)(char *, size_t, double)) {
  char text[40] = "nan";
  if (!isnan(value)) {
    rl_locale before = rl_locale_enter();
    shorten(text, sizeof text, value);
    rl_locale_leave(before);
  }
  rl_buf_puts(out, text);
  if (isfinite(value) && !strpbrk(text, ".e")) rl_buf_puts(out, ".0");
}

void rl_put_double(struct rl_buf *out, double value) { put_shortest(out, value, shortest); }

void rl_put_float(struct rl_buf *out, float value) { put_shortest(out, (double)value, shortest_float); }

static const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void rl_put_base64(struct rl_buf *out, struct rl_bytes data) {
  for (size_t i = 0; i < data.len; i += 3) {
    size_t n = data.len - i < 3 ? data.len - i : 3;
    unsigned char in[3] = {0, 0, 0};
    memcpy(in, data.data + i, n);
    char four[4] = {base64_digits[in[0] >> 2], base64_digits[(in[0] & 3) << 4 | in[1] >> 4],
                    base64_digits[(in[1] & 15) << 2 | in[2] >> 6], base64_digits[in[2] & 63]};
    if (n < 3) four[3] = '=';
    if (n < 2) four[2] = '=';
    rl_buf_put(out, four, sizeof four);
  }
}

static bool base64_value(char c, unsigned *value) {
  if (c >= 'A' && c <= 'Z') return *value = (unsigned)(c - 'A'), true;
  if (c >= 'a' && c <= 'z') return *value = (unsigned)(c - 'a') + 26, true;
  if (c >= '0' && c <= '9') return *value = (unsigned)(c - '0') + 52, true;
  if (c == '+') return *value = 62, true;
  return *value = 63, c == '/';
}

/* Four characters to `n` bytes (1 to 3). The bits that fill up the last byte must be zero. */
static bool get_group(struct rl_buf *out, const char *four, size_t n) {
  unsigned bits = 0;
  for (size_t i = 0; i < 4; i++) {
    unsigned value = 0;
    if (i <= n && !base64_value(four[i], &value)) return false;
    bits = bits << 6 | value;
  }
  if ((n == 1 && (bits & 0xFFFF)) || (n == 2 && (bits & 0xFF))) return false;
  const char bytes[3] = {(char)(bits >> 16), (char)(bits >> 8 & 0xFF), (char)(bits & 0xFF)};
  rl_buf_put(out, bytes, n);
  return true;
}

bool rl_get_base64(struct rl_buf *out, struct rl_bytes text) {
  size_t before = out->len;
  if (text.len % 4) return false;
  for (size_t i = 0; i < text.len; i += 4) {
    const char *four = text.data + i;
    bool last = i + 4 == text.len;
    size_t n = !last || four[3] != '=' ? 3 : four[2] != '=' ? 2 : 1;
    if (!get_group(out, four, n)) {
      out->len = before;
      if (out->data) out->data[before] = '\0';
      return false;
    }
  }
  return true;
}
