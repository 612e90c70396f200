#include "codec/avro_suggest.h"

#include "base/mem.h"
#include "base/str.h"
#include "codec/path.h"
#include "codec/path_put.h"

/* A path that is being built. A record is looked into once: what is in it is not found the second time
 * either. */
struct search {
  struct rl_buf path;
  bool *seen; /* by the type's number */
  int depth;
  const char *element; /* "[0]", "[*]" for a field that has that */
};

static const struct rl_avro_field *field_of(const struct rl_avro_type *type, struct rl_bytes name) {
  for (uint32_t i = 0; type->kind == RL_AVRO_RECORD && i < type->n; i++)
    if (!type->fields[i].dropped && rl_bytes_eq(type->fields[i].name, name)) return &type->fields[i];
  return NULL;
}

/* ---- the last key, anywhere ---- */

static bool find(struct search *s, const struct rl_avro_type *type, struct rl_bytes key);

static bool find_in_union(struct search *s, const struct rl_avro_type *type, struct rl_bytes key) {
  for (uint32_t i = 0; i < type->n; i++)
    if (find(s, type->branches[i], key)) return true;
  return false;
}

static bool find_in_array(struct search *s, const struct rl_avro_type *type, struct rl_bytes key) {
  size_t len = s->path.len;
  rl_buf_puts(&s->path, s->element);
  if (find(s, type->items, key)) return true;
  rl_path_cut(&s->path, len);
  return false;
}

static bool find_in_fields(struct search *s, const struct rl_avro_type *type, struct rl_bytes key) {
  size_t len = s->path.len;
  for (uint32_t i = 0; i < type->n; i++) {
    if (type->fields[i].dropped) continue;
    rl_path_put_key(&s->path, type->fields[i].name);
    if (find(s, type->fields[i].type, key)) return true;
    rl_path_cut(&s->path, len);
  }
  return false;
}

static bool find_in_record(struct search *s, const struct rl_avro_type *type, struct rl_bytes key) {
  if (s->seen[type->number] || s->depth == RL_PATH_STEPS) return false;
  s->seen[type->number] = true;
  if (field_of(type, key)) {
    rl_path_put_key(&s->path, key);
    return true;
  }
  s->depth++;
  bool found = find_in_fields(s, type, key);
  s->depth--;
  return found;
}

static bool find(struct search *s, const struct rl_avro_type *type, struct rl_bytes key) {
  switch (type->kind) {
    case RL_AVRO_RECORD: return find_in_record(s, type, key);
    case RL_AVRO_ARRAY: return find_in_array(s, type, key);
    case RL_AVRO_UNION: return find_in_union(s, type, key);
    default: return false;
  }
}

/* ---- the nearest key where the path ends ---- */

/* Of a union the branch that has fields. */
static const struct rl_avro_type *record_of(const struct rl_avro_type *type) {
  for (uint32_t i = 0; type->kind == RL_AVRO_UNION && i < type->n; i++)
    if (type->branches[i]->kind >= RL_AVRO_RECORD && type->branches[i]->kind <= RL_AVRO_MAP)
      return type->branches[i];
  return type;
}

/* What a step leads to; NULL: nowhere. */
static const struct rl_avro_type *step_into(const struct rl_avro_type *type, const struct rl_step *step) {
  type = record_of(type);
  if (!step->key) return type->kind == RL_AVRO_ARRAY ? type->items : NULL;
  if (type->kind == RL_AVRO_MAP) return type->items;
  const struct rl_avro_field *field = field_of(type, rl_bytes_str(step->key));
  return field ? field->type : NULL;
}

/* Through every branch of a union. A map says nothing of its keys. */
static bool declares(const struct rl_avro_type *type, const struct rl_step *step, size_t n) {
  for (uint32_t i = 0; type->kind == RL_AVRO_UNION && i < type->n; i++)
    if (type->branches[i]->kind != RL_AVRO_UNION && declares(type->branches[i], step, n)) return true;
  if (n == 0) return true;
  if (!step->key) return type->kind == RL_AVRO_ARRAY && declares(type->items, step + 1, n - 1);
  const struct rl_avro_field *field = field_of(type, rl_bytes_str(step->key));
  return field && declares(field->type, step + 1, n - 1);
}

bool rl_avro_declares(const struct rl_avro_schema *schema, const struct rl_field *field) {
  return declares(schema->root, field->steps, field->n_steps);
}

static bool leads_on(const struct rl_avro_type *type, const struct rl_field *field, size_t n) {
  for (; type && n < field->n_steps; n++) type = step_into(type, &field->steps[n]);
  return type != NULL;
}

static const struct rl_avro_field *nearest_field(const struct rl_avro_type *record, const char *key) {
  struct rl_arena arena;
  rl_arena_init(&arena);
  const char **names = rl_arena_alloc(&arena, record->n * sizeof *names);
  for (uint32_t i = 0; i < record->n; i++) {
    struct rl_bytes name = record->fields[i].name;
    char *copy = rl_arena_alloc(&arena, name.len + 1);
    memcpy(copy, name.data, name.len);
    copy[name.len] = 0;
    names[i] = copy;
  }
  const char *nearest = rl_nearest(key, names, record->n);
  const struct rl_avro_field *field = nearest ? field_of(record, rl_bytes_str(nearest)) : NULL;
  rl_arena_free(&arena);
  return field;
}

static void put_nearest(const struct rl_avro_type *type, const struct rl_field *field, struct rl_buf *out) {
  size_t n = 0;
  for (const struct rl_avro_type *next; n < field->n_steps && (next = step_into(type, &field->steps[n])); n++)
    type = next;
  if (n == field->n_steps || !field->steps[n].key) return;
  type = record_of(type);
  const struct rl_avro_field *nearest =
      type->kind == RL_AVRO_RECORD ? nearest_field(type, field->steps[n].key) : NULL;
  if (!nearest || !leads_on(nearest->type, field, n + 1)) return;
  for (size_t i = 0; i < n; i++) rl_path_put_step(out, &field->steps[i]);
  rl_path_put_key(out, nearest->name);
  for (size_t i = n + 1; i < field->n_steps; i++) rl_path_put_step(out, &field->steps[i]);
}

/* The path with [*] wherever it goes from an array on to a key: there it is, in the elements. */
static bool put_through_arrays(const struct rl_avro_type *type, const struct rl_field *field,
                               struct rl_buf *out) {
  bool through = false;
  for (size_t n = 0; type && n < field->n_steps; n++) {
    const struct rl_avro_type *held = record_of(type);
    if (field->steps[n].key && held->kind == RL_AVRO_ARRAY) {
      rl_buf_puts(out, "[*]");
      through = true;
      type = held->items;
    }
    type = step_into(type, &field->steps[n]);
    if (type) rl_path_put_step(out, &field->steps[n]);
  }
  if (type && through) return true;
  rl_path_cut(out, 0);
  return false;
}

void rl_avro_suggest(const struct rl_avro_schema *schema, const struct rl_field *field, struct rl_buf *out) {
  struct search s = {.seen = rl_zalloc(schema->n * sizeof *s.seen),
                     .element = field->n_lists ? "[*]" : "[0]"};
  const char *last = field->steps[field->n_steps - 1].key;
  if (!put_through_arrays(schema->root, field, &s.path) &&
      (!last || !find(&s, schema->root, rl_bytes_str(last))))
    put_nearest(schema->root, field, &s.path);
  rl_buf_put(out, rl_buf_text(&s.path), s.path.len);
  rl_buf_free(&s.path);
  rl_free(s.seen);
}
