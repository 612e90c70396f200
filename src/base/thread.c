#include "base/thread.h"

#include <signal.h>
#include <time.h>

#include "base/clock.h"

static void set_name(pthread_t thread, const char *name) {
#ifdef __linux__
  pthread_setname_np(thread, name); /* one that ended already has no use for it */
#else
  (void)thread, (void)name;
#endif
}

int rl_thread_start(pthread_t *thread, const char *name, void *(*fn)(void *arg), void *arg) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int rc = pthread_create(thread, NULL, fn, arg);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (rc == 0) set_name(*thread, name);
  return rc;
}

void rl_cond_init(pthread_cond_t *cv) {
  pthread_condattr_t attr;
  pthread_condattr_init(&attr);
  pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
  pthread_cond_init(cv, &attr);
  pthread_condattr_destroy(&attr);
}

void rl_cond_wait_until(pthread_cond_t *cv, pthread_mutex_t *mu, int64_t until) {
  struct timespec t = {.tv_sec = (time_t)(until / RL_NS_PER_S), .tv_nsec = (long)(until % RL_NS_PER_S)};
  if (until == RL_NEVER)
    pthread_cond_wait(cv, mu);
  else
    pthread_cond_timedwait(cv, mu, &t);
}
