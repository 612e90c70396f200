/* log on a terminal: colour, and a progress line that never mixes with lines. */
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/log.h"
#include "base/terminal.h"
#include "unit.h"

#define PATIENCE_MS 10000

static int controller, real_stderr, real_stdout;

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

/* What the terminal was given: the kernel passes it on in its own time, and in pieces. */
static const char *shown(size_t wanted) {
  static char text[4096];
  size_t len = 0;
  struct pollfd fd = {.fd = controller, .events = POLLIN};
  while (len < wanted && poll(&fd, 1, PATIENCE_MS) > 0) {
    ssize_t n = read(controller, text + len, sizeof text - 1 - len);
    if (n <= 0) break;
    len += (size_t)n;
  }
  ssize_t more = read(controller, text + len, sizeof text - 1 - len);
  text[len + (size_t)(more > 0 ? more : 0)] = '\0';
  return text;
}

#define CHECK_SHOWN(want) CHECK_STR(shown(sizeof(want) - 1), want)

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
  CHECK_SHOWN("rille: \x1b[31merror: \x1b[0mtext\r\n");
  setenv("NO_COLOR", "1", 1);
  rl_log(RL_ERROR, "text");
  CHECK_SHOWN("rille: error: text\r\n");
  unsetenv("NO_COLOR");
  setenv("TERM", "dumb", 1);
  rl_log(RL_WARN, "text");
  CHECK_SHOWN("rille: warning: text\r\n");
  close_terminal();
}

TEST(progress_is_erased_before_a_line_and_stands_again_after_it) {
  open_terminal();
  rl_log_progress("10 messages");
  CHECK_SHOWN("\r\x1b[K10 messages");
  rl_log(RL_INFO, "text");
  CHECK_SHOWN("\r\x1b[Krille: text\r\n10 messages");
  rl_log_progress("20 messages");
  CHECK_SHOWN("\r\x1b[K20 messages");
  rl_log_progress(NULL);
  CHECK_SHOWN("\r\x1b[K");
  rl_log_progress(NULL);
  CHECK_SHOWN("");
  rl_log(RL_INFO, "text");
  CHECK_SHOWN("rille: text\r\n");
  close_terminal();
}

TEST(nothing_is_shared_while_standard_output_is_no_terminal) {
  open_terminal();
  int null = open("/dev/null", O_WRONLY);
  real_stdout = dup(STDOUT_FILENO);
  fflush(stdout);
  dup2(null, STDOUT_FILENO);
  close(null);
  CHECK(!rl_terminal_share());
  dup2(real_stdout, STDOUT_FILENO);
  close(real_stdout);
  close_terminal();
}

#ifdef __GLIBC__
/* The last test: stdout stays what it becomes. */
TEST(standard_output_and_the_progress_line_do_not_mix) {
  open_terminal();
  fflush(stdout);
  FILE *harness = stdout;
  real_stdout = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  CHECK(rl_terminal_share());
  FILE *own = stdout;
  stdout = harness; /* for what CHECK prints */
  rl_log_progress("10 messages");
  CHECK_SHOWN("\r\x1b[K10 messages");
  fputs("one\n", own);
  CHECK_SHOWN("\r\x1b[Kone\r\n10 messages");
  fputs("half", own);
  fflush(own);
  CHECK_SHOWN("\r\x1b[Khalf");
  rl_log_progress("20 messages"); /* waits for the line's end */
  CHECK_SHOWN("");
  fputs(" and whole\n", own);
  CHECK_SHOWN(" and whole\r\n20 messages");
  fputs("half", own);
  fflush(own);
  CHECK_SHOWN("\r\x1b[Khalf");
  rl_log(RL_INFO, "text");
  CHECK_SHOWN("\r\nrille: text\r\n20 messages");
  CHECK_INT(rl_terminal_write("x\n", 2), 2); /* outputs go the same way */
  CHECK_SHOWN("\r\x1b[Kx\r\n20 messages");
  fputs("end", own);
  fflush(own);
  CHECK_SHOWN("\r\x1b[Kend");
  rl_log_progress(NULL);
  CHECK_SHOWN("");
  dup2(real_stdout, STDOUT_FILENO);
  close(real_stdout);
  close_terminal();
}
#endif
