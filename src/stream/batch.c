#include "stream/batch.h"

#include "base/mem.h"

const char *rl_cause_name(enum rl_cause cause) {
  static const char *const names[] = {"size", "bytes", "timeout", "end", "stop"};
  return names[cause];
}

struct rl_batch *rl_batch_new(const struct rl_fields *fields, size_t size_hint) {
  struct rl_batch *b = rl_zalloc(sizeof *b);
  if (size_hint) RL_GROW(b->msgs, b->cap, size_hint);
  if (fields && fields->n) b->columns = rl_columns_new(fields);
  return b;
}

/* `bad` and `first` have as many places as `msgs` once they exist. */
static void make_room(struct rl_batch *b) {
  size_t before = b->cap;
  RL_GROW(b->msgs, b->cap, b->n + 1);
  if (b->cap == before) return;
  if (b->first) b->first = rl_realloc(b->first, b->cap * sizeof *b->first);
  if (!b->bad) return;
  b->bad = rl_realloc(b->bad, b->cap * sizeof *b->bad);
  for (size_t i = before; i < b->cap; i++) b->bad[i] = NULL;
}

/* From here on the rows from `row` on are the message's. */
static void own_rows(struct rl_batch *b, size_t message, size_t row, size_t n) {
  RL_GROW(b->owner, b->cap_owner, row + n);
  b->first[message] = (uint32_t)row;
  for (size_t i = row; i < row + n; i++) b->owner[i] = (uint32_t)message;
}

size_t rl_batch_add(struct rl_batch *b, const struct rl_msg *msg) {
  make_room(b);
  b->msgs[b->n] = *msg;
  b->bytes += msg->key.len + msg->value.len;
  if (b->first) own_rows(b, b->n, b->rows, 1);
  b->rows++;
  return b->n++;
}

static void tell_rows_apart(struct rl_batch *b) {
  b->first = rl_alloc(b->cap * sizeof *b->first);
  for (size_t i = 0; i < b->n; i++) own_rows(b, i, i, 1);
}

void rl_batch_set_rows(struct rl_batch *b, size_t rows) {
  if (!b->first && rows == 1) return;
  if (!b->first) tell_rows_apart(b);
  own_rows(b, b->n - 1, b->first[b->n - 1], rows);
  b->rows = b->first[b->n - 1] + rows;
}

size_t rl_batch_places(const struct rl_batch *b) {
  size_t places = b->rows;
  for (size_t i = 0; b->first && i < b->n; i++) places += rl_batch_rows_of(b, i) == 0;
  return places;
}

void rl_batch_set_bad(struct rl_batch *b, size_t message, const char *why) {
  if (!b->bad) b->bad = rl_zalloc(b->cap * sizeof *b->bad);
  char *text = rl_strdup(why);
  rl_free(b->bad[message]);
  b->bad[message] = text;
}

static void forget_message(struct rl_batch *b, size_t message) {
  b->bytes -= b->msgs[message].key.len + b->msgs[message].value.len;
  if (!b->bad) return;
  rl_free(b->bad[message]);
  b->bad[message] = NULL;
}

struct rl_batch *rl_batch_take_last(struct rl_batch *b) {
  size_t last = b->n - 1, row = rl_batch_first(b, last), rows = rl_batch_rows_of(b, last);
  struct rl_batch *to = rl_batch_new(b->columns ? b->columns->fields : NULL, b->cap);
  rl_batch_add(to, &b->msgs[last]);
  rl_batch_set_rows(to, rows);
  if (b->bad && b->bad[last]) rl_batch_set_bad(to, 0, b->bad[last]);
  if (b->columns) rl_columns_move(b->columns, row, to->columns);
  forget_message(b, last);
  b->n = last;
  b->rows = row;
  return to;
}

static void move_message(struct rl_batch *b, size_t to, size_t from) {
  if (to == from) return;
  b->msgs[to] = b->msgs[from];
  if (!b->bad) return;
  b->bad[to] = b->bad[from];
  b->bad[from] = NULL;
}

/* The columns may be behind: messages that are not decoded yet have no rows in them. */
static void keep_columns(struct rl_columns *c, const uint32_t *rows, size_t n) {
  if (!c) return;
  while (n && rows[n - 1] >= c->rows) n--;
  rl_columns_keep(c, rows, n);
}

/* Message `from` becomes message `to`, its rows those from `row` on; kept gets what they were. Returns how
 * many they are. */
static size_t keep_message(struct rl_batch *b, size_t to, size_t from, size_t row, uint32_t *kept) {
  size_t first = rl_batch_first(b, from), n = rl_batch_rows_of(b, from);
  for (size_t i = 0; i < n; i++) kept[row + i] = (uint32_t)(first + i);
  move_message(b, to, from);
  if (b->first) own_rows(b, to, row, n);
  return n;
}

size_t rl_batch_strike(struct rl_batch *b, bool (*drop)(const struct rl_msg *msg, void *arg), void *arg) {
  if (!b->n) return 0;
  uint32_t *kept = rl_alloc((b->rows + 1) * sizeof *kept);
  size_t n = 0, rows = 0;
  for (size_t i = 0; i < b->n; i++) {
    if (drop(&b->msgs[i], arg)) {
      forget_message(b, i);
      rl_msg_release(&b->msgs[i]);
    } else {
      rows += keep_message(b, n++, i, rows, kept);
    }
  }
  size_t gone = b->n - n;
  if (gone) keep_columns(b->columns, kept, rows);
  b->n = n;
  b->rows = rows;
  rl_free(kept);
  return gone;
}

void rl_batch_release_messages(struct rl_batch *b) {
  for (size_t i = 0; i < b->n; i++) {
    rl_msg_release(&b->msgs[i]);
    b->msgs[i].key = b->msgs[i].value = rl_bytes(NULL, 0); /* nobody may read what is no longer held */
  }
}

void rl_batch_free(struct rl_batch *b) {
  if (!b) return;
  rl_columns_free(b->columns);
  rl_batch_release_messages(b);
  for (size_t i = 0; b->bad && i < b->n; i++) rl_free(b->bad[i]);
  rl_free(b->bad);
  rl_free(b->first);
  rl_free(b->owner);
  rl_free(b->msgs);
  rl_free(b);
}
