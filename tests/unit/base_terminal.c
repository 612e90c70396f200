/* log on a terminal: colour, and a progress line that never mixes with lines. */
#include <fcntl.h>
#include <unistd.h>

#include "base/log.h"
#include "unit.h"

static int controller, real_stderr;

static void open_terminal(void) {
  controller = posix_openpt(O_RDWR | O_NOCTTY);
  CHECK(controller >= 0);
  CHECK_INT(grantpt(controller), 0);
  CHECK_INT(unlockpt(controller), 0);
  int terminal = open(ptsname(controller), O_RDWR | O_NOCTTY);
  CHECK(terminal >= 0);
  real_stderr = dup(STDERR_FILENO);
  dup2(terminal, STDERR_FILENO);
  close(terminal);
  fcntl(controller, F_SETFL, O_NONBLOCK);
}

static const char *shown(void) {
  static char text[4096];
  ssize_t n = read(controller, text, sizeof text - 1);
  text[n > 0 ? n : 0] = '\0';
  return text;
}

static void close_terminal(void) {
  dup2(real_stderr, STDERR_FILENO);
  close(real_stderr);
  close(controller);
}

TEST(colour_on_a_terminal_unless_refused) {
  open_terminal();
  setenv("TERM", "xterm", 1);
  unsetenv("NO_COLOR");
  rl_log(RL_ERROR, "text");
  CHECK_STR(shown(), "rille: \x1b[31merror: \x1b[0mtext\r\n");
  setenv("NO_COLOR", "1", 1);
  rl_log(RL_ERROR, "text");
  CHECK_STR(shown(), "rille: error: text\r\n");
  unsetenv("NO_COLOR");
  setenv("TERM", "dumb", 1);
  rl_log(RL_WARN, "text");
  CHECK_STR(shown(), "rille: warning: text\r\n");
  close_terminal();
}

TEST(progress_is_erased_before_a_line_and_stands_again_after_it) {
  open_terminal();
  rl_log_progress("10 messages");
  CHECK_STR(shown(), "\r\x1b[K10 messages");
  rl_log(RL_INFO, "text");
  CHECK_STR(shown(), "\r\x1b[Krille: text\r\n10 messages");
  rl_log_progress("20 messages");
  CHECK_STR(shown(), "\r\x1b[K20 messages");
  rl_log_progress(NULL);
  CHECK_STR(shown(), "\r\x1b[K");
  rl_log_progress(NULL);
  CHECK_STR(shown(), "");
  rl_log(RL_INFO, "text");
  CHECK_STR(shown(), "rille: text\r\n");
  close_terminal();
}
