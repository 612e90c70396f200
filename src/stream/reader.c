/* The reader's loop: serve, land, commit, fill, hand over, and sleep in one poll(2) (S6.3). */
#include <errno.h>
#include <poll.h>
#include <signal.h>

#include "base/log.h"
#include "base/mem.h"
#include "stream/lane_state.h"

#define NAP_CAP_MS 1000 /* counters and lag are refreshed at least this often */

void rl_lane_fail_traced(struct rl_lane *lane, const struct rl_err *err, const char *traceback) {
  pthread_mutex_lock(&lane->mu);
  bool first = lane->err.code == 0;
  if (first) lane->err = *err;
  if (first && traceback) lane->traceback = rl_strdup(traceback);
  pthread_mutex_unlock(&lane->mu);
  if (!first && traceback) rl_log(RL_ERROR, "%s", traceback);
  if (!first && err->code != RL_EPIPE) rl_log(RL_ERROR, "%s", err->text);
  rl_wake_ring(&lane->bell);
}

void rl_lane_fail(struct rl_lane *lane, const struct rl_err *err) { rl_lane_fail_traced(lane, err, NULL); }

bool rl_lane_failed(struct rl_lane *lane) {
  pthread_mutex_lock(&lane->mu);
  bool failed = lane->err.code != 0;
  pthread_mutex_unlock(&lane->mu);
  return failed;
}

static void on_error(struct rl_lane *lane, const struct rl_kev *ev, int64_t now) {
  if (ev->fatal) {
    rl_lane_fail(lane, &ev->err);
    return;
  }
  if (ev->all_brokers_down && !lane->down_since) lane->down_since = now;
  rl_say_trouble(lane, ev->err.text, ev->all_brokers_down, now);
}

static void on_event(struct rl_lane *lane, const struct rl_kev *ev, int64_t now) {
  switch (ev->kind) {
    case RL_KEV_ASSIGN: rl_on_assign(lane, &ev->tps); break;
    case RL_KEV_REVOKE: rl_on_revoke(lane, &ev->tps, false, now); break;
    case RL_KEV_LOST: rl_on_revoke(lane, &ev->tps, true, now); break;
    case RL_KEV_COMMITTED: rl_on_committed(lane, ev, now); break;
    case RL_KEV_ERROR: on_error(lane, ev, now); break;
    case RL_KEV_NONE: break;
  }
}

/* Always, even when nothing rang: librdkafka counts only its own poll calls. */
static void serve(struct rl_lane *lane, int64_t now) {
  struct rl_kev ev;
  struct rl_err err = {0};
  while (lane->source.serve(lane->source.self, &ev)) {
    on_event(lane, &ev, now);
    rl_kev_free(&ev);
  }
  if (rl_sink_serve(lane->sink) > 0) {
    rl_say_answered(lane);
    pthread_mutex_lock(&lane->mu);
    pthread_cond_broadcast(&lane->cv); /* a handler may wait for room */
    pthread_mutex_unlock(&lane->mu);
  }
  if (!lane->sink_fatal && rl_sink_fatal(lane->sink, &err)) {
    lane->sink_fatal = true;
    rl_lane_fail(lane, &err);
  }
}

static void refresh_stats(struct rl_lane *lane, int64_t now) {
  int64_t lag = 0;
  if (now - lane->last_stats < RL_NS_PER_S) return;
  lane->last_stats = now;
  for (size_t i = 0; lane->source.tracks && i < lane->offsets.n; i++) {
    const struct rl_part *p = &lane->offsets.at[i];
    int64_t position = rl_offsets_position(p);
    int64_t high = p->assigned ? lane->source.high(lane->source.self, p->topic, p->partition) : -1;
    if (high >= 0 && position != RL_OFFSET_INVALID && high > position) lag += high - position;
  }
  pthread_mutex_lock(&lane->mu);
  lane->stats.lag = lane->source.tracks ? lag : -1;
  pthread_mutex_unlock(&lane->mu);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int nap_ms(struct rl_lane *lane, int64_t now) {
  int64_t t = least(rl_ends_deadline(lane), rl_explain_deadline(lane));
  if ((lane->more && rl_can_take(lane)) || rl_held_fits(lane)) return 0;
  t = least(t, least(rl_fill_deadline(lane), rl_await_deadline(lane)));
  t = least(t, rl_late_deadline(lane));
  if (lane->revoke.open) t = least(t, lane->revoke.deadline);
  if (lane->commit_again > now) t = least(t, lane->commit_again);
  return rl_poll_ms(now, t, lane->poll_cap_ms < NAP_CAP_MS ? lane->poll_cap_ms : NAP_CAP_MS);
}

/* A file has no bell: it is readable as long as it has more, and of interest while there is room. */
static void sleep_until_rung(struct rl_lane *lane) {
  struct pollfd fds[3] = {{.fd = lane->bell.rd, .events = POLLIN}};
  nfds_t n = 1;
  int nap = nap_ms(lane, rl_now());
  if (nap == 0) return;
  if (lane->source.fd >= 0 && (lane->source.tracks || rl_can_take(lane)))
    fds[n++] = (struct pollfd){.fd = lane->source.fd, .events = POLLIN};
  int sink = rl_sink_fd(lane->sink);
  if (sink >= 0) fds[n++] = (struct pollfd){.fd = sink, .events = POLLIN};
  if (poll(fds, n, nap) < 0 && errno != EINTR) rl_log(RL_ERROR, "poll: %s", strerror(errno));
}

static void step(struct rl_lane *lane) {
  int64_t now = rl_now();
  rl_wake_clear(&lane->bell);
  lane->source.clear(lane->source.self);
  serve(lane, now);
  rl_late_step(lane, now);
  rl_land(lane);
  rl_fill(lane, now);
  rl_hand_over(lane, now);
  rl_commit_step(lane, now);
  rl_revoke_step(lane, now);
  rl_ends_step(lane, now);
  rl_await_step(lane, now);
  rl_explain_step(lane, now);
  refresh_stats(lane, now);
}

static void mark_ended(struct rl_lane *lane) {
  pthread_mutex_lock(&lane->mu);
  lane->quit = true;
  lane->handler_gone = lane->handler_gone || !lane->has_engine;
  atomic_store(&lane->ended, true);
  pthread_cond_broadcast(&lane->cv);
  pthread_mutex_unlock(&lane->mu);
  if (!lane->has_engine) rl_wake_ring(&lane->ready);
  atomic_fetch_sub(&lane->run->lanes_up, 1);
  rl_wake_ring(&lane->run->changed);
}

void *rl_reader_main(void *arg) {
  struct rl_lane *lane = arg;
  lane->started = lane->last_message = lane->last_said = rl_now();
  if (!lane->assigned_once) atomic_store(&lane->run->quiet_since, lane->started);
  while (lane->phase != RL_ENDED) {
    enum rl_phase before = lane->phase;
    step(lane);
    if (lane->phase == before) sleep_until_rung(lane); /* a new phase has something to do at once */
  }
  rl_fill_drop(lane);
  mark_ended(lane);
  return NULL;
}
