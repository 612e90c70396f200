/* When a lane is over, and the way out: finish, let the handler close, settle, leave the group (promise 6).
 */
#include "stream/ends.h"
#include "base/log.h"

/* For an interrupted handler to unwind; a second signal leaves at once, but not without its group knowing. */
#define INTERRUPT_GRACE RL_NS_PER_S
#define AT_ONCE_GRACE (200 * RL_NS_PER_MS)
#define INTERRUPT_AGAIN (50 * RL_NS_PER_MS)
#define OUTAGE_ASK_MS 1000

static bool at_once(const struct rl_lane *lane) { return atomic_load(&lane->stop) == 2; }

static int64_t unwound_by(const struct rl_lane *lane) {
  return lane->interrupted + (at_once(lane) ? AT_ONCE_GRACE : INTERRUPT_GRACE);
}

static int64_t drain_of(const struct rl_lane *lane, double least_s) {
  if (at_once(lane)) return 2 * AT_ONCE_GRACE;
  return rl_seconds(lane->s->drain > least_s ? lane->s->drain : least_s);
}

void rl_end(struct rl_lane *lane, enum rl_cause cause, int64_t deadline) {
  if (lane->phase == RL_RUNNING) {
    lane->phase = RL_FINISHING;
    lane->last_cause = cause;
    lane->deadline = deadline;
  } else if (deadline < lane->deadline) {
    lane->deadline = deadline;
  }
}

static int64_t after(int64_t from, double seconds) {
  return seconds > 0 ? rl_after(from, rl_seconds(seconds)) : RL_NEVER;
}

static int64_t drained(const struct rl_lane *lane, int64_t now) {
  return rl_after(now, rl_seconds(lane->s->drain));
}

static int64_t idle_deadline(const struct rl_lane *lane) {
  bool begun = lane->assigned_once || atomic_load(&lane->run->no_topics); /* from the subscription on */
  if (!begun || lane->blocked) return RL_NEVER;
  return after(atomic_load(&lane->run->quiet_since), lane->s->idle);
}

static int64_t wait_deadline(const struct rl_lane *lane) {
  return atomic_load(&lane->run->got_message) ? RL_NEVER : after(lane->started, lane->s->wait);
}

static int64_t outage_deadline(const struct rl_lane *lane) {
  bool matters = lane->down_since && lane->phase < RL_CLOSING;
  return matters ? after(lane->down_since, lane->s->outage) : RL_NEVER;
}

static int64_t stuck_deadline(const struct rl_lane *lane) {
  long long since = atomic_load(&lane->call_started);
  if (!since || lane->s->limits_time <= 0 || lane->stuck) return RL_NEVER;
  return drained(lane, after(since, lane->s->limits_time));
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t rl_ends_deadline(const struct rl_lane *lane) {
  int64_t stuck = stuck_deadline(lane);
  bool unwinding = lane->phase == RL_LEAVING && lane->interrupted != RL_NEVER;
  if (unwinding) return least(stuck, least(unwound_by(lane), rl_now() + INTERRUPT_AGAIN));
  int64_t forced = least(stuck, outage_deadline(lane));
  if (lane->phase != RL_RUNNING) return least(forced, lane->deadline);
  return least(forced, least(idle_deadline(lane), wait_deadline(lane)));
}

static void put_list(struct rl_buf *out, const struct rl_list *list) {
  for (size_t i = 0; i < list->n; i++) rl_buf_printf(out, "%s%s", i ? ", " : "", list->at[i]);
}

static void nothing_came(struct rl_lane *lane) {
  struct rl_buf topics = RL_BUF_INIT;
  struct rl_err err = {0};
  const struct rl_settings *s = lane->s;
  put_list(&topics, &s->topics);
  rl_fail(&err, RL_EWAIT, "no message within --wait %g s from %s%s%s; look with: rille %s%s", s->wait,
          s->input ? s->input : rl_buf_text(&topics), s->group ? ", group " : "", s->group ? s->group : "",
          s->group ? "lag -G " : "tap -t ", s->group ? s->group : rl_buf_text(&topics));
  rl_lane_fail(lane, &err);
  rl_buf_free(&topics);
}

/* That the brokers are back is heard from messages and commits; where none are due, they are asked. */
static void outage_over(struct rl_lane *lane) {
  struct rl_err err = {0};
  lane->down_since = 0;
  if (lane->source.reachable(lane->source.self, OUTAGE_ASK_MS)) return;
  rl_fail(&err, RL_EBROKER, "the brokers (%s) were away for more than --outage %g s",
          lane->s->brokers ? lane->s->brokers : "localhost:9092", lane->s->outage);
  rl_lane_fail(lane, &err);
}

/* Where lanes share the partitions out that never changes: a lane that got nothing is at its end. Where no
 * topic was there nothing was to be read up to any end; what came since begins behind it. */
static bool at_end(const struct rl_lane *lane) {
  if (lane->source_ended) return true;
  if (!lane->source.tracks) return false;
  bool ends = lane->s->exit_at_end || lane->s->end;
  if (lane->looking || atomic_load(&lane->run->no_topics)) return ends;
  bool nothing = lane->run->manual && lane->offsets.n == 0;
  return nothing || (ends && rl_offsets_all_ended(&lane->offsets));
}

static void while_running(struct rl_lane *lane, int64_t now) {
  if (now >= wait_deadline(lane)) nothing_came(lane);
  bool counted = lane->past_count || atomic_load(&lane->run->left) == 0;
  if (!counted && at_end(lane) && rl_epochs_again(lane)) return;
  if (at_end(lane) || counted || now >= idle_deadline(lane)) rl_end(lane, RL_CAUSE_END, RL_NEVER);
}

/* Leaving the group takes its time all the same. */
static void stop_at_once(struct rl_lane *lane, int64_t now) {
  rl_end(lane, RL_CAUSE_STOP, lane->phase == RL_CLOSING ? rl_after(now, drain_of(lane, 1)) : now);
}

static void stop_asked(struct rl_lane *lane, int64_t now) {
  int stop = atomic_load(&lane->stop);
  if (stop == lane->stop_seen) return;
  lane->stop_seen = stop;
  if (stop == 2) {
    stop_at_once(lane, now);
    return;
  }
  rl_end(lane, RL_CAUSE_STOP, lane->has_engine ? drained(lane, now) : RL_NEVER);
  pthread_mutex_lock(&lane->mu);
  lane->stopping = true; /* a wait for better weather ends at once (S4.1) */
  pthread_cond_broadcast(&lane->cv);
  pthread_mutex_unlock(&lane->mu);
}

static void finishing(struct rl_lane *lane, int64_t now) {
  bool broken = rl_ends_broken_off(lane);
  if (broken || now >= lane->deadline) rl_fill_drop(lane);
  if (now >= lane->deadline) rl_pre_drop(lane);
  if (now >= lane->deadline) rl_ends_interrupt(lane, now);
  bool dropped = broken && !lane->pre;
  bool empty = rl_fill_empty(lane) && (rl_ends_handler_idle(lane) || rl_ends_handler_gone(lane));
  if (!dropped && !empty && now < lane->deadline) return;
  rl_ask_revoked(lane);
  rl_ends_tell(lane, false);
  lane->phase = RL_LEAVING;
}

/* Deep in C, where no hook reaches it: the process must end without it (S10.3). */
static void be_stuck(struct rl_lane *lane, int64_t now, const char *why) {
  const char *where = lane->has_engine ? lane->engine.where(lane->engine.self) : NULL;
  rl_log(RL_ERROR, "%s: the handler does not return %s; last seen in %s; leaving without it",
         lane->has_engine ? lane->engine.script : "rille", why, where ? where : "a C function");
  lane->stuck = true;
  lane->phase = RL_SETTLING;
  lane->deadline = rl_after(now, drain_of(lane, 0));
}

static void over_limit(struct rl_lane *lane, int64_t now) {
  struct rl_err err = {0};
  rl_fail(&err, RL_EHANDLER, "%s: a handler call ran for over limits.time %g s and could not be ended",
          lane->engine.script, lane->s->limits_time);
  rl_fill_drop(lane);
  rl_lane_fail(lane, &err);
  rl_ends_tell(lane, true); /* should it come back after all, it goes on with nothing */
  be_stuck(lane, now, "after its time limit");
}

static void not_acknowledged(struct rl_lane *lane) {
  struct rl_err err = {0};
  rl_fail(&err, RL_EBROKER,
          "outputs were not acknowledged within --drain %g s: their messages will come again",
          lane->s->drain);
  if (at_once(lane))
    rl_log(RL_WARN, "outputs were not acknowledged in time: their messages will come again");
  else
    rl_lane_fail(lane, &err);
}

/* The handler returned, but what takes its outputs does not: a pipe that nobody reads. */
static void not_taken(struct rl_lane *lane, int64_t now) {
  not_acknowledged(lane);
  lane->stuck = true;
  lane->phase = RL_SETTLING;
  lane->deadline = rl_after(now, drain_of(lane, 0));
}

/* Not a clean stop, so not status 0; but whoever asked twice asked for just that. */
static void over_drain(struct rl_lane *lane, int64_t now) {
  struct rl_err err = {0};
  if (lane->has_engine && !atomic_load(&lane->call_started)) {
    not_taken(lane, now);
    return;
  }
  rl_fail(&err, RL_EHANDLER,
          "%s: a handler call was still running after --drain %g s and could not be ended: its batch is not "
          "committed and will come again",
          lane->has_engine ? lane->engine.script : "rille", lane->s->drain);
  if (!at_once(lane)) rl_lane_fail(lane, &err);
  be_stuck(lane, now, "although it was interrupted");
}

static void leaving(struct rl_lane *lane, int64_t now) {
  if (now >= lane->deadline) rl_ends_interrupt(lane, now);
  if (rl_ends_handler_gone(lane)) {
    int64_t least_wait =
        now + (at_once(lane) ? AT_ONCE_GRACE : INTERRUPT_GRACE); /* what was cut short is settled too */
    if (lane->deadline < least_wait) lane->deadline = least_wait;
    lane->phase = RL_SETTLING;
    return;
  }
  rl_ends_interrupt_again(lane);
  if (lane->interrupted != RL_NEVER && now >= unwound_by(lane)) over_drain(lane, now);
}

static bool flights_over(struct rl_lane *lane) {
  pthread_mutex_lock(&lane->mu);
  bool over = !lane->flights || (lane->stuck && lane->flights->state == RL_FLIGHT_IN_HAND);
  pthread_mutex_unlock(&lane->mu);
  return over;
}

static void not_committed(struct rl_lane *lane) {
  struct rl_tps left = RL_TPS_INIT;
  struct rl_buf text = RL_BUF_INIT;
  struct rl_err err = {0};
  rl_offsets_answer(&lane->offsets, false);
  rl_offsets_commit(&lane->offsets, &left);
  for (size_t i = 0; i < left.n; i++)
    rl_buf_printf(&text, "%s%s[%d] up to %lld", i ? ", " : "", left.at[i].topic, left.at[i].partition,
                  (long long)left.at[i].offset);
  rl_fail(&err, RL_EBROKER, "not committed within --drain %g s: %s; these messages will come again",
          lane->s->drain, rl_buf_text(&text));
  if (left.n) rl_lane_fail(lane, &err);
  rl_buf_free(&text);
  rl_tps_free(&left);
}

static void settling(struct rl_lane *lane, int64_t now) {
  bool over = flights_over(lane), committed = over && rl_committed_all(lane);
  if (over && !committed && lane->deadline == RL_NEVER) lane->deadline = drained(lane, now);
  if (!committed && now < lane->deadline) return;
  if (!over) not_acknowledged(lane);
  if (over && !committed) not_committed(lane);
  rl_fill_drop(lane);
  lane->phase = RL_CLOSING;
  lane->deadline = rl_after(now, drain_of(lane, 1));
  lane->close_begun = false;
}

/* LeaveGroup waits behind a JoinGroup that is under way: it is let through first (S6.3). */
static void closing(struct rl_lane *lane, int64_t now) {
  struct rl_err err = {0};
  bool late = now >= lane->deadline;
  if (!lane->close_begun && (lane->source.joined(lane->source.self) || late)) {
    lane->close_begun = true;
    int64_t late_wait = at_once(lane) ? AT_ONCE_GRACE : RL_NS_PER_S;
    lane->deadline = rl_after(now, late ? late_wait : drain_of(lane, 1));
    if (lane->source.close_begin(lane->source.self, &err)) rl_log(RL_WARN, "close: %s", err.text);
    return;
  }
  if (lane->close_begun && lane->source.closed(lane->source.self)) lane->phase = RL_ENDED;
  if (lane->close_begun && late && lane->phase != RL_ENDED) {
    rl_log(RL_WARN, "left before the group answered: it waits for session.timeout.ms");
    lane->phase = RL_ENDED;
    lane->unclosed = true;
  }
}

void rl_ends_step(struct rl_lane *lane, int64_t now) {
  stop_asked(lane, now);
  if (now >= outage_deadline(lane)) outage_over(lane);
  if (lane->phase < RL_CLOSING && rl_lane_failed(lane)) rl_end(lane, RL_CAUSE_END, drained(lane, now));
  if (now >= stuck_deadline(lane)) over_limit(lane, now);
  if (lane->phase == RL_RUNNING) while_running(lane, now);
  if (lane->phase == RL_FINISHING) finishing(lane, now);
  if (lane->phase == RL_LEAVING) leaving(lane, now);
  if (lane->phase == RL_SETTLING) settling(lane, now);
  if (lane->phase == RL_CLOSING) closing(lane, now);
}
