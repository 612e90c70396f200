#include "codec/gunzip.h"

#include <stdint.h>
#include <zlib.h>

enum { GZIP_ONLY = 16 + MAX_WBITS };

bool rl_is_gzip(struct rl_bytes bytes) { return bytes.len >= 2 && memcmp(bytes.data, "\x1f\x8b", 2) == 0; }

static int damaged(const z_stream *z, const char *why, struct rl_err *err) {
  return rl_fail(err, RL_EFAIL, "no gzip data, or damaged: %s at byte %llu", why,
                 (unsigned long long)z->total_in);
}

/* Room for the next piece: as much as there is already, so that growing costs little, and at most one byte
 * past the limit, by which too much is known. */
static size_t next_room(const z_stream *z, size_t made, size_t limit) {
  size_t more = made > 4 * (size_t)z->avail_in + 64 ? made : 4 * (size_t)z->avail_in + 64;
  if (more > limit - made) more = limit - made + 1;
  return more < UINT32_MAX / 2 ? more : UINT32_MAX / 2;
}

/* One member. `begin` is how much of `out` was there before the first. */
static int inflate_member(z_stream *z, size_t begin, size_t limit, struct rl_buf *out, struct rl_err *err) {
  for (int status = Z_OK; status != Z_STREAM_END;) {
    size_t room = next_room(z, out->len - begin, limit);
    z->next_out = (Bytef *)rl_buf_reserve(out, room);
    z->avail_out = (uInt)room;
    status = inflate(z, Z_NO_FLUSH);
    out->len += room - z->avail_out;
    out->data[out->len] = '\0';
    if (out->len - begin > limit)
      return rl_fail(err, RL_EFAIL, "gzip data of over %zu bytes when inflated", limit);
    if (status == Z_BUF_ERROR) return damaged(z, "cut short", err);
    if (status == Z_MEM_ERROR) return rl_fail(err, RL_ENOMEM, "zlib: no memory");
    if (status != Z_OK && status != Z_STREAM_END) return damaged(z, z->msg ? z->msg : "no deflate data", err);
  }
  return 0;
}

/* Counts go on from member to member: a reset begins them anew. */
static int next_member(z_stream *z, struct rl_err *err) {
  uLong in = z->total_in;
  if (inflateReset(z) != Z_OK) return rl_fail(err, RL_EFAIL, "zlib: no reset");
  z->total_in = in;
  return 0;
}

int rl_gunzip(struct rl_bytes in, size_t limit, struct rl_buf *out, struct rl_err *err) {
  z_stream z = {.next_in = (Bytef *)in.data};
  size_t begin = out->len;
  if (in.len > UINT32_MAX / 2) return rl_fail(err, RL_EFAIL, "gzip data of over 2 GiB");
  if (inflateInit2(&z, GZIP_ONLY) != Z_OK) return rl_fail(err, RL_ENOMEM, "zlib: no memory");
  z.avail_in = (uInt)in.len;
  int rc = inflate_member(&z, begin, limit, out, err);
  while (!rc && z.avail_in) {
    rc = next_member(&z, err);
    if (!rc) rc = inflate_member(&z, begin, limit, out, err);
  }
  inflateEnd(&z);
  return rc;
}
