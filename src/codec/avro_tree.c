/* Whole values: a tape of cells, as JSON documents have. */
#include "base/mem.h"
#include "codec/avro_run.h"

static bool append(struct rl_avro_run *r, struct rl_cell cell) {
  struct rl_tape *tape = &r->tape;
  if (tape->n == RL_AVRO_TREE_CELLS)
    return rl_avro_fault(r, r->at, "over %d values within one value", RL_AVRO_TREE_CELLS);
  if (tape->n == tape->cap) RL_GROW(tape->at, tape->cap, tape->n + 1);
  tape->at[tape->n++] = cell;
  return true;
}

static bool append_name(struct rl_avro_run *r, struct rl_bytes name) {
  return append(r, (struct rl_cell){.tag = RL_TEXT, .len = (uint32_t)name.len, .s = name.data});
}

static bool append_given(struct rl_avro_run *r, struct rl_avro_type *type, uint32_t i) {
  const struct rl_avro_given *given = &type->given[i];
  if (!append_name(r, rl_avro_kept(r, type, type->n + i))) return false;
  for (size_t k = 0; k < given->n; k++)
    if (!append(r, rl_avro_constant_cell(r, given->value[k]))) return false;
  return true;
}

static bool skip_dropped(struct rl_avro_run *r, struct rl_avro_type *type) {
  size_t before = r->tape.n;
  if (!rl_avro_tree(r, type)) return false;
  r->tape.n = before;
  return true;
}

static bool record(struct rl_avro_run *r, struct rl_avro_type *type) {
  size_t self = r->tape.n;
  if (!rl_avro_enter(r) || !append(r, (struct rl_cell){.tag = RL_OBJECT, .len = type->n_given})) return false;
  for (uint32_t i = 0; i < type->n; i++) {
    struct rl_avro_type *field = type->fields[i].type;
    if (type->fields[i].dropped) {
      if (!skip_dropped(r, field)) return false;
      continue;
    }
    if (!append_name(r, rl_avro_kept(r, type, i)) || !rl_avro_tree(r, field)) return false;
    r->tape.at[self].len++;
  }
  for (uint32_t i = 0; i < type->n_given; i++)
    if (!append_given(r, type, i)) return false;
  r->depth--;
  return true;
}

static bool item(struct rl_avro_run *r, const struct rl_avro_type *type) {
  if (type->kind == RL_AVRO_MAP) {
    struct rl_avro_type key = {.kind = RL_AVRO_STRING, .to = RL_AVRO_STRING};
    struct rl_cell cell;
    if (!rl_avro_scalar(r, &key, &cell) || !append(r, cell)) return false;
  }
  return rl_avro_tree(r, type->items);
}

static bool items(struct rl_avro_run *r, const struct rl_avro_type *type) {
  bool map = type->kind == RL_AVRO_MAP;
  size_t self = r->tape.n;
  uint64_t n;
  int64_t size;
  if (!rl_avro_enter(r) || !append(r, (struct rl_cell){.tag = map ? RL_OBJECT : RL_ARRAY})) return false;
  do {
    if (!rl_avro_block(r, type->items->least + map, &n, &size)) return false;
    size_t start = r->at;
    for (uint64_t i = 0; i < n; i++) {
      if (!item(r, type)) return false;
      r->tape.at[self].len++;
    }
    if (size >= 0 && r->at - start != (size_t)size)
      return rl_avro_fault(r, start, "a block of %zu bytes that says it has %lld", r->at - start,
                           (long long)size);
  } while (n > 0);
  r->depth--;
  return true;
}

bool rl_avro_tree(struct rl_avro_run *r, struct rl_avro_type *type) {
  if (type->kind == RL_AVRO_UNION) {
    uint32_t branch;
    if (!rl_avro_branch(r, type->n, &branch)) return false;
    type = type->branches[branch];
  }
  switch (type->kind) {
    case RL_AVRO_RECORD: return record(r, type);
    case RL_AVRO_ARRAY:
    case RL_AVRO_MAP: return items(r, type);
    default: break;
  }
  struct rl_cell cell;
  return rl_avro_scalar(r, type, &cell) && append(r, cell);
}

struct rl_cell rl_avro_tree_cell(struct rl_avro_run *r, size_t from) {
  const struct rl_cell *at = &r->tape.at[from];
  size_t n = r->tape.n - from;
  if (at->tag != RL_ARRAY && at->tag != RL_OBJECT) return *at;
  struct rl_cell *copy = rl_arena_alloc(r->arena, n * sizeof *copy);
  memcpy(copy, at, n * sizeof *copy);
  return (struct rl_cell){.tag = RL_TREE, .len = (uint32_t)n, .tree = copy};
}

struct rl_cell rl_avro_constant_cell(struct rl_avro_run *r, struct rl_cell cell) {
  if (cell.tag == RL_TEXT || cell.tag == RL_BLOB || cell.tag == RL_BIG)
    cell.s = rl_arena_copy(r->arena, rl_bytes(cell.s, cell.len)).data;
  return cell;
}

struct rl_cell rl_avro_constant(struct rl_avro_run *r, const struct rl_cell *value, size_t n) {
  if (value->tag != RL_ARRAY && value->tag != RL_OBJECT) return rl_avro_constant_cell(r, *value);
  struct rl_cell *copy = rl_arena_alloc(r->arena, n * sizeof *copy);
  for (size_t i = 0; i < n; i++) copy[i] = rl_avro_constant_cell(r, value[i]);
  return (struct rl_cell){.tag = RL_TREE, .len = (uint32_t)n, .tree = copy};
}
