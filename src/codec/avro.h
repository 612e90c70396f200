/* Avro (decoder.h says what it is to a handler): options of the format, and what reads whole values.
 *
 * A value's schema comes from where the value says: an object container holds it; Confluent's framing has its
 * number at a registry; the single-object encoding its fingerprint; a bare value has none, and then the
 * message's key may hold it, or a file. */
#ifndef RL_CODEC_AVRO_H
#define RL_CODEC_AVRO_H

#include "codec/schema_source.h"

enum rl_avro_framing {
  /* In this order: a container (Obj 01); with a registry, Confluent's; with a schema, the single-object
   * encoding (C3 01, the fingerprint fits), else bare; a key that looks like a schema. */
  RL_AVRO_AUTO,
  RL_AVRO_CONTAINER,
  RL_AVRO_CONFLUENT, /* without a registry every id means `schema` */
  RL_AVRO_SINGLE_OBJECT,
  RL_AVRO_KEY_SCHEMA, /* the message's key is the schema, the value is bare */
  RL_AVRO_BARE,       /* `schema` */
};

struct rl_avro_opts {
  enum rl_avro_framing framing;
  struct rl_schema_source *registry; /* borrowed; NULL: none */
  /* A schema's text (a file's contents); data NULL: none. Where values bring their own (container, registry,
   * key) it is the reader's, and paths are its names (records, enums and fixed in it want the writer's names,
   * or them among their aliases); else it is what they were written with. */
  struct rl_bytes schema;
  bool logical; /* decimals and fixed UUIDs as text; without it all logical types are their base */
};

/* Whether the value begins as an object container does; and its schema's text, of the value's bytes.
 * RL_EHANDLER. */
bool rl_avro_is_container(struct rl_bytes value);
int rl_avro_container_schema(struct rl_bytes value, struct rl_bytes *schema, struct rl_err *err);
/* Whether the value may have Confluent's framing: 00 and the number of its schema at a registry. */
bool rl_avro_confluent_id(struct rl_bytes value, uint32_t *id);

/* 0 or RL_EUSAGE: "auto", "container", "confluent", "single-object", "key", "bare". */
int rl_avro_framing_parse(const char *name, enum rl_avro_framing *framing, struct rl_err *err);

#endif
