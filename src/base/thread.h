/* Threads, and waits of theirs that end by the monotonic clock. */
#ifndef RL_BASE_THREAD_H
#define RL_BASE_THREAD_H

#include <pthread.h>
#include <stdint.h>

/* Starts a thread with all signals blocked: they are the process's main thread's. 0, or an errno. Tools that
 * list threads (top -H, gdb) show the name, of at most 15 bytes, on Linux. */
int rl_thread_start(pthread_t *thread, const char *name, void *(*fn)(void *arg), void *arg);

void rl_cond_init(pthread_cond_t *cv);
/* Waits once, until a signal, `until` (rl_now's clock; RL_NEVER: no limit), or nothing at all. */
void rl_cond_wait_until(pthread_cond_t *cv, pthread_mutex_t *mu, int64_t until);

#endif
