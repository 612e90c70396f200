/* Standard output whose reader went away, in a child: this program's own is needed. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stdout.h"
#include "unit.h"

/* A pipe that nobody reads becomes standard output. */
static void close_reader(void) {
  int ends[2];
  signal(SIGPIPE, SIG_IGN);
  if (pipe(ends) || dup2(ends[1], STDOUT_FILENO) < 0) _exit(90);
  close(ends[0]);
  close(ends[1]);
}

/* More than stdio holds: the write fails here, and its errno is gone when it is asked for. */
static void write_much(void) {
  static char text[1 << 20];
  memset(text, 'x', sizeof text);
  if (fwrite(text, 1, sizeof text, stdout) == sizeof text) _exit(91);
}

static int status_of_child(void (*body)(void)) {
  int status;
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    body();
    _exit(0);
  }
  if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

static void expect_gone(void) {
  struct rl_err err = {0};
  close_reader();
  write_much();
  if (rl_stdout_flush(&err) != RL_EPIPE) _exit(1);
  if (rl_stdout_flush(&err) != RL_EPIPE) _exit(2); /* and later, too */
  if (!strstr(err.text, "went away")) _exit(3);
}

TEST(s5_3_a_reader_that_went_away_is_known_after_an_earlier_write_has_failed) {
  CHECK_INT(status_of_child(expect_gone), 0);
}

static void expect_full(void) {
  struct rl_err err = {0};
  if (!freopen("/dev/full", "w", stdout)) _exit(92);
  write_much();
  if (rl_stdout_flush(&err) != RL_EFAIL) _exit(1);
  if (!strstr(err.text, "cannot write to standard output")) _exit(2);
}

TEST(another_failure_of_an_earlier_write_is_an_error) { CHECK_INT(status_of_child(expect_full), 0); }
