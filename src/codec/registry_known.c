#include "codec/registry_known.h"

#include "base/clock.h"
#include "base/mem.h"

enum { UNKNOWN_KEPT = 4096 }; /* ids that no schema has: a stream of made-up ones stays bounded */

static size_t place_of(const struct rl_registry_known *k, uint32_t id) {
  size_t low = 0, high = k->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (k->at[middle]->id < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void entry_free(struct rl_registry_entry *e) {
  if (e->state == RL_REGISTRY_KNOWN) rl_arena_free(&e->schema.arena);
  rl_free(e->why);
  rl_free(e);
}

static void forget(struct rl_registry_known *k, size_t i) {
  entry_free(k->at[i]);
  memmove(&k->at[i], &k->at[i + 1], (--k->n - i) * sizeof *k->at);
}

/* The one that may be asked for again first goes. */
static void make_room(struct rl_registry_known *k) {
  size_t first = k->n;
  if (k->n_unknown < UNKNOWN_KEPT) return;
  for (size_t i = 0; i < k->n; i++)
    if (k->at[i]->state == RL_REGISTRY_UNKNOWN && (first == k->n || k->at[i]->again < k->at[first]->again))
      first = i;
  forget(k, first);
  k->n_unknown--;
}

struct rl_registry_entry *rl_registry_entry_of(struct rl_registry_known *k, uint32_t id) {
  size_t i = place_of(k, id);
  if (i < k->n && k->at[i]->id == id) return k->at[i];
  make_room(k);
  i = place_of(k, id);
  struct rl_registry_entry *e = rl_zalloc(sizeof *e);
  *e = (struct rl_registry_entry){.id = id, .state = RL_REGISTRY_ASKED};
  rl_backoff_init(&e->backoff, k->backoff, k->backoff_max, id);
  RL_GROW(k->at, k->cap, k->n + 1);
  memmove(&k->at[i + 1], &k->at[i], (k->n++ - i) * sizeof *k->at);
  k->at[i] = e;
  return e;
}

/* In turn, from behind the one that was asked for last: one that fails for ever must not keep others from
 * their turn. */
struct rl_registry_entry *rl_registry_next_wanted(const struct rl_registry_known *k) {
  size_t from = k->last == UINT32_MAX ? 0 : place_of(k, k->last + 1);
  for (size_t i = 0; i < k->n; i++) {
    struct rl_registry_entry *e = k->at[(from + i) % k->n];
    if (e->state == RL_REGISTRY_ASKED && e->wanted) return e;
  }
  return NULL;
}

void rl_registry_found(struct rl_registry_entry *e, const struct rl_registry_schema *schema) {
  e->state = RL_REGISTRY_KNOWN;
  e->schema = *schema;
}

void rl_registry_found_none(struct rl_registry_known *k, struct rl_registry_entry *e, const char *why) {
  e->state = RL_REGISTRY_UNKNOWN;
  e->told = false;
  rl_free(e->why);
  e->why = rl_strdup(why);
  e->again = rl_after(rl_now(), rl_backoff_next(&e->backoff));
  k->n_unknown++;
}

const char *rl_registry_is_none(struct rl_registry_known *k, struct rl_registry_entry *e) {
  if (e->state != RL_REGISTRY_UNKNOWN) return NULL;
  if (!e->told || rl_now() < e->again) {
    e->told = true;
    return e->why;
  }
  e->state = RL_REGISTRY_ASKED;
  k->n_unknown--;
  return NULL;
}

void rl_registry_known_free(struct rl_registry_known *k) {
  for (size_t i = 0; i < k->n; i++) entry_free(k->at[i]);
  rl_free(k->at);
}
