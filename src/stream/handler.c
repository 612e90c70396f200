/* The handler's thread: hooks, batches, and waiting for either. */
#include <errno.h>
#include <signal.h>
#include <time.h>

#include "base/backoff.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/thread.h"
#include "stream/lane_state.h"

bool rl_handler_wait(struct rl_lane *lane, int64_t until, uint64_t changes) {
  pthread_mutex_lock(&lane->mu);
  while (!lane->abandon && !lane->stopping && lane->epoch_changes == changes && rl_now() < until)
    rl_cond_wait_until(&lane->cv, &lane->mu, until);
  bool stay = !lane->abandon && !lane->stopping;
  pthread_mutex_unlock(&lane->mu);
  return stay;
}

bool rl_wait_room(void *arg) {
  struct rl_lane *lane = arg;
  if (pthread_equal(pthread_self(), lane->reader)) return false; /* only the reader makes room */
  pthread_mutex_lock(&lane->mu);
  if (!lane->abandon) rl_cond_wait_until(&lane->cv, &lane->mu, rl_now() + 50 * RL_NS_PER_MS);
  bool stay = !lane->abandon;
  pthread_mutex_unlock(&lane->mu);
  return stay;
}

void rl_flight_handled(struct rl_lane *lane, struct rl_flight *flight, enum rl_flight_state state) {
  atomic_fetch_sub(&flight->bytes, flight->batch_bytes);
  pthread_mutex_lock(&lane->mu);
  flight->state = state;
  pthread_mutex_unlock(&lane->mu);
  rl_wake_ring(&lane->bell);
}

static const char *hook_name(enum rl_hook hook) {
  static const char *const names[] = {"open", "assigned", "revoked", "every", "close"};
  return names[hook];
}

static void hook_failed(struct rl_lane *lane, enum rl_hook hook, int code, const struct rl_failure *why) {
  struct rl_err err = {0};
  bool quiet = code == RL_EPIPE; /* stdout's reader went away (S5.3) */
  rl_fail(&err, quiet ? RL_EPIPE : RL_EHANDLER, "%s: %s: %s", lane->engine.script, hook_name(hook),
          why->error);
  rl_lane_fail_traced(lane, &err, quiet ? NULL : why->traceback);
}

/* Runs one hook; returns its blame. */
static enum rl_blame run_hook(struct rl_lane *lane, enum rl_hook hook, const struct rl_tps *parts,
                              struct rl_outbox *out) {
  struct rl_failure why = {0};
  pthread_mutex_lock(&lane->mu);
  const char *reason = hook == RL_HOOK_CLOSE ? lane->quit_reason : NULL;
  pthread_mutex_unlock(&lane->mu);
  atomic_store(&lane->call_started, rl_now());
  int rc = lane->engine.hook(lane->engine.self, hook, parts, reason, out, &why);
  atomic_store(&lane->call_started, 0);
  enum rl_blame blame = rc ? why.blame : RL_BLAME_NONE;
  if (blame == RL_BLAME_WEATHER)
    rl_log(RL_WARN, "%s: %s: %s", lane->engine.script, hook_name(hook), why.error);
  else if (blame != RL_BLAME_NONE && blame != RL_BLAME_STOPPED)
    hook_failed(lane, hook, rc, &why);
  rl_failure_clear(&why);
  return blame;
}

/* False: the time is over, or the lane leaves. */
static bool wait_in_close(struct rl_lane *lane, int64_t until, int64_t deadline) {
  pthread_mutex_lock(&lane->mu);
  while (!lane->abandon && rl_now() < until && rl_now() < deadline)
    rl_cond_wait_until(&lane->cv, &lane->mu, until < deadline ? until : deadline);
  bool stay = !lane->abandon && rl_now() < deadline;
  pthread_mutex_unlock(&lane->mu);
  return stay;
}

static void close_given_up(struct rl_lane *lane) {
  struct rl_err err = {0};
  rl_fail(&err, RL_EHANDLER, "%s: close: what it waits for did not come back within --drain %g s: given up",
          lane->engine.script, lane->s->drain);
  rl_lane_fail(lane, &err);
}

/* There is no later call that could send what this one would have: weather is waited for, within `drain`, and
 * a run whose close never came through has failed. */
static enum rl_blame run_close(struct rl_lane *lane) {
  struct rl_backoff backoff;
  enum rl_blame blame;
  int64_t deadline = rl_now() + rl_seconds(lane->s->drain);
  rl_backoff_init(&backoff, lane->s->backoff, lane->s->backoff_max, (uint64_t)rl_now());
  while ((blame = run_hook(lane, RL_HOOK_CLOSE, NULL, &lane->outbox)) == RL_BLAME_WEATHER) {
    rl_outbox_reset(&lane->outbox);
    if (wait_in_close(lane, rl_now() + rl_backoff_next(&backoff), deadline)) continue;
    close_given_up(lane);
    break;
  }
  return blame;
}

/* `every` and `close` may send: their outputs fly like a batch's, without offsets. */
static void run_sending_hook(struct rl_lane *lane, enum rl_hook hook) {
  struct rl_batch *none = rl_batch_new(NULL, 1);
  struct rl_flight *flight = rl_flight_new(none);
  pthread_mutex_lock(&lane->mu);
  rl_flight_append(lane, flight);
  pthread_mutex_unlock(&lane->mu);
  rl_outbox_reset(&lane->outbox);
  enum rl_blame blame = hook == RL_HOOK_CLOSE ? run_close(lane) : run_hook(lane, hook, NULL, &lane->outbox);
  bool ok = blame == RL_BLAME_NONE;
  if (ok) rl_send_staged(lane, flight, none, NULL, &lane->outbox);
  rl_outbox_reset(&lane->outbox);
  rl_flight_handled(lane, flight, ok ? RL_FLIGHT_HANDLED : RL_FLIGHT_ABANDONED);
  rl_batch_free(none);
}

static uint64_t changes_of(struct rl_lane *lane) {
  pthread_mutex_lock(&lane->mu);
  uint64_t changes = lane->epoch_changes;
  pthread_mutex_unlock(&lane->mu);
  return changes;
}

static void give_up(struct rl_lane *lane) {
  pthread_mutex_lock(&lane->mu);
  lane->gave_up = true;
  pthread_mutex_unlock(&lane->mu);
}

/* A model that is down when the script opens is waited for like any other (S4.1); a script that never opened
 * handles nothing. */
static void open_script(struct rl_lane *lane) {
  struct rl_backoff backoff;
  if (!lane->engine.has_hook[RL_HOOK_OPEN]) return;
  rl_backoff_init(&backoff, lane->s->backoff, lane->s->backoff_max, (uint64_t)rl_now());
  while (run_hook(lane, RL_HOOK_OPEN, NULL, NULL) == RL_BLAME_WEATHER) {
    if (rl_handler_wait(lane, rl_now() + rl_backoff_next(&backoff), changes_of(lane))) continue;
    give_up(lane);
    return;
  }
}

static void finish_hook_call(struct rl_lane *lane, struct rl_hook_call *call) {
  run_hook(lane, call->hook, &call->parts, NULL);
  rl_tps_free(&call->parts);
  rl_free(call);
  pthread_mutex_lock(&lane->mu);
  lane->hooks_done++;
  pthread_mutex_unlock(&lane->mu);
  rl_wake_ring(&lane->bell);
}

struct work {
  struct rl_hook_call *call;
  struct rl_batch *batch;
  struct rl_flight *flight;
  bool every, quit;
};

/* What is next, in this order: a hook that a rebalance waits for, a batch, the clock, the end. */
static bool find_work(struct rl_lane *lane, struct work *work) {
  *work = (struct work){0};
  if ((work->call = lane->hooks)) {
    lane->hooks = work->call->next;
  } else if ((work->batch = lane->given)) {
    work->flight = lane->flying;
    lane->given = NULL;
    lane->flying = NULL;
    lane->want = false;
  } else {
    work->every = !lane->quit && rl_now() >= lane->next_every;
    work->quit = lane->quit;
  }
  return work->call || work->batch || work->every || work->quit;
}

/* The reader is rung once a change to idle, not at each look. */
static void next_work(struct rl_lane *lane, struct work *work) {
  pthread_mutex_lock(&lane->mu);
  while (!find_work(lane, work)) {
    bool first = !lane->want;
    lane->want = true;
    if (first) rl_wake_ring(&lane->bell);
    rl_cond_wait_until(&lane->cv, &lane->mu, lane->next_every);
  }
  pthread_mutex_unlock(&lane->mu);
}

static void set_every(struct rl_lane *lane) {
  bool has = lane->engine.has_hook[RL_HOOK_EVERY] && lane->engine.every > 0;
  lane->next_every = has ? rl_now() + rl_seconds(lane->engine.every) : RL_NEVER;
}

static void loop(struct rl_lane *lane) {
  for (struct work work;;) {
    next_work(lane, &work);
    if (work.call) finish_hook_call(lane, work.call);
    if (work.batch) rl_attempt_batch(lane, work.batch, work.flight);
    if (work.every) run_sending_hook(lane, RL_HOOK_EVERY);
    if (work.every) set_every(lane);
    if (work.quit) return;
  }
}

void *rl_handler_main(void *arg) {
  struct rl_lane *lane = arg;
  open_script(lane);
  set_every(lane);
  loop(lane);
  if (lane->engine.has_hook[RL_HOOK_CLOSE]) run_sending_hook(lane, RL_HOOK_CLOSE);
  pthread_mutex_lock(&lane->mu);
  lane->handler_gone = true;
  pthread_mutex_unlock(&lane->mu);
  rl_wake_ring(&lane->bell);
  return NULL;
}
