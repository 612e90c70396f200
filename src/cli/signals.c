#include "cli/signals.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static const int watched[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_WATCHED = sizeof watched / sizeof *watched };

/* All that a handler may touch: lock-free counts and a descriptor. */
static atomic_int count, bell = -1;

static atomic_bool leaving;

static void on_signal(int number) {
  (void)number;
  if (atomic_load(&leaving)) _exit(0);
  int saved = errno;
  atomic_fetch_add(&count, 1);
  struct rl_wake wake = {.rd = -1, .wr = atomic_load(&bell)};
  if (wake.wr >= 0) rl_wake_ring(&wake);
  errno = saved;
}

int rl_signals_open(struct rl_signals *s, bool leave, struct rl_err *err) {
  if (rl_wake_open(&s->bell)) return rl_fail(err, RL_EFAIL, "cannot make a descriptor: %s", strerror(errno));
  atomic_store(&leaving, leave);
  atomic_store(&count, 0);
  atomic_store(&bell, s->bell.wr);
  struct sigaction action = {.sa_handler = on_signal}; /* no SA_RESTART: a blocking read ends */
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < N_WATCHED; i++) {
    sigaction(watched[i], NULL, &s->before[i]);
    bool ignored = watched[i] == SIGHUP && s->before[i].sa_handler == SIG_IGN;
    if (!ignored) sigaction(watched[i], &action, NULL);
  }
  return 0;
}

void rl_signals_count_from_now(void) { atomic_store(&leaving, false); }

void rl_signals_close(struct rl_signals *s) {
  for (int i = 0; i < N_WATCHED; i++) sigaction(watched[i], &s->before[i], NULL);
  atomic_store(&bell, -1);
  rl_wake_close(&s->bell);
}

int rl_signals_count(void) { return atomic_load(&count); }

void rl_signals_wait(struct rl_signals *s) {
  while (rl_signals_count() == 0) {
    struct pollfd fd = {.fd = s->bell.rd, .events = POLLIN};
    poll(&fd, 1, -1);
    rl_wake_clear(&s->bell);
  }
}
