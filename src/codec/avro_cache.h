/* The schemas of late, parsed and compiled: a stream that carries its schema in each message has it parsed
 * once. 64 at most, and of bounded size, so that a stream of ever new ones costs time but no memory. Schemas
 * that do not parse are remembered too. Private to codec/avro*.c. */
#ifndef RL_CODEC_AVRO_CACHE_H
#define RL_CODEC_AVRO_CACHE_H

#include "codec/avro_program.h"

enum { RL_AVRO_CACHED = 64, RL_AVRO_CACHED_BYTES = 4 << 20 };

/* What the entries are made with; borrowed. */
struct rl_avro_use {
  const struct rl_json_program *steps;
  const struct rl_avro_schema *reader; /* NULL: as written */
};

struct rl_avro_entry {
  char *text; /* its key: the schema's text … */
  size_t len;
  int64_t id; /* … or, when it is not -1, its number at a registry */
  uint64_t hash;
  uint64_t used;                   /* when it was last asked for */
  struct rl_avro_schema *writer;   /* NULL when the schema cannot be used: err says why */
  struct rl_avro_schema *resolved; /* NULL without a reader's schema */
  struct rl_avro_program *program;
  struct rl_err err;
};

struct rl_avro_cache {
  struct rl_avro_entry *at[RL_AVRO_CACHED];
  size_t n, bytes;
  struct rl_avro_entry *last; /* asked for last */
  uint64_t asked;
  uint64_t made; /* entries so far: tests look at it */
  struct rl_avro_use use;
};

void rl_avro_cache_init(struct rl_avro_cache *cache, const struct rl_avro_use *use);
void rl_avro_cache_free(struct rl_avro_cache *cache);
/* The entry is good until the next call. RL_EHANDLER when the schema cannot be used. */
int rl_avro_cache_by_text(struct rl_avro_cache *cache, struct rl_bytes text, struct rl_avro_entry **out,
                          struct rl_err *err);
/* NULL when it is not there: then rl_avro_cache_add_id makes it of its texts. */
struct rl_avro_entry *rl_avro_cache_find_id(struct rl_avro_cache *cache, uint32_t id);
struct rl_avro_entry *rl_avro_cache_add_id(struct rl_avro_cache *cache, uint32_t id,
                                           const struct rl_bytes *texts, size_t n);
/* 0, or what is wrong with the entry's schema. */
int rl_avro_entry_check(const struct rl_avro_entry *entry, struct rl_err *err);

/* What values are read as. */
static inline struct rl_avro_schema *rl_avro_entry_schema(const struct rl_avro_entry *entry) {
  return entry->resolved ? entry->resolved : entry->writer;
}

#endif
