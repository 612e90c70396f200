/* Defaults: JSON in a schema, the value it stands for on a tape. */
#include "base/mem.h"
#include "base/str.h"
#include "codec/avro_resolve.h"
#include "codec/avro_tape.h"

enum { DEPTH = 64, CELLS = 1 << 16 }; /* a record whose default holds itself has no end */

struct maker {
  struct rl_arena *arena;
  struct rl_tape tape;
  int depth;
};

static bool make(struct maker *m, const struct rl_avro_type *type, const struct rl_avro_doc *doc, size_t at);

static bool put(struct maker *m, struct rl_cell cell) {
  if (m->tape.n == CELLS) return false;
  RL_GROW(m->tape.at, m->tape.cap, m->tape.n + 1);
  m->tape.at[m->tape.n++] = cell;
  return true;
}

static bool put_text(struct maker *m, struct rl_bytes text) {
  return put(m, (struct rl_cell){.tag = RL_TEXT, .len = (uint32_t)text.len, .s = text.data});
}

/* Every byte is the code point of its number. */
static bool make_bytes(struct maker *m, const struct rl_avro_type *type, struct rl_bytes text) {
  char *out = rl_arena_alloc(m->arena, text.len);
  size_t n = 0;
  for (size_t i = 0; i < text.len; n++) {
    unsigned char c = (unsigned char)text.data[i];
    size_t step = rl_utf8_step(rl_bytes(text.data + i, text.len - i));
    if (step == 0 || c > 0xC3) return false;
    out[n] = (char)(step == 1 ? c : (c & 3) << 6 | (text.data[i + 1] & 63));
    i += step;
  }
  if (type->kind == RL_AVRO_FIXED && n != type->size) return false;
  return put(m, (struct rl_cell){.tag = RL_BLOB, .len = (uint32_t)n, .s = out});
}

static bool make_double(struct maker *m, const struct rl_cell *cell) {
  if (cell->tag == RL_INT) return put(m, (struct rl_cell){.tag = RL_DOUBLE, .d = (double)cell->i});
  return cell->tag == RL_DOUBLE && put(m, *cell);
}

static bool make_enum(struct maker *m, const struct rl_avro_type *type, struct rl_bytes text) {
  for (uint32_t i = 0; i < type->n; i++)
    if (rl_bytes_eq(type->symbols[i], text)) return put_text(m, type->symbols[i]);
  return false;
}

static bool make_array(struct maker *m, const struct rl_avro_type *type, const struct rl_avro_doc *doc,
                       size_t at) {
  uint32_t n = doc->at[at].len;
  if (!put(m, (struct rl_cell){.tag = RL_ARRAY, .len = n})) return false;
  size_t item = at + 1;
  for (; n > 0; n--, item = doc->past[item])
    if (!make(m, type->items, doc, item)) return false;
  return true;
}

static bool make_map(struct maker *m, const struct rl_avro_type *type, const struct rl_avro_doc *doc,
                     size_t at) {
  uint32_t n = doc->at[at].len;
  if (!put(m, (struct rl_cell){.tag = RL_OBJECT, .len = n})) return false;
  size_t key = at + 1;
  for (; n > 0; n--, key = doc->past[key + 1])
    if (!put_text(m, rl_avro_doc_text(doc, key)) || !make(m, type->items, doc, key + 1)) return false;
  return true;
}

static size_t tape_length(const struct rl_cell *at) {
  size_t n = 1;
  for (size_t left = 1; left > 0; left--, at++) {
    size_t items = at->tag == RL_ARRAY ? at->len : at->tag == RL_OBJECT ? 2 * (size_t)at->len : 0;
    left += items;
    n += items;
  }
  return n;
}

static bool make_fallback(struct maker *m, const struct rl_avro_field *field) {
  struct rl_avro_doc doc;
  if (!field->fallback) return false;
  rl_avro_doc_make(&doc, field->fallback, tape_length(field->fallback));
  bool made = make(m, field->type, &doc, 0);
  rl_avro_doc_free(&doc);
  return made;
}

static bool make_record(struct maker *m, const struct rl_avro_type *type, const struct rl_avro_doc *doc,
                        size_t at) {
  if (!put(m, (struct rl_cell){.tag = RL_OBJECT, .len = type->n})) return false;
  for (uint32_t i = 0; i < type->n; i++) {
    const struct rl_avro_field *field = &type->fields[i];
    size_t value = rl_avro_doc_member(doc, at, field->name);
    if (!put_text(m, field->name)) return false;
    if (!(value ? make(m, field->type, doc, value) : make_fallback(m, field))) return false;
  }
  return true;
}

/* By the letter only the first branch counts; schemas that stand in streams use any. */
static bool make_union(struct maker *m, const struct rl_avro_type *type, const struct rl_avro_doc *doc,
                       size_t at) {
  size_t before = m->tape.n;
  for (uint32_t i = 0; i < type->n; i++) {
    if (make(m, type->branches[i], doc, at)) return true;
    m->tape.n = before;
  }
  return false;
}

static bool make_kind(struct maker *m, const struct rl_avro_type *type, const struct rl_avro_doc *doc,
                      size_t at) {
  const struct rl_cell *cell = &doc->at[at];
  bool text = cell->tag == RL_TEXT;
  switch (type->kind) {
    case RL_AVRO_NULL: return cell->tag == RL_NULL && put(m, *cell);
    case RL_AVRO_BOOLEAN: return cell->tag == RL_BOOL && put(m, *cell);
    case RL_AVRO_INT:
      return cell->tag == RL_INT && cell->i >= INT32_MIN && cell->i <= INT32_MAX && put(m, *cell);
    case RL_AVRO_LONG: return cell->tag == RL_INT && put(m, *cell);
    case RL_AVRO_FLOAT:
    case RL_AVRO_DOUBLE: return make_double(m, cell);
    case RL_AVRO_BYTES:
    case RL_AVRO_FIXED: return text && make_bytes(m, type, rl_avro_doc_text(doc, at));
    case RL_AVRO_STRING: return text && put(m, *cell);
    case RL_AVRO_ENUM: return text && make_enum(m, type, rl_avro_doc_text(doc, at));
    case RL_AVRO_ARRAY: return cell->tag == RL_ARRAY && make_array(m, type, doc, at);
    case RL_AVRO_MAP: return cell->tag == RL_OBJECT && make_map(m, type, doc, at);
    case RL_AVRO_RECORD: return cell->tag == RL_OBJECT && make_record(m, type, doc, at);
    case RL_AVRO_UNION: return make_union(m, type, doc, at);
    case RL_AVRO_MISFIT: break;
  }
  return false;
}

static bool make(struct maker *m, const struct rl_avro_type *type, const struct rl_avro_doc *doc, size_t at) {
  if (m->depth == DEPTH) return false;
  m->depth++;
  bool made = make_kind(m, type, doc, at);
  m->depth--;
  return made;
}

const struct rl_cell *rl_avro_default(struct rl_arena *arena, const struct rl_avro_field *field, size_t *n) {
  struct maker m = {.arena = arena};
  struct rl_cell *copy = NULL;
  if (make_fallback(&m, field)) {
    *n = m.tape.n;
    copy = rl_arena_alloc(arena, m.tape.n * sizeof *copy);
    memcpy(copy, m.tape.at, m.tape.n * sizeof *copy);
  }
  rl_free(m.tape.at);
  return copy;
}
