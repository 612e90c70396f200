#include "base/json_text.h"

#include <stdint.h>

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/* The four hex digits at p as a UTF-16 unit, or -1. */
static int32_t unit(const char *p, const char *end) {
  if (end - p < 4) return -1;
  int32_t value = 0;
  for (int i = 0; i < 4; i++) {
    int digit = hex_digit(p[i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

static char *put_utf8(char *out, uint32_t c) {
  if (c < 0x80) {
    *out++ = (char)c;
  } else if (c < 0x800) {
    *out++ = (char)(0xC0 | c >> 6);
    *out++ = (char)(0x80 | (c & 63));
  } else if (c < 0x10000) {
    *out++ = (char)(0xE0 | c >> 12);
    *out++ = (char)(0x80 | (c >> 6 & 63));
    *out++ = (char)(0x80 | (c & 63));
  } else {
    *out++ = (char)(0xF0 | c >> 18);
    *out++ = (char)(0x80 | (c >> 12 & 63));
    *out++ = (char)(0x80 | (c >> 6 & 63));
    *out++ = (char)(0x80 | (c & 63));
  }
  return out;
}

/* What follows "\u"; a pair of surrogates is one character, half a pair is an error. NULL on error. */
static const char *unescape_unicode(const char *p, const char *end, char **out) {
  int32_t first = unit(p, end);
  if (first < 0) return NULL;
  p += 4;
  uint32_t c = (uint32_t)first;
  if (c >= 0xD800 && c < 0xE000) {
    bool pair = c < 0xDC00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u';
    int32_t second = pair ? unit(p + 2, end) : -1;
    if (second < 0xDC00 || second > 0xDFFF) return NULL;
    c = 0x10000 + ((c - 0xD800) << 10) + ((uint32_t)second - 0xDC00);
    p += 6;
  }
  *out = put_utf8(*out, c);
  return p;
}

static char simple_escape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/': return c;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return 0;
  }
}

/* p is past the backslash. */
static const char *unescape_one(const char *p, const char *end, char **out) {
  if (p == end) return NULL;
  if (*p == 'u') return unescape_unicode(p + 1, end, out);
  char c = simple_escape(*p);
  if (!c) return NULL;
  *(*out)++ = c;
  return p + 1;
}

ssize_t rl_json_unescape(struct rl_bytes raw, char *out, size_t *bad) {
  char *start = out;
  const char *end = raw.data + raw.len;
  for (const char *p = raw.data; p < end;) {
    const char *slash = memchr(p, '\\', (size_t)(end - p));
    size_t plain = (size_t)((slash ? slash : end) - p);
    memmove(out, p, plain);
    out += plain;
    if (!slash) break;
    p = unescape_one(slash + 1, end, &out);
    if (!p) {
      *bad = (size_t)(slash - raw.data);
      return -1;
    }
  }
  return out - start;
}

bool rl_json_check_escapes(struct rl_bytes raw, size_t *bad) {
  const char *end = raw.data + raw.len;
  for (const char *p = raw.data; (p = memchr(p, '\\', (size_t)(end - p))) != NULL;) {
    char nowhere[4], *out = nowhere;
    *bad = (size_t)(p - raw.data);
    p = unescape_one(p + 1, end, &out);
    if (!p) return false;
  }
  return true;
}
