#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/secret.h"
#include "base/stderr.h"
#include "base/str.h"

#define LAST_WORDS_MS 2000 /* for whoever reads standard error, at the end */
#define ERASE "\r\x1b[K"

/* One lock for all of it: a line, the progress line under it and the secrets belong together. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int highest = RL_INFO;
static char *progress;   /* the line that stands on the terminal, or NULL */
static bool half_a_line; /* standard output's last line there has not ended: progress waits */
static struct {
  void (*fn)(enum rl_level level, const char *line, void *arg);
  void *arg;
} sink;

void rl_log_level(enum rl_level level) { atomic_store(&highest, (int)level); }

bool rl_log_on(enum rl_level level) { return (int)level <= atomic_load(&highest); }

void rl_log_secret(const char *value) {
  if (!value) return;
  pthread_mutex_lock(&lock);
  rl_secret_add(value);
  pthread_mutex_unlock(&lock);
}

void rl_log_mask(struct rl_buf *out, struct rl_bytes text) {
  pthread_mutex_lock(&lock);
  rl_secret_mask(out, text);
  pthread_mutex_unlock(&lock);
}

/* Puts one character of a message; returns its length. C1 controls (U+0080 to U+009F) move a terminal's
 * cursor as escape sequences do. */
static size_t put_harmless(struct rl_buf *out, struct rl_bytes text) {
  unsigned char c = (unsigned char)text.data[0];
  size_t n = rl_utf8_step(text);
  bool control = (c < 0x20 && c != '\t') || c == 0x7F;
  bool c1 = n == 2 && c == 0xC2 && (unsigned char)text.data[1] < 0xA0;
  if (c == '\n') {
    rl_buf_puts(out, "\n    ");
  } else if (n == 0 || control) {
    rl_buf_printf(out, "\\x%02x", c);
  } else if (c1) {
    rl_buf_printf(out, "\\x%02x", (unsigned char)text.data[1]);
  } else {
    rl_buf_put(out, text.data, n);
  }
  return n ? n : 1;
}

static void put_message(struct rl_buf *out, struct rl_bytes text) {
  while (text.len && text.data[text.len - 1] == '\n') text.len--;
  for (size_t i = 0; i < text.len;) i += put_harmless(out, rl_bytes(text.data + i, text.len - i));
}

static void put_level(struct rl_buf *out, enum rl_level level, bool colour) {
  static const char *const words[] = {"error: ", "warning: ", "", "debug: "};
  static const char *const colours[] = {"\x1b[31m", "\x1b[33m", "", "\x1b[2m"};
  bool coloured = colour && *colours[level];
  rl_buf_puts(out, "rille: ");
  if (coloured) rl_buf_puts(out, colours[level]);
  rl_buf_puts(out, words[level]);
  if (coloured) rl_buf_puts(out, "\x1b[0m");
}

static bool wants_colour(void) {
  const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
  return !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

static void finish_at_exit(void) { atexit(rl_log_finish); }

/* Under the lock. The line goes out in one write, so lines of several processes do not mix either. */
static void emit(enum rl_level level, struct rl_bytes masked) {
  struct rl_buf line = RL_BUF_INIT;
  bool terminal = !sink.fn && isatty(STDERR_FILENO);
  if (terminal && half_a_line) rl_buf_putc(&line, '\n');
  if (terminal && progress && !half_a_line) rl_buf_puts(&line, ERASE);
  if (terminal) half_a_line = false;
  put_level(&line, level, terminal && wants_colour());
  put_message(&line, masked);
  if (sink.fn) {
    sink.fn(level, line.data, sink.arg);
  } else {
    rl_buf_putc(&line, '\n');
    if (terminal && progress) rl_buf_puts(&line, progress);
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    rl_stderr_put(rl_buf_bytes(&line));
    if (rl_stderr_holds()) pthread_once(&once, finish_at_exit);
  }
  rl_buf_free(&line);
}

void rl_logv(enum rl_level level, const char *fmt, va_list args) {
  if (!rl_log_on(level)) return;
  int before = errno;
  struct rl_buf text = RL_BUF_INIT, masked = RL_BUF_INIT;
  rl_buf_vprintf(&text, fmt, args);
  pthread_mutex_lock(&lock);
  rl_secret_mask(&masked, rl_buf_bytes(&text));
  emit(level, rl_buf_bytes(&masked));
  pthread_mutex_unlock(&lock);
  rl_buf_free(&masked);
  rl_buf_free(&text);
  errno = before;
}

void rl_log(enum rl_level level, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  rl_logv(level, fmt, args);
  va_end(args);
}

/* Under the lock. */
static void replace_progress(const char *text) {
  struct rl_buf out = RL_BUF_INIT;
  if (!half_a_line && (progress || text)) rl_buf_puts(&out, ERASE);
  if (!half_a_line && text) rl_buf_puts(&out, text);
  rl_stderr_put(rl_buf_bytes(&out));
  rl_buf_free(&out);
  rl_free(progress);
  progress = text ? rl_strdup(text) : NULL;
}

void rl_log_progress(const char *text) {
  if (!isatty(STDERR_FILENO)) return;
  pthread_mutex_lock(&lock);
  replace_progress(text);
  pthread_mutex_unlock(&lock);
}

void rl_log_aside(void) {
  pthread_mutex_lock(&lock);
  if (progress && !half_a_line) rl_stderr_put(rl_bytes_str(ERASE));
}

void rl_log_resume(bool line_ended) {
  half_a_line = !line_ended;
  if (progress && line_ended) rl_stderr_put(rl_bytes_str(progress));
  pthread_mutex_unlock(&lock);
}

void rl_log_to(void (*fn)(enum rl_level level, const char *line, void *arg), void *arg) {
  pthread_mutex_lock(&lock);
  sink.fn = fn;
  sink.arg = arg;
  pthread_mutex_unlock(&lock);
}

void rl_log_finish(void) {
  pthread_mutex_lock(&lock);
  rl_stderr_flush(LAST_WORDS_MS);
  pthread_mutex_unlock(&lock);
}

void rl_log_look(void) {
  pthread_mutex_lock(&lock);
  rl_stderr_flush(0);
  pthread_mutex_unlock(&lock);
}
