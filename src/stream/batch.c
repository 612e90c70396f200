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

/* `bad` has as many places as `msgs` once it exists. */
static void make_room(struct rl_batch *b) {
  size_t before = b->cap;
  RL_GROW(b->msgs, b->cap, b->n + 1);
  if (!b->bad || b->cap == before) return;
  b->bad = rl_realloc(b->bad, b->cap * sizeof *b->bad);
  for (size_t i = before; i < b->cap; i++) b->bad[i] = NULL;
}

size_t rl_batch_add(struct rl_batch *b, const struct rl_msg *msg) {
  make_room(b);
  b->msgs[b->n] = *msg;
  b->bytes += msg->key.len + msg->value.len;
  return b->n++;
}

void rl_batch_set_bad(struct rl_batch *b, size_t row, const char *why) {
  if (!b->bad) b->bad = rl_zalloc(b->cap * sizeof *b->bad);
  char *text = rl_strdup(why);
  rl_free(b->bad[row]);
  b->bad[row] = text;
}

static void drop_row(struct rl_batch *b, size_t row) {
  struct rl_msg *msg = &b->msgs[row];
  b->bytes -= msg->key.len + msg->value.len;
  rl_msg_release(msg);
  if (!b->bad) return;
  rl_free(b->bad[row]);
  b->bad[row] = NULL;
}

static void move_row(struct rl_batch *b, size_t to, size_t from) {
  if (to == from) return;
  b->msgs[to] = b->msgs[from];
  if (!b->bad) return;
  b->bad[to] = b->bad[from];
  b->bad[from] = NULL;
}

/* The columns may be behind: rows that are not decoded yet have no place in them. */
static void keep_columns(struct rl_columns *c, const uint32_t *rows, size_t n) {
  if (!c) return;
  while (n && rows[n - 1] >= c->rows) n--;
  rl_columns_keep(c, rows, n);
}

size_t rl_batch_strike(struct rl_batch *b, bool (*drop)(const struct rl_msg *msg, void *arg), void *arg) {
  if (!b->n) return 0;
  uint32_t *kept = rl_alloc(b->n * sizeof *kept);
  size_t n = 0;
  for (size_t i = 0; i < b->n; i++) {
    if (drop(&b->msgs[i], arg)) {
      drop_row(b, i);
    } else {
      move_row(b, n, i);
      kept[n++] = (uint32_t)i;
    }
  }
  size_t gone = b->n - n;
  if (gone) keep_columns(b->columns, kept, n);
  b->n = n;
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
  rl_free(b->msgs);
  rl_free(b);
}
