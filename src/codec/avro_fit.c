#include "codec/avro_fit.h"

#include "codec/avro_names.h"

enum { NONE, PROMOTED, SHORT_ALIAS, SHORT_NAME, FULL_ALIAS, SAME };

static bool named(enum rl_avro_kind kind) {
  return kind == RL_AVRO_RECORD || kind == RL_AVRO_ENUM || kind == RL_AVRO_FIXED;
}

static bool promotes(enum rl_avro_kind from, enum rl_avro_kind to) {
  switch (from) {
    case RL_AVRO_INT: return to == RL_AVRO_LONG || to == RL_AVRO_FLOAT || to == RL_AVRO_DOUBLE;
    case RL_AVRO_LONG: return to == RL_AVRO_FLOAT || to == RL_AVRO_DOUBLE;
    case RL_AVRO_FLOAT: return to == RL_AVRO_DOUBLE;
    case RL_AVRO_BYTES: return to == RL_AVRO_STRING;
    case RL_AVRO_STRING: return to == RL_AVRO_BYTES;
    default: return false;
  }
}

/* ---- names ---- */

/* An alias without a namespace stands for its own type's; that it names a writer of any other too is what
 * fastavro has, and what the unqualified names do. */
static int alias_fit(struct rl_bytes name, const struct rl_avro_type *r, struct rl_bytes alias) {
  if (rl_avro_namespace(alias).data) return rl_bytes_eq(alias, name) ? FULL_ALIAS : NONE;
  if (!rl_bytes_eq(alias, rl_avro_short_name(name))) return NONE;
  return rl_bytes_eq(rl_avro_namespace(name), rl_avro_namespace(r->name)) ? FULL_ALIAS : SHORT_ALIAS;
}

static int name_fit(struct rl_bytes name, const struct rl_avro_type *r) {
  if (rl_bytes_eq(name, r->name)) return SAME;
  int best = rl_bytes_eq(rl_avro_short_name(name), rl_avro_short_name(r->name)) ? SHORT_NAME : NONE;
  for (uint32_t i = 0; i < r->n_aliases; i++) {
    int here = alias_fit(name, r, r->aliases[i]);
    if (here > best) best = here;
  }
  return best;
}

/* ---- types ---- */

int rl_avro_fit(const struct rl_avro_type *w, const struct rl_avro_type *r) {
  if (w->kind != r->kind) return promotes(w->kind, r->kind) ? PROMOTED : NONE;
  if (!named(w->kind)) return SAME;
  return w->kind == RL_AVRO_FIXED && w->size != r->size ? NONE : name_fit(w->name, r);
}

const struct rl_avro_type *rl_avro_best_branch(const struct rl_avro_type *w, const struct rl_avro_type *r) {
  const struct rl_avro_type *best = NULL;
  int best_fit = NONE;
  for (uint32_t i = 0; i < r->n; i++) {
    int here = rl_avro_fit(w, r->branches[i]);
    if (here > best_fit) best = r->branches[i];
    if (here > best_fit) best_fit = here;
  }
  return best;
}

/* ---- misfits ---- */

/* The reader's type that was probably meant: of a union the one with the name, else the first of its kind. */
static const struct rl_avro_type *meant(const struct rl_avro_type *w, const struct rl_avro_type *r) {
  if (r->kind != RL_AVRO_UNION) return r->kind == w->kind ? r : NULL;
  const struct rl_avro_type *first = NULL;
  for (uint32_t i = 0; i < r->n; i++) {
    if (r->branches[i]->kind != w->kind) continue;
    if (name_fit(w->name, r->branches[i]) != NONE) return r->branches[i];
    if (!first) first = r->branches[i];
  }
  return first;
}

void rl_avro_put_misfit(struct rl_buf *out, const struct rl_avro_type *w, const struct rl_avro_type *r) {
  rl_avro_put_type(out, w);
  rl_buf_puts(out, " where the reader's schema has ");
  rl_avro_put_type(out, r);
  const struct rl_avro_type *other = named(w->kind) ? meant(w, r) : NULL;
  if (!other) return;
  struct rl_bytes brief = rl_avro_short_name(w->name);
  if (name_fit(w->name, other) == NONE)
    rl_buf_printf(out, " (call that '%.*s', or add \"aliases\": [\"%.*s\"] to it)", (int)brief.len,
                  brief.data, (int)w->name.len, w->name.data);
  else if (w->kind == RL_AVRO_FIXED)
    rl_buf_printf(out, " (of %llu bytes, there of %llu)", (unsigned long long)w->size,
                  (unsigned long long)other->size);
}
