/* Batches to the handler.
 *
 * Three places hold a batch before the handler has it: the one that fills; the hand-over slot, for a full one
 * whose handler is busy; and, at most once, the one whose offsets are being committed first. A batch past its
 * deadline stays open until the handler asks (S6.1). */
#include "base/log.h"
#include "base/mem.h"
#include "stream/lane_state.h"

/* Is the batch that fills to be handed over now, and why? */
static bool due(struct rl_lane *lane, int64_t now, enum rl_cause *cause) {
  if (!lane->filling || !lane->filling->n) return false;
  if (rl_batcher_due(&lane->batcher, now, lane->more && rl_can_take(lane), cause)) return true;
  if (rl_one_waits(lane) && !lane->await.on) {
    *cause = lane->next ? RL_CAUSE_SIZE : RL_CAUSE_BYTES;
    return true;
  }
  *cause = lane->turning ? RL_CAUSE_END : lane->last_cause;
  return lane->turning || lane->phase != RL_RUNNING;
}

/* Closes the batch that fills: it gets its number and cause, and a new one may begin. */
static struct rl_batch *close_filling(struct rl_lane *lane, enum rl_cause cause) {
  struct rl_batch *batch = lane->filling;
  lane->filling = NULL;
  batch->cause = cause;
  batch->number = ++lane->number;
  batch->epoch = lane->round;
  rl_batcher_taken(&lane->batcher);
  return batch;
}

/* What a default or the holes of lists would hide, the decoder knows, and what a required field was in a
 * message that failed for it: null is not nowhere. */
static bool hides(const struct rl_field *field) {
  return field->has_default || field->n_lists || field->required;
}

static bool all_missing(const struct rl_lane *lane, const struct rl_batch *batch, size_t field) {
  bool asked = false;
  bool required = batch->columns->fields->at[field].required;
  for (size_t row = 0; row < batch->rows; row++) {
    size_t i = rl_batch_owner(batch, row);
    bool counts = batch->msgs[i].value.data && (required || !batch->bad || !batch->bad[i]);
    bool there = hides(&batch->columns->fields->at[field])
                     ? rl_decoder_met(lane->decoder, field)
                     : batch->columns->col[field][row].tag != RL_MISSING;
    if (counts && there) return false;
    asked = asked || counts;
  }
  return asked;
}

/* Below a null record, say: the schema has what no value had. */
static bool is_declared(const struct rl_lane *lane, const struct rl_batch *batch, size_t field) {
  for (size_t i = 0; i < batch->n; i++)
    if (rl_decoder_declares(lane->decoder, &batch->msgs[i], &batch->columns->fields->at[field])) return true;
  return false;
}

static bool is_nowhere(const struct rl_lane *lane, const struct rl_batch *batch, size_t field) {
  return all_missing(lane, batch, field) && !is_declared(lane, batch, field);
}

/* A required field is each message's own fault where a dead letter takes those that lack it. */
static bool is_looked_for(const struct rl_lane *lane, const struct rl_field *field) {
  bool by_message = field->required && lane->s->dead_letter;
  return field->meta == RL_META_NONE && !by_message;
}

static const struct rl_msg *sample(const struct rl_batch *batch) {
  for (size_t row = 0; row < batch->rows; row++) {
    const struct rl_msg *msg = &batch->msgs[rl_batch_owner(batch, row)];
    if (msg->value.data) return msg;
  }
  return &batch->msgs[0];
}

static void field_nowhere(struct rl_lane *lane, const struct rl_batch *batch, const struct rl_field *field) {
  struct rl_buf near = RL_BUF_INIT;
  struct rl_err err = {0};
  rl_decoder_suggest(lane->decoder, sample(batch), field, &near);
  rl_fail(&err, RL_EHANDLER, "field '%s' (%s) is in none of the first %zu messages of %s%s%s%s", field->name,
          field->path, batch->n, batch->msgs[0].topic, near.len ? ": there is '" : "", rl_buf_text(&near),
          near.len ? "'" : "");
  if (lane->s->strict_fields || field->required)
    rl_lane_fail(lane, &err);
  else
    rl_log(RL_WARN, "%s", err.text);
  rl_buf_free(&near);
}

/* A field that the whole first batch lacks is more often a typo than a rare field; a batch without rows says
 * nothing. False: the run ends for it. */
static bool check_fields(struct rl_lane *lane, const struct rl_batch *batch) {
  if (lane->fields_checked || !batch->columns || lane->s->decode_lua || !batch->rows) return true;
  lane->fields_checked = true;
  for (size_t f = 0; f < batch->columns->fields->n; f++) {
    const struct rl_field *field = &batch->columns->fields->at[f];
    if (is_looked_for(lane, field) && is_nowhere(lane, batch, f)) field_nowhere(lane, batch, field);
  }
  return !rl_lane_failed(lane);
}

static bool is_blank(struct rl_bytes text) {
  for (size_t i = 0; i < text.len; i++)
    if (!strchr(" \t\r\n", text.data[i])) return false;
  return true;
}

static bool all_blank(const struct rl_batch *batch) {
  for (size_t i = 0; i < batch->n; i++)
    if (!is_blank(batch->msgs[i].value)) return false;
  return true;
}

/* A line of the input's own, not a record that holds another topic's message. */
static bool is_line(const struct rl_msg *msg) {
  const char *file;
  return rl_source_file_line(msg, &file) && strcmp(msg->topic, file) == 0;
}

static const char *header_advice(const struct rl_settings *s, const struct rl_msg *msg) {
  if (is_line(msg)) return "every line is a message here: --input-format whole makes the file one";
  if (s->csv_columns.n)
    return "csv.header skips the first record of each: where they hold rows only, leave it out";
  return "csv.header takes the first record of each for names: where they hold rows only, leave it out and "
         "name the columns with csv.columns";
}

/* Where CSV of one header is cut into messages, each begins with a header and holds nothing else: no row at
 * all, and no error. Told of the run's first batch that holds anything; a file that is one message may well
 * be empty. */
static void check_headers(const struct rl_lane *lane, const struct rl_batch *batch) {
  const struct rl_settings *s = lane->s;
  if (!s->csv_header || all_blank(batch) || atomic_exchange(&lane->run->headers_checked, true)) return;
  if (batch->rows || (s->input_format && strcmp(s->input_format, "whole") == 0)) return;
  rl_log(RL_WARN, "the first %zu %s of %s have a header each and no record; %s", batch->n,
         is_line(&batch->msgs[0]) ? "lines" : "messages", batch->msgs[0].topic,
         header_advice(s, &batch->msgs[0]));
}

/* in_flight bounds what is handed over and not yet committed (promise 1). The bytes are those of the messages
 * that are pinned; that the rest of a message's fetch response stays with it is not counted: librdkafka does
 * not say which messages share one. */
static bool may_fly(struct rl_lane *lane) {
  size_t bytes = 0;
  if (lane->n_flights + rl_uncommitted(lane) >= (size_t)lane->s->in_flight) return false;
  for (struct rl_flight *f = lane->flights; f; f = f->next) bytes += atomic_load(&f->bytes);
  return bytes < (size_t)lane->s->in_flight_bytes || !lane->flights;
}

static void give(struct rl_lane *lane, struct rl_batch *batch, struct rl_flight *flight, bool append) {
  lane->stats.batches++;
  lane->stats.by_cause[batch->cause]++;
  if (append) rl_flight_append(lane, flight);
  lane->given = batch;
  lane->flying = flight;
  lane->want = false;
  pthread_cond_broadcast(&lane->cv);
  if (!lane->has_engine) rl_wake_ring(&lane->ready);
}

static bool asked_for(struct rl_lane *lane) {
  pthread_mutex_lock(&lane->mu);
  bool yes = lane->want && !lane->given && !lane->err.code && !lane->gave_up && may_fly(lane);
  pthread_mutex_unlock(&lane->mu);
  return yes;
}

/* The next batch that may go: the full one first. */
static struct rl_batch *next_batch(struct rl_lane *lane, int64_t now) {
  struct rl_batch *batch = lane->slot;
  enum rl_cause cause;
  lane->slot = NULL;
  if (!batch && due(lane, now, &cause)) batch = close_filling(lane, cause);
  if (batch) check_headers(lane, batch);
  if (!batch || check_fields(lane, batch)) return batch;
  rl_batch_free(batch);
  return NULL;
}

/* S3.2: marks all of the batch as done and lets the commit run; handle waits for the answer. */
static void begin_pre(struct rl_lane *lane, struct rl_batch *batch) {
  unsigned char *all = rl_alloc(batch->n);
  memset(all, 1, batch->n);
  lane->pre = batch;
  lane->pre_flight = rl_flight_new(batch);
  rl_flight_settle(lane->pre_flight, batch, all);
  rl_free(all);
  for (size_t i = 0; i < lane->pre_flight->n_marks; i++) {
    const struct rl_mark *m = &lane->pre_flight->marks[i];
    rl_offsets_done(&lane->offsets, m->slot, m->epoch, m->next);
  }
  pthread_mutex_lock(&lane->mu);
  rl_flight_append(lane, lane->pre_flight);
  pthread_mutex_unlock(&lane->mu);
}

static bool is_not_committed(const struct rl_msg *msg, void *arg) {
  struct rl_lane *lane = arg;
  const struct rl_part *p = &lane->offsets.at[msg->slot];
  return p->epoch != msg->epoch || p->committed == RL_OFFSET_INVALID || p->committed <= msg->offset;
}

static bool pre_answered(const struct rl_lane *lane) {
  for (size_t i = 0; i < lane->pre_flight->n_marks; i++) {
    const struct rl_mark *m = &lane->pre_flight->marks[i];
    const struct rl_part *p = &lane->offsets.at[m->slot];
    if (p->epoch == m->epoch && (p->committed == RL_OFFSET_INVALID || p->committed < m->next)) return false;
  }
  return true;
}

/* What was committed is handled; what could not be (its partition is gone) must not be. */
static void end_pre(struct rl_lane *lane) {
  struct rl_batch *batch = lane->pre;
  lane->pre = NULL;
  rl_uncount(lane, rl_batch_strike(batch, is_not_committed, lane));
  pthread_mutex_lock(&lane->mu);
  if (batch->n) {
    give(lane, batch, lane->pre_flight, false);
    batch = NULL;
  } else {
    lane->pre_flight->state = RL_FLIGHT_ABANDONED;
  }
  pthread_mutex_unlock(&lane->mu);
  if (batch) rl_batch_free(batch);
}

static void hand_to(struct rl_lane *lane, struct rl_batch *batch) {
  if (lane->s->delivery == RL_AT_MOST_ONCE && lane->source.tracks) {
    begin_pre(lane, batch);
    return;
  }
  struct rl_flight *flight = rl_flight_new(batch);
  pthread_mutex_lock(&lane->mu);
  give(lane, batch, flight, true);
  pthread_mutex_unlock(&lane->mu);
}

void rl_hand_over(struct rl_lane *lane, int64_t now) {
  enum rl_cause cause;
  if (lane->pre) {
    if (pre_answered(lane)) end_pre(lane);
    return;
  }
  if (asked_for(lane)) {
    struct rl_batch *batch = next_batch(lane, now);
    if (batch) hand_to(lane, batch);
  }
  bool full = rl_batcher_full(&lane->batcher) || (rl_one_waits(lane) && !lane->await.on);
  if (full && !lane->slot && due(lane, now, &cause)) lane->slot = close_filling(lane, cause);
}

/* On the way out: the answer to its commit did not come in time. It is not handled then, and its offsets
 * leave the positions, so that no later commit counts it. */
void rl_pre_drop(struct rl_lane *lane) {
  if (!lane->pre) return;
  rl_log(RL_WARN, "%zu messages are not handled: their commit was not answered in time (at most once)",
         lane->pre->n);
  for (size_t i = 0; i < lane->pre_flight->n_marks; i++)
    rl_offsets_revoke(&lane->offsets, lane->pre_flight->marks[i].slot);
  rl_batch_free(lane->pre);
  lane->pre = NULL;
  pthread_mutex_lock(&lane->mu);
  lane->pre_flight->state = RL_FLIGHT_ABANDONED;
  pthread_mutex_unlock(&lane->mu);
}

/* None while the batch could not go: what lets it go rings. */
int64_t rl_fill_deadline(struct rl_lane *lane) {
  bool filled = lane->filling && lane->filling->n && !lane->pre;
  return filled && asked_for(lane) ? lane->batcher.deadline : RL_NEVER;
}
