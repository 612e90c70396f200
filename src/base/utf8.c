/* UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing over U+10FFFF. */
#include <stdint.h>

#include "base/str.h"

static bool tail(const unsigned char *p, size_t n) {
  for (size_t i = 0; i < n; i++)
    if ((p[i] & 0xC0) != 0x80) return false;
  return true;
}

/* The second byte's range is where overlong forms, surrogates and what is too large show. */
static bool second_fits(unsigned char first, unsigned char second) {
  switch (first) {
    case 0xE0: return second >= 0xA0;
    case 0xED: return second <= 0x9F;
    case 0xF0: return second >= 0x90;
    case 0xF4: return second <= 0x8F;
    default: return true;
  }
}

size_t rl_utf8_step(struct rl_bytes text) {
  const unsigned char *p = (const unsigned char *)text.data;
  if (text.len == 0) return 0;
  if (p[0] < 0x80) return 1;
  size_t n = p[0] < 0xC2 ? 0 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : p[0] < 0xF5 ? 4 : 0;
  if (n == 0 || text.len < n || !tail(p + 1, n - 1) || !second_fits(p[0], p[1])) return 0;
  return n;
}

static size_t ascii_run(const char *p, size_t len) {
  size_t i = 0;
  for (uint64_t eight; i + 8 <= len; i += 8) {
    memcpy(&eight, p + i, 8);
    if (eight & UINT64_C(0x8080808080808080)) break;
  }
  return i;
}

bool rl_utf8_valid(struct rl_bytes text) {
  for (size_t i = 0; i < text.len;) {
    i += ascii_run(text.data + i, text.len - i);
    if (i == text.len) break;
    size_t n = rl_utf8_step(rl_bytes(text.data + i, text.len - i));
    if (n == 0) return false;
    i += n;
  }
  return true;
}
