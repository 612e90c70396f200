/* The reader's side of the sink: delivery reports, and what becomes of what the brokers refuse. Nothing here
 * waits: a reader that does no longer polls, and its member leaves the group (S6.3). */
#include "base/log.h"
#include "base/str.h"
#include "stream/letter.h"
#include "stream/sink_impl.h"

static void free_owed(struct rl_sink *sink) {
  for (struct rl_sent *ref; (ref = sink->owed);) {
    sink->owed = ref->next;
    rl_sent_free(ref);
  }
}

static void free_again(struct rl_sink *sink) {
  for (struct rl_alone *a; (a = rl_alone_pop(&sink->again));) {
    rl_sent_free(rl_alone_record(a)->opaque);
    rl_alone_free(a);
  }
  if (sink->alone) rl_alone_free(sink->alone);
}

void rl_sink_free_answers(struct rl_sink *sink) {
  free_again(sink);
  free_owed(sink);
}

static void set_one_by_one(struct rl_sink *sink, bool on) {
  pthread_mutex_lock(&sink->send_mu);
  sink->one_by_one = on;
  pthread_mutex_unlock(&sink->send_mu);
}

/* It may be the batch it travelled in that was too large. */
static void send_again(struct rl_sink *sink, struct rl_sent *ref) {
  struct rl_record record;
  rl_producer_reported(atomic_load(&sink->producer), &record);
  ref->alone = true;
  rl_alone_push(&sink->again, rl_alone_new(&record));
  set_one_by_one(sink, true);
}

/* To a file the reader writes only what goes without waiting: its member must stay in the group. */
static void owe(struct rl_sink *sink, struct rl_sent *ref, const struct rl_err *why) {
  struct rl_sent **end = &sink->owed;
  rl_sink_say_lettered(sink, ref->pin, why);
  ref->why = rl_strdup(why->text);
  while (*end) end = &(*end)->next;
  *end = ref;
}

/* Under files_mu. */
static int keep_owed(struct rl_sink *sink, struct rl_sent *ref, struct rl_err *err) {
  struct rl_letter letter = {.error = ref->why, .attempts = 1};
  struct rl_letter_headers h;
  rl_letter_headers(&h, &ref->pin->msg, &letter, sink->opts.script);
  int rc = rl_files_later(sink->files, sink->s->dead_letter, &ref->pin->msg, h.at, h.n, &ref->mark, err);
  rl_letter_headers_free(&h);
  rl_free(ref->why);
  ref->why = NULL;
  return rc;
}

/* Under files_mu. True: the first one is written, or never will be. */
static bool pay_first(struct rl_sink *sink) {
  struct rl_sent *ref = sink->owed;
  struct rl_err err = {0};
  int rc = ref->why ? keep_owed(sink, ref, &err) : 0;
  if (rc == 0) rc = rl_files_try(sink->files, sink->s->dead_letter, ref->mark, &err);
  if (rc == 0) return false;
  if (rc > 0)
    atomic_fetch_add(&sink->rejected, 1);
  else if (ref->flight->refused.code == 0)
    ref->flight->refused = err;
  sink->owed = ref->next;
  rl_sent_free(ref);
  return true;
}

/* What the handler's thread is in the way of is tried again at the next look, a second from now at most. */
static void pay(struct rl_sink *sink) {
  if (!sink->owed || pthread_mutex_trylock(&sink->files_mu)) return;
  while (sink->owed && pay_first(sink)) continue;
  pthread_mutex_unlock(&sink->files_mu);
}

static void settle(struct rl_sink *sink, struct rl_sent *ref, const struct rl_err *err) {
  struct rl_err why = *err;
  bool to_file = err->code && !ref->letter && rl_sink_may_letter(sink, ref->pin, err) &&
                 rl_is_file(sink->s->dead_letter);
  if (to_file) {
    owe(sink, ref, err);
    return;
  }
  if (err->code == 0)
    atomic_fetch_add(ref->letter ? &sink->rejected : &sink->sent, 1);
  else if ((ref->letter || rl_sink_refused(sink, ref->flight, ref->pin, &why)) && !ref->flight->refused.code)
    ref->flight->refused = why;
  rl_sent_free(ref);
}

static void make_room(struct rl_sink *sink, struct rl_sent *ref) {
  if (!ref->pace) return;
  pthread_mutex_lock(&sink->send_mu);
  ref->pace->under_way -= ref->on_wire;
  pthread_mutex_unlock(&sink->send_mu);
  ref->pace = NULL; /* sent again, it goes by itself */
}

static void on_delivered(void *opaque, const struct rl_err *err, void *arg) {
  struct rl_sink *sink = arg;
  struct rl_sent *ref = opaque;
  make_room(sink, ref);
  if (err->code && !ref->alone && rl_producer_too_large(err)) {
    send_again(sink, ref);
    return;
  }
  if (ref->alone) {
    rl_alone_free(sink->alone);
    sink->alone = NULL;
  }
  settle(sink, ref, err);
}

/* True: it was refused at once. */
static bool send_alone(struct rl_sink *sink, struct rl_producer *p) {
  struct rl_err err = {0};
  if (rl_producer_send(p, rl_alone_record(sink->alone), &err) == 0) return false;
  struct rl_sent *ref = rl_alone_record(sink->alone)->opaque;
  rl_alone_free(sink->alone);
  sink->alone = NULL;
  settle(sink, ref, &err);
  return true;
}

/* The next of those that are sent again, once nothing else is under way. */
static void send_next_alone(struct rl_sink *sink, struct rl_producer *p) {
  do {
    if (sink->alone || !sink->one_by_one || rl_producer_pending(p)) return;
    sink->alone = rl_alone_pop(&sink->again);
  } while (sink->alone && send_alone(sink, p));
  if (!sink->alone) set_one_by_one(sink, false);
}

int rl_sink_serve(struct rl_sink *sink) {
  struct rl_producer *p = atomic_load(&sink->producer);
  if (!p) return 0;
  rl_producer_clear(p);
  int n = rl_producer_serve(p, on_delivered, sink);
  send_next_alone(sink, p);
  pay(sink);
  return n;
}
