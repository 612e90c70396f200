/* What a thread of rille's is like from outside. */
#include "base/thread.h"

#include <signal.h>
#include <unistd.h>

#include "unit.h"

struct seen {
  bool blocked[3];
  int told[2], held[2]; /* pipes: it is there; it may end */
};

static void *look(void *arg) {
  static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
  struct seen *seen = arg;
  sigset_t mask;
  char c = 0;
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  for (int i = 0; i < 3; i++) seen->blocked[i] = sigismember(&mask, signals[i]) == 1;
  if (write(seen->told[1], &c, 1) != 1 || read(seen->held[0], &c, 1) != 1) return NULL;
  return seen;
}

TEST(s10_1_a_thread_takes_no_signals_and_has_a_name) {
  struct seen seen = {0};
  pthread_t thread;
  char c = 0, name[16] = "rille handler";
  void *out = NULL;
  CHECK(pipe(seen.told) == 0 && pipe(seen.held) == 0);
  CHECK_INT(rl_thread_start(&thread, "rille handler", look, &seen), 0);
  CHECK(read(seen.told[0], &c, 1) == 1);
#ifdef __linux__
  CHECK_INT(pthread_getname_np(thread, name, sizeof name), 0);
#endif
  CHECK_STR(name, "rille handler");
  CHECK(write(seen.held[1], &c, 1) == 1);
  pthread_join(thread, &out);
  CHECK(out == &seen && seen.blocked[0] && seen.blocked[1] && seen.blocked[2]);
  for (int i = 0; i < 2; i++) close(seen.told[i]), close(seen.held[i]);
}
