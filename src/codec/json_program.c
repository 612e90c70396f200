#include "codec/json_program.h"

#include <assert.h>

#include "base/mem.h"

enum { SLOTS_A_KEY = 8 }; /* mostly empty, so that a key nobody wants is seen to be so at one look */

/* The fields of one node while the tree is made: all share the first `depth` steps. */
struct group {
  const struct rl_fields *fields;
  size_t *members;
  size_t n, depth;
};

static const struct rl_step *step_of(const struct group *g, size_t i) {
  return &g->fields->at[g->members[i]].steps[g->depth];
}

static bool ends_here(const struct group *g, size_t i) {
  return g->fields->at[g->members[i]].n_steps == g->depth;
}

static bool same_step(const struct rl_step *a, const struct rl_step *b) {
  if (!a->key || !b->key) return !a->key && !b->key && a->index == b->index && a->each == b->each;
  return strcmp(a->key, b->key) == 0;
}

static void swap(size_t *a, size_t *b) {
  size_t was = *a;
  *a = *b;
  *b = was;
}

/* Moves members that end here to the front; returns how many. */
static size_t gather_own(struct group *g) {
  size_t n = 0;
  for (size_t i = 0; i < g->n; i++)
    if (ends_here(g, i)) swap(&g->members[n++], &g->members[i]);
  return n;
}

/* Moves members with the same next step as member `from` to stand after it; returns past the last. */
static size_t gather_same(struct group *g, size_t from) {
  size_t n = from + 1;
  for (size_t i = n; i < g->n; i++)
    if (same_step(step_of(g, from), step_of(g, i))) swap(&g->members[n++], &g->members[i]);
  return n;
}

static size_t count_keys(const struct group *g, size_t from) {
  size_t n = 0;
  for (size_t i = from; i < g->n; i++) n += step_of(g, i)->key != NULL;
  return n;
}

static uint64_t word_of(const char *key, size_t len) {
  char padded[8] = {0};
  memcpy(padded, key, len < 8 ? len : 8);
  return rl_json_word(padded, len);
}

static void add_key(struct rl_json_node *node, const char *text, struct rl_json_node *child) {
  struct rl_json_key key = {text, strlen(text), 0, child};
  key.word = word_of(text, key.len);
  assert(node->n_slots > 0 && node->keys); /* make_slots counted this key */
  size_t slot = rl_json_slot(key.word, key.len, node->n_slots);
  while (node->keys[slot].node) slot = (slot + 1) & (node->n_slots - 1);
  node->keys[slot] = key;
}

static void add_element(struct rl_json_node *node, int64_t index, struct rl_json_node *child) {
  node->elements = rl_realloc(node->elements, (node->n_elements + 1) * sizeof *node->elements);
  node->elements[node->n_elements++] = (struct rl_json_element){index, child};
  node->from_end |= index < 0;
}

static void make_slots(struct rl_json_node *node, size_t keys) {
  if (!keys) return;
  node->n_slots = 16;
  while (node->n_slots < keys * SLOTS_A_KEY) node->n_slots *= 2;
  node->keys = rl_zalloc(node->n_slots * sizeof *node->keys);
}

static bool all_shaped(const struct group *g, size_t own) {
  for (size_t i = 0; i < own; i++) {
    const struct rl_field *field = &g->fields->at[g->members[i]];
    if (!field->shape.n || field->n_lists) return false;
  }
  return true;
}

/* `base` is where the group's members start in the program's order. */
static void make_node(struct rl_json_node *node, struct group g, size_t base) {
  *node = (struct rl_json_node){.first = base, .last = base + g.n};
  size_t own = gather_own(&g);
  node->own = base + own;
  node->shaped = all_shaped(&g, own);
  make_slots(node, count_keys(&g, own));
  for (size_t from = own, past; from < g.n; from = past) {
    past = gather_same(&g, from);
    struct rl_json_node *child = rl_alloc(sizeof *child);
    make_node(child, (struct group){g.fields, g.members + from, past - from, g.depth + 1}, base + from);
    const struct rl_step *step = step_of(&g, from);
    if (step->key)
      add_key(node, step->key, child);
    else if (step->each)
      node->each = child;
    else
      add_element(node, step->index, child);
  }
}

void rl_json_program_make(struct rl_json_program *program, const struct rl_fields *fields) {
  program->order = rl_alloc(fields->n * sizeof *program->order);
  program->n_order = 0;
  for (size_t f = 0; f < fields->n; f++)
    if (fields->at[f].meta == RL_META_NONE) program->order[program->n_order++] = f;
  make_node(&program->root, (struct group){fields, program->order, program->n_order, 0}, 0);
}

static void free_below(struct rl_json_node *node) {
  for (size_t i = 0; i < node->n_slots; i++) {
    if (node->keys[i].node) free_below(node->keys[i].node);
    rl_free(node->keys[i].node);
  }
  for (size_t i = 0; i < node->n_elements; i++) {
    free_below(node->elements[i].node);
    rl_free(node->elements[i].node);
  }
  if (node->each) free_below(node->each);
  rl_free(node->each);
  rl_free(node->keys);
  rl_free(node->elements);
}

void rl_json_program_free(struct rl_json_program *program) {
  free_below(&program->root);
  rl_free(program->order);
}
