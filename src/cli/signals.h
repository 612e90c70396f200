/* SIGINT, SIGTERM and SIGHUP as something poll(2) can wait for: a handler counts them and rings a doorbell.
 *
 * They are delivered to the thread that opened this only if all others block them, as rille's threads do; so
 * open it in the main thread, before anything else is started, and it does not matter which thread runs the
 * handler: all it touches is the count and the bell. */
#ifndef RL_CLI_SIGNALS_H
#define RL_CLI_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/wake.h"

struct rl_signals {
  struct rl_wake bell; /* rung at each signal */
  struct sigaction before[3];
};

/* One at a time in a process. SIGHUP stays ignored where it was (nohup). `leave`: until
 * rl_signals_count_from_now a signal ends the process at once with status 0: while a run starts there is
 * nothing to finish, and what it waits for (a connection, a script that loads) knows no signals. */
int rl_signals_open(struct rl_signals *s, bool leave, struct rl_err *err);
void rl_signals_count_from_now(void);
void rl_signals_close(struct rl_signals *s);
int rl_signals_count(void);                 /* since open */
void rl_signals_wait(struct rl_signals *s); /* for the first */

#endif
