/* What becomes of messages that fail (S4): a dead letter, the end of the run, or, at most once, a line that
 * says they are lost. */
#include "base/log.h"
#include "stream/attempt.h"
#include "stream/history.h"
#include "stream/place.h"

static bool can_reject(const struct rl_lane *lane) { return lane->s->dead_letter != NULL; }

/* An error that was returned, not raised, does not say which script it came from. */
static const char *script_of(const struct rl_attempt *a, bool by_handler, const char *error) {
  if (!by_handler || !a->lane->has_engine) return "";
  const char *slash = strrchr(a->lane->engine.script, '/');
  return strstr(error, slash ? slash + 1 : a->lane->engine.script) ? "" : a->lane->engine.script;
}

int rl_attempt_stop_at(struct rl_attempt *a, uint32_t message, bool by_handler, const char *error) {
  struct rl_err err = {0};
  char origin[RL_PLACE_MAX];
  const char *script = script_of(a, by_handler, error);
  const char *what = by_handler ? "the handler failed" : "the value does not decode";
  rl_place(origin, &a->batch->msgs[message]);
  rl_fail(&err, RL_EHANDLER, "%s: %s: %s%s%s; nothing takes it: set dead_letter to go on without it", origin,
          what, script, *script ? ": " : "", error);
  rl_lane_fail_traced(a->lane, &err, by_handler ? a->why.traceback : NULL);
  return RL_EHANDLER;
}

static int dead_letter(struct rl_attempt *a, uint32_t message, const struct rl_letter *letter,
                       bool by_handler) {
  struct rl_err err = {0};
  char origin[RL_PLACE_MAX];
  rl_place(origin, &a->batch->msgs[message]);
  rl_log(RL_WARN, "%s: %s: dead-lettered to %s", origin, letter->error, a->lane->s->dead_letter);
  if (rl_sink_reject(a->lane->sink, a->flight, &a->batch->msgs[message], letter, &err) ||
      rl_sink_flush(a->lane->sink, &err)) {
    rl_lane_fail(a->lane, &err);
    return err.code;
  }
  a->settled[message] = 1;
  if (!rl_history_dead(a->lane->history, by_handler)) return 0;
  rl_fail(&err, RL_EHANDLER,
          "%s: %s, dead letter after dead letter (dead_letter_max %lld in a row, or over half of the last "
          "1,000): it is "
          "the handler, not the messages; stopped",
          origin, letter->error, (long long)a->lane->s->dead_letter_max);
  rl_lane_fail(a->lane, &err);
  return RL_EHANDLER;
}

static void say_lost(const struct rl_msg *msg, const char *why) {
  char origin[RL_PLACE_MAX];
  rl_place(origin, msg);
  rl_log(RL_WARN, "%s: %s: lost (at most once)", origin, why);
}

void rl_attempt_say_lost(const struct rl_attempt *a, size_t first, size_t n) {
  const struct rl_msg *from = &a->batch->msgs[a->todo[first]];
  char begin[RL_PLACE_MAX], end[RL_PLACE_MAX];
  if (n == 1) {
    say_lost(from, a->why.error);
    return;
  }
  rl_place(begin, from);
  rl_place(end, &a->batch->msgs[a->todo[first + n - 1]]);
  rl_log(RL_WARN, "%s to %s: %zu messages lost (at most once): %s", begin, end, n, a->why.error);
}

int rl_attempt_settle_bad(struct rl_attempt *a, size_t *first_bad) {
  const struct rl_batch *batch = a->batch;
  *first_bad = batch->n;
  for (size_t i = 0; batch->bad && i < batch->n; i++) {
    if (!batch->bad[i]) continue;
    struct rl_letter letter = {.error = batch->bad[i], .attempts = 0};
    if (!can_reject(a->lane) && !a->once) {
      *first_bad = i;
      return 0;
    }
    if (can_reject(a->lane) && dead_letter(a, (uint32_t)i, &letter, false)) return RL_EHANDLER;
    if (!can_reject(a->lane)) say_lost(&batch->msgs[i], batch->bad[i]);
    a->settled[i] = 1;
  }
  return 0;
}

int rl_attempt_settle_blamed(struct rl_attempt *a, const struct rl_part_of *part, size_t first, size_t n) {
  struct rl_letter letter = {.error = a->why.error, .traceback = a->why.traceback, .attempts = part->tries};
  for (size_t i = first; i < first + n; i++) {
    if (can_reject(a->lane)) {
      if (dead_letter(a, a->todo[i], &letter, true)) return RL_EHANDLER;
    } else if (!a->once) {
      return rl_attempt_stop_at(a, a->todo[i], true, a->why.error);
    }
    a->settled[a->todo[i]] = 1;
  }
  if (a->once && !can_reject(a->lane)) {
    if (a->why.traceback) rl_log(RL_WARN, "%s", a->why.traceback);
    rl_attempt_say_lost(a, first, n);
  }
  return 0;
}

int rl_attempt_script_failed(struct rl_attempt *a) {
  struct rl_err err = {0};
  memset(a->settled, 0, a->batch->n);
  rl_fail(&err, RL_EHANDLER, "%s", a->why.error);
  rl_lane_fail_traced(a->lane, &err, a->why.traceback);
  return RL_EHANDLER;
}

int rl_attempt_reader_gone(struct rl_attempt *a) {
  struct rl_err err = {0};
  rl_fail(&err, RL_EPIPE, "%s", a->why.error ? a->why.error : "standard output: its reader went away");
  rl_lane_fail(a->lane, &err);
  return RL_EPIPE;
}
