#include "codec/avro_resolve.h"

#include "base/mem.h"
#include "codec/avro_fit.h"
#include "codec/avro_names.h"
#include "codec/avro_pairs.h"

/* Two records whose fields are still to be compared: lists of them, not calls, because schemas chain them at
 * will. Everything else nests within definitions, which are bounded. */
struct record_pair {
  struct rl_avro_type *out, *writer;
  const struct rl_avro_type *reader;
};

struct resolver {
  struct rl_avro_schema *out;
  struct rl_avro_pairs done;
  struct record_pair *todo;
  size_t n, cap;
};

static struct rl_avro_type *resolve(struct resolver *s, struct rl_avro_type *w, const struct rl_avro_type *r);

/* ---- misfits ---- */

static void put_misfit(struct rl_avro_schema *out, struct rl_avro_type *type, struct rl_avro_type *writer,
                       struct rl_bytes sentence) {
  type->kind = type->to = RL_AVRO_MISFIT;
  type->n = type->n_given = 0;
  type->items = writer;
  type->name = rl_arena_copy(&out->arena, sentence);
}

static struct rl_avro_type *misfit(struct resolver *s, struct rl_avro_type *w, const struct rl_avro_type *r) {
  struct rl_avro_type *type = rl_avro_type_new(s->out, RL_AVRO_MISFIT);
  struct rl_buf sentence = RL_BUF_INIT;
  rl_avro_put_misfit(&sentence, w, r);
  put_misfit(s->out, type, w, rl_buf_bytes(&sentence));
  rl_buf_free(&sentence);
  return type;
}

/* ---- unions ---- */

static struct rl_avro_type *resolve_writer_union(struct resolver *s, struct rl_avro_type *type,
                                                 struct rl_avro_type *w, const struct rl_avro_type *r) {
  type->kind = type->to = RL_AVRO_UNION;
  type->branches = rl_arena_alloc(&s->out->arena, w->n * sizeof(struct rl_avro_type *));
  for (type->n = 0; type->n < w->n; type->n++) type->branches[type->n] = resolve(s, w->branches[type->n], r);
  return type;
}

/* ---- the kinds ---- */

static struct rl_avro_type *copy(struct resolver *s, const struct rl_avro_type *w,
                                 const struct rl_avro_type *r) {
  struct rl_avro_type *type = rl_avro_type_new(s->out, w->kind);
  uint32_t number = type->number;
  *type = *w;
  type->number = number;
  type->to = r->kind;
  type->kept = NULL;
  type->kept_for = 0;
  return type;
}

/* A table of names that stand for places: `marks` holds them, n at most. */
struct index {
  struct rl_avro_names names;
  struct rl_avro_type *marks;
  size_t n;
};

static void index_add(struct index *index, struct rl_bytes name, uint32_t place) {
  if (rl_avro_names_find(&index->names, name)) return;
  struct rl_avro_type *mark = &index->marks[index->n++];
  mark->name = name;
  mark->number = place;
  rl_avro_names_add(&index->names, mark);
}

static void index_free(struct index *index) {
  rl_avro_names_free(&index->names);
  rl_free(index->marks);
}

static struct rl_avro_type *resolve_enum(struct resolver *s, const struct rl_avro_type *w,
                                         const struct rl_avro_type *r) {
  struct rl_avro_type *type = copy(s, w, r);
  struct index index = {.marks = rl_alloc(r->n * sizeof *index.marks)};
  for (uint32_t i = 0; i < r->n; i++) index_add(&index, r->symbols[i], i);
  type->symbols = rl_arena_alloc(&s->out->arena, w->n * sizeof *type->symbols);
  for (uint32_t i = 0; i < w->n; i++)
    type->symbols[i] = rl_avro_names_find(&index.names, w->symbols[i]) ? w->symbols[i] : r->fallback;
  index_free(&index);
  return type;
}

static struct rl_avro_type *resolve_items(struct resolver *s, const struct rl_avro_type *w,
                                          const struct rl_avro_type *r) {
  struct rl_avro_type *type = copy(s, w, r);
  type->items = resolve(s, w->items, r->items);
  return type;
}

static struct rl_avro_type *resolve_record(struct resolver *s, struct rl_avro_type *w,
                                           const struct rl_avro_type *r) {
  struct rl_avro_type *type = copy(s, w, r);
  type->name = r->name;
  type->n = 0;
  RL_GROW(s->todo, s->cap, s->n + 1);
  s->todo[s->n++] = (struct record_pair){type, w, r};
  return type;
}

static struct rl_avro_type *resolve_kind(struct resolver *s, struct rl_avro_type *w,
                                         const struct rl_avro_type *r) {
  if (!rl_avro_fit(w, r)) return misfit(s, w, r);
  if (w->kind != r->kind) return copy(s, w, r);
  switch (w->kind) {
    case RL_AVRO_RECORD: return resolve_record(s, w, r);
    case RL_AVRO_ENUM: return resolve_enum(s, w, r);
    case RL_AVRO_ARRAY:
    case RL_AVRO_MAP: return resolve_items(s, w, r);
    default: return copy(s, w, r);
  }
}

/* Records may come back to themselves through the pairs that are known. */
static struct rl_avro_type *resolve(struct resolver *s, struct rl_avro_type *w,
                                    const struct rl_avro_type *r) {
  struct rl_avro_type *known = *rl_avro_pairs_at(&s->done, w, r);
  if (known) return known;
  struct rl_avro_type *type;
  const struct rl_avro_type *branch = NULL;
  if (w->kind == RL_AVRO_UNION)
    type = resolve_writer_union(s, rl_avro_type_new(s->out, RL_AVRO_UNION), w, r);
  else if (r->kind != RL_AVRO_UNION)
    type = resolve_kind(s, w, r);
  else if ((branch = rl_avro_best_branch(w, r)))
    type = resolve(s, w, branch);
  else
    type = misfit(s, w, r);
  *rl_avro_pairs_at(&s->done, w, r) = type;
  return type;
}

/* ---- records ---- */

#define NOWHERE UINT32_MAX

/* For each of the writer's fields the reader's: by name, else, of those that are left, by an alias. */
static void match_fields(const struct record_pair *pair, uint32_t *place, bool *used) {
  const struct rl_avro_type *w = pair->writer, *r = pair->reader;
  size_t n_aliases = 0;
  for (uint32_t i = 0; i < r->n; i++) n_aliases += r->fields[i].n_aliases;
  struct index names = {.marks = rl_alloc(r->n * sizeof *names.marks)};
  struct index aliases = {.marks = rl_alloc(n_aliases * sizeof *aliases.marks)};
  for (uint32_t i = 0; i < r->n; i++) {
    index_add(&names, r->fields[i].name, i);
    for (uint32_t k = 0; k < r->fields[i].n_aliases; k++) index_add(&aliases, r->fields[i].aliases[k], i);
  }
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t i = 0; i < w->n; i++) {
      const struct index *index = pass == 0 ? &names : &aliases;
      const struct rl_avro_type *mark = rl_avro_names_find(&index->names, w->fields[i].name);
      if (!mark || used[mark->number] || (pass == 1 && place[i] != NOWHERE)) continue;
      place[i] = mark->number;
      used[mark->number] = true;
    }
  index_free(&names);
  index_free(&aliases);
}

static void give(struct resolver *s, const struct record_pair *pair, const struct rl_avro_field *field) {
  struct rl_avro_given *given = &pair->out->given[pair->out->n_given];
  given->name = field->name;
  given->value = rl_avro_default(&s->out->arena, field, &given->n);
  if (given->value) {
    pair->out->n_given++;
    return;
  }
  struct rl_buf sentence = RL_BUF_INIT;
  rl_buf_printf(&sentence, "a record without '%.*s', for which the reader's schema has %s default",
                (int)field->name.len, field->name.data, field->fallback ? "no fitting" : "no");
  put_misfit(s->out, pair->out, pair->writer, rl_buf_bytes(&sentence));
  rl_buf_free(&sentence);
}

static void resolve_fields(struct resolver *s, const struct record_pair *pair) {
  const struct rl_avro_type *w = pair->writer, *r = pair->reader;
  uint32_t *place = rl_alloc(w->n * sizeof *place);
  bool *used = rl_zalloc(r->n * sizeof *used);
  memset(place, 0xFF, w->n * sizeof *place); /* NOWHERE */
  match_fields(pair, place, used);
  pair->out->fields = rl_arena_alloc(&s->out->arena, w->n * sizeof *pair->out->fields);
  pair->out->given = rl_arena_alloc(&s->out->arena, r->n * sizeof *pair->out->given);
  for (uint32_t i = 0; i < w->n; i++) {
    struct rl_avro_field *field = &pair->out->fields[pair->out->n++];
    bool dropped = place[i] == NOWHERE;
    *field = (struct rl_avro_field){.name = w->fields[i].name, .type = w->fields[i].type, .dropped = dropped};
    if (dropped) continue;
    field->name = r->fields[place[i]].name;
    field->type = resolve(s, w->fields[i].type, r->fields[place[i]].type);
  }
  for (uint32_t i = 0; i < r->n && pair->out->kind == RL_AVRO_RECORD; i++)
    if (!used[i]) give(s, pair, &r->fields[i]);
  rl_free(place);
  rl_free(used);
}

int rl_avro_resolve(struct rl_avro_schema **out, struct rl_avro_schema *writer,
                    const struct rl_avro_schema *reader, struct rl_err *err) {
  struct resolver s = {.out = rl_avro_schema_empty()};
  int code = 0;
  s.out->root = resolve(&s, writer->root, reader->root);
  while (s.n > 0) {
    struct record_pair next = s.todo[--s.n];
    resolve_fields(&s, &next);
  }
  rl_avro_pairs_free(&s.done);
  rl_free(s.todo);
  rl_avro_measure(s.out);
  if (s.out->root->kind == RL_AVRO_MISFIT) {
    code = rl_fail(err, RL_EHANDLER, "Avro: the schema of the value does not fit the reader's: %.*s",
                   (int)s.out->root->name.len, s.out->root->name.data);
    rl_avro_schema_free(s.out);
  }
  if (code == 0) *out = s.out;
  return code;
}
