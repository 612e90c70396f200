/* A rebalance takes nothing unfinished away and nothing that is kept (S2).
 *
 * A revocation is held open while something in hand or in flight touches a revoked partition, at most for
 * `drain`. Meanwhile the reader goes on serving, and commits are accepted. What is not finished by then is
 * struck: the partition's epoch is raised, so that no later commit can carry it. */
#include "base/log.h"
#include "base/mem.h"
#include "stream/lane_state.h"

bool rl_stale(struct rl_lane *lane, uint32_t slot, uint32_t epoch) {
  return slot < lane->n_epochs && lane->epochs[slot] != epoch;
}

void rl_epoch_set(struct rl_lane *lane, uint32_t slot, uint32_t epoch) {
  pthread_mutex_lock(&lane->mu);
  if (slot >= lane->n_epochs) {
    size_t cap = lane->n_epochs;
    RL_GROW(lane->epochs, cap, (size_t)slot + 1);
    while (lane->n_epochs < cap) lane->epochs[lane->n_epochs++] = RL_EPOCH_NONE;
  }
  lane->epochs[slot] = epoch;
  lane->epoch_changes++;
  pthread_cond_broadcast(&lane->cv);
  pthread_mutex_unlock(&lane->mu);
}

static void log_parts(const char *what, const struct rl_tps *parts) {
  struct rl_buf text = RL_BUF_INIT;
  rl_tps_put(&text, parts);
  rl_log(RL_INFO, "%s %s", what, parts->n ? rl_buf_text(&text) : "nothing");
  rl_buf_free(&text);
}

static struct rl_part *part_of(struct rl_lane *lane, const struct rl_tp *tp) {
  uint32_t slot = lane->source.slot(lane->source.self, tp->topic, tp->partition);
  return rl_offsets_part(&lane->offsets, slot, tp->topic, tp->partition);
}

static uint32_t slot_of(struct rl_lane *lane, const struct rl_tp *tp) {
  return lane->source.slot(lane->source.self, tp->topic, tp->partition);
}

/* Asks the handler's thread for a hook; not with empty lists, not without such a hook (S2.5). */
static void ask_hook(struct rl_lane *lane, enum rl_hook hook, const struct rl_tps *parts) {
  if (!lane->has_engine || !lane->engine.has_hook[hook] || !parts->n) return;
  struct rl_hook_call *call = rl_zalloc(sizeof *call);
  call->hook = hook;
  rl_tps_copy(&call->parts, parts);
  pthread_mutex_lock(&lane->mu);
  struct rl_hook_call **at = &lane->hooks;
  while (*at) at = &(*at)->next;
  *at = call;
  lane->hooks_asked++;
  pthread_cond_broadcast(&lane->cv);
  pthread_mutex_unlock(&lane->mu);
}

void rl_ask_revoked(struct rl_lane *lane) {
  struct rl_tps parts = RL_TPS_INIT;
  for (size_t i = 0; i < lane->offsets.n; i++) {
    const struct rl_part *p = &lane->offsets.at[i];
    bool asked =
        lane->revoke.open && lane->revoke.hooked && rl_tps_find(&lane->revoke.parts, p->topic, p->partition);
    if (p->assigned && !asked) rl_tps_add(&parts, p->topic, p->partition, rl_offsets_position(p));
  }
  lane->revoke.hooked = true;
  ask_hook(lane, RL_HOOK_REVOKED, &parts);
  rl_tps_free(&parts);
}

static bool hooks_pending(struct rl_lane *lane) {
  pthread_mutex_lock(&lane->mu);
  bool pending = lane->hooks_asked != lane->hooks_done && !lane->handler_gone;
  pthread_mutex_unlock(&lane->mu);
  return pending;
}

static void count_partitions(struct rl_lane *lane) {
  int64_t n = 0;
  for (size_t i = 0; i < lane->offsets.n; i++) n += lane->offsets.at[i].assigned;
  pthread_mutex_lock(&lane->mu);
  lane->stats.partitions = n;
  pthread_mutex_unlock(&lane->mu);
}

static bool ends_set(const struct rl_settings *s) { return s->exit_at_end || s->end; }

/* Where a partition ends (-e), one that was not there at the start at once; and where it goes on by itself
 * (commit = false, S1.4). */
static void begin_part(struct rl_lane *lane, struct rl_tp *tp) {
  struct rl_part *p = part_of(lane, tp);
  struct rl_tp *end = rl_tps_find(&lane->run->ends, tp->topic, tp->partition);
  rl_offsets_assign(&lane->offsets, slot_of(lane, tp));
  p->end = end ? end->offset : ends_set(lane->s) ? 0 : RL_OFFSET_INVALID;
  tp->offset = RL_OFFSET_INVALID;
  if (!lane->s->commit && p->kept != RL_OFFSET_INVALID) tp->offset = p->kept;
  rl_epoch_set(lane, slot_of(lane, tp), p->epoch);
}

void rl_on_assign(struct rl_lane *lane, const struct rl_tps *parts) {
  struct rl_tps start;
  struct rl_err err = {0};
  rl_tps_copy(&start, parts);
  for (size_t i = 0; i < start.n; i++) begin_part(lane, &start.at[i]);
  if (lane->source.accept(lane->source.self, &start, &err)) rl_lane_fail(lane, &err);
  if (lane->source.tracks && (parts->n || !lane->assigned_once)) log_parts("assigned", parts);
  lane->assigned_once = true;
  lane->last_said = rl_now();
  atomic_store(&lane->run->quiet_since, lane->last_said);
  count_partitions(lane);
  ask_hook(lane, RL_HOOK_ASSIGNED, parts);
  rl_tps_free(&start);
}

void rl_begin_manual(struct rl_lane *lane, const struct rl_tps *parts) {
  struct rl_tps start;
  rl_tps_copy(&start, parts);
  for (size_t i = 0; i < start.n; i++) begin_part(lane, &start.at[i]);
  rl_tps_free(&start);
  lane->assigned_once = true;
  atomic_store(&lane->run->quiet_since, rl_now());
  count_partitions(lane);
  ask_hook(lane, RL_HOOK_ASSIGNED, parts);
}

static bool is_revoked(const struct rl_msg *msg, void *arg) {
  struct rl_lane *lane = arg;
  return rl_tps_find(&lane->revoke.parts, msg->topic, msg->partition) != NULL;
}

/* Under -e a partition that was read to its end stays ended wherever it goes; nothing to do for it here. */
static void keep_position(struct rl_lane *lane, struct rl_part *p) {
  int64_t position = rl_offsets_position(p);
  if (!lane->s->commit && position != RL_OFFSET_INVALID) p->kept = position;
}

static void yield_parts(struct rl_lane *lane, const struct rl_tps *parts) {
  struct rl_err err = {0};
  for (size_t i = 0; i < parts->n; i++) {
    struct rl_part *p = part_of(lane, &parts->at[i]);
    keep_position(lane, p);
    rl_offsets_revoke(&lane->offsets, slot_of(lane, &parts->at[i]));
    rl_epoch_set(lane, slot_of(lane, &parts->at[i]), RL_EPOCH_NONE);
  }
  if (lane->source.yield(lane->source.self, parts, &err)) rl_log(RL_WARN, "%s", err.text);
  count_partitions(lane);
}

static bool stale_mark(uint32_t slot, uint32_t epoch, void *lane) { return rl_stale(lane, slot, epoch); }

/* mu is held. The handler's side may have looked meanwhile, found nothing, and asked again. */
static void give_back(struct rl_lane *lane, struct rl_batch *batch) {
  rl_flight_strike(lane->flying, stale_mark, lane);
  lane->given = batch;
  lane->want = false;
  pthread_cond_broadcast(&lane->cv);
  if (!lane->has_engine) rl_wake_ring(&lane->ready);
}

static void give_nothing(struct rl_lane *lane) {
  lane->flying->state = RL_FLIGHT_ABANDONED;
  lane->flying = NULL;
}

/* What was handed over and is not taken up yet waits as in the slot. At most once it is committed: it stays.
 */
static void strike_given(struct rl_lane *lane) {
  if (lane->s->delivery == RL_AT_MOST_ONCE) return;
  pthread_mutex_lock(&lane->mu);
  struct rl_batch *batch = lane->given;
  lane->given = NULL;
  pthread_mutex_unlock(&lane->mu);
  if (!batch) return;
  rl_uncount(lane, rl_batch_strike(batch, is_revoked, lane));
  bool empty = batch->n == 0;
  pthread_mutex_lock(&lane->mu);
  if (empty)
    give_nothing(lane);
  else
    give_back(lane, batch);
  pthread_mutex_unlock(&lane->mu);
  if (empty) rl_batch_free(batch);
}

static void strike(struct rl_lane *lane) {
  for (size_t i = 0; i < lane->revoke.parts.n; i++)
    rl_epoch_set(lane, slot_of(lane, &lane->revoke.parts.at[i]), RL_EPOCH_NONE);
  strike_given(lane);
  rl_uncount(lane, rl_fill_strike(lane, is_revoked, lane));
}

/* The session was lost: others may have the partitions already. */
static void lose(struct rl_lane *lane) {
  yield_parts(lane, &lane->revoke.parts);
  ask_hook(lane, RL_HOOK_REVOKED, &lane->revoke.parts);
  rl_tps_free(&lane->revoke.parts);
  lane->revoke.open = false;
}

void rl_on_revoke(struct rl_lane *lane, const struct rl_tps *parts, bool lost, int64_t now) {
  rl_tps_free(&lane->revoke.parts);
  rl_tps_copy(&lane->revoke.parts, parts);
  lane->revoke.open = true;
  lane->revoke.hooked = false;
  lane->revoke.deadline = rl_after(now, rl_seconds(lane->s->drain));
  if (lane->phase >= RL_CLOSING) lane->revoke.deadline = now; /* close never commits */
  if (parts->n) log_parts(lost ? "lost" : "revoked", parts);
  strike(lane);
  if (lost)
    lose(lane);
  else
    rl_revoke_step(lane, now);
}

/* Does a batch in hand, or one whose outputs are not answered, touch a revoked partition? */
static bool touches(struct rl_lane *lane) {
  bool found = false;
  pthread_mutex_lock(&lane->mu);
  for (struct rl_flight *f = lane->flights; f && !found; f = f->next)
    for (size_t i = 0; i < f->n_marks && !found; i++) {
      const struct rl_part *p = &lane->offsets.at[f->marks[i].slot];
      found = f->marks[i].live && p->epoch == f->marks[i].epoch &&
              rl_tps_find(&lane->revoke.parts, p->topic, p->partition);
    }
  pthread_mutex_unlock(&lane->mu);
  return found;
}

static bool all_committed(struct rl_lane *lane) {
  if (!lane->s->group || !lane->s->commit || lane->poisoned) return true;
  for (size_t i = 0; i < lane->revoke.parts.n; i++) {
    const struct rl_part *p = part_of(lane, &lane->revoke.parts.at[i]);
    int64_t position = rl_offsets_position(p);
    if (p->assigned && position > p->committed) return false;
  }
  return true;
}

static bool may_close(struct rl_lane *lane) {
  if (touches(lane)) return false;
  if (!lane->revoke.hooked) {
    lane->revoke.hooked = true;
    ask_hook(lane, RL_HOOK_REVOKED, &lane->revoke.parts);
  }
  return !hooks_pending(lane) && all_committed(lane);
}

void rl_revoke_step(struct rl_lane *lane, int64_t now) {
  if (!lane->revoke.open) return;
  bool done = may_close(lane);
  if (!done && now < lane->revoke.deadline) return;
  if (!done && lane->phase < RL_CLOSING)
    rl_log(RL_WARN, "revoked after %g s with work unfinished: its messages will come again elsewhere",
           lane->s->drain);
  yield_parts(lane, &lane->revoke.parts);
  rl_tps_free(&lane->revoke.parts);
  lane->revoke.open = false;
}
