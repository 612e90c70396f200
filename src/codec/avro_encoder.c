/* The encoder itself: a schema with its records' fields by name. */
#include "base/mem.h"
#include "codec/avro_put.h"

static size_t hash(struct rl_bytes name) {
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < name.len; i++) h = (h ^ (unsigned char)name.data[i]) * UINT64_C(0x100000001b3);
  return (size_t)(h ^ h >> 32);
}

int64_t rl_avro_lookup(const struct rl_avro_encoder *encoder, const struct rl_avro_type *record,
                       struct rl_bytes name) {
  const struct rl_avro_lookup *l = &encoder->lookups[record->number];
  for (size_t i = hash(name);; i++) {
    uint32_t slot = l->slots[i & (l->n_slots - 1)];
    if (slot == 0) return -1;
    if (rl_bytes_eq(record->fields[slot - 1].name, name)) return slot - 1;
  }
}

static void make_lookup(struct rl_avro_lookup *l, const struct rl_avro_type *record) {
  l->n_slots = 4;
  while (l->n_slots < 2 * (size_t)record->n) l->n_slots *= 2;
  l->slots = rl_zalloc(l->n_slots * sizeof *l->slots);
  l->fallbacks = rl_zalloc((record->n + 1) * sizeof *l->fallbacks);
  for (uint32_t i = 0; i < record->n; i++) {
    size_t at = hash(record->fields[i].name);
    while (l->slots[at & (l->n_slots - 1)]) at++;
    l->slots[at & (l->n_slots - 1)] = i + 1;
  }
}

static void set_fingerprint(struct rl_avro_encoder *e) {
  struct rl_buf canonical = RL_BUF_INIT;
  rl_avro_put_canonical(&canonical, e->schema);
  e->fingerprint = rl_avro_fingerprint(rl_buf_bytes(&canonical));
  rl_buf_free(&canonical);
}

int rl_avro_encoder_new(struct rl_avro_encoder **out, struct rl_bytes text, struct rl_err *err) {
  struct rl_avro_schema *schema;
  if (rl_avro_schema_new(&schema, &text, 1, true, err) != 0) return err ? (err->code = RL_EUSAGE) : RL_EUSAGE;
  struct rl_avro_encoder *e = rl_zalloc(sizeof *e);
  e->schema = schema;
  rl_buf_put(&e->text, text.data, text.len);
  e->lookups = rl_zalloc(schema->n * sizeof *e->lookups);
  for (uint32_t i = 0; i < schema->n; i++)
    if (schema->types[i]->kind == RL_AVRO_RECORD) make_lookup(&e->lookups[i], schema->types[i]);
  set_fingerprint(e);
  *out = e;
  return 0;
}

void rl_avro_encoder_free(struct rl_avro_encoder *e) {
  if (!e) return;
  for (uint32_t i = 0; i < e->schema->n; i++) {
    rl_free(e->lookups[i].slots);
    rl_free(e->lookups[i].fallbacks);
  }
  rl_free(e->lookups);
  rl_free(e->found);
  rl_buf_free(&e->text);
  rl_avro_schema_free(e->schema);
  rl_free(e);
}

struct rl_bytes rl_avro_encoder_text(const struct rl_avro_encoder *e) {
  return rl_buf_bytes(&e->text);
}

uint64_t rl_avro_encoder_fingerprint(const struct rl_avro_encoder *e) { return e->fingerprint; }
