#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "stream/letter.h"
#include "stream/place.h"
#include "stream/sink_impl.h"

/* A payload this large is not worth a copy; a smaller one is not worth the fetch buffer it pins (S6.4). */
#define PIN_FROM (64u << 10)
#define LIMIT_MS 5000
#define DEFAULT_MAX_MESSAGE 1048588 /* what the producer sets and brokers take */

struct rl_sink *rl_sink_new(const struct rl_sink_opts *opts) {
  struct rl_sink *sink = rl_zalloc(sizeof *sink);
  sink->opts = *opts;
  if (!sink->opts.topic_ms) sink->opts.topic_ms = RL_SINK_TOPIC_MS;
  sink->s = opts->settings;
  sink->files = rl_files_new(sink->s->fsync);
  pthread_mutex_init(&sink->files_mu, NULL);
  pthread_mutex_init(&sink->known_mu, NULL);
  pthread_mutex_init(&sink->send_mu, NULL);
  return sink;
}

void rl_sent_free(struct rl_sent *ref) {
  atomic_fetch_sub(&ref->flight->bytes, ref->bytes);
  rl_pin_put(ref->pin);
  rl_free(ref->why);
  atomic_fetch_sub_explicit(&ref->flight->pending, 1, memory_order_release); /* last: the flight may go */
  rl_free(ref);
}

static void on_purged(void *opaque, const struct rl_err *err, void *arg) {
  (void)err, (void)arg;
  rl_sent_free(opaque);
}

void rl_sink_free(struct rl_sink *sink) {
  struct rl_producer *p = atomic_load(&sink->producer);
  if (p) rl_producer_destroy(p, on_purged, NULL);
  rl_sink_free_answers(sink);
  rl_files_free(sink->files);
  rl_paces_free(&sink->known);
  pthread_mutex_destroy(&sink->files_mu);
  pthread_mutex_destroy(&sink->known_mu);
  pthread_mutex_destroy(&sink->send_mu);
  rl_free(sink);
}

static struct rl_producer *producer(struct rl_sink *sink, struct rl_err *err) {
  struct rl_producer *p = atomic_load(&sink->producer);
  if (p) return p;
  struct rl_producer_opts opts = {
      .conf = &sink->s->kafka, .brokers = sink->s->brokers, .lane = sink->opts.lane};
  if (rl_producer_open(&p, &opts, err)) return NULL;
  atomic_store(&sink->producer, p);
  sink->opts.opened(sink->opts.arg);
  return p;
}

static struct rl_pace *known(struct rl_sink *sink, const char *topic) {
  pthread_mutex_lock(&sink->known_mu);
  struct rl_pace *found = rl_paces_find(&sink->known, topic);
  pthread_mutex_unlock(&sink->known_mu);
  return found;
}

static struct rl_pace *know(struct rl_sink *sink, const char *topic, size_t limit) {
  pthread_mutex_lock(&sink->known_mu);
  struct rl_pace *added = rl_paces_add(&sink->known, topic, limit);
  pthread_mutex_unlock(&sink->known_mu);
  return added;
}

static int open_file(struct rl_sink *sink, const char *topic, struct rl_err *err) {
  pthread_mutex_lock(&sink->files_mu);
  int rc = rl_files_open(sink->files, topic, err);
  pthread_mutex_unlock(&sink->files_mu);
  return rc;
}

static int look_up(struct rl_sink *sink, const char *topic, int timeout_ms, size_t *limit,
                   struct rl_err *err) {
  if (rl_is_file(topic)) return open_file(sink, topic, err);
  struct rl_producer *p = producer(sink, err);
  if (!p) return rl_err_prefix(err, "topic %s: ", topic);
  int64_t deadline = rl_now() + timeout_ms * RL_NS_PER_MS;
  int rc = rl_producer_has_topic(p, topic, timeout_ms, err);
  if (rc == 0) *limit = rl_producer_topic_limit(p, topic, rl_poll_ms(rl_now(), deadline, LIMIT_MS));
  return rc;
}

/* NULL and err when it is not there. */
static struct rl_pace *check(struct rl_sink *sink, const char *topic, int timeout_ms, struct rl_err *err) {
  size_t limit = 0;
  struct rl_pace *found = known(sink, topic);
  if (found) return found;
  return look_up(sink, topic, timeout_ms, &limit, err) ? NULL : know(sink, topic, limit);
}

int rl_sink_check(struct rl_sink *sink, const char *topic, int timeout_ms, struct rl_err *err) {
  return check(sink, topic, timeout_ms, err) ? 0 : err->code;
}

/* Under send_mu. A dead letter of the reader's goes out while others wait: it has a topic of its own. */
static bool must_wait(const struct rl_sink *sink, const struct rl_sent *ref) {
  if (ref->letter) return false;
  return sink->one_by_one || (ref->pace && !rl_pace_room(ref->pace, ref->on_wire));
}

static int try_send(struct rl_sink *sink, const struct rl_record *record, struct rl_err *err) {
  struct rl_sent *ref = record->opaque;
  struct rl_pace *pace = ref->pace; /* once sent, ref is the reader's */
  size_t bytes = ref->on_wire;
  pthread_mutex_lock(&sink->send_mu);
  int rc = must_wait(sink, ref) ? RL_EFULL : rl_producer_send(atomic_load(&sink->producer), record, err);
  if (rc == 0 && pace) pace->under_way += bytes;
  pthread_mutex_unlock(&sink->send_mu);
  return rc;
}

/* Hands a record to the producer on the flight's account; waits while its queue is full. */
static int produce(struct rl_sink *sink, const struct rl_record *record, struct rl_err *err) {
  int rc;
  while ((rc = try_send(sink, record, err)) == RL_EFULL)
    if (!sink->opts.wait_room(sink->opts.arg))
      return rl_fail(err, RL_EFAIL, "output to %s given up: the run is ending", record->topic);
  return rc;
}

static int send_ref(struct rl_sink *sink, struct rl_record *record, struct rl_pace *pace,
                    struct rl_flight *flight, struct rl_pin *pin, bool letter, struct rl_err *err) {
  struct rl_sent *ref = rl_alloc(sizeof *ref);
  *ref = (struct rl_sent){.flight = flight,
                          .pin = pin ? rl_pin_get(pin) : NULL,
                          .letter = letter,
                          .bytes = pin ? record->value.len : 0};
  if (pace->limit) ref->pace = pace, ref->on_wire = rl_pace_bytes(record);
  record->opaque = ref;
  atomic_fetch_add(&flight->pending, 1);
  atomic_fetch_add(&flight->bytes, ref->bytes);
  if (produce(sink, record, err) == 0) return 0;
  rl_sent_free(ref);
  return err->code;
}

static int send_letter(struct rl_sink *sink, struct rl_pace *pace, struct rl_flight *flight,
                       const struct rl_msg *msg, const struct rl_letter *letter, struct rl_err *err) {
  struct rl_letter_headers h;
  rl_letter_headers(&h, msg, letter, sink->opts.script);
  struct rl_record record = {.topic = sink->s->dead_letter,
                             .partition = -1,
                             .timestamp = msg->timestamp,
                             .key = msg->key,
                             .value = msg->value,
                             .headers = h.at,
                             .n_headers = h.n};
  int rc = send_ref(sink, &record, pace, flight, NULL, true, err);
  rl_letter_headers_free(&h);
  return rc ? rl_err_prefix(err, "dead letter to %s: ", sink->s->dead_letter) : 0;
}

static int file_letter(struct rl_sink *sink, const struct rl_msg *msg, const struct rl_letter *letter,
                       struct rl_err *err) {
  struct rl_letter_headers h;
  rl_letter_headers(&h, msg, letter, sink->opts.script);
  pthread_mutex_lock(&sink->files_mu);
  int rc = rl_files_record(sink->files, sink->s->dead_letter, msg, h.at, h.n, err);
  pthread_mutex_unlock(&sink->files_mu);
  rl_letter_headers_free(&h);
  if (rc == 0) atomic_fetch_add(&sink->rejected, 1);
  return rc;
}

int rl_sink_reject(struct rl_sink *sink, struct rl_flight *flight, const struct rl_msg *msg,
                   const struct rl_letter *letter, struct rl_err *err) {
  if (!sink->s->dead_letter)
    return rl_fail(err, RL_EHANDLER, "a message was rejected, and dead_letter is not set");
  struct rl_pace *pace = check(sink, sink->s->dead_letter, sink->opts.topic_ms, err);
  if (!pace) return rl_err_prefix(err, "dead letter: ");
  if (rl_is_file(sink->s->dead_letter)) return file_letter(sink, msg, letter, err);
  return send_letter(sink, pace, flight, msg, letter, err);
}

static int write_file(struct rl_sink *sink, const struct rl_batch *batch, const struct rl_out *out,
                      struct rl_err *err) {
  if (out->json) return rl_files_json(sink->files, out->topic, out->value, err);
  struct rl_msg msg = {.topic = out->topic, .partition = -1, .offset = -1, .timestamp = -1};
  if (out->message != RL_NO_MESSAGE) msg = batch->msgs[out->message];
  if (out->kind == RL_OUT_FORWARD) return rl_files_message(sink->files, out->topic, &msg, NULL, 0, err);
  msg.key = out->key;
  msg.value = out->value;
  msg.ops = NULL;
  if (out->timestamp > 0) msg.timestamp = out->timestamp;
  return rl_files_message(sink->files, out->topic, &msg, out->headers, out->n_headers, err);
}

static void forwarded(struct rl_record *record, const struct rl_msg *msg, struct rl_buf *headers) {
  struct rl_header h;
  for (size_t i = 0; rl_msg_header(msg, i, &h); i++) rl_buf_put(headers, &h, sizeof h);
  record->headers = (const struct rl_header *)(const void *)headers->data;
  record->n_headers = headers->len / sizeof h;
  record->key = msg->key;
  record->value = msg->value;
  if (record->timestamp <= 0) record->timestamp = msg->timestamp;
}

/* Must the source message outlive its batch for this output? */
static struct rl_pin *pin_for(struct rl_sink *sink, struct rl_batch *batch, struct rl_pin **pins,
                              const struct rl_out *out) {
  if (out->message == RL_NO_MESSAGE) return NULL;
  struct rl_msg *msg = &batch->msgs[out->message];
  bool large = out->kind == RL_OUT_FORWARD && msg->value.len >= PIN_FROM;
  if (!large && !sink->s->dead_letter) return NULL;
  if (!pins[out->message]) pins[out->message] = rl_pin_new(msg);
  return pins[out->message];
}

static int to_topic(struct rl_sink *sink, struct rl_pace *pace, struct rl_flight *flight,
                    struct rl_batch *batch, struct rl_pin **pins, const struct rl_out *out,
                    struct rl_err *err) {
  struct rl_buf headers = RL_BUF_INIT;
  struct rl_pin *pin = pin_for(sink, batch, pins, out);
  struct rl_record record = {.topic = out->topic,
                             .partition = out->partition,
                             .timestamp = out->timestamp,
                             .key = out->key,
                             .value = out->value,
                             .headers = out->headers,
                             .n_headers = out->n_headers};
  if (out->kind == RL_OUT_FORWARD) forwarded(&record, &batch->msgs[out->message], &headers);
  record.pinned = pin && out->kind == RL_OUT_FORWARD && record.value.len >= PIN_FROM;
  int rc = send_ref(sink, &record, pace, flight, pin, false, err);
  rl_buf_free(&headers);
  return rc ? rl_sink_refused(sink, flight, pin, err) : 0;
}

int rl_sink_put(struct rl_sink *sink, struct rl_flight *flight, struct rl_batch *batch, struct rl_pin **pins,
                const struct rl_out *out, struct rl_err *err) {
  if (out->kind == RL_OUT_REJECT) {
    struct rl_letter letter = {.error = out->reason, .attempts = 1};
    return rl_sink_reject(sink, flight, &batch->msgs[out->message], &letter, err);
  }
  struct rl_pace *pace = check(sink, out->topic, sink->opts.topic_ms, err);
  if (!pace) return rl_err_prefix(err, "output: ");
  if (!rl_is_file(out->topic)) return to_topic(sink, pace, flight, batch, pins, out, err);
  pthread_mutex_lock(&sink->files_mu);
  int rc = write_file(sink, batch, out, err);
  pthread_mutex_unlock(&sink->files_mu);
  if (rc) return rc;
  atomic_fetch_add(&sink->sent, 1);
  return 0;
}

int rl_sink_flush(struct rl_sink *sink, struct rl_err *err) {
  pthread_mutex_lock(&sink->files_mu);
  int rc = rl_files_flush(sink->files, err);
  pthread_mutex_unlock(&sink->files_mu);
  return rc;
}

int rl_sink_fd(const struct rl_sink *sink) {
  struct rl_producer *p = atomic_load(&sink->producer);
  return p ? rl_producer_fd(p) : -1;
}

bool rl_sink_may_letter(const struct rl_sink *sink, const struct rl_pin *pin, const struct rl_err *why) {
  return pin && sink->s->dead_letter && rl_producer_too_large(why);
}

void rl_sink_say_lettered(const struct rl_sink *sink, const struct rl_pin *pin, const struct rl_err *why) {
  char place[RL_PLACE_MAX];
  rl_place(place, &pin->msg);
  rl_log(RL_WARN, "%s: %s: dead-lettered to %s", place, why->text, sink->s->dead_letter);
}

int rl_sink_refused(struct rl_sink *sink, struct rl_flight *flight, const struct rl_pin *pin,
                    struct rl_err *err) {
  if (!rl_sink_may_letter(sink, pin, err)) return err->code;
  struct rl_letter letter = {.error = err->text, .attempts = 1};
  rl_sink_say_lettered(sink, pin, err);
  struct rl_err second = {0};
  if (rl_sink_reject(sink, flight, &pin->msg, &letter, &second) == 0) return 0;
  *err = second;
  return err->code;
}

bool rl_sink_fatal(struct rl_sink *sink, struct rl_err *err) {
  struct rl_producer *p = atomic_load(&sink->producer);
  return p && rl_producer_fatal(p, err);
}

size_t rl_sink_max_message(const struct rl_settings *s) {
  const char *text = rl_kconf_get(&s->kafka, "message.max.bytes");
  int64_t bytes;
  return text && rl_parse_i64(text, &bytes) && bytes > 0 ? (size_t)bytes : DEFAULT_MAX_MESSAGE;
}

int64_t rl_sink_sent(const struct rl_sink *sink) { return atomic_load(&sink->sent); }
int64_t rl_sink_rejected(const struct rl_sink *sink) { return atomic_load(&sink->rejected); }
