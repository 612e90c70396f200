/* The names a schema has defined so far, and where in it or in a value something is. Private to
 * codec/avro*.c. */
#ifndef RL_CODEC_AVRO_NAMES_H
#define RL_CODEC_AVRO_NAMES_H

#include "base/buf.h"
#include "codec/avro_schema.h"

struct rl_avro_names {
  struct rl_avro_type **slots; /* an open hash table */
  size_t n, n_slots;           /* a power of two, or 0 */
};

/* The way from the root, whose `up` is NULL, to what is being parsed or written. */
struct rl_avro_place {
  const struct rl_avro_place *up;
  struct rl_bytes name; /* data NULL: the item of an array, or nothing that has a name */
  uint32_t item;        /* its number, from 1; 0: none */
  int depth;            /* of a schema */
};

/* Puts "candidate.prv[2].mag"; nothing for the root. */
void rl_avro_put_place(struct rl_buf *out, const struct rl_avro_place *place);

struct rl_avro_type *rl_avro_names_find(const struct rl_avro_names *names,
                                        struct rl_bytes name); /* or NULL */
/* By type->name, which no other has. */
void rl_avro_names_add(struct rl_avro_names *names, struct rl_avro_type *type);
void rl_avro_names_free(struct rl_avro_names *names);

/* What stands before the last dot; data NULL when there is none. */
struct rl_bytes rl_avro_namespace(struct rl_bytes name);
/* What stands behind it. */
struct rl_bytes rl_avro_short_name(struct rl_bytes name);
/* In the arena: `name` itself when it has a dot or `space` is empty, else space.name. */
struct rl_bytes rl_avro_full_name(struct rl_arena *arena, struct rl_bytes space, struct rl_bytes name);

#endif
