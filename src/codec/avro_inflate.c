#include "codec/avro_inflate.h"

#include <snappy-c.h>
#include <stdint.h>
#include <zlib.h>
#include <zstd.h>

#include "base/mem.h"

/* Streams are made when a block first needs them and used again: making one costs more than a small block. */
struct rl_avro_inflate {
  z_stream deflate;
  bool deflate_made;
  ZSTD_DStream *zstandard;
};

static const char *const names[] = {[RL_AVRO_CODEC_NULL] = "null",
                                    [RL_AVRO_CODEC_DEFLATE] = "deflate",
                                    [RL_AVRO_CODEC_ZSTANDARD] = "zstandard",
                                    [RL_AVRO_CODEC_SNAPPY] = "snappy"};

struct rl_avro_inflate *rl_avro_inflate_new(void) {
  return rl_zalloc(sizeof(struct rl_avro_inflate));
}

void rl_avro_inflate_free(struct rl_avro_inflate *self) {
  if (!self) return;
  if (self->deflate_made) inflateEnd(&self->deflate);
  ZSTD_freeDStream(self->zstandard);
  rl_free(self);
}

const char *rl_avro_codec_name(enum rl_avro_codec codec) { return names[codec]; }

int rl_avro_codec_find(struct rl_bytes name, enum rl_avro_codec *codec, struct rl_err *err) {
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!rl_bytes_eq(name, rl_bytes_str(names[i]))) continue;
    *codec = (enum rl_avro_codec)i;
    return 0;
  }
  struct rl_buf shown = RL_BUF_INIT;
  for (size_t i = 0; i < name.len && i < 32; i++)
    rl_buf_putc(&shown, name.data[i] >= ' ' && name.data[i] <= '~' ? name.data[i] : '?');
  int code =
      rl_fail(err, RL_EHANDLER, "the codec '%s', where null, deflate, zstandard and snappy can be read",
              rl_buf_text(&shown));
  rl_buf_free(&shown);
  return code;
}

static int too_large(size_t limit, struct rl_err *err) {
  return rl_fail(err, RL_EHANDLER, "a block of over %zu bytes when inflated", limit);
}

static int damaged(enum rl_avro_codec codec, const char *why, struct rl_err *err) {
  return rl_fail(err, RL_EHANDLER, "a damaged %s block (%s)", names[codec], why);
}

/* Room for the next piece of the output: the double of what is there, up to the limit and one byte past it,
 * by which a block that is too large is known. */
static size_t next_room(const struct rl_buf *out, size_t first, size_t limit) {
  size_t more = out->len > first ? out->len : first;
  return more < limit - out->len ? more : limit - out->len + 1;
}

/* ---- deflate ---- */

/* zlib's own checksum should not be there, but writers that strip zlib's header (fastavro) leave part of it.
 */
enum { CHECKSUM = 4 };

static int start_deflate(struct rl_avro_inflate *self, struct rl_err *err) {
  if (self->deflate_made)
    return inflateReset(&self->deflate) == Z_OK ? 0 : rl_fail(err, RL_EFAIL, "zlib: no reset");
  if (inflateInit2(&self->deflate, -MAX_WBITS) != Z_OK) return rl_fail(err, RL_ENOMEM, "zlib: no memory");
  self->deflate_made = true;
  return 0;
}

static int inflate_deflate(struct rl_avro_inflate *self, struct rl_bytes block, size_t limit,
                           struct rl_buf *out, struct rl_err *err) {
  z_stream *z = &self->deflate;
  int code = start_deflate(self, err), status = Z_OK;
  if (code != 0) return code;
  if (block.len > UINT32_MAX / 2) return damaged(RL_AVRO_CODEC_DEFLATE, "over 2 GiB", err);
  z->next_in = (Bytef *)block.data;
  z->avail_in = (uInt)block.len;
  while (status != Z_STREAM_END) {
    size_t room = next_room(out, 4 * block.len + 64, limit);
    if (room > UINT32_MAX / 2) room = UINT32_MAX / 2;
    z->next_out = (Bytef *)rl_buf_reserve(out, room);
    z->avail_out = (uInt)room;
    status = inflate(z, Z_NO_FLUSH);
    out->len += room - z->avail_out;
    if (out->len > limit) return too_large(limit, err);
    if (status == Z_BUF_ERROR) return damaged(RL_AVRO_CODEC_DEFLATE, "cut short", err);
    if (status != Z_OK && status != Z_STREAM_END)
      return damaged(RL_AVRO_CODEC_DEFLATE, z->msg ? z->msg : "no deflate data", err);
  }
  return z->avail_in <= CHECKSUM ? 0 : damaged(RL_AVRO_CODEC_DEFLATE, "bytes follow its end", err);
}

/* ---- zstandard ---- */

/* A frame says how far back it looks, and the stream keeps that much: 32 MiB is what all levels but the two
 * highest ask for at most. */
enum { WINDOW_LOG = 25 };

static int inflate_zstandard(struct rl_avro_inflate *self, struct rl_bytes block, size_t limit,
                             struct rl_buf *out, struct rl_err *err) {
  if (!self->zstandard) self->zstandard = ZSTD_createDStream();
  if (!self->zstandard) return rl_fail(err, RL_ENOMEM, "zstandard: no memory");
  ZSTD_DCtx_setParameter(self->zstandard, ZSTD_d_windowLogMax, WINDOW_LOG);
  ZSTD_initDStream(self->zstandard);
  ZSTD_inBuffer in = {block.data, block.len, 0};
  size_t left = 1;
  /* Frames follow each other; 0 is the end of one. What is left inside once the input is used up comes out as
   * long as there is some. */
  while (left != 0 || in.pos < in.size) {
    size_t room = next_room(out, 4 * block.len + 64, limit), before = in.pos;
    ZSTD_outBuffer to = {rl_buf_reserve(out, room), room, 0};
    left = ZSTD_decompressStream(self->zstandard, &to, &in);
    out->len += to.pos;
    if (ZSTD_isError(left)) return damaged(RL_AVRO_CODEC_ZSTANDARD, ZSTD_getErrorName(left), err);
    if (out->len > limit) return too_large(limit, err);
    if (left != 0 && to.pos == 0 && in.pos == before)
      return damaged(RL_AVRO_CODEC_ZSTANDARD, "cut short", err);
  }
  return 0;
}

/* ---- snappy: the block, then the CRC-32 of what it holds ---- */

static uint32_t big_endian(const char *p) {
  const unsigned char *b = (const unsigned char *)p;
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static int inflate_snappy(struct rl_bytes block, size_t limit, struct rl_buf *out, struct rl_err *err) {
  size_t len;
  if (block.len < 4) return damaged(RL_AVRO_CODEC_SNAPPY, "cut short", err);
  size_t packed = block.len - 4;
  if (snappy_uncompressed_length(block.data, packed, &len) != SNAPPY_OK)
    return damaged(RL_AVRO_CODEC_SNAPPY, "no length", err);
  if (len > limit || len > UINT32_MAX) return too_large(limit, err);
  if (snappy_uncompress(block.data, packed, rl_buf_reserve(out, len), &len) != SNAPPY_OK)
    return damaged(RL_AVRO_CODEC_SNAPPY, "no snappy data", err);
  out->len += len;
  if (crc32(crc32(0, NULL, 0), (const Bytef *)out->data, (uInt)len) != big_endian(block.data + packed))
    return damaged(RL_AVRO_CODEC_SNAPPY, "its CRC-32 is another", err);
  return 0;
}

int rl_avro_inflate_block(struct rl_avro_inflate *self, enum rl_avro_codec codec, struct rl_bytes block,
                          size_t limit, struct rl_buf *out, struct rl_err *err) {
  rl_buf_clear(out);
  switch (codec) {
    case RL_AVRO_CODEC_DEFLATE: return inflate_deflate(self, block, limit, out, err);
    case RL_AVRO_CODEC_ZSTANDARD: return inflate_zstandard(self, block, limit, out, err);
    case RL_AVRO_CODEC_SNAPPY: return inflate_snappy(block, limit, out, err);
    case RL_AVRO_CODEC_NULL: break;
  }
  rl_buf_put(out, block.data, block.len);
  return 0;
}
