/* One batch through the handler (S4): what does not decode first, then the handler over the rest, with
 * retries, bisection and dead letters, until every message is settled or the run must stop. */
#include "stream/attempt.h"
#include "base/log.h"
#include "base/mem.h"
#include "stream/history.h"

int rl_send_staged(struct rl_lane *lane, struct rl_flight *flight, struct rl_batch *batch,
                   struct rl_pin **pins, struct rl_outbox *outbox) {
  struct rl_err err = {0};
  for (size_t i = 0; i < outbox->n; i++)
    if (rl_sink_put(lane->sink, flight, batch, pins, &outbox->at[i], &err)) goto refused;
  if (rl_sink_flush(lane->sink, &err) == 0) return 0;
refused:
  rl_lane_fail(lane, &err);
  return err.code;
}

static bool leaving(struct rl_lane *lane) {
  pthread_mutex_lock(&lane->mu);
  bool leave = lane->abandon;
  pthread_mutex_unlock(&lane->mu);
  return leave;
}

/* A decoder written in Lua runs here, a message at a time, which is one row (S6.3). */
static int decode_in_lua(struct rl_attempt *a) {
  struct rl_engine *e = &a->lane->engine;
  if (!a->lane->has_engine || !e->decode) return 0;
  for (size_t row = 0; row < a->batch->n; row++) {
    if (a->batch->bad && a->batch->bad[row]) continue;
    if (leaving(a->lane)) return RL_ETRANSIENT;
    atomic_store(&a->lane->call_started, rl_now());
    int rc = e->decode(e->self, a->batch, row, &a->why);
    atomic_store(&a->lane->call_started, 0);
    if (rc && a->why.blame != RL_BLAME_MESSAGE) return rc;
    if (rc) rl_batch_set_bad(a->batch, row, a->why.error);
    rl_failure_clear(&a->why);
  }
  return 0;
}

static bool is_good(const struct rl_batch *batch, size_t i) { return !batch->bad || !batch->bad[i]; }

static void choose_messages(struct rl_attempt *a, size_t until) {
  a->todo = rl_alloc((a->batch->n + 1) * sizeof *a->todo);
  for (size_t i = 0; i < until; i++)
    if (is_good(a->batch, i) && rl_batch_rows_of(a->batch, i) > 0) a->todo[a->n++] = (uint32_t)i;
}

/* A message without a row has nothing to be handled: it is done with those around it, unless its partition
 * went meanwhile. */
static void settle_empty(struct rl_attempt *a, size_t until) {
  size_t unhandled = 0;
  if (!a->batch->first) return;
  pthread_mutex_lock(&a->lane->mu);
  for (size_t i = 0; i < until; i++) {
    const struct rl_msg *msg = &a->batch->msgs[i];
    if (!is_good(a->batch, i) || rl_batch_rows_of(a->batch, i) > 0) continue;
    a->settled[i] = a->once || !a->lane->source.tracks || !rl_stale(a->lane, msg->slot, msg->epoch);
    unhandled += !a->settled[i];
  }
  pthread_mutex_unlock(&a->lane->mu);
  rl_uncount(a->lane, unhandled);
}

static int stopped(struct rl_failure *why) {
  rl_failure_set(why, RL_BLAME_STOPPED, "the run is ending", NULL);
  return RL_EHANDLER;
}

static void put_rows(struct rl_attempt *a, struct rl_view *view, uint32_t message) {
  size_t first = rl_batch_first(a->batch, message), n = rl_batch_rows_of(a->batch, message);
  for (size_t i = 0; i < n; i++) a->rows[view->n++] = (uint32_t)(first + i);
}

/* A part is of messages, what the handler sees of it their rows. */
static void view_rows(struct rl_attempt *a, const struct rl_part_of *part, struct rl_view *view) {
  RL_GROW(a->rows, a->cap_rows, a->batch->rows);
  *view = (struct rl_view){.batch = a->batch, .rows = a->rows, .attempt = part->tries};
  for (size_t i = 0; i < a->n; i++) {
    if (i == part->first) view->part_at = view->parts_of;
    if (i >= part->first && i < part->first + part->n) put_rows(a, view, a->todo[i]);
    view->parts_of += rl_batch_rows_of(a->batch, a->todo[i]);
  }
}

static int call_handler(struct rl_attempt *a, const struct rl_part_of *part) {
  struct rl_lane *lane = a->lane;
  struct rl_view view = {.batch = a->batch,
                         .rows = a->todo + part->first,
                         .n = part->n,
                         .attempt = part->tries,
                         .part_at = part->first,
                         .parts_of = a->n};
  if (a->batch->first) view_rows(a, part, &view);
  rl_failure_clear(&a->why);
  rl_outbox_reset(&lane->outbox);
  atomic_store(&lane->call_started, rl_now());
  /* Looked at again: from here on the reader ends the call, before it saw none. */
  int rc = leaving(lane) ? stopped(&a->why)
                         : lane->engine.handle(lane->engine.self, &view, &lane->outbox, &a->why);
  atomic_store(&lane->call_started, 0);
  return rc;
}

static void settle_part(struct rl_attempt *a, const struct rl_part_of *part) {
  for (size_t i = part->first; i < part->first + part->n; i++) a->settled[a->todo[i]] = 1;
  rl_history_passed(a->lane->history, (int64_t)part->n);
}

static void count_failure(struct rl_lane *lane) {
  pthread_mutex_lock(&lane->mu);
  lane->stats.failed++;
  pthread_mutex_unlock(&lane->mu);
}

/* At most once the weather cannot be waited for; it is nobody's fault either: no dead letter. */
static int lose_to_weather(struct rl_attempt *a, const struct rl_part_of *part) {
  count_failure(a->lane);
  rl_attempt_say_lost(a, part->first, part->n);
  settle_part(a, part);
  rl_bisect_report(&a->bisect, true);
  return 0;
}

/* The weather: the same part again, after a wait that ends at once on revoke or signal. */
static int wait_for_weather(struct rl_attempt *a, int64_t *since, int64_t *said) {
  const struct rl_settings *s = a->lane->s;
  int64_t now = rl_now();
  if (!*since) *since = now;
  if (!*said || now - *said >= rl_seconds(s->explain)) {
    rl_say_waiting(*since, now, a->why.error);
    *said = now;
  }
  if (s->outage > 0 && now - *since >= rl_seconds(s->outage)) return rl_give_up(a->lane, a->why.error);
  return rl_handler_wait(a->lane, now + rl_backoff_next(&a->weather), a->changes) ? 0 : RL_ETRANSIENT;
}

/* Said once a batch: what halving hides (rows that fail only in company) would else never be seen. */
static void say_halved(struct rl_attempt *a, const struct rl_part_of *part) {
  if (a->halved_for || part->attempt <= (int)a->lane->s->retries) return;
  a->halved_for = rl_strdup(a->why.error);
  rl_log(RL_INFO, "batch %lld of %zu messages failed, and is halved to find the one at fault: %s",
         (long long)a->batch->number, a->batch->n, a->halved_for);
}

static void say_all_passed(const struct rl_attempt *a) {
  if (!a->halved_for || a->blamed) return;
  rl_log(RL_WARN,
         "batch %lld failed as a whole and passed in parts, so no message is at fault; a limit on rows, or "
         "what the script keeps? (batch.size, bisect) %s",
         (long long)a->batch->number, a->halved_for);
}

static int after_failure(struct rl_attempt *a, const struct rl_part_of *part) {
  size_t first, n;
  count_failure(a->lane);
  rl_bisect_report(&a->bisect, false);
  if (!rl_bisect_blamed(&a->bisect, &first, &n)) {
    say_halved(a, part);
    return 0;
  }
  a->blamed = true;
  return rl_attempt_settle_blamed(a, part, first, n);
}

static int after_success(struct rl_attempt *a, const struct rl_part_of *part) {
  int rc = rl_send_staged(a->lane, a->flight, a->batch, a->pins, &a->lane->outbox);
  if (rc) return rc;
  settle_part(a, part);
  rl_backoff_reset(&a->weather);
  rl_bisect_report(&a->bisect, true);
  return 0;
}

/* A signal cuts the wait short, not the retry: that belongs to finishing the batch within `drain` (promise
 * 6).
 */
static int back_off(struct rl_attempt *a, const struct rl_part_of *part) {
  if (part->attempt <= 1) return 0;
  rl_log(RL_INFO, "attempt %d of batch %lld after: %s", part->attempt, (long long)a->batch->number,
         a->why.error);
  rl_handler_wait(a->lane, rl_now() + rl_backoff_next(&a->backoff), a->changes);
  return leaving(a->lane) ? RL_ETRANSIENT : 0;
}

/* All parts in their order. 0: settled; else the run ends, or what is left was given up. */
static int run_parts(struct rl_attempt *a) {
  struct rl_part_of part;
  int64_t since = 0, said = 0;
  int tried = 0; /* so that a part that is run again after weather does not back off twice */
  for (rl_attempt_strike(a); rl_bisect_next(&a->bisect, &part); rl_attempt_strike(a)) {
    if (leaving(a->lane)) return RL_ETRANSIENT;
    if (part.attempt != tried && back_off(a, &part)) return RL_ETRANSIENT;
    tried = part.attempt;
    int rc = call_handler(a, &part);
    if (rc == 0) since = said = 0;
    if (rc == 0)
      rc = after_success(a, &part);
    else if (rc == RL_EPIPE)
      rc = rl_attempt_reader_gone(a);
    else if (a->why.blame == RL_BLAME_WEATHER)
      rc = a->once ? lose_to_weather(a, &part) : wait_for_weather(a, &since, &said);
    else if (a->why.blame == RL_BLAME_SCRIPT)
      rc = rl_attempt_script_failed(a);
    else if (a->why.blame == RL_BLAME_STOPPED)
      rc = RL_ETRANSIENT;
    else
      rc = after_failure(a, &part);
    if (rc) return rc;
  }
  return 0;
}

static void start(struct rl_attempt *a, struct rl_lane *lane, struct rl_batch *batch,
                  struct rl_flight *flight) {
  *a = (struct rl_attempt){.lane = lane, .batch = batch, .flight = flight};
  a->once = lane->s->delivery == RL_AT_MOST_ONCE;
  a->settled = rl_zalloc(batch->n + 1);
  a->pins = rl_zalloc((batch->n + 1) * sizeof(struct rl_pin *));
  rl_backoff_init(&a->backoff, lane->s->backoff, lane->s->backoff_max, (uint64_t)batch->number);
  rl_backoff_init(&a->weather, lane->s->backoff, lane->s->backoff_max, (uint64_t)batch->number + 1);
}

static int run(struct rl_attempt *a) {
  size_t until;
  int rc = decode_in_lua(a);
  if (rc == RL_EPIPE) return rl_attempt_reader_gone(a);
  if (rc) return a->why.blame == RL_BLAME_SCRIPT ? rl_attempt_script_failed(a) : rc;
  if ((rc = rl_attempt_settle_bad(a, &until))) return rc;
  choose_messages(a, until);
  rl_bisect_start(&a->bisect, a->n, a->once ? 0 : (int)a->lane->s->retries, a->lane->s->bisect && !a->once);
  rc = a->n ? run_parts(a) : 0;
  if (rc == 0) say_all_passed(a);
  rl_bisect_free(&a->bisect);
  if (a->why.blame != RL_BLAME_SCRIPT) settle_empty(a, until);
  if (rc == 0 && until < a->batch->n)
    rc = rl_attempt_stop_at(a, (uint32_t)until, false, a->batch->bad[until]);
  return rc;
}

/* What outlives the batch (pins) has taken its message over; the rest is released. */
static void let_go(struct rl_attempt *a) {
  for (size_t i = 0; i < a->batch->n; i++) {
    if (!a->pins[i]) continue;
    a->batch->msgs[i].handle = NULL;
    rl_pin_put(a->pins[i]);
  }
  rl_batch_free(a->batch);
  rl_failure_clear(&a->why);
  rl_free(a->halved_for);
  rl_free(a->todo);
  rl_free(a->rows);
  rl_free(a->settled);
  rl_free(a->pins);
}

static void say_unfinished(const struct rl_attempt *a) {
  size_t left = 0;
  for (size_t i = 0; i < a->batch->n; i++) left += !a->settled[i];
  rl_log(RL_WARN, "batch %lld is left unfinished: %zu of its %zu messages were not handled and %s",
         (long long)a->batch->number, left, a->batch->n, a->once ? "are lost" : "are not committed");
}

void rl_attempt_batch(struct rl_lane *lane, struct rl_batch *batch, struct rl_flight *flight) {
  struct rl_attempt a;
  start(&a, lane, batch, flight);
  int rc = run(&a);
  if (rc == RL_ETRANSIENT) say_unfinished(&a);
  if (lane->has_engine) lane->engine.release(lane->engine.self, batch);
  pthread_mutex_lock(&lane->mu);
  if (rc) lane->gave_up = true;
  rl_flight_settle(flight, batch, a.settled);
  pthread_mutex_unlock(&lane->mu);
  let_go(&a);
  rl_flight_handled(lane, flight, RL_FLIGHT_HANDLED);
}

int rl_settle_bad(struct rl_lane *lane, struct rl_batch *batch, struct rl_flight *flight,
                  struct rl_err *err) {
  struct rl_attempt a;
  size_t until;
  start(&a, lane, batch, flight);
  int rc = rl_attempt_settle_bad(&a, &until);
  if (rc == 0 && until < batch->n) rc = rl_attempt_stop_at(&a, (uint32_t)until, false, batch->bad[until]);
  rl_free(a.settled);
  rl_free(a.pins);
  if (rc) {
    pthread_mutex_lock(&lane->mu);
    *err = lane->err;
    pthread_mutex_unlock(&lane->mu);
  }
  return rc;
}
