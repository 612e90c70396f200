/* Parsing canonical form and fingerprint, as single-object encoding wants them. */
#include "base/mem.h"
#include "base/str.h"
#include "codec/avro_schema.h"

struct writer {
  struct rl_buf *out;
  bool *defined; /* by number of the type */
};

static void put_type(struct writer *w, const struct rl_avro_type *type);

static void put_member(struct writer *w, const char *name, struct rl_bytes text) {
  rl_buf_printf(w->out, "\"%s\":", name);
  rl_put_json_string(w->out, text);
}

static void put_fields(struct writer *w, const struct rl_avro_type *type) {
  rl_buf_puts(w->out, ",\"fields\":[");
  for (uint32_t i = 0; i < type->n; i++) {
    rl_buf_puts(w->out, i ? ",{" : "{");
    put_member(w, "name", type->fields[i].name);
    rl_buf_puts(w->out, ",\"type\":");
    put_type(w, type->fields[i].type);
    rl_buf_putc(w->out, '}');
  }
  rl_buf_putc(w->out, ']');
}

static void put_symbols(struct writer *w, const struct rl_avro_type *type) {
  rl_buf_puts(w->out, ",\"symbols\":[");
  for (uint32_t i = 0; i < type->n; i++) {
    if (i) rl_buf_putc(w->out, ',');
    rl_put_json_string(w->out, type->symbols[i]);
  }
  rl_buf_putc(w->out, ']');
}

static void put_named(struct writer *w, const struct rl_avro_type *type) {
  if (w->defined[type->number]) {
    rl_put_json_string(w->out, type->name);
    return;
  }
  w->defined[type->number] = true;
  rl_buf_putc(w->out, '{');
  put_member(w, "name", type->name);
  rl_buf_putc(w->out, ',');
  put_member(w, "type", rl_bytes_str(rl_avro_kind_name(type->kind)));
  if (type->kind == RL_AVRO_RECORD) put_fields(w, type);
  if (type->kind == RL_AVRO_ENUM) put_symbols(w, type);
  if (type->kind == RL_AVRO_FIXED) rl_buf_printf(w->out, ",\"size\":%llu", (unsigned long long)type->size);
  rl_buf_putc(w->out, '}');
}

static void put_items(struct writer *w, const struct rl_avro_type *type, const char *key) {
  rl_buf_putc(w->out, '{');
  put_member(w, "type", rl_bytes_str(rl_avro_kind_name(type->kind)));
  rl_buf_printf(w->out, ",\"%s\":", key);
  put_type(w, type->items);
  rl_buf_putc(w->out, '}');
}

static void put_union(struct writer *w, const struct rl_avro_type *type) {
  rl_buf_putc(w->out, '[');
  for (uint32_t i = 0; i < type->n; i++) {
    if (i) rl_buf_putc(w->out, ',');
    put_type(w, type->branches[i]);
  }
  rl_buf_putc(w->out, ']');
}

static void put_type(struct writer *w, const struct rl_avro_type *type) {
  switch (type->kind) {
    case RL_AVRO_RECORD:
    case RL_AVRO_ENUM:
    case RL_AVRO_FIXED: put_named(w, type); break;
    case RL_AVRO_ARRAY: put_items(w, type, "items"); break;
    case RL_AVRO_MAP: put_items(w, type, "values"); break;
    case RL_AVRO_UNION: put_union(w, type); break;
    default: rl_put_json_string(w->out, rl_bytes_str(rl_avro_kind_name(type->kind)));
  }
}

void rl_avro_put_canonical(struct rl_buf *out, const struct rl_avro_schema *schema) {
  struct writer w = {out, rl_zalloc(schema->n * sizeof *w.defined)};
  put_type(&w, schema->root);
  rl_free(w.defined);
}

uint64_t rl_avro_fingerprint(struct rl_bytes text) {
  const uint64_t empty = UINT64_C(0xc15d213aa4d7a795);
  uint64_t print = empty;
  for (size_t i = 0; i < text.len; i++) {
    print ^= (unsigned char)text.data[i];
    for (int bit = 0; bit < 8; bit++) print = print >> 1 ^ (empty & (0 - (print & 1)));
  }
  return print;
}
