/* Walking a JSON tape by key and index: schemas and their defaults. Private to codec/avro*.c. */
#ifndef RL_CODEC_AVRO_TAPE_H
#define RL_CODEC_AVRO_TAPE_H

#include "codec/json.h"

/* A tape and, for each of its values, the index after it and all it holds. */
struct rl_avro_doc {
  const struct rl_cell *at;
  uint32_t *past;
  size_t n;
};

void rl_avro_doc_make(struct rl_avro_doc *doc, const struct rl_cell *at, size_t n);
void rl_avro_doc_free(struct rl_avro_doc *doc);
/* The value of a key in the object at i (of one that comes twice, the last); 0 when there is none or the
 * value at i is no object: 0 is the root, no member. */
size_t rl_avro_doc_member(const struct rl_avro_doc *doc, size_t i, struct rl_bytes key);

static inline struct rl_bytes rl_avro_doc_text(const struct rl_avro_doc *doc, size_t i) {
  return rl_bytes(doc->at[i].s, doc->at[i].len);
}

static inline bool rl_avro_doc_is(const struct rl_avro_doc *doc, size_t i, uint32_t tag) {
  return doc->at[i].tag == tag;
}

#endif
