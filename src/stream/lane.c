/* A lane's life: put together, started, stopped, waited for, taken apart. */
#include <errno.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/thread.h"
#include "stream/history.h"
#include "stream/lane_state.h"
#include "stream/sink_file.h"

#define MAX_POLL_INTERVAL_MS 300000 /* librdkafka's default */

static void sink_opened(void *arg) {
  struct rl_lane *lane = arg;
  rl_wake_ring(&lane->bell);
}

/* A third of the interval after which an idle member loses its assignment (S6.3). */
static int poll_cap(const struct rl_settings *s) {
  const char *text = rl_kconf_get(&s->kafka, "max.poll.interval.ms");
  int64_t ms = MAX_POLL_INTERVAL_MS;
  if (text) rl_parse_i64(text, &ms);
  return ms / 3 > 1 && ms / 3 < INT32_MAX ? (int)(ms / 3) : 1;
}

static void init_shared(struct rl_lane *lane) {
  pthread_mutex_init(&lane->mu, NULL);
  rl_cond_init(&lane->cv);
  lane->flights_end = &lane->flights;
  lane->deadline = lane->interrupted = lane->next_every = RL_NEVER;
  lane->stats.lag = -1;
  lane->round = 1;
}

static int open_decoder(struct rl_lane *lane, struct rl_err *err) {
  const struct rl_settings *s = lane->s;
  lane->decodes_raw = !s->decode || strcmp(s->decode, "raw") == 0;
  /* the script's own decoder fills the fields by itself */
  return rl_settings_decoder(s, s->decode_lua ? NULL : &s->fields, &lane->decoder, err);
}

void rl_lane_share(const struct rl_lane *lane, struct rl_tps *out) {
  const struct rl_tps *all = &lane->run->starts;
  for (size_t i = (size_t)lane->index; i < all->n; i += (size_t)lane->s->lanes)
    rl_tps_add(out, all->at[i].topic, all->at[i].partition, all->at[i].offset);
}

static int open_source(struct rl_lane *lane, struct rl_err *err) {
  struct rl_tps parts = RL_TPS_INIT;
  int rc;
  if (lane->s->input) {
    rc = rl_source_file(&lane->source, lane->s, err);
  } else {
    rl_lane_share(lane, &parts);
    rc = rl_source_kafka(&lane->source, lane->run, lane->index, &parts, err);
    if (rc == 0 && lane->run->manual) rl_begin_manual(lane, &parts);
    lane->looking = rc == 0 && lane->run->manual && atomic_load(&lane->run->no_topics);
  }
  rl_tps_free(&parts);
  return rc;
}

static int open_sink(struct rl_lane *lane, struct rl_err *err) {
  struct rl_sink_opts opts = {.settings = lane->s,
                              .lane = lane->index,
                              .script = lane->has_engine ? lane->engine.script : NULL,
                              .opened = sink_opened,
                              .wait_room = rl_wait_room,
                              .arg = lane};
  lane->sink = rl_sink_new(&opts);
  if (!lane->s->dead_letter) return 0;
  int ms = (int)(lane->s->connect * 1000);
  if (!rl_sink_check(lane->sink, lane->s->dead_letter, ms, err)) return 0;
  if (rl_is_file(lane->s->dead_letter)) err->code = RL_EUSAGE; /* at the start a setting's mistake */
  return rl_err_prefix(err, "dead_letter: ");
}

/* No handler came to be: the reader leaves by itself. */
static void end_reader(struct rl_lane *lane) {
  pthread_mutex_lock(&lane->mu);
  lane->handler_gone = true;
  pthread_mutex_unlock(&lane->mu);
  rl_lane_stop(lane, true);
  pthread_join(lane->reader, NULL);
}

/* The engine unblocks the signals that are its own. */
static int make_threads(struct rl_lane *lane) {
  atomic_fetch_add(&lane->run->lanes_up, 1);
  int rc = rl_thread_start(&lane->reader, "rille reader", rl_reader_main, lane);
  if (rc) atomic_fetch_sub(&lane->run->lanes_up, 1);
  if (rc || !lane->has_engine) return rc;
  rc = rl_thread_start(&lane->handler, "rille handler", rl_handler_main, lane);
  if (rc) end_reader(lane);
  return rc;
}

static int start_threads(struct rl_lane *lane, struct rl_err *err) {
  int rc = make_threads(lane);
  return rc ? rl_fail(err, RL_EFAIL, "no thread: %s", strerror(rc)) : 0;
}

static int open_wakes(struct rl_lane *lane, struct rl_err *err) {
  if (rl_wake_open(&lane->bell) == 0 && rl_wake_open(&lane->ready) == 0) return 0;
  return rl_fail(err, RL_EFAIL, "eventfd: %s", strerror(errno));
}

static int put_together(struct rl_lane *lane, struct rl_err *err) {
  const struct rl_settings *s = lane->s;
  rl_offsets_init(&lane->offsets);
  rl_batcher_init(&lane->batcher, (size_t)s->batch_size, (size_t)s->batch_bytes,
                  rl_seconds(s->batch_timeout));
  lane->batcher.most = (size_t)s->limits_columns;
  rl_outbox_init(&lane->outbox, (size_t)s->limits_output, rl_sink_max_message(s));
  lane->outbox.no_reject = !s->dead_letter;
  lane->history = rl_alloc(sizeof *lane->history);
  rl_history_init(lane->history, s->dead_letter_max);
  lane->poll_cap_ms = poll_cap(s);
  if (open_wakes(lane, err)) return err->code;
  if (s->registry_client) rl_registry_listen(s->registry_client, &lane->bell);
  if (open_decoder(lane, err) || open_sink(lane, err)) return err->code;
  return open_source(lane, err);
}

/* In the order that releases what another still needs last: messages, sink, consumer. */
static void take_apart(struct rl_lane *lane) {
  rl_fill_drop(lane);
  rl_pre_drop(lane);
  if (lane->given) rl_batch_free(lane->given);
  if (lane->sink) rl_sink_free(lane->sink);
  for (struct rl_flight *f = lane->flights, *next; f; f = next) {
    next = f->next;
    rl_flight_free(f);
  }
  for (struct rl_hook_call *h = lane->hooks, *next; h; h = next) {
    next = h->next;
    rl_tps_free(&h->parts);
    rl_free(h);
  }
  rl_tps_free(&lane->revoke.parts);
  if (lane->source.self) lane->source.destroy(lane->source.self);
  if (lane->decoder) rl_decoder_free(lane->decoder);
  rl_offsets_free(&lane->offsets);
  rl_outbox_free(&lane->outbox);
  if (lane->s->registry_client) rl_registry_unlisten(lane->s->registry_client, &lane->bell);
  rl_wake_close(&lane->bell);
  rl_wake_close(&lane->ready);
  pthread_cond_destroy(&lane->cv);
  pthread_mutex_destroy(&lane->mu);
  rl_free(lane->history);
  rl_free(lane->traceback);
  rl_free(lane->epochs);
  rl_free(lane);
}

int rl_lane_start(struct rl_lane **out, struct rl_run *run, int index, const struct rl_engine *engine,
                  struct rl_err *err) {
  struct rl_lane *lane = rl_zalloc(sizeof *lane);
  lane->run = run;
  lane->s = run->settings;
  lane->index = index;
  lane->bell = lane->ready = (struct rl_wake){-1, -1};
  if (engine) lane->engine = *engine;
  lane->has_engine = engine != NULL;
  init_shared(lane);
  if (put_together(lane, err) || start_threads(lane, err)) {
    take_apart(lane);
    return err->code;
  }
  *out = lane;
  return 0;
}

void rl_lane_stop(struct rl_lane *lane, bool now) {
  int stop = now ? 2 : 1;
  if (atomic_load(&lane->stop) < stop) atomic_store(&lane->stop, stop); /* "at once" is not taken back */
  rl_wake_ring(&lane->bell);
}

static void join(struct rl_lane *lane) {
  if (lane->joined_threads) return;
  lane->joined_threads = true;
  pthread_join(lane->reader, NULL);
  pthread_mutex_lock(&lane->mu);
  bool comes_back = lane->handler_gone || !lane->stuck;
  pthread_mutex_unlock(&lane->mu);
  if (lane->has_engine && comes_back) pthread_join(lane->handler, NULL);
}

int rl_lane_wait(struct rl_lane *lane, struct rl_err *err) {
  join(lane);
  if (lane->err.code && err) *err = lane->err;
  return lane->err.code;
}

const char *rl_lane_traceback(const struct rl_lane *lane) { return lane->traceback; }
bool rl_lane_ended(const struct rl_lane *lane) { return atomic_load(&lane->ended); }
bool rl_lane_stuck(const struct rl_lane *lane) { return lane->stuck || lane->unclosed; }

void rl_lane_free(struct rl_lane *lane) {
  if (!rl_lane_ended(lane)) rl_lane_stop(lane, true);
  join(lane);
  if (lane->stuck) return; /* its handler still runs in it */
  if (lane->has_engine && lane->engine.destroy) lane->engine.destroy(lane->engine.self);
  take_apart(lane);
}

void rl_lane_stats(const struct rl_lane *lane, struct rl_stats *out) {
  struct rl_lane *l = (struct rl_lane *)(uintptr_t)lane;
  pthread_mutex_lock(&l->mu);
  *out = l->stats;
  pthread_mutex_unlock(&l->mu);
  out->sent = rl_sink_sent(l->sink);
  out->rejected = rl_sink_rejected(l->sink);
}
