/* Several epochs: the range of a run without a group, read again from where it began.
 *
 * No batch has rows of two epochs, and none is handed over before all of the epoch before it are done: so a
 * handler that sees a new batch.epoch has seen the last of the old one, retries included. */
#include "base/log.h"
#include "stream/lane_state.h"

#define SEEK_MS 30000

static bool all_done(struct rl_lane *lane) {
  pthread_mutex_lock(&lane->mu);
  bool none = !lane->flights;
  pthread_mutex_unlock(&lane->mu);
  return none && rl_fill_empty(lane);
}

static void begin_again(struct rl_lane *lane, const struct rl_tps *parts) {
  for (size_t i = 0; i < parts->n; i++) {
    const struct rl_tp *tp = &parts->at[i];
    uint32_t slot = lane->source.slot(lane->source.self, tp->topic, tp->partition);
    rl_offsets_assign(&lane->offsets, slot);
    rl_epoch_set(lane, slot, lane->offsets.at[slot].epoch);
  }
  lane->more = true;
}

static void turn(struct rl_lane *lane) {
  struct rl_tps parts = RL_TPS_INIT;
  struct rl_err err = {0};
  rl_lane_share(lane, &parts);
  if (lane->source.seek(lane->source.self, &parts, SEEK_MS, &err)) {
    rl_err_prefix(&err, "epoch %lld: ", (long long)lane->round + 1);
    rl_lane_fail(lane, &err);
  } else {
    begin_again(lane, &parts);
  }
  lane->turning = false;
  lane->round++;
  atomic_store(&lane->run->quiet_since, rl_now());
  rl_tps_free(&parts);
}

bool rl_epochs_again(struct rl_lane *lane) {
  if (lane->round >= lane->s->epochs || lane->offsets.n == 0) return false;
  if (!lane->turning) rl_wake_ring(&lane->bell); /* what fills is due now */
  lane->turning = true;
  if (all_done(lane)) turn(lane);
  return true;
}
