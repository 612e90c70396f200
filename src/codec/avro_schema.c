#include "codec/avro_schema.h"

#include "base/mem.h"

static const char *const kind_names[] = {
    [RL_AVRO_NULL] = "null",   [RL_AVRO_BOOLEAN] = "boolean", [RL_AVRO_INT] = "int",
    [RL_AVRO_LONG] = "long",   [RL_AVRO_FLOAT] = "float",     [RL_AVRO_DOUBLE] = "double",
    [RL_AVRO_BYTES] = "bytes", [RL_AVRO_STRING] = "string",   [RL_AVRO_FIXED] = "fixed",
    [RL_AVRO_ENUM] = "enum",   [RL_AVRO_RECORD] = "record",   [RL_AVRO_ARRAY] = "array",
    [RL_AVRO_MAP] = "map",     [RL_AVRO_UNION] = "union",     [RL_AVRO_MISFIT] = "misfit"};

const char *rl_avro_kind_name(enum rl_avro_kind kind) { return kind_names[kind]; }

enum { SHOWN = 8 }; /* branches of a union that an error lists */

static void put_branch(struct rl_buf *out, const struct rl_avro_type *type) {
  rl_buf_puts(out, kind_names[type->kind]);
  if (!type->name.data || type->kind == RL_AVRO_MISFIT) return;
  rl_buf_putc(out, ' ');
  rl_buf_put(out, type->name.data, type->name.len);
}

void rl_avro_put_type(struct rl_buf *out, const struct rl_avro_type *type) {
  put_branch(out, type);
  if (type->kind != RL_AVRO_UNION) return;
  for (uint32_t i = 0; i < type->n && i < SHOWN; i++) {
    rl_buf_puts(out, i == 0 ? " of " : ", ");
    put_branch(out, type->branches[i]);
  }
  if (type->n > SHOWN) rl_buf_puts(out, " …");
}

struct rl_avro_schema *rl_avro_schema_empty(void) {
  struct rl_avro_schema *schema = rl_zalloc(sizeof *schema);
  rl_arena_init(&schema->arena);
  return schema;
}

void rl_avro_schema_free(struct rl_avro_schema *schema) {
  if (!schema) return;
  rl_arena_free(&schema->arena);
  rl_free(schema->types);
  rl_free(schema);
}

struct rl_avro_type *rl_avro_type_new(struct rl_avro_schema *schema, enum rl_avro_kind kind) {
  struct rl_avro_type *type = rl_arena_alloc(&schema->arena, sizeof *type);
  *type = (struct rl_avro_type){.kind = kind, .to = kind, .number = schema->n};
  size_t cap = schema->cap;
  RL_GROW(schema->types, cap, schema->n + 1);
  schema->cap = (uint32_t)cap;
  schema->types[schema->n++] = type;
  return type;
}

/* ---- how many bytes a value takes ---- */

static void measure_record(struct rl_avro_type *type) {
  bool exact = true; /* the record's own is false until all of it is known */
  uint64_t least = 0;
  for (uint32_t i = 0; i < type->n; i++) {
    const struct rl_avro_type *field = type->fields[i].type;
    if (__builtin_add_overflow(least, field->least, &least)) least = UINT64_MAX / 2;
    exact = exact && field->exact;
  }
  type->exact = exact;
  type->least = least;
}

static void measure_union(struct rl_avro_type *type) {
  uint64_t least = UINT64_MAX / 2;
  for (uint32_t i = 0; i < type->n; i++)
    if (type->branches[i]->least < least) least = type->branches[i]->least;
  type->least = 1 + (type->n ? least : 0);
}

static void measure(struct rl_avro_type *type) {
  static const uint8_t leasts[] = {
      [RL_AVRO_NULL] = 0,  [RL_AVRO_BOOLEAN] = 1, [RL_AVRO_INT] = 1,   [RL_AVRO_LONG] = 1,
      [RL_AVRO_FLOAT] = 4, [RL_AVRO_DOUBLE] = 8,  [RL_AVRO_BYTES] = 1, [RL_AVRO_STRING] = 1,
      [RL_AVRO_ENUM] = 1,  [RL_AVRO_ARRAY] = 1,   [RL_AVRO_MAP] = 1};
  switch (type->kind) {
    case RL_AVRO_RECORD: measure_record(type); break;
    case RL_AVRO_UNION: measure_union(type); break;
    case RL_AVRO_MISFIT:
      type->least = type->items->least;
      type->exact = type->items->exact;
      break;
    case RL_AVRO_FIXED:
      type->least = type->size;
      type->exact = true;
      break;
    case RL_AVRO_NULL:
    case RL_AVRO_BOOLEAN:
    case RL_AVRO_FLOAT:
    case RL_AVRO_DOUBLE: type->exact = true; /* fall through */
    default: type->least = leasts[type->kind];
  }
}

/* From below: every pass leaves a bound that holds, so that a few are enough whatever the graph. Definitions
 * come before what they contain, so that the way back settles most schemas in one. A record that contains
 * itself is never exact. */
void rl_avro_measure(struct rl_avro_schema *schema) {
  for (int pass = 0; pass < 3; pass++)
    for (uint32_t i = schema->n; i-- > 0;) measure(schema->types[i]);
}
