/* The wanted fields as a tree of steps, so that one walk through a document fills them all, whatever its
 * order: "candidate.rb" and "candidate.magpsf" share the step "candidate". Private to the codec room. */
#ifndef RL_CODEC_JSON_PROGRAM_H
#define RL_CODEC_JSON_PROGRAM_H

#include "codec/fields.h"

struct rl_json_key {
  const char *text; /* unescaped; borrowed from the fields */
  size_t len;
  uint64_t word; /* its first eight bytes (rl_json_word) */
  struct rl_json_node *node;
};

struct rl_json_element {
  int64_t index;
  struct rl_json_node *node;
};

struct rl_json_node {
  struct rl_json_key
      *keys; /* of an object here: an open hash table of n_slots (a power of two; 0: no keys) */
  size_t n_slots;
  struct rl_json_element *elements; /* of an array here */
  size_t n_elements;
  bool from_end;             /* one of the elements counts from the end */
  struct rl_json_node *each; /* of every element of an array here ([*]); NULL */
  bool shaped; /* the fields that end here are arrays of a shape: elements are looked at when they are filled
                */
  /* Fields that end here: order[first .. own), and below here: order[own .. last) */
  size_t first, own, last;
  uint64_t seen; /* the number of the document it was last met in */
};

struct rl_json_program {
  struct rl_json_node root;
  size_t *order; /* numbers of the fields that read the value */
  size_t n_order;
};

/* Borrows fields. */
void rl_json_program_make(struct rl_json_program *program, const struct rl_fields *fields);
void rl_json_program_free(struct rl_json_program *program);

/* The first eight bytes of a key, zeros after its end. Eight bytes must be readable. */
static inline uint64_t rl_json_word(const void *text, size_t len) {
  uint64_t word;
  memcpy(&word, text, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return len >= 8 ? word : word & ((UINT64_C(1) << 8 * len) - 1);
#else
  return len >= 8 ? word : len ? word & ~(UINT64_MAX >> 8 * len) : 0;
#endif
}

static inline size_t rl_json_slot(uint64_t word, size_t len, size_t n_slots) {
  uint64_t mixed = (word ^ len) * UINT64_C(0x9E3779B97F4A7C15);
  return (size_t)(mixed >> 32) & (n_slots - 1);
}

/* `word` is of `text`. */
static inline struct rl_json_node *rl_json_find_key(const struct rl_json_node *node, const void *text,
                                                    size_t len, uint64_t word) {
  for (size_t slot = rl_json_slot(word, len, node->n_slots);; slot = (slot + 1) & (node->n_slots - 1)) {
    const struct rl_json_key *key = &node->keys[slot];
    if (!key->node) return NULL;
    if (key->word == word && key->len == len && (len <= 8 || memcmp(key->text, text, len) == 0))
      return key->node;
  }
}

#endif
