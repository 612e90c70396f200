/* Group commit (S3.1): one commit under way at most; the next carries everything that became done meanwhile.
 */
#include "base/log.h"
#include "base/mem.h"
#include "stream/lane_state.h"

/* Between two commits of a busy lane: one costs as much as hundreds of messages. */
#define PACE (10 * RL_NS_PER_MS)
#define LOOK_AGAIN (20 * RL_NS_PER_MS)
#define RETRY_MIN (100 * RL_NS_PER_MS)
#define RETRY_MAX (2 * RL_NS_PER_S)

/* Kafka's answers that say the membership a commit was made under is gone (S2.4). */
enum { ILLEGAL_GENERATION = 22, UNKNOWN_MEMBER_ID = 25, FENCED_INSTANCE_ID = 82, FENCED_MEMBER_EPOCH = 110 };

void rl_flight_append(struct rl_lane *lane, struct rl_flight *f) {
  *lane->flights_end = f;
  lane->flights_end = &f->next;
  lane->n_flights++;
}

static bool is_over(const struct rl_flight *f) {
  return f->state != RL_FLIGHT_IN_HAND && atomic_load_explicit(&f->pending, memory_order_acquire) == 0;
}

/* The first flight, taken from the list, if it is over. */
static struct rl_flight *take_over(struct rl_lane *lane) {
  pthread_mutex_lock(&lane->mu);
  struct rl_flight *f = lane->flights;
  if (f && is_over(f)) {
    lane->flights = f->next;
    if (!lane->flights) lane->flights_end = &lane->flights;
    lane->n_flights--;
    lane->stats.handled += f->state == RL_FLIGHT_HANDLED ? (int64_t)f->messages : 0;
  } else {
    f = NULL;
  }
  pthread_mutex_unlock(&lane->mu);
  return f;
}

static void land_one(struct rl_lane *lane, struct rl_flight *f) {
  if (f->refused.code) { /* S5.2: nothing of this batch or a later one is committed */
    lane->poisoned = true;
    rl_lane_fail(lane, &f->refused);
  }
  bool counts = f->state == RL_FLIGHT_HANDLED && !lane->poisoned && lane->source.tracks;
  for (size_t i = 0; counts && i < f->n_marks; i++)
    if (f->marks[i].next != RL_OFFSET_INVALID)
      rl_offsets_done(&lane->offsets, f->marks[i].slot, f->marks[i].epoch, f->marks[i].next);
}

void rl_land(struct rl_lane *lane) {
  for (struct rl_flight *f; (f = take_over(lane));) {
    land_one(lane, f);
    lane->landed += f->n_marks > 0; /* what a hook sent has no offsets */
    rl_flight_free(f);
  }
}

static bool commits(const struct rl_lane *lane) {
  return lane->s->group && lane->s->commit && lane->source.tracks;
}

/* Half of what may be uncommitted is: the next batches would soon have to wait. */
static bool is_crowded(const struct rl_lane *lane) { return 2 * lane->landed >= (size_t)lane->s->in_flight; }

/* Does somebody wait for it: a rebalance, the next batch, the way out? */
static bool is_urgent(const struct rl_lane *lane) {
  return lane->phase != RL_RUNNING || lane->revoke.open || lane->pre || is_crowded(lane);
}

/* After a failure every commit waits its time, else those that nobody waits for. */
static bool is_early(const struct rl_lane *lane, int64_t now) {
  return now < lane->commit_again && (lane->commit_failures > 0 || !is_urgent(lane));
}

/* A position behind what is committed is none: EOF was there, and new messages came. */
static bool anything(const struct rl_lane *lane) {
  for (size_t i = 0; i < lane->offsets.n; i++) {
    const struct rl_part *p = &lane->offsets.at[i];
    if (p->assigned && rl_offsets_position(p) > p->committed) return true;
  }
  return false;
}

static bool allowed(struct rl_lane *lane, int64_t now) {
  bool may = lane->source.may_commit(lane->source.self);
  if (!may) lane->commit_again = now + LOOK_AGAIN;
  return may;
}

void rl_commit_step(struct rl_lane *lane, int64_t now) {
  struct rl_tps positions = RL_TPS_INIT;
  struct rl_err err = {0};
  if (!commits(lane) || lane->phase >= RL_CLOSING || lane->commit_out || is_early(lane, now)) return;
  if (!anything(lane) || !allowed(lane, now)) return;
  rl_offsets_commit(&lane->offsets, &positions);
  if (positions.n == 0) return;
  if (lane->source.commit(lane->source.self, &positions, &err)) {
    rl_log(RL_WARN, "commit not sent, will be tried again: %s", err.text);
    rl_offsets_answer(&lane->offsets, false);
    lane->commit_again = now + RETRY_MIN;
    lane->commit_failures++;
  } else {
    lane->commit_out = true;
    lane->landed_asked = lane->landed;
  }
  rl_tps_free(&positions);
}

static bool membership_gone(int kafka) {
  return kafka == ILLEGAL_GENERATION || kafka == UNKNOWN_MEMBER_ID || kafka == FENCED_INSTANCE_ID ||
         kafka == FENCED_MEMBER_EPOCH;
}

/* Nothing of such a run can ever be committed: better at once than at its end. */
static void no_commits_here(struct rl_lane *lane) {
  struct rl_err err = {0};
  rl_fail(
      &err, RL_EBROKER,
      "the embedded broker takes commits of several lanes only for a group that never had a member there, "
      "and %s had one: take another group (-G), or --lanes 1",
      lane->s->group);
  rl_lane_fail(lane, &err);
}

static void commit_failed(struct rl_lane *lane, const struct rl_kev *ev, int64_t now) {
  struct rl_buf parts = RL_BUF_INIT;
  rl_tps_put(&parts, &ev->tps);
  if (lane->run->manual && membership_gone(ev->err.kafka))
    no_commits_here(lane);
  else if (membership_gone(ev->err.kafka))
    rl_log(RL_WARN, "commit of %s dropped: %s; the messages come again", rl_buf_text(&parts), ev->err.text);
  else
    rl_log(lane->commit_failures ? RL_DEBUG : RL_WARN, "commit of %s failed, will be tried again: %s",
           rl_buf_text(&parts), ev->err.text);
  int64_t wait = RETRY_MIN << (lane->commit_failures < 5 ? lane->commit_failures : 5);
  lane->commit_again = now + (wait < RETRY_MAX ? wait : RETRY_MAX);
  lane->commit_failures++;
  rl_buf_free(&parts);
}

void rl_on_committed(struct rl_lane *lane, const struct rl_kev *ev, int64_t now) {
  lane->commit_out = false;
  for (size_t i = 0; i < ev->tps.n; i++)
    if (ev->tps.at[i].error) rl_offsets_refused(&lane->offsets, ev->tps.at[i].topic, ev->tps.at[i].partition);
  rl_offsets_answer(&lane->offsets, ev->err.code == 0);
  if (ev->err.code) {
    commit_failed(lane, ev, now);
    return;
  }
  lane->landed -= lane->landed_asked;
  lane->landed_asked = 0;
  lane->commit_failures = 0;
  lane->commit_again = now + PACE;
  lane->down_since = 0;
  pthread_mutex_lock(&lane->mu);
  lane->stats.commits++;
  pthread_mutex_unlock(&lane->mu);
}

bool rl_committed_all(const struct rl_lane *lane) {
  return !commits(lane) || (!lane->commit_out && !anything(lane));
}

/* Batches whose partitions went, or whose offsets others carry, leave the count when nothing is left to
 * commit. */
size_t rl_uncommitted(const struct rl_lane *lane) {
  return lane->landed && !rl_committed_all(lane) ? lane->landed : 0;
}
