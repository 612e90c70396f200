#include "base/stdout.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* An error of an earlier write has left no errno: the pipe itself is asked. */
static bool reader_gone(int error) {
  struct pollfd out = {STDOUT_FILENO, 0, 0};
  return error == EPIPE || (poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)));
}

int rl_stdout_failed(struct rl_err *err, int error) {
  if (reader_gone(error)) return rl_fail(err, RL_EPIPE, "standard output: its reader went away");
  return rl_fail(err, RL_EFAIL, "cannot write to standard output: %s",
                 error ? strerror(error) : "an earlier write failed");
}

int rl_stdout_flush(struct rl_err *err) {
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  return rl_stdout_failed(err, errno);
}
