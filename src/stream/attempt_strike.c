/* What leaves a batch when partitions are taken away. */
#include "base/mem.h"
#include "stream/attempt.h"

/* With partitions that are being taken away this batch is done, but for those of which something was handled:
 * its outputs and its commit are still waited for (S2.2). mu is held. */
static void strike_marks(struct rl_attempt *a) {
  for (size_t i = 0; i < a->flight->n_marks; i++) {
    struct rl_mark *m = &a->flight->marks[i];
    if (rl_stale(a->lane, m->slot, m->epoch)) m->live = false;
  }
  for (size_t i = 0; i < a->batch->n; i++)
    if (a->settled[i])
      rl_flight_mark(a->flight, a->batch->msgs[i].slot, a->batch->msgs[i].epoch)->live = true;
}

/* Messages of partitions that are being taken away leave what is still to be done (S2.1). */
static void strike_stale(struct rl_attempt *a) {
  struct rl_lane *lane = a->lane;
  bool *keep = rl_alloc((a->n + 1) * sizeof *keep);
  size_t kept = 0, unhandled = 0;
  pthread_mutex_lock(&lane->mu);
  for (size_t i = 0; i < a->n; i++) {
    const struct rl_msg *msg = &a->batch->msgs[a->todo[i]];
    keep[i] = !rl_stale(lane, msg->slot, msg->epoch);
  }
  strike_marks(a);
  pthread_mutex_unlock(&lane->mu);
  rl_bisect_strike(&a->bisect, keep, a->n);
  for (size_t i = 0; i < a->n; i++) {
    if (!keep[i] && !a->settled[a->todo[i]]) unhandled++;
    if (keep[i]) a->todo[kept++] = a->todo[i];
  }
  rl_uncount(lane, unhandled);
  bool some = kept != a->n;
  a->n = kept;
  rl_free(keep);
  if (some) rl_wake_ring(&lane->bell);
}

void rl_attempt_strike(struct rl_attempt *a) {
  pthread_mutex_lock(&a->lane->mu);
  bool changed = a->lane->epoch_changes != a->changes;
  a->changes = a->lane->epoch_changes;
  pthread_mutex_unlock(&a->lane->mu);
  if (changed && a->lane->source.tracks && !a->once) strike_stale(a);
}
