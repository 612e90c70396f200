#include "codec/avro_tape.h"

#include "base/mem.h"
#include "codec/avro_encode.h"

/* From the end: a container's items are measured before it is. */
void rl_avro_doc_make(struct rl_avro_doc *doc, const struct rl_cell *at, size_t n) {
  *doc = (struct rl_avro_doc){at, rl_alloc(n * sizeof *doc->past), n};
  for (size_t i = n; i-- > 0;) {
    size_t items = at[i].tag == RL_ARRAY ? at[i].len : at[i].tag == RL_OBJECT ? 2 * (size_t)at[i].len : 0;
    if (at[i].tag == RL_AVRO_BRANCH) items = 1;
    uint32_t past = (uint32_t)i + 1;
    while (items-- > 0) past = doc->past[past];
    doc->past[i] = past;
  }
}

void rl_avro_doc_free(struct rl_avro_doc *doc) {
  rl_free(doc->past);
  *doc = (struct rl_avro_doc){0};
}

size_t rl_avro_doc_member(const struct rl_avro_doc *doc, size_t i, struct rl_bytes key) {
  size_t found = 0, at = i + 1;
  if (doc->at[i].tag != RL_OBJECT) return 0;
  for (uint32_t n = doc->at[i].len; n > 0; n--) {
    if (rl_bytes_eq(rl_avro_doc_text(doc, at), key)) found = at + 1;
    at = doc->past[at + 1];
  }
  return found;
}
