#include "stream/history.h"

void rl_history_init(struct rl_history *h, int64_t max) { *h = (struct rl_history){.max = max}; }

static void push(struct rl_history *h, unsigned char dead) {
  h->dead_n += dead - h->dead[h->at];
  h->dead[h->at] = dead;
  h->at = (h->at + 1) % RL_HISTORY;
  if (h->n < RL_HISTORY) h->n++;
}

void rl_history_passed(struct rl_history *h, int64_t n) {
  if (n > 0) h->in_a_row = 0;
  if (h->dead_n == 0 && h->n == RL_HISTORY) return; /* a ring of passes stays one */
  for (int64_t i = 0; i < n && i < RL_HISTORY; i++) push(h, 0);
}

bool rl_history_dead(struct rl_history *h, bool by_handler) {
  push(h, 1);
  h->in_a_row += by_handler;
  if (h->max <= 0) return false;
  return h->in_a_row >= h->max || (h->n == RL_HISTORY && h->dead_n > RL_HISTORY / 2);
}
