#include "stream/outbox.h"

#include "base/mem.h"

#define NUMBER_FREE ((size_t)64 << 10) /* bytes for outputs themselves, however low the limit */

void rl_outbox_init(struct rl_outbox *o, size_t max_bytes, size_t max_message) {
  *o = (struct rl_outbox){.max_bytes = max_bytes, .max_message = max_message};
  rl_arena_init(&o->arena);
}

/* "-" and "file:PATH" are written, not sent: no broker limits their size. */
static bool is_kafka(const char *topic) { return strcmp(topic, "-") != 0 && strncmp(topic, "file:", 5) != 0; }

static size_t size_of(const struct rl_out *out) {
  size_t size = out->key.len + out->value.len;
  for (size_t i = 0; i < out->n_headers; i++)
    size += strlen(out->headers[i].name) + out->headers[i].value.len;
  return size;
}

/* What outputs take here beside their bytes is bounded as those are: so are outputs that hold nothing. */
static int check_number(const struct rl_outbox *o, const char *topic, struct rl_err *err) {
  size_t most = (o->max_bytes > NUMBER_FREE ? o->max_bytes : NUMBER_FREE) / sizeof(struct rl_out);
  if (!o->max_bytes || o->n < most) return 0;
  return rl_fail(err, RL_EHANDLER,
                 "an output to \"%s\" exceeds limits.output (%zu bytes): %zu outputs are staged; send fewer "
                 "from one call, use smaller batches (batch.size) or raise limits.output",
                 topic, o->max_bytes, o->n);
}

static int check_total(const struct rl_outbox *o, const char *topic, size_t size, struct rl_err *err) {
  if (!o->max_bytes || (o->bytes <= o->max_bytes && size <= o->max_bytes - o->bytes))
    return check_number(o, topic, err);
  return rl_fail(err, RL_EHANDLER,
                 "an output of %zu bytes to \"%s\" exceeds limits.output: %zu bytes are staged, %zu may be; "
                 "send less from one call, use smaller batches (batch.size) or raise limits.output",
                 size, topic, o->bytes, o->max_bytes);
}

static int check_message(const struct rl_outbox *o, const char *topic, size_t size, struct rl_err *err) {
  if (!o->max_message || size <= o->max_message || !is_kafka(topic)) return 0;
  return rl_fail(
      err, RL_EHANDLER,
      "an output of %zu bytes to \"%s\" is larger than message.max.bytes (%zu): send less, or raise "
      "it for the producer (kafka setting) and for the topic (max.message.bytes)",
      size, topic, o->max_message);
}

static struct rl_out *stage(struct rl_outbox *o, size_t size) {
  RL_GROW(o->at, o->cap, o->n + 1);
  o->bytes += size;
  return &o->at[o->n++];
}

static struct rl_header *copy_headers(struct rl_arena *arena, const struct rl_header *from, size_t n) {
  if (!n) return NULL;
  struct rl_header *to = rl_arena_alloc(arena, n * sizeof *to);
  for (size_t i = 0; i < n; i++) {
    to[i].name = rl_arena_strdup(arena, from[i].name);
    to[i].value = rl_arena_copy(arena, from[i].value);
  }
  return to;
}

int rl_outbox_send(struct rl_outbox *o, const struct rl_out *out, struct rl_err *err) {
  size_t size = size_of(out);
  int rc = check_message(o, out->topic, size, err);
  if (!rc) rc = check_total(o, out->topic, size, err);
  if (rc) return rc;
  struct rl_out *staged = stage(o, size);
  *staged = *out;
  staged->kind = RL_OUT_SEND;
  staged->topic = rl_arena_strdup(&o->arena, out->topic);
  staged->key = rl_arena_copy(&o->arena, out->key);
  staged->value = rl_arena_copy(&o->arena, out->value);
  staged->headers = copy_headers(&o->arena, out->headers, out->n_headers);
  staged->reason = NULL;
  return 0;
}

/* A forwarded message that is too large for its topic is refused when it is produced, where it costs that
 * message alone (S5.2); failing here would fail the whole call. */
int rl_outbox_forward(struct rl_outbox *o, const char *topic, uint32_t message, size_t size,
                      int32_t partition, int64_t timestamp, struct rl_err *err) {
  int rc = check_total(o, topic, size, err);
  if (rc) return rc;
  /* A batch is forwarded message by message to one topic: its name is copied once. */
  const struct rl_out *last = o->n ? &o->at[o->n - 1] : NULL;
  bool same = last && last->kind == RL_OUT_FORWARD && strcmp(last->topic, topic) == 0;
  const char *name = same ? last->topic : rl_arena_strdup(&o->arena, topic);
  *stage(o, size) = (struct rl_out){.kind = RL_OUT_FORWARD,
                                    .topic = name,
                                    .partition = partition,
                                    .timestamp = timestamp,
                                    .message = message};
  return 0;
}

static bool rejected_before(struct rl_outbox *o, uint32_t message) {
  size_t before = o->n_rejected;
  RL_GROW(o->rejected, o->n_rejected, (size_t)message + 1);
  if (o->n_rejected > before) memset(o->rejected + before, 0, o->n_rejected - before);
  bool was = o->rejected[message];
  o->rejected[message] = 1;
  return was;
}

void rl_outbox_reject(struct rl_outbox *o, uint32_t message, const char *reason) {
  if (rejected_before(o, message)) return;
  *stage(o, 0) = (struct rl_out){.kind = RL_OUT_REJECT,
                                 .partition = -1,
                                 .message = message,
                                 .reason = rl_arena_strdup(&o->arena, reason)};
}

void rl_outbox_reset(struct rl_outbox *o) {
  for (size_t i = 0; i < o->n && o->n_rejected; i++)
    if (o->at[i].kind == RL_OUT_REJECT) o->rejected[o->at[i].message] = 0;
  o->n = o->bytes = 0;
  rl_arena_reset(&o->arena);
}

void rl_outbox_free(struct rl_outbox *o) {
  rl_free(o->at);
  rl_free(o->rejected);
  rl_arena_free(&o->arena);
  rl_outbox_init(o, o->max_bytes, o->max_message);
}
