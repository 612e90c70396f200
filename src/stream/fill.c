/* Messages into the batch that fills.
 *
 * How many rows a message has is known when it is decoded, in the batch it joined: if they are too many for
 * that one, message and rows leave it again and begin the next. */
#include "base/log.h"
#include "base/mem.h"
#include "stream/lane_state.h"

#define TAKE_AT_MOST 4096 /* messages before events are served again */

static size_t size_of(const struct rl_msg *msg) { return msg->key.len + msg->value.len; }

static const struct rl_fields *fields_of(const struct rl_lane *lane) {
  return lane->s->fields.n ? &lane->s->fields : NULL;
}

static struct rl_batch *filling(struct rl_lane *lane) {
  if (!lane->filling) lane->filling = rl_batch_new(fields_of(lane), (size_t)lane->s->batch_size);
  return lane->filling;
}

/* Into the batch's columns; *rows is how many. Without fields a decoder still says that, and which values it
 * cannot read. */
static int decode(struct rl_lane *lane, struct rl_batch *batch, const struct rl_msg *msg, size_t *rows,
                  struct rl_err *err) {
  *rows = 1;
  if (!batch->columns && lane->decodes_raw) return 0;
  return rl_decoder_rows(lane->decoder, msg, batch->columns, rows, err);
}

static void hold(struct rl_lane *lane, const struct rl_msg *msg, int64_t arrived) {
  lane->held = *msg;
  lane->has_held = true;
  lane->held_at = arrived;
}

static void add_places(struct rl_lane *lane, size_t places, size_t bytes, int64_t arrived) {
  const struct rl_columns *columns = lane->filling->columns;
  rl_batcher_add(&lane->batcher, places, bytes, arrived);
  if (columns) rl_batcher_set_columns(&lane->batcher, rl_columns_bytes(columns));
}

/* The batch's last message, if its rows are not too many for it. */
static void count_in(struct rl_lane *lane, const struct rl_msg *msg, size_t rows, int64_t arrived) {
  if (rows > 1 && !rl_batcher_fits(&lane->batcher, rows, size_of(msg))) {
    lane->next = rl_batch_take_last(lane->filling);
    lane->held_at = arrived;
  } else {
    add_places(lane, rows ? rows : 1, size_of(msg), arrived);
  }
}

/* Into the batch that fills, or, while its schema is not there yet, back to where it is held. The decoder's
 * rows come first: they are none while the schema is not there. */
static void add(struct rl_lane *lane, const struct rl_msg *msg, int64_t arrived, int64_t now) {
  struct rl_batch *batch = filling(lane);
  struct rl_err err; /* a kilobyte: read only when it was filled */
  uint64_t news = rl_await_news(lane);
  size_t rows;
  int code = decode(lane, batch, msg, &rows, &err);
  if (code == RL_ETRANSIENT) {
    hold(lane, msg, arrived);
    rl_await_begin(lane, news, &err, now);
    return;
  }
  lane->await.on = false;
  size_t last = rl_batch_add(batch, msg);
  if (code) rl_batch_set_bad(batch, last, err.text);
  if (rows != 1) rl_batch_set_rows(batch, rows); /* one it has from the start */
  count_in(lane, msg, rows, arrived);
}

/* A message waits for the batch that fills to go. */
bool rl_one_waits(const struct rl_lane *lane) { return lane->has_held || lane->next; }

/* --count is shared by all lanes; a message past it is not ours. After it nothing more is taken, no EOF
 * either, so that no position can pass the message that was let go. */
static bool counted(struct rl_lane *lane) {
  long long left = atomic_load(&lane->run->left);
  while (left > 0)
    if (atomic_compare_exchange_weak(&lane->run->left, &left, left - 1)) return true;
  lane->past_count = left == 0;
  return left < 0;
}

/* Offsets that go back are a new log: the topic was made again, or its start was moved over ours. What is
 * done of the old one must not be committed over it. */
static void check_went_back(struct rl_lane *lane, const struct rl_msg *msg) {
  if (!rl_offsets_went_back(&lane->offsets, msg)) return;
  struct rl_part *p = &lane->offsets.at[msg->slot];
  rl_log(RL_WARN,
         "%s[%d] went back from offset %lld to %lld: the topic was made again, or its offsets were reset",
         msg->topic, msg->partition, (long long)p->taken, (long long)msg->offset);
  rl_offsets_assign(&lane->offsets, msg->slot);
  rl_epoch_set(lane, msg->slot, p->epoch);
}

static void on_message(struct rl_lane *lane, struct rl_msg *msg, int64_t now) {
  lane->last_message = now;
  lane->down_since = 0;
  if (lane->source.tracks) check_went_back(lane, msg);
  if ((lane->source.tracks && !rl_offsets_take(&lane->offsets, msg)) || !counted(lane)) {
    rl_msg_release(msg);
    return;
  }
  if (lane->taken_messages++ == 0) atomic_store(&lane->run->got_message, true);
  lane->taken_bytes += (int64_t)size_of(msg);
  if (rl_batcher_fits(&lane->batcher, 1, size_of(msg)))
    add(lane, msg, now, now);
  else
    hold(lane, msg, now);
}

static void on_eof(struct rl_lane *lane, const struct rl_msg *msg) {
  lane->down_since = 0;
  if (lane->source.tracks)
    rl_offsets_eof(&lane->offsets, msg->slot, msg->offset);
  else
    lane->source_ended = true;
}

/* Errors that come in the place of messages: an outage is waited for. What is not allowed ends the run, and
 * so does what librdkafka cannot read, since it goes on behind it. */
static void on_take_error(struct rl_lane *lane, const struct rl_err *err, int64_t now) {
  if (err->code == RL_ETRANSIENT)
    rl_say_trouble(lane, err->text, true, now);
  else
    rl_lane_fail(lane, err);
}

bool rl_can_take(struct rl_lane *lane) {
  return lane->phase == RL_RUNNING && !lane->past_count && !rl_one_waits(lane) && !lane->revoke.open &&
         !lane->source_ended && !rl_batcher_full(&lane->batcher) && atomic_load(&lane->run->left) != 0;
}

/* Takes one thing; false when the source has nothing more now. */
static bool take_one(struct rl_lane *lane, int64_t now) {
  struct rl_msg msg = {0};
  struct rl_err err; /* a kilobyte: not cleared for each message */
  err.code = err.kafka = 0;
  switch (lane->source.take(lane->source.self, &msg, &err)) {
    case RL_TAKE_NONE: return false;
    case RL_TAKE_MSG: on_message(lane, &msg, now); return true;
    case RL_TAKE_EOF: on_eof(lane, &msg); return true;
    case RL_TAKE_ERROR: on_take_error(lane, &err, now); return true;
  }
  return false;
}

static void publish_taken(struct rl_lane *lane) {
  pthread_mutex_lock(&lane->mu);
  lane->stats.messages = lane->taken_messages;
  lane->stats.bytes = lane->taken_bytes;
  pthread_mutex_unlock(&lane->mu);
}

bool rl_held_fits(struct rl_lane *lane) {
  if (lane->next) return !lane->filling || !lane->filling->n;
  return lane->has_held && !rl_await_quiet(lane) && rl_batcher_fits(&lane->batcher, 1, size_of(&lane->held));
}

/* The message that did not fit joins, or begins a batch; the one that was waited for is decoded again. */
static void add_held(struct rl_lane *lane, int64_t now) {
  if (lane->next) {
    rl_batch_free(lane->filling);
    lane->filling = lane->next;
    lane->next = NULL;
    add_places(lane, rl_batch_places(lane->filling), lane->filling->bytes, lane->held_at);
  } else {
    struct rl_msg msg = lane->held;
    lane->has_held = false;
    add(lane, &msg, lane->held_at, now);
  }
}

/* Silence is counted while messages could have come, and for all lanes of the run together. */
static void note_silence(struct rl_lane *lane, int64_t now) {
  if (lane->last_message == now || lane->blocked || lane->revoke.open)
    atomic_store(&lane->run->quiet_since, now);
}

void rl_fill(struct rl_lane *lane, int64_t now) {
  int64_t before = lane->taken_messages;
  if (rl_held_fits(lane)) add_held(lane, now);
  if (!rl_can_take(lane))
    lane->more = true; /* the source rings once: what comes meanwhile is looked for later */
  for (int i = 0; i < TAKE_AT_MOST && rl_can_take(lane); i++)
    if (!(lane->more = take_one(lane, now))) break;
  lane->blocked = lane->phase == RL_RUNNING && (rl_one_waits(lane) || rl_batcher_full(&lane->batcher));
  note_silence(lane, now);
  if (lane->taken_messages != before) publish_taken(lane);
}

bool rl_fill_empty(const struct rl_lane *lane) {
  return !lane->slot && !lane->pre && !rl_one_waits(lane) && (!lane->filling || !lane->filling->n);
}

void rl_fill_drop(struct rl_lane *lane) {
  if (lane->has_held) rl_msg_release(&lane->held);
  lane->has_held = lane->await.on = false;
  rl_batch_free(lane->slot);
  rl_batch_free(lane->filling);
  rl_batch_free(lane->next);
  lane->slot = lane->filling = lane->next = NULL;
  rl_batcher_taken(&lane->batcher);
}

static size_t strike_batch(struct rl_batch **batch, bool (*drop)(const struct rl_msg *msg, void *arg),
                           void *arg) {
  if (!*batch) return 0;
  size_t n = rl_batch_strike(*batch, drop, arg);
  if (n && !(*batch)->n) {
    rl_batch_free(*batch);
    *batch = NULL;
  }
  return n;
}

static size_t places_of(const struct rl_batch *batch) { return batch ? rl_batch_places(batch) : 0; }

size_t rl_fill_strike(struct rl_lane *lane, bool (*drop)(const struct rl_msg *msg, void *arg), void *arg) {
  size_t bytes = lane->filling ? lane->filling->bytes : 0, places = places_of(lane->filling);
  size_t n = strike_batch(&lane->filling, drop, arg);
  rl_batcher_struck(&lane->batcher, places - places_of(lane->filling),
                    bytes - (lane->filling ? lane->filling->bytes : 0));
  n += strike_batch(&lane->slot, drop, arg);
  n += strike_batch(&lane->next, drop, arg);
  if (lane->has_held && drop(&lane->held, arg)) {
    rl_msg_release(&lane->held);
    lane->has_held = lane->await.on = false;
    n++;
  }
  return n;
}
