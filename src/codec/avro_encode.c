#include "codec/avro_encode.h"

#include <stdarg.h>

#include "base/mem.h"
#include "base/str.h"
#include "codec/avro_put.h"
#include "codec/avro_resolve.h"
#include "codec/avro_run.h"

/* ---- faults ---- */

bool rl_avro_refuse(const struct rl_avro_put *p, const struct rl_avro_place *place, const char *fmt, ...) {
  struct rl_buf where = RL_BUF_INIT, what = RL_BUF_INIT;
  va_list args;
  rl_avro_put_place(&where, place);
  va_start(args, fmt);
  rl_buf_vprintf(&what, fmt, args);
  va_end(args);
  rl_fail(p->err, RL_EHANDLER, "cannot be written as Avro: %.400s%s%s%s", rl_buf_text(&where),
          where.len > 400 ? "…" : "", where.len ? ": " : "", rl_buf_text(&what));
  rl_buf_free(&where);
  rl_buf_free(&what);
  return false;
}

static void put_found(struct rl_buf *out, const struct rl_cell *cell) {
  switch (cell->tag) {
    case RL_MISSING:
    case RL_NULL: rl_buf_puts(out, "null"); break;
    case RL_BOOL: rl_buf_puts(out, "a boolean"); break;
    case RL_INT: rl_buf_printf(out, "the integer %lld", (long long)cell->i); break;
    case RL_DOUBLE: rl_buf_puts(out, "the number "), rl_put_double(out, cell->d); break;
    case RL_BIG: rl_buf_printf(out, "the number %.*s", cell->len > 60 ? 60 : (int)cell->len, cell->s); break;
    case RL_TEXT: rl_buf_puts(out, "a text"); break;
    case RL_BLOB: rl_buf_puts(out, "bytes"); break;
    case RL_ARRAY: rl_buf_puts(out, "a list"); break;
    case RL_OBJECT: rl_buf_puts(out, "a table"); break;
    default: rl_buf_printf(out, "%.*s", (int)cell->len, cell->s);
  }
}

bool rl_avro_refuse_kind(const struct rl_avro_put *p, const struct rl_avro_place *place,
                         const struct rl_avro_type *type, size_t at) {
  struct rl_buf found = RL_BUF_INIT, wanted = RL_BUF_INIT;
  put_found(&found, &p->doc.at[at]);
  rl_avro_put_type(&wanted, type);
  rl_avro_refuse(p, place, "%s where %s is wanted", rl_buf_text(&found), rl_buf_text(&wanted));
  rl_buf_free(&found);
  rl_buf_free(&wanted);
  return false;
}

/* ---- records ---- */

uint32_t rl_avro_null_branch(const struct rl_avro_type *type) {
  for (uint32_t i = 0; i < type->n; i++)
    if (type->branches[i]->kind == RL_AVRO_NULL) return i;
  return type->n;
}

static bool takes_null(const struct rl_avro_type *type) {
  if (type->kind == RL_AVRO_UNION) return rl_avro_null_branch(type) < type->n;
  return type->kind == RL_AVRO_NULL;
}

bool rl_avro_may_lack(const struct rl_avro_field *field) {
  return field->fallback || takes_null(field->type);
}

/* A default is written once and kept: a record may be wanted a million times. */
static bool make_fallback(const struct rl_avro_put *p, const struct rl_avro_field *field,
                          struct rl_bytes *kept, const struct rl_avro_place *place) {
  struct rl_arena *arena = &p->encoder->schema->arena;
  struct rl_avro_put made = *p;
  struct rl_buf bytes = RL_BUF_INIT;
  struct rl_avro_encode_opts plain = {.max_depth = p->opts->max_depth};
  size_t n;
  const struct rl_cell *value = rl_avro_default(arena, field, &n);
  if (!value) return rl_avro_refuse(p, place, "missing, and the schema's default for it is none of its type");
  made.out = &bytes;
  made.opts = &plain;
  rl_avro_doc_make(&made.doc, value, n);
  bool fine = rl_avro_put_value(&made, field->type, 0, place);
  if (fine) *kept = rl_arena_copy(arena, rl_buf_bytes(&bytes));
  rl_avro_doc_free(&made.doc);
  rl_buf_free(&bytes);
  return fine;
}

static bool put_lacking(struct rl_avro_put *p, const struct rl_avro_type *record, uint32_t i,
                        const struct rl_avro_place *place) {
  const struct rl_avro_field *field = &record->fields[i];
  struct rl_bytes *kept = &p->encoder->lookups[record->number].fallbacks[i];
  if (!field->fallback) {
    if (!takes_null(field->type))
      return rl_avro_refuse(p, place, "missing, and the schema has no default for it");
    if (field->type->kind == RL_AVRO_UNION) rl_avro_put_long(p->out, rl_avro_null_branch(field->type));
    return true;
  }
  if (!kept->data && !make_fallback(p, field, kept, place)) return false;
  rl_buf_put(p->out, kept->data, kept->len);
  return true;
}

static bool refuse_unknown(const struct rl_avro_put *p, const struct rl_avro_type *record,
                           struct rl_bytes name, const struct rl_avro_place *place) {
  const char **names = rl_alloc((record->n + 1) * sizeof *names);
  char *word = rl_strndup(name.data, name.len);
  for (uint32_t i = 0; i < record->n; i++)
    names[i] = rl_strndup(record->fields[i].name.data, record->fields[i].name.len);
  const char *near = rl_nearest(word, names, record->n);
  struct rl_avro_place here = {place, name, 0, 0};
  rl_avro_refuse(p, &here, "record %.*s has no such field%s%s%s (drop_unknown leaves it out)",
                 (int)record->name.len, record->name.data, near ? "; did you mean '" : "", near ? near : "",
                 near ? "'?" : "");
  for (uint32_t i = 0; i < record->n; i++) rl_free((char *)names[i]);
  rl_free(names);
  rl_free(word);
  return false;
}

/* Fills found[base …]: where the value has each field, or 0. Of a key that comes twice the last counts. */
static bool find_fields(struct rl_avro_put *p, const struct rl_avro_type *record, size_t at, size_t base,
                        const struct rl_avro_place *place) {
  size_t key = at + 1;
  for (uint32_t n = p->doc.at[at].len; n > 0; n--, key = p->doc.past[key + 1]) {
    struct rl_bytes name = rl_avro_doc_text(&p->doc, key);
    int64_t field = rl_avro_lookup(p->encoder, record, name);
    if (field >= 0)
      p->encoder->found[base + (size_t)field] = (uint32_t)key + 1;
    else if (!p->opts->drop_unknown)
      return refuse_unknown(p, record, name, place);
  }
  return true;
}

static bool put_fields(struct rl_avro_put *p, const struct rl_avro_type *record, size_t base,
                       const struct rl_avro_place *place) {
  for (uint32_t i = 0; i < record->n; i++) {
    struct rl_avro_place here = {place, record->fields[i].name, 0, 0};
    size_t at = p->encoder->found[base + i];
    bool fine =
        at ? rl_avro_put_value(p, record->fields[i].type, at, &here) : put_lacking(p, record, i, &here);
    if (!fine) return false;
  }
  return true;
}

static bool put_record(struct rl_avro_put *p, const struct rl_avro_type *record, size_t at,
                       const struct rl_avro_place *place) {
  struct rl_avro_encoder *e = p->encoder;
  if (!rl_avro_doc_is(&p->doc, at, RL_OBJECT)) return rl_avro_refuse_kind(p, place, record, at);
  size_t base = e->n_found;
  RL_GROW(e->found, e->cap_found, base + record->n + 1); /* some memory also for a record without fields */
  e->n_found += record->n;
  memset(e->found + base, 0, record->n * sizeof *e->found);
  bool fine = find_fields(p, record, at, base, place) && put_fields(p, record, base, place);
  e->n_found = base;
  return fine;
}

/* ---- arrays and maps: one block, and the end ---- */

static bool put_array(struct rl_avro_put *p, const struct rl_avro_type *type, size_t at,
                      const struct rl_avro_place *place) {
  uint32_t n = p->doc.at[at].len;
  bool empty_table = rl_avro_doc_is(&p->doc, at, RL_OBJECT) && n == 0;
  if (!rl_avro_doc_is(&p->doc, at, RL_ARRAY) && !empty_table) return rl_avro_refuse_kind(p, place, type, at);
  if (n > 0) rl_avro_put_long(p->out, n);
  size_t item = at + 1;
  for (uint32_t i = 1; i <= n; i++, item = p->doc.past[item]) {
    struct rl_avro_place here = {place, {NULL, 0}, i, 0};
    if (!rl_avro_put_value(p, type->items, item, &here)) return false;
  }
  rl_avro_put_long(p->out, 0);
  return true;
}

static bool put_key(struct rl_avro_put *p, struct rl_bytes key, const struct rl_avro_place *place) {
  if (!rl_utf8_valid(key)) return rl_avro_refuse(p, place, "a key of a map that is no UTF-8");
  rl_avro_put_long(p->out, (int64_t)key.len);
  rl_buf_put(p->out, key.data, key.len);
  return true;
}

static bool put_map(struct rl_avro_put *p, const struct rl_avro_type *type, size_t at,
                    const struct rl_avro_place *place) {
  uint32_t n = p->doc.at[at].len;
  if (!rl_avro_doc_is(&p->doc, at, RL_OBJECT)) return rl_avro_refuse_kind(p, place, type, at);
  if (n > 0) rl_avro_put_long(p->out, n);
  size_t key = at + 1;
  for (; n > 0; n--, key = p->doc.past[key + 1]) {
    struct rl_avro_place here = {place, rl_avro_doc_text(&p->doc, key), 0, 0};
    if (!put_key(p, here.name, place) || !rl_avro_put_value(p, type->items, key + 1, &here)) return false;
  }
  rl_avro_put_long(p->out, 0);
  return true;
}

/* ---- values ---- */

static bool put_union(struct rl_avro_put *p, const struct rl_avro_type *type, size_t at,
                      const struct rl_avro_place *place) {
  uint32_t branch = rl_avro_choose(p, type, at, place);
  if (branch == type->n) return false;
  rl_avro_put_long(p->out, branch);
  return rl_avro_put_value(p, type->branches[branch], at + rl_avro_doc_is(&p->doc, at, RL_AVRO_BRANCH),
                           place);
}

/* A branch may be named where there is no choice. */
static bool put_named(struct rl_avro_put *p, struct rl_avro_type *type, size_t at,
                      const struct rl_avro_place *place) {
  struct rl_bytes name = rl_avro_doc_text(&p->doc, at);
  if (rl_avro_is_called(type, name)) return rl_avro_put_value(p, type, at + 1, place);
  struct rl_buf wanted = RL_BUF_INIT;
  rl_avro_put_type(&wanted, type);
  rl_avro_refuse(p, place, "branch '%.*s' where %s is wanted", (int)name.len, name.data,
                 rl_buf_text(&wanted));
  rl_buf_free(&wanted);
  return false;
}

static bool put_container(struct rl_avro_put *p, const struct rl_avro_type *type, size_t at,
                          const struct rl_avro_place *place) {
  if (p->depth == p->max_depth) return rl_avro_refuse(p, place, "nested deeper than %zu", p->max_depth);
  p->depth++;
  bool fine = type->kind == RL_AVRO_RECORD  ? put_record(p, type, at, place)
              : type->kind == RL_AVRO_ARRAY ? put_array(p, type, at, place)
                                            : put_map(p, type, at, place);
  p->depth--;
  return fine;
}

/* Recursion is bounded by the containers: a union holds none directly, and behind a named branch stands no
 * other. */
bool rl_avro_put_value(struct rl_avro_put *p, struct rl_avro_type *type, size_t at,
                       const struct rl_avro_place *place) {
  if (type->kind == RL_AVRO_UNION) return put_union(p, type, at, place);
  if (rl_avro_doc_is(&p->doc, at, RL_AVRO_BRANCH)) return put_named(p, type, at, place);
  bool container = type->kind == RL_AVRO_RECORD || type->kind == RL_AVRO_ARRAY || type->kind == RL_AVRO_MAP;
  return container ? put_container(p, type, at, place) : rl_avro_put_scalar(p, type, at, place);
}

int rl_avro_encode(struct rl_avro_encoder *encoder, const struct rl_cell *value, size_t n,
                   const struct rl_avro_encode_opts *opts, struct rl_buf *out, struct rl_err *err) {
  size_t depth = opts->max_depth ? opts->max_depth : RL_JSON_DEPTH, start = out->len;
  struct rl_avro_place root = {0};
  struct rl_avro_put p = {.encoder = encoder, .opts = opts, .out = out, .err = err};
  p.max_depth = depth < RL_AVRO_DEPTH_MAX ? depth : RL_AVRO_DEPTH_MAX;
  rl_avro_doc_make(&p.doc, value, n);
  encoder->n_found = 0;
  bool fine = rl_avro_put_value(&p, encoder->schema->root, 0, &root);
  rl_avro_doc_free(&p.doc);
  if (fine) return 0;
  out->len = start;
  return RL_EHANDLER;
}
