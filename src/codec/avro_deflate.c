/* The codecs of a container's blocks, writing; avro_inflate.c reads. */
#include <snappy-c.h>
#include <zlib.h>
#include <zstd.h>

#include "codec/avro_put.h"

static int refused(enum rl_avro_codec codec, struct rl_err *err) {
  return rl_fail(err, RL_EFAIL, "%s: a block could not be compressed", rl_avro_codec_name(codec));
}

/* Without zlib's header and checksum. Blocks are far under the 4 GiB of uInt: values are bounded by messages.
 */
static int deflate_raw(struct rl_bytes block, struct rl_buf *out, struct rl_err *err) {
  enum { LEVEL = 6, MEMORY = 8 };
  z_stream z = {0};
  if (block.len > UINT32_MAX / 2) return refused(RL_AVRO_CODEC_DEFLATE, err);
  if (deflateInit2(&z, LEVEL, Z_DEFLATED, -MAX_WBITS, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
    return refused(RL_AVRO_CODEC_DEFLATE, err);
  size_t room = deflateBound(&z, (uLong)block.len);
  z.next_in = (Bytef *)block.data;
  z.avail_in = (uInt)block.len;
  z.next_out = (Bytef *)rl_buf_reserve(out, room);
  z.avail_out = (uInt)room;
  bool fine = deflate(&z, Z_FINISH) == Z_STREAM_END;
  out->len += room - z.avail_out;
  deflateEnd(&z);
  return fine ? 0 : refused(RL_AVRO_CODEC_DEFLATE, err);
}

static int zstandard(struct rl_bytes block, struct rl_buf *out, struct rl_err *err) {
  size_t room = ZSTD_compressBound(block.len);
  size_t n = ZSTD_compress(rl_buf_reserve(out, room), room, block.data, block.len, ZSTD_CLEVEL_DEFAULT);
  if (ZSTD_isError(n)) return refused(RL_AVRO_CODEC_ZSTANDARD, err);
  out->len += n;
  return 0;
}

/* Behind the block stands the CRC-32 of what it inflates to. */
static int snappy(struct rl_bytes block, struct rl_buf *out, struct rl_err *err) {
  size_t n = snappy_max_compressed_length(block.len);
  if (snappy_compress(block.data, block.len, rl_buf_reserve(out, n), &n) != SNAPPY_OK)
    return refused(RL_AVRO_CODEC_SNAPPY, err);
  out->len += n;
  uLong sum = crc32_z(crc32_z(0, NULL, 0), (const Bytef *)block.data, block.len);
  for (int shift = 24; shift >= 0; shift -= 8) rl_buf_putc(out, (char)(sum >> shift));
  return 0;
}

int rl_avro_deflate(enum rl_avro_codec codec, struct rl_bytes block, struct rl_buf *out, struct rl_err *err) {
  switch (codec) {
    case RL_AVRO_CODEC_DEFLATE: return deflate_raw(block, out, err);
    case RL_AVRO_CODEC_ZSTANDARD: return zstandard(block, out, err);
    case RL_AVRO_CODEC_SNAPPY: return snappy(block, out, err);
    default: rl_buf_put(out, block.data, block.len); return 0;
  }
}
