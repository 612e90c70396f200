/* A growable byte buffer. `data` is always NUL-terminated once something was put (the NUL is not counted). */
#ifndef RL_BASE_BUF_H
#define RL_BASE_BUF_H

#include <stdarg.h>

#include "base/bytes.h"

struct rl_buf {
  char *data;
  size_t len, cap;
};

#define RL_BUF_INIT \
  { NULL, 0, 0 }

void rl_buf_put(struct rl_buf *buf, const void *data, size_t len);
void rl_buf_puts(struct rl_buf *buf, const char *text);
void rl_buf_putc(struct rl_buf *buf, char c);
void rl_buf_fill(struct rl_buf *buf, char c, size_t n); /* n times c */
__attribute__((format(printf, 2, 3))) void rl_buf_printf(struct rl_buf *buf, const char *fmt, ...);
__attribute__((format(printf, 2, 0))) void rl_buf_vprintf(struct rl_buf *buf, const char *fmt, va_list args);
char *rl_buf_reserve(struct rl_buf *buf,
                     size_t extra);    /* room for `extra` bytes past len; caller raises len */
void rl_buf_clear(struct rl_buf *buf); /* keeps the memory */
void rl_buf_free(struct rl_buf *buf);
char *rl_buf_take(struct rl_buf *buf); /* the text, now the caller's (rl_free); the buffer is empty again */
/* The text, "" while nothing was put. */
static inline const char *rl_buf_text(const struct rl_buf *buf) { return buf->data ? buf->data : ""; }

static inline struct rl_bytes rl_buf_bytes(const struct rl_buf *buf) {
  return rl_bytes(buf->data ? buf->data : "", buf->len);
}

#endif
