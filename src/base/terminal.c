#include "base/terminal.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/log.h"

static bool shared;

bool rl_terminal_shared(void) { return shared; }

ssize_t rl_terminal_write(const char *data, size_t len) {
  if (!shared) return write(STDOUT_FILENO, data, len);
  rl_log_aside();
  ssize_t n = write(STDOUT_FILENO, data, len);
  int before = errno;
  rl_log_resume(n > 0 ? data[n - 1] == '\n' : true);
  errno = before;
  return n;
}

#ifdef __GLIBC__
/* 0 is how such a function says that it failed. */
static ssize_t cookie_write(void *cookie, const char *data, size_t len) {
  (void)cookie;
  ssize_t n;
  do n = rl_terminal_write(data, len);
  while (n < 0 && errno == EINTR);
  return n < 0 ? 0 : n;
}

static FILE *own_stdout(void) {
  return fopencookie(NULL, "w", (cookie_io_functions_t){.write = cookie_write});
}
#else
static FILE *own_stdout(void) { return NULL; }
#endif

bool rl_terminal_share(void) {
  if (shared || !isatty(STDOUT_FILENO) || !isatty(STDERR_FILENO)) return shared;
  FILE *own = own_stdout();
  if (!own) return false;
  fflush(stdout);
  setvbuf(own, NULL, _IOLBF, BUFSIZ);
#ifdef __GLIBC__
  stdout = own; /* elsewhere it may be no variable */
#endif
  shared = true;
  return true;
}
