/* "avro": what its two halves share: finding a value's schema (avro_frame.c) and reading rows
 * (avro_format.c). */
#ifndef RL_CODEC_AVRO_FORMAT_H
#define RL_CODEC_AVRO_FORMAT_H

#include "codec/avro_cache.h"
#include "codec/avro_container.h"
#include "codec/format.h"
#include "codec/json_select.h"

enum rl_avro_state {
  RL_AVRO_DONE,   /* no record is left */
  RL_AVRO_ONE,    /* one, bare, from frame_at on */
  RL_AVRO_BLOCKS, /* a container's */
  RL_AVRO_JSON,   /* one, which is JSON, from frame_at on */
};

struct rl_avro_format {
  const struct rl_decoder_opts *opts;
  struct rl_json_program steps;
  struct rl_avro_schema *reader; /* opts->avro.schema; NULL: none */
  struct rl_avro_cache cache;    /* of schemas that values bring: read as the reader's, when there is one */
  struct rl_avro_cache own;      /* of the reader's itself: what is written with it */
  uint64_t fingerprint;          /* of the reader's */
  struct rl_avro_inflate *inflate;
  struct rl_avro_container container;
  struct rl_json_select *json; /* made when a registry's first schema is a JSON one */
  struct rl_json *json_whole;
  /* the message being read */
  struct rl_avro_run run;
  enum rl_avro_state state;
  struct rl_avro_entry *entry;
  struct rl_bytes key, value;
  size_t frame_at;
};

/* Sets state, entry, key, value and frame_at. RL_EHANDLER, RL_ETRANSIENT. */
int rl_avro_frame(struct rl_avro_format *f, const struct rl_msg *msg, struct rl_err *err);
/* Does a key begin as a schema does? */
bool rl_avro_key_is_schema(struct rl_bytes key);

#endif
