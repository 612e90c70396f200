#include "base/stderr.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

#define PATIENCE_MS 50 /* for a reader that is only slow; not while lines are held */

static struct rl_buf held;
static size_t left_out; /* lines */

static bool may_clog(void) {
  struct stat st;
  if (fstat(STDERR_FILENO, &st) != 0) return false;
  return S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || isatty(STDERR_FILENO); /* Ctrl-S stops a terminal */
}

static bool is_passing(int error) { return error == EINTR || error == EAGAIN; }

/* Nobody can be told that standard error does not take the line: it is left. */
static void write_all(struct rl_bytes text) {
  while (text.len) {
    ssize_t n = write(STDERR_FILENO, text.data, text.len);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text = rl_bytes(text.data + n, text.len - (size_t)n);
  }
}

/* Returns what did not go. A pipe that polls as writable takes PIPE_BUF bytes. */
static struct rl_bytes write_some(struct rl_bytes text, int timeout_ms) {
  int64_t deadline = rl_now() + timeout_ms * RL_NS_PER_MS;
  while (text.len) {
    struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};
    int ready = poll(&out, 1, rl_poll_ms(rl_now(), deadline, timeout_ms));
    if (ready == 0 || (ready < 0 && errno != EINTR)) break;
    if (ready < 0) continue;
    ssize_t n = write(STDERR_FILENO, text.data, text.len < PIPE_BUF ? text.len : PIPE_BUF);
    if (n < 0 && is_passing(errno)) continue;
    if (n <= 0) return rl_bytes(NULL, 0);
    text = rl_bytes(text.data + n, text.len - (size_t)n);
  }
  return text;
}

bool rl_stderr_holds(void) { return held.len > 0; }

static void hold(struct rl_bytes text, bool whole_line) {
  if (held.len + text.len > RL_STDERR_HELD && whole_line)
    left_out++;
  else
    rl_buf_put(&held, text.data, text.len);
}

static void say_left_out(void) {
  size_t n = left_out;
  left_out = 0;
  if (n)
    rl_buf_printf(&held, "rille: warning: %zu lines were left out here: nobody read standard error\n", n);
}

static void retry(int timeout_ms) {
  struct rl_bytes rest = write_some(rl_buf_bytes(&held), timeout_ms);
  if (rest.len) memmove(held.data, rest.data, rest.len);
  held.len = rest.len;
  if (!held.len) say_left_out();
}

void rl_stderr_flush(int timeout_ms) {
  if (held.len) retry(timeout_ms);
  if (held.len) retry(0); /* that some were left out */
  if (!held.len) rl_buf_free(&held);
}

void rl_stderr_put(struct rl_bytes line) {
  if (!may_clog()) {
    write_all(line);
    return;
  }
  rl_stderr_flush(0);
  bool whole = held.len > 0;
  struct rl_bytes rest = whole ? line : write_some(line, PATIENCE_MS);
  if (rest.len) hold(rest, whole);
}
