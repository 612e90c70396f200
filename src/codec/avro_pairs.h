/* A table from two pointers to a third. Private to codec/avro*.c. */
#ifndef RL_CODEC_AVRO_PAIRS_H
#define RL_CODEC_AVRO_PAIRS_H

#include <stddef.h>

struct rl_avro_pair {
  const void *a, *b;
  void *value; /* NULL: a free slot, or one just made */
};

struct rl_avro_pairs {
  struct rl_avro_pair *slots; /* an open hash table */
  size_t n, n_slots;          /* a power of two, or 0 */
};

/* Where the pair's value stands: NULL there means that it is new, and then the caller sets it. Good until the
 * next call. */
void **rl_avro_pairs_at(struct rl_avro_pairs *pairs, const void *a, const void *b);
void rl_avro_pairs_free(struct rl_avro_pairs *pairs);

#endif
