/* A decimal's text to the bytes of its digits. */
#include "codec/avro_put.h"

enum { DIGITS = 4096 }; /* turning them to bytes takes time with their square */

/* big-endian number = number * 10 + digit; the number grows to the left of `end`. */
static void append_digit(unsigned char *end, size_t *n, unsigned digit) {
  unsigned carry = digit;
  for (size_t i = 1; i <= *n; i++) {
    carry += end[-(ptrdiff_t)i] * 10u;
    end[-(ptrdiff_t)i] = (unsigned char)carry;
    carry >>= 8;
  }
  if (carry) end[-(ptrdiff_t)++ * n] = (unsigned char)carry;
}

static void negate(unsigned char *at, size_t n) {
  unsigned carry = 1;
  while (n-- > 0) {
    carry += (unsigned char)~at[n];
    at[n] = (unsigned char)carry;
    carry >>= 8;
  }
}

/* The magnitude of text, `scale` digits behind the point, and how many digits that integer has; -1 when it is
 * no such number. */
static int magnitude(struct rl_bytes text, int scale, unsigned char *end, size_t *n) {
  int behind = -1, digits = 0, significant = 0; /* behind: digits after the point, -1 before it */
  for (size_t i = 0; i < text.len; i++) {
    char c = text.data[i];
    if (c == '.' && behind < 0) {
      behind = 0;
      continue;
    }
    if (c < '0' || c > '9') return -1;
    digits++;
    if (behind >= scale && c != '0') return -1; /* zeros past the scale change nothing */
    if (behind >= scale) continue;
    if (behind >= 0) behind++;
    append_digit(end, n, (unsigned)(c - '0'));
    significant += significant > 0 || c != '0';
  }
  int missing = behind < 0 ? scale : scale - behind;
  for (int i = 0; i < missing; i++) append_digit(end, n, 0);
  if (digits == 0) return -1;
  return significant > 0 ? significant + missing : 0;
}

bool rl_avro_decimal_bytes(struct rl_bytes text, int precision, int scale, struct rl_buf *out) {
  unsigned char room[DIGITS / 2 + 2], *end = room + sizeof room;
  bool negative = text.len > 0 && *text.data == '-';
  size_t n = 0;
  rl_buf_clear(out);
  if (negative) text = rl_bytes(text.data + 1, text.len - 1);
  if (text.len + (size_t)scale > DIGITS) return false;
  int digits = magnitude(text, scale, end, &n);
  if (digits < 0 || digits > precision) return false;
  end[-(ptrdiff_t)++n] = 0; /* the sign's bit */
  unsigned char *at = end - n;
  if (negative) negate(at, n);
  while (n > 1 && (at[0] == 0 || at[0] == 0xFF) && ((at[0] ^ at[1]) & 0x80) == 0) at++, n--;
  rl_buf_put(out, at, n);
  return true;
}
