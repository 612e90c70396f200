#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

char *rl_buf_reserve(struct rl_buf *buf, size_t extra) {
  size_t need;
  if (__builtin_add_overflow(buf->len, extra, &need) || need == SIZE_MAX) need = SIZE_MAX - 1;
  if (!buf->data || need + 1 > buf->cap) {
    bool fresh = !buf->data;
    RL_GROW(buf->data, buf->cap, need + 1);
    if (fresh) buf->data[0] = '\0';
  }
  return buf->data + buf->len;
}

void rl_buf_put(struct rl_buf *buf, const void *data, size_t len) {
  char *to = rl_buf_reserve(buf, len);
  if (len) memcpy(to, data, len);
  to[len] = '\0';
  buf->len += len;
}

void rl_buf_puts(struct rl_buf *buf, const char *text) { rl_buf_put(buf, text, strlen(text)); }

void rl_buf_putc(struct rl_buf *buf, char c) { rl_buf_put(buf, &c, 1); }

void rl_buf_fill(struct rl_buf *buf, char c, size_t n) {
  char *to = rl_buf_reserve(buf, n);
  memset(to, c, n);
  to[n] = '\0';
  buf->len += n;
}

void rl_buf_printf(struct rl_buf *buf, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  rl_buf_vprintf(buf, fmt, args);
  va_end(args);
}

void rl_buf_vprintf(struct rl_buf *buf, const char *fmt, va_list args) {
  va_list again;
  va_copy(again, args);
  int len = vsnprintf(NULL, 0, fmt, again);
  va_end(again);
  if (len < 0) { /* a wide character that does not convert, or over 2 GiB: say what was meant */
    rl_buf_puts(buf, fmt);
    return;
  }
  size_t room = (size_t)len;
  vsnprintf(rl_buf_reserve(buf, room), room + 1, fmt, args);
  buf->len += room;
}

void rl_buf_clear(struct rl_buf *buf) {
  buf->len = 0;
  if (buf->data) buf->data[0] = '\0';
}

void rl_buf_free(struct rl_buf *buf) {
  rl_free(buf->data);
  *buf = (struct rl_buf)RL_BUF_INIT;
}

char *rl_buf_take(struct rl_buf *buf) {
  char *text = buf->data ? buf->data : rl_strdup("");
  *buf = (struct rl_buf)RL_BUF_INIT;
  return text;
}
