/* log and err: whole harmless lines, and never a secret. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "unit.h"

static char last[4096];
static int last_level, lines;

static void keep(enum rl_level level, const char *line, void *arg) {
  (void)arg;
  snprintf(last, sizeof last, "%s", line);
  last_level = (int)level;
  lines++;
}

#define LOGGED(level, ...) (rl_log_to(keep, NULL), rl_log(level, __VA_ARGS__), rl_log_to(NULL, NULL), last)

TEST(lines_begin_with_their_level) {
  CHECK_STR(LOGGED(RL_INFO, "text %d", 1), "rille: text 1");
  CHECK_INT(last_level, RL_INFO);
  CHECK_STR(LOGGED(RL_WARN, "text"), "rille: warning: text");
  CHECK_STR(LOGGED(RL_ERROR, "text"), "rille: error: text");
  CHECK_INT(last_level, RL_ERROR);
}

TEST(levels_above_the_highest_are_silent) {
  int before = lines;
  LOGGED(RL_DEBUG, "not by default");
  CHECK_INT(lines, before);
  rl_log_level(RL_DEBUG);
  CHECK_STR(LOGGED(RL_DEBUG, "now"), "rille: debug: now");
  rl_log_level(RL_ERROR);
  before = lines;
  LOGGED(RL_WARN, "too much");
  CHECK_INT(lines, before);
  CHECK(rl_log_on(RL_ERROR));
  CHECK(!rl_log_on(RL_WARN));
  rl_log_level(RL_INFO);
}

TEST(text_cannot_pass_for_a_line_of_ours) {
  CHECK_STR(LOGGED(RL_INFO, "a\nrille: error: b\n\n"), "rille: a\n    rille: error: b");
  CHECK_STR(LOGGED(RL_INFO, "a\rb\x1b[2Jc\x7f"), "rille: a\\x0db\\x1b[2Jc\\x7f");
  CHECK_STR(LOGGED(RL_INFO, "tab\tstays"), "rille: tab\tstays");
  CHECK_STR(LOGGED(RL_INFO, "\xFF\xC3 é \xC2\x9B"), "rille: \\xff\\xc3 é \\x9b");
  CHECK_STR(LOGGED(RL_INFO, "%s", ""), "rille: ");
}

TEST(secrets_are_masked_wherever_they_stand) {
  rl_log_secret("hunter");
  rl_log_secret("hunter22");
  rl_log_secret("hunter22"); /* twice is once */
  rl_log_secret("abc");      /* too short to be masked by text */
  rl_log_secret("");
  rl_log_secret(NULL);
  CHECK_STR(LOGGED(RL_INFO, "pw=hunter22;hunter22"), "rille: pw=***;***");
  CHECK_STR(LOGGED(RL_INFO, "hunter2 hunter"), "rille: ***2 ***");
  CHECK_STR(LOGGED(RL_INFO, "hunte abc"), "rille: hunte abc");
}

TEST(secrets_with_odd_bytes_are_masked_before_they_are_rewritten) {
  rl_log_secret("two\nlines\xFF");
  CHECK_STR(LOGGED(RL_INFO, "a two\nlines\xFF b"), "rille: a *** b");
}

TEST(secrets_never_reach_an_error_either) {
  rl_log_secret("s3cr3t-value");
  struct rl_err err = {0};
  rl_fail(&err, RL_EBROKER, "login with s3cr3t-value refused");
  CHECK_STR(err.text, "login with *** refused");
  char pad[1010];
  memset(pad, '.', sizeof pad - 1);
  pad[sizeof pad - 1] = '\0';
  rl_fail(&err, RL_EFAIL, "%ss3cr3t-value and more", pad); /* the cut falls into the secret */
  CHECK(strstr(err.text, "s3c") == NULL);
}

TEST(names_that_hold_secrets) {
  static const char *const yes[] = {
      "sasl.password",       "SASL.PASSWORD",    "ssl.key.password",
      "ssl.key.pem",         "sasl.jaas.config", "registry.token",
      "client_secret",       "ssl.keystore.key", "sasl.oauthbearer.client.secret",
      "basic.auth.user.info"};
  static const char *const no[] = {"sasl.username", "ssl.ca.location",   "ssl.key.location", "key",
                                   "group.id",      "bootstrap.servers", "sasl.mechanism",   ""};
  for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
    if (!rl_is_secret(yes[i])) UNIT_FAIL("%s is no secret", yes[i]);
  for (size_t i = 0; i < sizeof no / sizeof *no; i++)
    if (rl_is_secret(no[i])) UNIT_FAIL("%s is a secret", no[i]);
}

/* stderr, as a file, for the length of a test. */
static int real_stderr, into;

static void divert(void) {
  char path[] = "/tmp/rille-unit-XXXXXX";
  into = mkstemp(path);
  unlink(path);
  real_stderr = dup(STDERR_FILENO);
  dup2(into, STDERR_FILENO);
}

static const char *diverted(void) {
  static char text[1 << 20];
  ssize_t n = pread(into, text, sizeof text - 1, 0);
  text[n > 0 ? n : 0] = '\0';
  dup2(real_stderr, STDERR_FILENO);
  close(real_stderr);
  close(into);
  return text;
}

TEST(lines_go_to_stderr_without_colour_or_progress_when_it_is_no_terminal) {
  divert();
  rl_log_progress("10 messages");
  rl_log(RL_WARN, "plain");
  rl_log_progress(NULL);
  errno = ENOENT;
  rl_log(RL_INFO, "errno stays");
  int after = errno;
  CHECK_STR(diverted(), "rille: warning: plain\nrille: errno stays\n");
  CHECK_INT(after, ENOENT);
}

enum { THREADS = 4, EACH = 500 };

static void *shout(void *name) {
  for (int i = 0; i < EACH; i++) rl_log(RL_INFO, "%s %d", (const char *)name, i);
  return NULL;
}

TEST(lines_of_several_threads_stay_whole) {
  static char names[THREADS][24] = {"aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb", "cccccccccccccccc",
                                    "dddddddddddddddd"};
  pthread_t threads[THREADS];
  divert();
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, shout, names[i]);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  int whole = 0, number, end;
  char name[24];
  for (const char *p = diverted(); sscanf(p, "rille: %16[a-d] %d%n", name, &number, &end) == 2;
       p += end + 1) {
    CHECK_INT(strspn(name, (char[]){name[0], 0}), 16);
    whole++;
  }
  CHECK_INT(whole, THREADS * EACH);
}

TEST(a_log_line_to_a_closed_stderr_is_left) {
  divert();
  close(STDERR_FILENO);
  rl_log(RL_INFO, "nobody reads this");
  CHECK_STR(diverted(), "");
}

TEST(fail_fills_and_returns) {
  struct rl_err err = {0};
  CHECK_INT(rl_fail(&err, RL_EUSAGE, "topic %s", "alerts"), RL_EUSAGE);
  CHECK_INT(err.code, RL_EUSAGE);
  CHECK_INT(err.kafka, 0);
  CHECK_STR(err.text, "topic alerts");
  CHECK_INT(rl_fail_kafka(&err, RL_EBROKER, 3, "unknown"), RL_EBROKER);
  CHECK_INT(err.kafka, 3);
  CHECK_INT(rl_fail(NULL, RL_EWAIT, "nobody reads %d", 1), RL_EWAIT);
  CHECK_INT(rl_fail_kafka(NULL, RL_EBROKER, 3, "nobody"), RL_EBROKER);
}

TEST(prefix_goes_before_and_keeps_the_codes) {
  struct rl_err err = {0};
  rl_fail_kafka(&err, RL_EBROKER, 29, "not authorised");
  CHECK_INT(rl_err_prefix(&err, "%s: ", "bright.lua"), RL_EBROKER);
  CHECK_STR(err.text, "bright.lua: not authorised");
  CHECK_INT(err.kafka, 29);
  CHECK_INT(rl_err_prefix(NULL, "x"), RL_EFAIL);
}

TEST(an_errors_own_text_may_be_an_argument) {
  struct rl_err err = {0};
  rl_fail(&err, RL_EFAIL, "inner");
  rl_fail(&err, RL_EUSAGE, "outer: %s", err.text);
  CHECK_STR(err.text, "outer: inner");
}

TEST(long_texts_are_cut_between_characters) {
  struct rl_err err = {0};
  char text[3001] = "";
  for (int i = 0; i < 1000; i++) memcpy(text + (size_t)i * 3, "€", 3);
  for (int shift = 0; shift < 3; shift++) {
    rl_fail(&err, RL_EFAIL, "%.*s%s", shift, "ab", text);
    size_t len = strlen(err.text);
    CHECK(len < sizeof err.text && len > sizeof err.text - 8);
    CHECK_STR(err.text + len - 6, "€…");
  }
}

TEST(statuses) {
  CHECK_INT(rl_err_status(RL_OK), 0);
  CHECK_INT(rl_err_status(RL_EPIPE), 0);
  CHECK_INT(rl_err_status(RL_EFAIL), 1);
  CHECK_INT(rl_err_status(RL_ENOMEM), 1);
  CHECK_INT(rl_err_status(RL_EUSAGE), 2);
  CHECK_INT(rl_err_status(RL_EBROKER), 3);
  CHECK_INT(rl_err_status(RL_EHANDLER), 4);
  CHECK_INT(rl_err_status(RL_EWAIT), 5);
  CHECK_INT(rl_err_status(-12345), 1);
}

/* ── a pipe that nobody reads ── */

static int pipe_end, real_stderr, filled;

static void open_full_pipe(void) {
  static char block[4096];
  int ends[2];
  CHECK_INT(pipe(ends), 0);
  pipe_end = ends[0];
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  for (filled = 0; write(ends[1], block, sizeof block) > 0;) filled += (int)sizeof block;
  fcntl(ends[1], F_SETFL, 0); /* from here on it makes a writer wait */
  fcntl(pipe_end, F_SETFL, O_NONBLOCK);
  fflush(stderr);
  real_stderr = dup(STDERR_FILENO);
  dup2(ends[1], STDERR_FILENO);
  close(ends[1]);
}

static void close_pipe(void) {
  dup2(real_stderr, STDERR_FILENO);
  close(real_stderr);
  close(pipe_end);
}

/* All that is in it but for what filled it. */
static size_t read_pipe(char *to, size_t size) {
  size_t len = 0;
  for (ssize_t n; (n = read(pipe_end, to + len, size - len - 1)) > 0;) {
    len += (size_t)n;
    size_t fill = len < (size_t)filled ? len : (size_t)filled;
    memmove(to, to + fill, len - fill);
    len -= fill;
    filled -= (int)fill;
  }
  to[len] = 0;
  return len;
}

TEST(promise_3_a_line_does_not_wait_for_whoever_reads_standard_error) {
  static char text[100000];
  open_full_pipe();
  rl_log(RL_INFO, "one");
  rl_log(RL_INFO, "two");
  read_pipe(text, sizeof text);
  CHECK_STR(text, "");
  rl_log(RL_INFO, "three");
  read_pipe(text, sizeof text);
  CHECK_STR(text, "rille: one\nrille: two\nrille: three\n");
  close_pipe();
}

TEST(what_was_held_goes_out_with_the_last_words) {
  static char text[100000];
  open_full_pipe();
  rl_log(RL_INFO, "last");
  read_pipe(text, sizeof text);
  rl_log_finish();
  read_pipe(text, sizeof text);
  CHECK_STR(text, "rille: last\n");
  close_pipe();
}

TEST(lines_past_what_is_held_are_counted) {
  static char text[1000000], line[2000];
  open_full_pipe();
  memset(line, 'x', sizeof line - 1);
  for (int i = 0; i < 200; i++) rl_log(RL_INFO, "%s", line);
  size_t len = 0;
  do {
    len += read_pipe(text + len, sizeof text - len);
    rl_log_look();
  } while (!strstr(text, "left out") && len < sizeof text / 2);
  CHECK(len < 300000);
  CHECK_HAS(text, "lines were left out here: nobody read standard error\n");
  rl_log(RL_INFO, "after");
  read_pipe(text, sizeof text);
  CHECK_STR(text, "rille: after\n");
  close_pipe();
}
