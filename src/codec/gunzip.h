/* gzip, as cutouts come: inflated under a limit, since the bytes are a stranger's. */
#ifndef RL_CODEC_GUNZIP_H
#define RL_CODEC_GUNZIP_H

#include "base/buf.h"
#include "base/err.h"

/* Where nothing else is asked for: what a cutout, or a picture a hundred times its size, stays far below. */
enum { RL_GUNZIP_LIMIT = 64 * 1024 * 1024 };

bool rl_is_gzip(struct rl_bytes bytes); /* by its first two bytes */

/* Appends what the members of a gzip file hold, one behind the other, to `out`. RL_EFAIL: damaged (the text
 * names the byte), or more than `limit` bytes when inflated: of a bomb no more than that is unpacked.
 * RL_ENOMEM: zlib had no memory. */
int rl_gunzip(struct rl_bytes in, size_t limit, struct rl_buf *out, struct rl_err *err);

#endif
