#include "codec/avro_container.h"

enum { MAGIC = 4, SYNC = 16, LARGEST_KEPT = 8 << 20 };

bool rl_avro_is_container(struct rl_bytes value) {
  return value.len >= MAGIC && memcmp(value.data, "Obj\1", MAGIC) == 0;
}

static struct rl_avro_run run_over(struct rl_bytes data, struct rl_err *err) {
  return (struct rl_avro_run){.data = (const uint8_t *)data.data, .len = data.len, .err = err};
}

/* ---- the header ---- */

static bool read_entry(struct rl_avro_run *r, struct rl_avro_container *c, bool *codec_known) {
  size_t key, key_len, at, len;
  if (!rl_avro_span(r, &key, &key_len) || !rl_avro_span(r, &at, &len)) return false;
  struct rl_bytes name = rl_bytes(r->data + key, key_len), text = rl_bytes(r->data + at, len);
  if (rl_bytes_eq(name, rl_bytes_str("avro.schema"))) c->schema = text;
  if (!rl_bytes_eq(name, rl_bytes_str("avro.codec"))) return true;
  struct rl_err why;
  *codec_known = rl_avro_codec_find(text, &c->codec, &why) == 0;
  return *codec_known || rl_avro_fault(r, at, "%s", why.text);
}

static bool read_metadata(struct rl_avro_run *r, struct rl_avro_container *c) {
  uint64_t n;
  int64_t size;
  bool known = true;
  do {
    if (!rl_avro_block(r, 2, &n, &size)) return false;
    for (uint64_t i = 0; i < n; i++)
      if (!read_entry(r, c, &known)) return false;
  } while (n > 0);
  return c->schema.data ? true : rl_avro_fault(r, r->at, "a container without avro.schema");
}

/* Of an outsized block the memory goes. */
static void trim(struct rl_avro_container *c) {
  if (c->buf.cap > LARGEST_KEPT) rl_buf_free(&c->buf);
}

int rl_avro_container_open(struct rl_avro_container *c, struct rl_bytes value, struct rl_err *err) {
  trim(c);
  struct rl_buf buf = c->buf;
  struct rl_avro_run r = run_over(value, err);
  *c = (struct rl_avro_container){.value = value, .free_values = RL_AVRO_FREE_ITEMS, .buf = buf};
  r.at = MAGIC;
  if (!read_metadata(&r, c)) return RL_EHANDLER;
  c->sync = r.at;
  if (!rl_avro_skip_bytes(&r, SYNC)) return RL_EHANDLER;
  c->at = r.at;
  return 0;
}

int rl_avro_container_schema(struct rl_bytes value, struct rl_bytes *schema, struct rl_err *err) {
  struct rl_avro_container c = {.buf = RL_BUF_INIT};
  int code = rl_avro_container_open(&c, value, err);
  if (code == 0) *schema = c.schema;
  return code;
}

/* ---- blocks ---- */

static bool check_sync(struct rl_avro_run *r, const struct rl_avro_container *c) {
  size_t at = r->at;
  if (!rl_avro_skip_bytes(r, SYNC)) return false;
  if (memcmp(r->data + at, r->data + c->sync, SYNC) == 0) return true;
  return rl_avro_fault(
      r, at, "the block from byte %zu on does not end in the sync marker, which was expected", c->block);
}

static bool inflate(struct rl_avro_container *c, struct rl_avro_inflate *inflate_with, size_t limit,
                    struct rl_avro_run *whole, struct rl_bytes block) {
  struct rl_err why;
  size_t at = (size_t)(block.data - c->value.data);
  if (rl_avro_inflate_block(inflate_with, c->codec, block, limit - c->inflated, &c->buf, &why) != 0)
    return rl_avro_fault(whole, at, "%s", why.text);
  c->inflated += c->buf.len;
  return true;
}

static void point_at(const struct rl_avro_container *c, struct rl_avro_run *r, struct rl_bytes block) {
  bool inflated = c->codec != RL_AVRO_CODEC_NULL;
  struct rl_bytes data = inflated ? rl_buf_bytes(&c->buf) : block;
  r->data = (const uint8_t *)data.data;
  r->len = data.len;
  r->at = 0;
  r->inflated = r->copy = inflated;
  r->base = c->block;
}

/* The marker is looked at before the values are: that finds damage without reading them. */
static bool open_block(struct rl_avro_container *c, struct rl_avro_inflate *inflate_with, size_t limit,
                       struct rl_avro_run *r) {
  struct rl_avro_run whole = run_over(c->value, r->err);
  size_t start, size;
  int64_t count;
  whole.at = c->at;
  if (!rl_avro_long(&whole, &count)) return false;
  if (count < 0) return rl_avro_fault(&whole, c->at, "a block of %lld values", (long long)count);
  if (!rl_avro_span(&whole, &start, &size)) return false;
  struct rl_bytes block = rl_bytes(whole.data + start, size);
  c->block = start;
  if (!check_sync(&whole, c)) return false;
  if (c->codec != RL_AVRO_CODEC_NULL && !inflate(c, inflate_with, limit, &whole, block)) return false;
  c->at = whole.at;
  c->values = (uint64_t)count;
  point_at(c, r, block);
  return true;
}

/* Values that take no bytes are not worth a row each without end. */
static bool check_values(struct rl_avro_container *c, struct rl_avro_run *r) {
  uint64_t without = c->values > r->len ? c->values - r->len : 0;
  if (without > c->free_values)
    return rl_avro_fault(r, 0, "%llu values in a block of %zu bytes", (unsigned long long)c->values, r->len);
  c->free_values -= (size_t)without;
  return true;
}

static bool close_block(const struct rl_avro_container *c, struct rl_avro_run *r) {
  return r->at == r->len || c->block == 0 ||
         rl_avro_fault(r, r->at, "%zu bytes are left when all values of a block are read", r->len - r->at);
}

int rl_avro_container_next(struct rl_avro_container *c, struct rl_avro_inflate *inflate_with, size_t limit,
                           struct rl_avro_run *r, struct rl_err *err) {
  r->err = err;
  while (c->values == 0) {
    if (!close_block(c, r)) return RL_EHANDLER;
    if (c->at == c->value.len) return 0;
    if (!open_block(c, inflate_with, limit, r) || !check_values(c, r)) return RL_EHANDLER;
  }
  r->last = --c->values == 0;
  return 1;
}
