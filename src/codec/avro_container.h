/* Object containers: a header with schema and codec, then blocks of values, a sync marker after each. Private
 * to codec/avro*.c. */
#ifndef RL_CODEC_AVRO_CONTAINER_H
#define RL_CODEC_AVRO_CONTAINER_H

#include "codec/avro.h"
#include "codec/avro_inflate.h"
#include "codec/avro_run.h"

struct rl_avro_container {
  struct rl_bytes value;  /* the message's */
  struct rl_bytes schema; /* its text */
  enum rl_avro_codec codec;
  size_t at;          /* of the block after the one that is open, or of the first */
  size_t sync;        /* where the header's marker stands */
  size_t block;       /* where the open block starts */
  uint64_t values;    /* that are left in it */
  size_t free_values; /* that may still come without a byte of their own */
  size_t inflated;    /* bytes so far, of all blocks */
  struct rl_buf buf;  /* the open block, inflated */
};

/* Reads the header. Keeps buf. RL_EHANDLER with the byte. */
int rl_avro_container_open(struct rl_avro_container *c, struct rl_bytes value, struct rl_err *err);
/* Goes on to the next value and points r at it, opening blocks as they come: 1; 0 after the last;
 * RL_EHANDLER. `limit` bounds what all blocks of the message inflate to. */
int rl_avro_container_next(struct rl_avro_container *c, struct rl_avro_inflate *inflate, size_t limit,
                           struct rl_avro_run *r, struct rl_err *err);

#endif
