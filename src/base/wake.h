/* A doorbell between threads that poll(2) can wait on: an eventfd on Linux, a pipe elsewhere. Ringing is
 * async-signal-safe and never blocks; many rings before a look are one. */
#ifndef RL_BASE_WAKE_H
#define RL_BASE_WAKE_H

struct rl_wake {
  int rd, wr; /* the same descriptor where eventfd exists */
};

int rl_wake_open(struct rl_wake *wake); /* 0 or -1 with errno */
void rl_wake_ring(const struct rl_wake *wake);
void rl_wake_clear(const struct rl_wake *wake); /* takes all rings */
void rl_wake_close(struct rl_wake *wake);

#endif
