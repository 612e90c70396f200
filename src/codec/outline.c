#include "codec/outline.h"

#include "base/mem.h"
#include "codec/path_put.h"

void rl_outline_init(struct rl_outline *o) {
  *o = (struct rl_outline){.values = 0};
  rl_arena_init(&o->arena);
}

void rl_outline_free(struct rl_outline *o) {
  for (struct rl_outline_node *node = &o->root; node; node = rl_outline_next(node)) rl_free(node->sample);
  rl_arena_free(&o->arena);
}

/* ---- nodes ---- */

static struct rl_outline_node *find_from(struct rl_outline_node *from, const struct rl_outline_node *until,
                                         struct rl_bytes name) {
  for (struct rl_outline_node *child = from; child != until; child = child->next)
    if (rl_bytes_eq(child->name, name)) return child;
  return NULL;
}

static struct rl_outline_node *append(struct rl_outline *o, struct rl_outline_node *node,
                                      struct rl_bytes name) {
  if (node->n_children == RL_OUTLINE_CHILDREN) {
    node->more = true;
    return NULL;
  }
  struct rl_outline_node *child = rl_arena_alloc(&o->arena, sizeof *child);
  *child = (struct rl_outline_node){.name = rl_arena_copy(&o->arena, name), .up = node};
  if (node->last)
    node->last->next = child;
  else
    node->first = child;
  node->last = child;
  node->n_children++;
  return child;
}

struct rl_outline_node *rl_outline_child(struct rl_outline *o, struct rl_outline_node *node,
                                         struct rl_bytes name) {
  struct rl_outline_node *from = node->cursor ? node->cursor->next : node->first, *child;
  child = find_from(from, NULL, name);
  if (!child) child = find_from(node->first, from, name);
  if (!child) child = append(o, node, name);
  if (child) node->cursor = child;
  return child;
}

struct rl_outline_node *rl_outline_next(const struct rl_outline_node *node) {
  if (node->first) return node->first;
  while (node->up && !node->next) node = node->up;
  return node->up ? node->next : NULL;
}

/* ---- merging ---- */

/* Of several values the first that says something: not null, not empty. */
static void take_sample(struct rl_outline_node *node, const struct rl_cell *cell) {
  struct rl_buf text = RL_BUF_INIT;
  bool says = cell->tag != RL_NULL && cell->tag != RL_MISSING && !(cell->tag == RL_TEXT && cell->len == 0);
  if (node->sample && (!says || *node->sample != '"' || node->sample[1] != '"')) return;
  if (cell->tag == RL_NULL || cell->tag == RL_MISSING) return;
  rl_outline_put_sample(&text, cell);
  rl_free(node->sample);
  node->sample = rl_buf_take(&text);
}

static const struct rl_cell *merge(struct rl_outline *o, struct rl_outline_node *node,
                                   const struct rl_cell *cell, int depth);

/* What is left out is walked all the same. */
static const struct rl_cell *merge_items(struct rl_outline *o, struct rl_outline_node *node,
                                         const struct rl_cell *cell, int depth) {
  uint32_t n = cell->len;
  struct rl_bytes none = {NULL, 0};
  struct rl_outline_node *items = node && n > 0 && depth > 0 ? rl_outline_child(o, node, none) : NULL;
  if (items) items->of += n;
  for (cell++; n > 0; n--) cell = merge(o, items, cell, depth - 1);
  return cell;
}

static const struct rl_cell *merge_members(struct rl_outline *o, struct rl_outline_node *node,
                                           const struct rl_cell *cell, int depth) {
  uint32_t n = cell->len;
  if (node) node->cursor = NULL;
  for (cell++; n > 0; n--) {
    struct rl_bytes name = rl_bytes(cell->s, cell->len);
    struct rl_outline_node *child = node && depth > 0 ? rl_outline_child(o, node, name) : NULL;
    cell = merge(o, child, cell + 1, depth - 1);
  }
  return cell;
}

static const struct rl_cell *merge(struct rl_outline *o, struct rl_outline_node *node,
                                   const struct rl_cell *cell, int depth) {
  if (node && cell->tag < RL_TREE) node->seen[cell->tag]++;
  if (node) take_sample(node, cell);
  if (cell->tag == RL_ARRAY) return merge_items(o, node, cell, depth);
  if (cell->tag == RL_OBJECT) return merge_members(o, node, cell, depth);
  return cell + 1;
}

void rl_outline_add(struct rl_outline *o, const struct rl_tape *tape) {
  o->values++;
  o->root.of++;
  merge(o, &o->root, tape->at, RL_OUTLINE_DEPTH);
}

/* ---- telling ---- */

void rl_outline_put_path(struct rl_buf *out, const struct rl_outline_node *node) {
  if (!node->up) return;
  rl_outline_put_path(out, node->up);
  if (node->name.data)
    rl_path_put_key(out, node->name);
  else
    rl_buf_puts(out, "[*]");
}

uint64_t rl_outline_filled(const struct rl_outline_node *node) {
  uint64_t n = 0;
  for (int tag = RL_BOOL; tag < RL_TREE; tag++) n += node->seen[tag];
  return n;
}

static const char *const type_names[RL_TREE] = {
    [RL_BOOL] = "bool", [RL_INT] = "i64",    [RL_DOUBLE] = "f64", [RL_BIG] = "any",
    [RL_TEXT] = "str",  [RL_BLOB] = "bytes", [RL_ARRAY] = "list", [RL_OBJECT] = "object"};

void rl_outline_put_type(struct rl_buf *out, const struct rl_outline_node *node) {
  size_t start = out->len;
  if (node->declared) {
    rl_buf_puts(out, node->declared);
    return;
  }
  for (int tag = RL_BOOL; tag < RL_TREE; tag++) {
    if (!node->seen[tag] || !type_names[tag]) continue;
    rl_buf_puts(out, out->len > start ? " or " : "");
    rl_buf_puts(out, type_names[tag]);
  }
  if (node->seen[RL_NULL]) rl_buf_puts(out, out->len > start ? " or null" : "null");
  if (out->len == start) rl_buf_puts(out, "nothing");
}

bool rl_outline_is_column(const struct rl_outline_node *node) {
  if (node->first || !node->up || node->seen[RL_ARRAY] || node->seen[RL_OBJECT]) return false;
  for (const struct rl_outline_node *up = node; up->up; up = up->up)
    if (!up->name.data) return false;
  return true;
}
