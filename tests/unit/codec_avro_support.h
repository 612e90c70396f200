/* What the tests of Avro share: values written by hand, containers around them, decoders over them. */
#ifndef RL_UNIT_CODEC_AVRO_SUPPORT_H
#define RL_UNIT_CODEC_AVRO_SUPPORT_H

#include <snappy-c.h>
#include <zlib.h>
#include <zstd.h>

#include "codec_support.h"

static inline void put_long(struct rl_buf *out, int64_t value) {
  uint64_t n = (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
  for (; n > 0x7F; n >>= 7) rl_buf_putc(out, (char)(n | 0x80));
  rl_buf_putc(out, (char)n);
}

static inline void put_bytes(struct rl_buf *out, const void *data, size_t len) {
  put_long(out, (int64_t)len);
  rl_buf_put(out, data, len);
}

static inline void put_text(struct rl_buf *out, const char *text) { put_bytes(out, text, strlen(text)); }

static inline void put_double(struct rl_buf *out, double value) { rl_buf_put(out, &value, sizeof value); }
static inline void put_float(struct rl_buf *out, float value) { rl_buf_put(out, &value, sizeof value); }

static const char avro_sync[] = "0123456789abcdef";

static inline void put_header(struct rl_buf *out, const char *schema, const char *codec) {
  rl_buf_put(out, "Obj\1", 4);
  put_long(out, codec ? 2 : 1);
  if (codec) put_text(out, "avro.codec"), put_text(out, codec);
  put_text(out, "avro.schema"), put_text(out, schema);
  put_long(out, 0);
  rl_buf_put(out, avro_sync, 16);
}

static inline void deflate_raw(struct rl_buf *out, const struct rl_buf *data) {
  z_stream z = {0};
  if (deflateInit2(&z, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) abort();
  z.next_in = (Bytef *)data->data;
  z.avail_in = (uInt)data->len;
  size_t room = deflateBound(&z, (uLong)data->len);
  z.next_out = (Bytef *)rl_buf_reserve(out, room);
  z.avail_out = (uInt)room;
  if (deflate(&z, Z_FINISH) != Z_STREAM_END) abort();
  out->len += room - z.avail_out;
  deflateEnd(&z);
}

static inline void pack(struct rl_buf *out, const char *codec, const struct rl_buf *data) {
  if (!codec || strcmp(codec, "null") == 0) {
    rl_buf_put(out, data->data, data->len);
  } else if (strcmp(codec, "deflate") == 0) {
    deflate_raw(out, data);
  } else if (strcmp(codec, "zstandard") == 0) {
    size_t room = ZSTD_compressBound(data->len);
    out->len += ZSTD_compress(rl_buf_reserve(out, room), room, data->data, data->len, 3);
  } else {
    size_t room = snappy_max_compressed_length(data->len);
    if (snappy_compress(data->data, data->len, rl_buf_reserve(out, room + 4), &room) != SNAPPY_OK) abort();
    out->len += room;
    uLong sum = crc32(crc32(0, NULL, 0), (const Bytef *)data->data, (uInt)data->len);
    for (int shift = 24; shift >= 0; shift -= 8) rl_buf_putc(out, (char)(sum >> shift));
  }
}

static inline void put_block(struct rl_buf *out, const char *codec, int64_t count,
                             const struct rl_buf *data) {
  struct rl_buf packed = RL_BUF_INIT;
  pack(&packed, codec, data);
  put_long(out, count);
  put_bytes(out, packed.data, packed.len);
  rl_buf_put(out, avro_sync, 16);
  rl_buf_free(&packed);
}

static inline bool avro_open_as(struct codec *c, const char *list, struct rl_decoder_opts opts) {
  *c = (struct codec){0};
  opts.fields = &c->fields;
  if (*list && rl_fields_parse(&c->fields, list, &c->err) != 0) return false;
  if (rl_decoder_new(&c->decoder, "avro", &opts, &c->err) != 0) return false;
  c->columns = rl_columns_new(&c->fields);
  return true;
}

/* A decoder of bare values of a schema. */
static inline struct rl_decoder_opts avro_bare(const char *schema) {
  return (struct rl_decoder_opts){.avro = {.framing = RL_AVRO_BARE, .schema = rl_bytes_str(schema)}};
}

/* One row of the value, as text, or "error: …". */
static inline const char *avro_row_as(struct rl_decoder_opts opts, const char *list,
                                      const struct rl_buf *value) {
  static char out[8192];
  struct codec c;
  bool open = avro_open_as(&c, list, opts);
  int code = open ? codec_row_bytes(&c, value->data, value->len) : c.err.code;
  snprintf(out, sizeof out, "%s%s", code ? "error: " : "", code ? c.err.text : codec_cells(&c));
  codec_close(&c);
  return out;
}

static inline const char *avro_row(const char *schema, const char *list, const struct rl_buf *value) {
  return avro_row_as(avro_bare(schema), list, value);
}

/* The whole value's tape. */
static inline const char *avro_tape_as(struct rl_decoder_opts opts, const struct rl_buf *value,
                                       size_t record) {
  static const struct rl_msg_ops ops = {codec_no_header, NULL};
  static char out[8192];
  struct codec c;
  struct rl_tape tape = RL_TAPE_INIT;
  struct rl_buf text = RL_BUF_INIT;
  char *payload = malloc(value->len ? value->len : 1);
  memcpy(payload, value->data, value->len);
  struct rl_msg msg = {.topic = "t", .value = rl_bytes(payload, value->len), .ops = &ops};
  bool open = avro_open_as(&c, "", opts);
  int code = open ? rl_decoder_tape(c.decoder, &msg, record, &tape, &c.err) : c.err.code;
  for (size_t i = 0; i < tape.n; i++) {
    if (i > 0) rl_buf_putc(&text, ' ');
    put_cell(&text, &tape.at[i]);
  }
  snprintf(out, sizeof out, "%s%s", code ? "error: " : "", code ? c.err.text : rl_buf_text(&text));
  rl_buf_free(&text);
  rl_tape_free(&tape);
  codec_close(&c);
  free(payload);
  return out;
}

static inline const char *avro_tape(const char *schema, const struct rl_buf *value) {
  return avro_tape_as(avro_bare(schema), value, 0);
}

#endif
