/* The text of a schema to its graph. */
#include <limits.h>

#include "base/mem.h"
#include "base/str.h"
#include "codec/avro_names.h"
#include "codec/avro_tape.h"

struct parser {
  struct rl_avro_schema *schema;
  struct rl_avro_doc doc;
  struct rl_avro_names names;
  bool defaults;
  struct rl_err *err;
};

__attribute__((format(printf, 3, 4))) static int fault(const struct parser *p,
                                                       const struct rl_avro_place *place, const char *fmt,
                                                       ...) {
  struct rl_buf where = RL_BUF_INIT, what = RL_BUF_INIT;
  va_list args;
  rl_avro_put_place(&where, place);
  va_start(args, fmt);
  rl_buf_vprintf(&what, fmt, args);
  va_end(args);
  int code = rl_fail(p->err, RL_EHANDLER, "Avro schema: %.300s%s%s", rl_buf_text(&where),
                     where.len ? ": " : "", rl_buf_text(&what));
  rl_buf_free(&where);
  rl_buf_free(&what);
  return code;
}

static size_t member(const struct parser *p, size_t i, const char *key) {
  return rl_avro_doc_member(&p->doc, i, rl_bytes_str(key));
}

/* The text of a member; data NULL when it is not there or no text. */
static struct rl_bytes text_member(const struct parser *p, size_t i, const char *key) {
  size_t at = member(p, i, key);
  if (!at || !rl_avro_doc_is(&p->doc, at, RL_TEXT)) return rl_bytes(NULL, 0);
  return rl_avro_doc_text(&p->doc, at);
}

/* What names are good for here: paths, errors and C strings. */
static bool is_name(struct rl_bytes name) {
  if (!name.data || name.len == 0 || name.len > RL_AVRO_NAME_MAX) return false;
  for (size_t i = 0; i < name.len; i++)
    if ((unsigned char)name.data[i] < 0x20) return false;
  return true;
}

static int parse_type(struct parser *p, size_t i, struct rl_bytes space, const struct rl_avro_place *place,
                      struct rl_avro_type **out);

/* ---- names ---- */

static enum rl_avro_kind primitive(struct rl_bytes name) {
  for (int kind = 0; kind < RL_AVRO_PRIMITIVES; kind++)
    if (rl_bytes_eq(name, rl_bytes_str(rl_avro_kind_name((enum rl_avro_kind)kind))))
      return (enum rl_avro_kind)kind;
  return RL_AVRO_MISFIT;
}

/* By its name in the namespace here, else as it stands: writers forget namespaces. */
static struct rl_avro_type *find_named(struct parser *p, struct rl_bytes space, struct rl_bytes name) {
  struct rl_arena scratch;
  rl_arena_init(&scratch);
  struct rl_avro_type *type = rl_avro_names_find(&p->names, rl_avro_full_name(&scratch, space, name));
  rl_arena_free(&scratch);
  return type ? type : rl_avro_names_find(&p->names, name);
}

static int refer(struct parser *p, struct rl_bytes name, struct rl_bytes space,
                 const struct rl_avro_place *place, struct rl_avro_type **out) {
  enum rl_avro_kind kind = primitive(name);
  if (kind != RL_AVRO_MISFIT) {
    *out = p->schema->primitives[kind];
    return 0;
  }
  if (!is_name(name)) return fault(p, place, "a type's name is empty, too long or not printable");
  *out = find_named(p, space, name);
  if (*out) return 0;
  return fault(p, place, "unknown type '%.*s': it is no type of Avro's and not defined before", (int)name.len,
               name.data);
}

static int read_names(struct parser *p, size_t i, const char *key, const struct rl_avro_place *place,
                      struct rl_bytes **out, uint32_t *n) {
  size_t at = member(p, i, key);
  *n = 0;
  if (!at || !rl_avro_doc_is(&p->doc, at, RL_ARRAY)) return 0;
  uint32_t len = p->doc.at[at].len;
  *out = rl_arena_alloc(&p->schema->arena, len * sizeof **out);
  for (size_t item = at + 1; *n < len; item = p->doc.past[item]) {
    if (!rl_avro_doc_is(&p->doc, item, RL_TEXT) || !is_name(rl_avro_doc_text(&p->doc, item)))
      return fault(p, place, "item %u of '%s' is no name", *n, key);
    (*out)[(*n)++] = rl_arena_copy(&p->schema->arena, rl_avro_doc_text(&p->doc, item));
  }
  return 0;
}

/* Name, aliases and namespace of a definition; *space is then what names inside it stand in. */
static int define(struct parser *p, size_t i, struct rl_bytes *space, const struct rl_avro_place *place,
                  struct rl_avro_type *type) {
  struct rl_bytes name = text_member(p, i, "name"), own = text_member(p, i, "namespace");
  if (!is_name(name)) return fault(p, place, "a %s needs a name", rl_avro_kind_name(type->kind));
  if (own.data) *space = own;
  type->name = rl_avro_full_name(&p->schema->arena, *space, name);
  *space = rl_avro_namespace(type->name);
  if (rl_avro_names_find(&p->names, type->name))
    return fault(p, place, "'%.*s' is defined twice", (int)type->name.len, type->name.data);
  rl_avro_names_add(&p->names, type);
  return read_names(p, i, "aliases", place, &type->aliases, &type->n_aliases);
}

/* ---- logical types: one that does not fit its base is none, as Avro has it ---- */

static int64_t integer_member(const struct parser *p, size_t i, const char *key, int64_t otherwise) {
  size_t at = member(p, i, key);
  return at && rl_avro_doc_is(&p->doc, at, RL_INT) ? p->doc.at[at].i : otherwise;
}

static void read_logical(const struct parser *p, size_t i, struct rl_avro_type *type) {
  struct rl_bytes name = text_member(p, i, "logicalType");
  if (!name.data || !is_name(name)) return;
  char *copy = rl_arena_alloc(&p->schema->arena, name.len + 1);
  memcpy(copy, name.data, name.len);
  copy[name.len] = 0;
  type->logical_name = copy;
  int64_t precision = integer_member(p, i, "precision", 0), scale = integer_member(p, i, "scale", 0);
  bool decimal = strcmp(copy, "decimal") == 0 && (type->kind == RL_AVRO_BYTES || type->kind == RL_AVRO_FIXED);
  if (decimal && precision > 0 && scale >= 0 && scale <= precision && scale <= INT16_MAX) {
    type->logical = RL_AVRO_DECIMAL;
    type->precision = precision < INT_MAX ? (int)precision : INT_MAX;
    type->scale = (int)scale;
  }
  bool uuid = strcmp(copy, "uuid") == 0 && type->kind == RL_AVRO_FIXED && type->size == 16;
  if (uuid) type->logical = RL_AVRO_UUID;
}

static int parse_primitive(struct parser *p, size_t i, enum rl_avro_kind kind, struct rl_avro_type **out) {
  *out = p->schema->primitives[kind];
  if (!member(p, i, "logicalType")) return 0;
  *out = rl_avro_type_new(p->schema, kind);
  read_logical(p, i, *out);
  return 0;
}

/* ---- definitions ---- */

static const struct rl_cell *copy_default(struct parser *p, size_t i) {
  size_t at = member(p, i, "default"), n = at ? p->doc.past[at] - at : 0;
  if (!at || !p->defaults) return NULL;
  struct rl_cell *copy = rl_arena_alloc(&p->schema->arena, n * sizeof *copy);
  for (size_t k = 0; k < n; k++) {
    copy[k] = p->doc.at[at + k];
    if (copy[k].tag == RL_TEXT || copy[k].tag == RL_BIG)
      copy[k].s = rl_arena_copy(&p->schema->arena, rl_bytes(copy[k].s, copy[k].len)).data;
  }
  return copy;
}

static int parse_field(struct parser *p, size_t i, struct rl_bytes space, const struct rl_avro_place *place,
                       struct rl_avro_field *field) {
  struct rl_bytes name = text_member(p, i, "name");
  if (!is_name(name)) return fault(p, place, "a field needs a name");
  field->name = rl_arena_copy(&p->schema->arena, name);
  struct rl_avro_place here = {place, field->name, 0, place->depth};
  size_t type = member(p, i, "type");
  if (!type) return fault(p, &here, "a field needs a type");
  field->fallback = copy_default(p, i);
  int code = read_names(p, i, "aliases", &here, &field->aliases, &field->n_aliases);
  return code == 0 ? parse_type(p, type, space, &here, &field->type) : code;
}

/* Twins would leave a path with two ends. The table of names serves to find them: it looks at names only. */
static int check_twins(const struct parser *p, const struct rl_avro_place *place,
                       const struct rl_avro_type *record) {
  struct rl_avro_names seen = {0};
  struct rl_avro_type *marks = rl_alloc(record->n * sizeof *marks);
  int code = 0;
  for (uint32_t i = 0; code == 0 && i < record->n; i++) {
    marks[i].name = record->fields[i].name;
    if (rl_avro_names_find(&seen, marks[i].name))
      code = fault(p, place, "two fields are named '%.*s'", (int)marks[i].name.len, marks[i].name.data);
    else
      rl_avro_names_add(&seen, &marks[i]);
  }
  rl_avro_names_free(&seen);
  rl_free(marks);
  return code;
}

static int parse_record(struct parser *p, size_t i, struct rl_bytes space, const struct rl_avro_place *place,
                        struct rl_avro_type **out) {
  struct rl_avro_type *type = *out = rl_avro_type_new(p->schema, RL_AVRO_RECORD);
  int code = define(p, i, &space, place, type);
  size_t fields = member(p, i, "fields");
  if (code != 0) return code;
  if (!fields || !rl_avro_doc_is(&p->doc, fields, RL_ARRAY))
    return fault(p, place, "record '%.*s' needs an array of fields", (int)type->name.len, type->name.data);
  uint32_t n = p->doc.at[fields].len;
  type->fields = rl_arena_alloc(&p->schema->arena, n * sizeof *type->fields);
  if (n) memset(type->fields, 0, n * sizeof *type->fields);
  for (size_t item = fields + 1; code == 0 && type->n < n; item = p->doc.past[item])
    code = parse_field(p, item, space, place, &type->fields[type->n++]);
  return code == 0 ? check_twins(p, place, type) : code;
}

static int parse_enum(struct parser *p, size_t i, struct rl_bytes space, const struct rl_avro_place *place,
                      struct rl_avro_type **out) {
  struct rl_avro_type *type = *out = rl_avro_type_new(p->schema, RL_AVRO_ENUM);
  struct rl_bytes fallback = text_member(p, i, "default");
  int code = define(p, i, &space, place, type);
  if (code == 0) code = read_names(p, i, "symbols", place, &type->symbols, &type->n);
  if (code != 0) return code;
  if (type->n == 0) return fault(p, place, "enum '%.*s' needs symbols", (int)type->name.len, type->name.data);
  type->fallback = rl_arena_copy(&p->schema->arena, fallback);
  return 0;
}

static int parse_fixed(struct parser *p, size_t i, struct rl_bytes space, const struct rl_avro_place *place,
                       struct rl_avro_type **out) {
  struct rl_avro_type *type = *out = rl_avro_type_new(p->schema, RL_AVRO_FIXED);
  int code = define(p, i, &space, place, type);
  int64_t size = integer_member(p, i, "size", -1);
  if (code != 0) return code;
  if (size < 0 || size > INT32_MAX)
    return fault(p, place, "fixed '%.*s' needs a size from 0 to %d", (int)type->name.len, type->name.data,
                 INT32_MAX);
  type->size = (uint64_t)size;
  read_logical(p, i, type);
  return 0;
}

static int parse_items(struct parser *p, size_t i, enum rl_avro_kind kind, struct rl_bytes space,
                       const struct rl_avro_place *place, struct rl_avro_type **out) {
  bool array = kind == RL_AVRO_ARRAY;
  struct rl_avro_type *type = *out = rl_avro_type_new(p->schema, kind);
  size_t items = member(p, i, array ? "items" : "values");
  struct rl_avro_place here = {place, rl_bytes_str(array ? "[]" : "{}"), 0, place->depth};
  if (!items) return fault(p, place, array ? "an array needs 'items'" : "a map needs 'values'");
  return parse_type(p, items, space, &here, &type->items);
}

/* Branches of one kind cannot be told apart when a value is written, unless they have names. */
static int check_branch(const struct parser *p, const struct rl_avro_place *place,
                        const struct rl_avro_type *type, const struct rl_avro_type *branch) {
  if (branch->kind == RL_AVRO_UNION) return fault(p, place, "a union directly within a union");
  if (branch->name.data) return 0;
  for (uint32_t i = 0; i + 1 < type->n; i++)
    if (type->branches[i]->kind == branch->kind)
      return fault(p, place, "two branches of a union are both %s", rl_avro_kind_name(branch->kind));
  return 0;
}

static int parse_union(struct parser *p, size_t i, struct rl_bytes space, const struct rl_avro_place *place,
                       struct rl_avro_type **out) {
  struct rl_avro_type *type = *out = rl_avro_type_new(p->schema, RL_AVRO_UNION);
  uint32_t n = p->doc.at[i].len;
  int code = 0;
  if (n == 0) return fault(p, place, "a union without branches");
  type->branches = rl_arena_alloc(&p->schema->arena, n * sizeof(struct rl_avro_type *));
  for (size_t item = i + 1; code == 0 && type->n < n; item = p->doc.past[item]) {
    code = parse_type(p, item, space, place, &type->branches[type->n++]);
    /* Only unnamed kinds are looked for, and there are few: the search stays short. */
    if (code == 0) code = check_branch(p, place, type, type->branches[type->n - 1]);
  }
  return code;
}

static int parse_kind(struct parser *p, size_t i, struct rl_bytes kind, struct rl_bytes space,
                      const struct rl_avro_place *place, struct rl_avro_type **out) {
  static const struct {
    const char *name;
    int (*parse)(struct parser *, size_t, struct rl_bytes, const struct rl_avro_place *,
                 struct rl_avro_type **);
  } named[] = {
      {"record", parse_record}, {"error", parse_record}, {"enum", parse_enum}, {"fixed", parse_fixed}};
  for (size_t k = 0; k < sizeof named / sizeof *named; k++)
    if (rl_bytes_eq(kind, rl_bytes_str(named[k].name))) return named[k].parse(p, i, space, place, out);
  if (rl_bytes_eq(kind, rl_bytes_str("array"))) return parse_items(p, i, RL_AVRO_ARRAY, space, place, out);
  if (rl_bytes_eq(kind, rl_bytes_str("map"))) return parse_items(p, i, RL_AVRO_MAP, space, place, out);
  enum rl_avro_kind simple = primitive(kind);
  if (simple != RL_AVRO_MISFIT) return parse_primitive(p, i, simple, out);
  return refer(p, kind, space, place, out);
}

static int parse_type(struct parser *p, size_t i, struct rl_bytes space, const struct rl_avro_place *place,
                      struct rl_avro_type **out) {
  struct rl_avro_place here = {place, {NULL, 0}, 0, place->depth + 1};
  if (here.depth > RL_AVRO_NESTING)
    return fault(p, &here, "nested deeper than %d definitions", RL_AVRO_NESTING);
  switch (p->doc.at[i].tag) {
    case RL_TEXT: return refer(p, rl_avro_doc_text(&p->doc, i), space, &here, out);
    case RL_ARRAY: return parse_union(p, i, space, &here, out);
    case RL_OBJECT: break;
    default: return fault(p, &here, "expected a type: a name, an object or an array of types");
  }
  size_t type = member(p, i, "type");
  if (!type) return fault(p, &here, "a type without 'type'");
  if (!rl_avro_doc_is(&p->doc, type, RL_TEXT)) return parse_type(p, type, space, &here, out);
  return parse_kind(p, i, rl_avro_doc_text(&p->doc, type), space, &here, out);
}

/* ---- texts ---- */

static void make_primitives(struct rl_avro_schema *schema) {
  for (int kind = 0; kind < RL_AVRO_PRIMITIVES; kind++)
    schema->primitives[kind] = rl_avro_type_new(schema, (enum rl_avro_kind)kind);
}

/* A schema may be a bare name without the quotes that would make it JSON. */
static bool bare_name(struct parser *p, struct rl_bytes text) {
  enum rl_avro_kind kind = primitive(text);
  if (kind != RL_AVRO_MISFIT) p->schema->root = p->schema->primitives[kind];
  return kind != RL_AVRO_MISFIT;
}

static int parse_text(struct parser *p, struct rl_json *json, struct rl_bytes text) {
  struct rl_tape tape = RL_TAPE_INIT;
  struct rl_bytes none = {NULL, 0};
  struct rl_avro_place root = {0};
  if (text.len > RL_AVRO_SCHEMA_MAX)
    return rl_fail(p->err, RL_EHANDLER, "Avro schema: %zu bytes long, which is over the limit of %d",
                   text.len, RL_AVRO_SCHEMA_MAX);
  if (bare_name(p, text)) return 0;
  int code = rl_json_tape(json, text, 0, &tape, p->err);
  if (code != 0) {
    rl_err_prefix(p->err, "Avro schema: ");
  } else {
    rl_avro_doc_make(&p->doc, tape.at, tape.n);
    code = parse_type(p, 0, none, &root, &p->schema->root);
    rl_avro_doc_free(&p->doc);
  }
  rl_tape_free(&tape);
  return code;
}

int rl_avro_schema_new(struct rl_avro_schema **out, const struct rl_bytes *texts, size_t n, bool defaults,
                       struct rl_err *err) {
  struct parser p = {.schema = rl_avro_schema_empty(), .defaults = defaults, .err = err};
  struct rl_json *json = rl_json_new();
  int code = 0;
  make_primitives(p.schema);
  for (size_t i = 0; code == 0 && i < n; i++) code = parse_text(&p, json, texts[i]);
  rl_json_free(json);
  rl_avro_names_free(&p.names);
  if (code != 0) {
    rl_avro_schema_free(p.schema);
    return code;
  }
  rl_avro_measure(p.schema);
  *out = p.schema;
  return 0;
}
