/* The codecs of an object container's blocks. Private to codec/avro*.c. */
#ifndef RL_CODEC_AVRO_INFLATE_H
#define RL_CODEC_AVRO_INFLATE_H

#include "base/buf.h"
#include "base/err.h"

struct rl_avro_inflate; /* what the libraries keep between blocks */

struct rl_avro_inflate *rl_avro_inflate_new(void);
void rl_avro_inflate_free(struct rl_avro_inflate *self);

enum rl_avro_codec {
  RL_AVRO_CODEC_NULL,
  RL_AVRO_CODEC_DEFLATE,
  RL_AVRO_CODEC_ZSTANDARD,
  RL_AVRO_CODEC_SNAPPY
};

const char *rl_avro_codec_name(enum rl_avro_codec codec); /* as containers have it */
/* By the name a container has for it; RL_EHANDLER names those there are. */
int rl_avro_codec_find(struct rl_bytes name, enum rl_avro_codec *codec, struct rl_err *err);

/* Replaces what `out` held by the inflated block. RL_EHANDLER (a sentence's beginning, without the place):
 * the block is damaged, or larger than `limit` when inflated. Of a bomb no more than the limit is unpacked.
 */
int rl_avro_inflate_block(struct rl_avro_inflate *self, enum rl_avro_codec codec, struct rl_bytes block,
                          size_t limit, struct rl_buf *out, struct rl_err *err);

#endif
