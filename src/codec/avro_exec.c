/* Running a program over one value. */
#include "codec/avro_program.h"
#include "codec/shape.h"

struct exec {
  struct rl_avro_run *r;
  const size_t *order;
  struct rl_cell *row;
};

static bool run(const struct exec *x, const struct rl_avro_op *op);

static void set(const struct exec *x, size_t from, size_t to, struct rl_cell cell) {
  for (size_t i = from; i < to; i++) x->row[x->order[i]] = cell;
}

static inline bool skip_varints(struct rl_avro_run *r, uint64_t n) {
  int64_t unused;
  while (n-- > 0)
    if (!rl_avro_long(r, &unused)) return false;
  return true;
}

static inline bool skip_runs(struct rl_avro_run *r, uint64_t n) {
  size_t start, len;
  while (n-- > 0)
    if (!rl_avro_span(r, &start, &len)) return false;
  return true;
}

/* What is not of one size. */
static bool skip_side(struct rl_avro_run *r, uint32_t side) {
  if (side == RL_AVRO_SIDE_BYTES) return skip_runs(r, 1);
  return side == RL_AVRO_SIDE_VARINT ? skip_varints(r, 1) : rl_avro_skip_bytes(r, side);
}

/* The two branches are told apart by jumps, which a processor guesses well: a table of sizes would make each
 * step wait for the byte before it. A branch's number is one byte, 0 or 2 as zigzag has it; what else it may
 * be is for rl_avro_branch to say. */
static inline bool skip_pairs(struct rl_avro_run *r, const struct rl_avro_op *op) {
  for (uint64_t n = op->n; n > 0; n--) {
    uint32_t branch = 0, side;
    if (r->at < r->len && r->data[r->at] == 2) {
      side = op->b;
      r->at++;
    } else if (r->at < r->len && r->data[r->at] == 0) {
      side = op->a;
      r->at++;
    } else {
      if (!rl_avro_branch(r, 2, &branch)) return false;
      side = branch ? op->b : op->a;
    }
    if (side < RL_AVRO_SIDE_VARINT && side <= r->len - r->at)
      r->at += side;
    else if (!skip_side(r, side))
      return false;
  }
  return true;
}

/* ---- arrays and maps ---- */

static bool skip_item(const struct exec *x, const struct rl_avro_items *items) {
  if (items->map && !skip_runs(x->r, 1)) return false;
  return run(x, items->rest->ops);
}

static bool skip_many(const struct exec *x, const struct rl_avro_items *items, uint64_t n) {
  if (items->exact && !items->map)
    return rl_avro_skip_bytes(x->r, n * items->least); /* n is bounded by bytes */
  while (n-- > 0)
    if (!skip_item(x, items)) return false;
  return true;
}

/* A block that says its size is not looked into. */
static bool skip_block(const struct exec *x, const struct rl_avro_items *items, uint64_t n, int64_t size) {
  return size >= 0 ? rl_avro_skip_bytes(x->r, (uint64_t)size) : skip_many(x, items, n);
}

static bool next_block(const struct exec *x, const struct rl_avro_items *items, uint64_t *n, int64_t *size) {
  return rl_avro_block(x->r, items->least + items->map, n, size);
}

/* How many items stand from here on; the position is the same afterwards. */
static bool count_items(const struct exec *x, const struct rl_avro_items *items, uint64_t *total) {
  struct rl_avro_run before = *x->r;
  uint64_t n;
  int64_t size;
  *total = 0;
  do {
    if (!next_block(x, items, &n, &size) || !skip_block(x, items, n, size)) return false;
    *total += n;
  } while (n > 0);
  x->r->at = before.at;
  x->r->free_items = before.free_items;
  return true;
}

static bool skip_items(const struct exec *x, const struct rl_avro_items *items) {
  uint64_t n;
  int64_t size;
  if (!rl_avro_enter(x->r)) return false;
  do {
    if (!next_block(x, items, &n, &size) || !skip_block(x, items, n, size)) return false;
  } while (n > 0);
  x->r->depth--;
  return true;
}

static bool push_element(const struct exec *x, size_t from, size_t to) {
  return rl_lists_push(&x->r->lists, x->row, x->order + from, to - from) ||
         rl_avro_fault(x->r, x->r->at, "%s", rl_lists_too_many);
}

static void end_lists(const struct exec *x, size_t base, size_t from, size_t to) {
  rl_lists_end(&x->r->lists, base, x->row, x->order + from, to - from, x->r->arena);
}

static bool take_each(const struct exec *x, const struct rl_avro_pick *each) {
  return run(x, each->code->ops) && push_element(x, each->node->first, each->node->last);
}

/* Two picks can be one item ([0] and [-1]): then it is read for each. */
static bool take_element(const struct exec *x, const struct rl_avro_items *items, uint64_t index,
                         uint64_t total) {
  size_t start = x->r->at;
  bool taken = false;
  for (size_t i = 0; i < items->n_picks; i++) {
    int64_t wanted = items->picks[i].index;
    if ((wanted < 0 ? (uint64_t)wanted + total : (uint64_t)wanted) != index) continue;
    if (wanted < 0 && (uint64_t)-wanted > total) continue;
    x->r->at = start;
    if (!run(x, items->picks[i].code->ops)) return false;
    taken = true;
  }
  if (!items->each.node) return taken || skip_item(x, items);
  x->r->at = start;
  return take_each(x, &items->each);
}

static bool take_elements(const struct exec *x, const struct rl_avro_items *items) {
  uint64_t n, index = 0, total = 0;
  int64_t size;
  size_t base = x->r->lists.n;
  if (!rl_avro_enter(x->r) || (items->from_end && !count_items(x, items, &total))) return false;
  do {
    if (!next_block(x, items, &n, &size)) return false;
    for (uint64_t i = 0; i < n; i++)
      if (!take_element(x, items, index++, total)) return false;
  } while (n > 0);
  if (items->each.node) end_lists(x, base, items->each.node->first, items->each.node->last);
  x->r->depth--;
  return true;
}

static const struct rl_avro_pick *pick_of(const struct rl_avro_items *items, struct rl_bytes key) {
  char padded[8] = {0};
  if (key.len > 0) memcpy(padded, key.data, key.len < 8 ? key.len : 8);
  const struct rl_json_node *node =
      rl_json_find_key(items->node, key.data, key.len, rl_json_word(padded, key.len));
  for (size_t i = 0; node && i < items->n_picks; i++)
    if (items->picks[i].node == node) return &items->picks[i];
  return NULL;
}

/* Of a key that comes again the last counts: what the one before gave is taken back. */
static bool take_entry(const struct exec *x, const struct rl_avro_items *items) {
  size_t start, len;
  if (!rl_avro_span(x->r, &start, &len)) return false;
  const struct rl_avro_pick *pick = pick_of(items, rl_bytes(x->r->data + start, len));
  if (!pick) return run(x, items->rest->ops);
  set(x, pick->node->first, pick->node->last, (struct rl_cell){.tag = RL_MISSING});
  return run(x, pick->code->ops);
}

static bool take_keys(const struct exec *x, const struct rl_avro_items *items) {
  uint64_t n;
  int64_t size;
  if (!rl_avro_enter(x->r)) return false;
  do {
    if (!next_block(x, items, &n, &size)) return false;
    for (uint64_t i = 0; i < n; i++)
      if (!take_entry(x, items)) return false;
  } while (n > 0);
  x->r->depth--;
  return true;
}

/* ---- taking ---- */

static bool take_scalar(const struct exec *x, const struct rl_avro_op *op) {
  struct rl_cell cell;
  if (!rl_avro_scalar(x->r, op->type, &cell)) return false;
  set(x, op->from, op->to, cell);
  return true;
}

static bool take_tree(const struct exec *x, const struct rl_avro_op *op) {
  x->r->tape.n = 0;
  if (!rl_avro_tree(x->r, op->type)) return false;
  set(x, op->from, op->to, rl_avro_tree_cell(x->r, 0));
  return true;
}

static bool peek_tree(const struct exec *x, const struct rl_avro_op *op) {
  size_t at = x->r->at, free_items = x->r->free_items;
  if (!take_tree(x, op)) return false;
  x->r->at = at;
  x->r->free_items = free_items;
  return true;
}

/* Each field has its own shape: the tape is filled once and read for each. */
static bool take_shapes(const struct exec *x, const struct rl_avro_op *op) {
  size_t at = x->r->at, free_items = x->r->free_items;
  struct rl_avro_run *r = x->r;
  r->tape.n = 0;
  if (!rl_avro_tree(r, op->type)) return false;
  const struct rl_coerce in = {r->arena, {NULL, 0}, NULL};
  for (uint32_t i = op->from; i < op->to; i++) {
    struct rl_cell *cell = &x->row[x->order[i]];
    *cell = (struct rl_cell){.tag = RL_TREE, .len = (uint32_t)r->tape.n, .tree = r->tape.at};
    if (rl_shape_cell(&r->fields->at[x->order[i]], cell, &in, r->err) != 0) return false;
  }
  if (op->n > 0) r->at = at, r->free_items = free_items;
  return true;
}

static bool end_constants(const struct exec *x, const struct rl_avro_op *op) {
  end_lists(x, x->r->lists.n - op->n * (op->to - op->from), op->from, op->to);
  return true;
}

static bool take_constant(const struct exec *x, const struct rl_avro_op *op) {
  set(x, op->from, op->to, rl_avro_constant(x->r, op->constant, op->n));
  return true;
}

static bool call(const struct exec *x, const struct rl_avro_op *op) {
  if (!rl_avro_enter(x->r) || !run(x, op->codes[0]->ops)) return false;
  x->r->depth--;
  return true;
}

static bool branch(const struct exec *x, const struct rl_avro_op *op) {
  uint32_t i;
  return rl_avro_branch(x->r, (uint32_t)op->n, &i) && run(x, op->codes[i]->ops);
}

/* What is rarer than the skipping of scalars: kept apart, so that the loop below stays small. */
static __attribute__((noinline)) bool step(const struct exec *x, const struct rl_avro_op *op) {
  switch (op->code) {
    case RL_AVRO_OP_ITEMS: return skip_items(x, op->items);
    case RL_AVRO_OP_UNION: return branch(x, op);
    case RL_AVRO_OP_CALL: return call(x, op);
    case RL_AVRO_OP_SCALAR: return take_scalar(x, op);
    case RL_AVRO_OP_TREE: return take_tree(x, op);
    case RL_AVRO_OP_PEEK: return peek_tree(x, op);
    case RL_AVRO_OP_CONSTANT: return take_constant(x, op);
    case RL_AVRO_OP_ELEMENTS: return take_elements(x, op->items);
    case RL_AVRO_OP_KEYS: return take_keys(x, op->items);
    case RL_AVRO_OP_SHAPES: return take_shapes(x, op);
    case RL_AVRO_OP_ELEMENT: return push_element(x, op->from, op->to);
    case RL_AVRO_OP_LISTS: return end_constants(x, op);
    default: return false;
  }
}

static bool run(const struct exec *x, const struct rl_avro_op *op) {
  for (bool fine = true; fine; op++) switch (op->code) {
      case RL_AVRO_OP_END: return true;
      case RL_AVRO_OP_FIXED: fine = rl_avro_skip_bytes(x->r, op->n); break;
      case RL_AVRO_OP_VARINT: fine = skip_varints(x->r, op->n); break;
      case RL_AVRO_OP_BYTES: fine = skip_runs(x->r, op->n); break;
      case RL_AVRO_OP_PAIR: fine = skip_pairs(x->r, op); break;
      case RL_AVRO_OP_REST:
        if (!x->r->last) break;
        x->r->at = x->r->len;
        return true;
      default: fine = step(x, op);
    }
  return false;
}

bool rl_avro_program_run(struct rl_avro_run *r, const struct rl_avro_program *program, const size_t *order,
                         struct rl_cell *row) {
  const struct exec x = {r, order, row};
  r->depth = 0;
  r->free_items = RL_AVRO_FREE_ITEMS;
  return run(&x, program->root->ops);
}
