#include "base/err.h"

#include <stdarg.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"

/* Copies text into err->text; one that is too long is cut between characters and ends with an ellipsis. */
static void set_text(struct rl_err *err, struct rl_bytes text) {
  static const char more[] = "…";
  size_t room = sizeof err->text - 1;
  if (text.len <= room) {
    memcpy(err->text, text.data, text.len);
    err->text[text.len] = '\0';
    return;
  }
  size_t cut = room - (sizeof more - 1);
  while (cut && ((unsigned char)text.data[cut] & 0xC0) == 0x80) cut--;
  memcpy(err->text, text.data, cut);
  memcpy(err->text + cut, more, sizeof more);
}

/* Secrets are masked before the text is cut: half of one would not be recognised any more. */
static void set_masked(struct rl_err *err, const struct rl_buf *text) {
  struct rl_buf masked = RL_BUF_INIT;
  rl_log_mask(&masked, rl_buf_bytes(text));
  set_text(err, rl_buf_bytes(&masked));
  rl_buf_free(&masked);
}

static void fill(struct rl_err *err, int code, int kafka, const char *fmt, va_list args) {
  if (!err) return;
  struct rl_buf text = RL_BUF_INIT;
  rl_buf_vprintf(&text, fmt, args);
  err->code = code;
  err->kafka = kafka;
  set_masked(err, &text);
  rl_buf_free(&text);
}

int rl_fail(struct rl_err *err, int code, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  fill(err, code, 0, fmt, args);
  va_end(args);
  return code;
}

int rl_fail_kafka(struct rl_err *err, int code, int kafka, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  fill(err, code, kafka, fmt, args);
  va_end(args);
  return code;
}

int rl_err_prefix(struct rl_err *err, const char *fmt, ...) {
  if (!err) return RL_EFAIL;
  struct rl_buf text = RL_BUF_INIT;
  va_list args;
  va_start(args, fmt);
  rl_buf_vprintf(&text, fmt, args);
  va_end(args);
  rl_buf_puts(&text, err->text);
  set_masked(err, &text);
  rl_buf_free(&text);
  return err->code;
}

int rl_err_status(int code) {
  switch (code) {
    case RL_OK:
    case RL_EPIPE: return 0;
    case RL_EUSAGE: return 2;
    case RL_EBROKER: return 3;
    case RL_EHANDLER: return 4;
    case RL_EWAIT: return 5;
    default: return 1;
  }
}
