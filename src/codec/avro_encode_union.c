/* Which branch of a union a value is. */
#include "codec/avro_names.h"
#include "codec/avro_put.h"

bool rl_avro_is_called(const struct rl_avro_type *type, struct rl_bytes name) {
  if (!type->name.data) return rl_bytes_eq(name, rl_bytes_str(rl_avro_kind_name(type->kind)));
  return rl_bytes_eq(name, type->name) || rl_bytes_eq(name, rl_avro_short_name(type->name));
}

/* ---- how a value fits ---- */

static enum rl_avro_fit fit(const struct rl_avro_put *p, const struct rl_avro_type *type, size_t at,
                            bool deep);

static enum rl_avro_fit union_fit(const struct rl_avro_put *p, const struct rl_avro_type *type, size_t at) {
  enum rl_avro_fit best = RL_AVRO_UNFIT;
  for (uint32_t i = 0; i < type->n && best < RL_AVRO_EXACT; i++) {
    enum rl_avro_fit here = fit(p, type->branches[i], at, false);
    if (here > best) best = here;
  }
  return best;
}

/* Every member is a field and fits; every field is there (exact) or may lack (loose). */
static enum rl_avro_fit record_fit(const struct rl_avro_put *p, const struct rl_avro_type *type, size_t at) {
  const struct rl_avro_doc *doc = &p->doc;
  size_t key = at + 1;
  uint32_t known = 0, lacking = 0;
  for (uint32_t n = doc->at[at].len; n > 0; n--, key = doc->past[key + 1]) {
    int64_t field = rl_avro_lookup(p->encoder, type, rl_avro_doc_text(doc, key));
    if (field < 0 && !p->opts->drop_unknown) return RL_AVRO_UNFIT;
    if (field < 0) continue;
    known++;
    if (fit(p, type->fields[field].type, key + 1, false) == RL_AVRO_UNFIT) return RL_AVRO_UNFIT;
  }
  if (known == type->n) return RL_AVRO_EXACT;
  for (uint32_t i = 0; i < type->n; i++) {
    if (rl_avro_doc_member(doc, at, type->fields[i].name)) continue;
    if (!rl_avro_may_lack(&type->fields[i])) return RL_AVRO_UNFIT;
    lacking++;
  }
  return lacking ? RL_AVRO_LOOSE : RL_AVRO_EXACT;
}

static enum rl_avro_fit map_fit(const struct rl_avro_put *p, const struct rl_avro_type *type, size_t at) {
  size_t key = at + 1;
  for (uint32_t n = p->doc.at[at].len; n > 0; n--, key = p->doc.past[key + 1])
    if (fit(p, type->items, key + 1, false) == RL_AVRO_UNFIT) return RL_AVRO_UNFIT;
  return RL_AVRO_LOOSE;
}

static enum rl_avro_fit table_fit(const struct rl_avro_put *p, const struct rl_avro_type *type, size_t at,
                                  bool deep) {
  if (!rl_avro_doc_is(&p->doc, at, RL_OBJECT)) return RL_AVRO_UNFIT;
  if (!deep) return RL_AVRO_LOOSE;
  return type->kind == RL_AVRO_RECORD ? record_fit(p, type, at) : map_fit(p, type, at);
}

/* An object without members is a map or a record first: arrays know that they are some. */
static enum rl_avro_fit array_fit(const struct rl_avro_put *p, size_t at) {
  if (rl_avro_doc_is(&p->doc, at, RL_ARRAY)) return RL_AVRO_EXACT;
  bool empty = rl_avro_doc_is(&p->doc, at, RL_OBJECT) && p->doc.at[at].len == 0;
  return empty ? RL_AVRO_FAINT : RL_AVRO_UNFIT;
}

/* One level deep: looking further would take time with the depth's power, where unions stand in unions. */
static enum rl_avro_fit fit(const struct rl_avro_put *p, const struct rl_avro_type *type, size_t at,
                            bool deep) {
  if (rl_avro_doc_is(&p->doc, at, RL_AVRO_BRANCH)) return RL_AVRO_EXACT;
  switch (type->kind) {
    case RL_AVRO_UNION: return union_fit(p, type, at);
    case RL_AVRO_RECORD:
    case RL_AVRO_MAP: return table_fit(p, type, at, deep);
    case RL_AVRO_ARRAY: return array_fit(p, at);
    default: return rl_avro_scalar_fit(p, type, &p->doc.at[at]);
  }
}

/* ---- choosing ---- */

static uint32_t choose_named(const struct rl_avro_put *p, const struct rl_avro_type *type, size_t at,
                             const struct rl_avro_place *place) {
  struct rl_bytes name = rl_avro_doc_text(&p->doc, at);
  for (uint32_t i = 0; i < type->n; i++)
    if (rl_avro_is_called(type->branches[i], name)) return i;
  struct rl_buf wanted = RL_BUF_INIT;
  rl_avro_put_type(&wanted, type);
  rl_avro_refuse(p, place, "no branch '%.*s' in the %s", (int)name.len, name.data, rl_buf_text(&wanted));
  rl_buf_free(&wanted);
  return type->n;
}

/* Whether the kind could take the cell, if it were another of its sort. */
static bool same_sort(const struct rl_avro_type *type, uint32_t tag) {
  switch (type->kind) {
    case RL_AVRO_INT:
    case RL_AVRO_LONG:
    case RL_AVRO_FLOAT:
    case RL_AVRO_DOUBLE: return tag == RL_INT || tag == RL_DOUBLE || tag == RL_BIG;
    case RL_AVRO_STRING:
    case RL_AVRO_BYTES:
    case RL_AVRO_FIXED:
    case RL_AVRO_ENUM: return tag == RL_TEXT || tag == RL_BLOB;
    case RL_AVRO_RECORD:
    case RL_AVRO_MAP: return tag == RL_OBJECT;
    default: return false;
  }
}

/* None fits. If there is but one of the value's sort, that one can say what is wrong, and where. */
static uint32_t choose_culprit(const struct rl_avro_put *p, const struct rl_avro_type *type, size_t at,
                               const struct rl_avro_place *place) {
  uint32_t found = type->n, n = 0;
  for (uint32_t i = 0; i < type->n; i++) {
    if (!same_sort(type->branches[i], p->doc.at[at].tag)) continue;
    found = i;
    n++;
  }
  if (n == 1) return found;
  rl_avro_refuse_kind(p, place, type, at);
  return type->n;
}

uint32_t rl_avro_choose(const struct rl_avro_put *p, const struct rl_avro_type *type, size_t at,
                        const struct rl_avro_place *place) {
  enum rl_avro_fit best = RL_AVRO_UNFIT;
  uint32_t found = type->n;
  if (rl_avro_doc_is(&p->doc, at, RL_AVRO_BRANCH)) return choose_named(p, type, at, place);
  for (uint32_t i = 0; i < type->n && best < RL_AVRO_EXACT; i++) {
    enum rl_avro_fit here = fit(p, type->branches[i], at, true);
    if (here <= best) continue;
    best = here;
    found = i;
  }
  return best > RL_AVRO_UNFIT ? found : choose_culprit(p, type, at, place);
}
