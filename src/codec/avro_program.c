#include "codec/avro_program.h"

#include "base/mem.h"
#include "codec/avro_pairs.h"
#include "codec/avro_tape.h"

enum { OPS_MAX = 1 << 20 }; /* of one program: types times steps are no more in any schema one means */

/* A code that is asked for and not yet there. */
struct todo {
  struct rl_avro_type *type;
  struct rl_json_node *node; /* NULL: skip */
  bool fields;
  struct rl_avro_code *code;
};

struct compiler {
  struct rl_avro_program *program;
  const struct rl_json_node *root;
  /* By type and node. A record has two: for the value, which calls the one for its fields a level deeper. */
  struct rl_avro_pairs values, fields;
  struct todo *todo;
  size_t n_todo, cap_todo;
  struct rl_avro_op *ops; /* of the code being compiled */
  size_t n_ops, cap_ops, total;
  bool too_large;
};

/* ---- codes by type and node ---- */

static const struct rl_avro_code *code_for(struct compiler *c, struct rl_avro_type *type,
                                           struct rl_json_node *node, bool fields) {
  void **memo = rl_avro_pairs_at(fields ? &c->fields : &c->values, type, node);
  struct rl_avro_code *code = *memo;
  if (code) return code;
  code = rl_arena_alloc(&c->program->arena, sizeof *code);
  *memo = code;
  RL_GROW(c->todo, c->cap_todo, c->n_todo + 1);
  c->todo[c->n_todo++] = (struct todo){type, node, fields, code};
  return code;
}

static const struct rl_avro_code *code_of(struct compiler *c, struct rl_avro_type *type,
                                          struct rl_json_node *node) {
  return code_for(c, type, node, false);
}

/* ---- operations ---- */

static bool alike(const struct rl_avro_op *a, const struct rl_avro_op *b) {
  if (a->code != b->code) return false;
  if (a->code == RL_AVRO_OP_PAIR) return a->a == b->a && a->b == b->b;
  return a->code == RL_AVRO_OP_FIXED || a->code == RL_AVRO_OP_VARINT || a->code == RL_AVRO_OP_BYTES;
}

static void emit(struct compiler *c, struct rl_avro_op op) {
  struct rl_avro_op *last = c->n_ops > 0 ? &c->ops[c->n_ops - 1] : NULL;
  if (last && alike(last, &op)) {
    if (__builtin_add_overflow(last->n, op.n, &last->n)) last->n = UINT64_MAX;
    return;
  }
  if (++c->total > OPS_MAX) {
    c->too_large = true;
    return;
  }
  RL_GROW(c->ops, c->cap_ops, c->n_ops + 1);
  c->ops[c->n_ops++] = op;
}

static bool side_of(const struct rl_avro_type *type, uint32_t *side) {
  switch (type->kind) {
    case RL_AVRO_INT:
    case RL_AVRO_LONG:
    case RL_AVRO_ENUM: *side = RL_AVRO_SIDE_VARINT; return true;
    case RL_AVRO_BYTES:
    case RL_AVRO_STRING: *side = RL_AVRO_SIDE_BYTES; return true;
    default: *side = (uint32_t)type->least; return type->exact && type->least < RL_AVRO_SIDE_VARINT;
  }
}

static bool emit_pair(struct compiler *c, const struct rl_avro_type *type) {
  struct rl_avro_op op = {.code = RL_AVRO_OP_PAIR, .n = 1};
  if (type->n != 2 || !side_of(type->branches[0], &op.a) || !side_of(type->branches[1], &op.b)) return false;
  emit(c, op);
  return true;
}

static void emit_union(struct compiler *c, const struct rl_avro_type *type, struct rl_json_node *node) {
  if (!node && emit_pair(c, type)) return;
  c->total += type->n;
  const struct rl_avro_code **codes = rl_arena_alloc(&c->program->arena, type->n * sizeof *codes);
  for (uint32_t i = 0; i < type->n; i++) codes[i] = code_of(c, type->branches[i], node);
  emit(c, (struct rl_avro_op){.code = RL_AVRO_OP_UNION, .n = type->n, .codes = codes});
}

static void emit_call(struct compiler *c, struct rl_avro_type *type, struct rl_json_node *node) {
  const struct rl_avro_code **codes = rl_arena_alloc(&c->program->arena, sizeof *codes);
  codes[0] = code_for(c, type, node, true);
  emit(c, (struct rl_avro_op){.code = RL_AVRO_OP_CALL, .codes = codes});
}

static struct rl_avro_items *items_new(struct compiler *c, const struct rl_avro_type *type) {
  struct rl_avro_items *items = rl_arena_alloc(&c->program->arena, sizeof *items);
  bool map = type->kind == RL_AVRO_MAP;
  *items = (struct rl_avro_items){.least = type->items->least,
                                  .exact = type->items->exact,
                                  .map = map,
                                  .rest = code_of(c, type->items, NULL)};
  return items;
}

static void emit_skip(struct compiler *c, struct rl_avro_type *type) {
  switch (type->kind) {
    case RL_AVRO_INT:
    case RL_AVRO_LONG:
    case RL_AVRO_ENUM: emit(c, (struct rl_avro_op){.code = RL_AVRO_OP_VARINT, .n = 1}); break;
    case RL_AVRO_BYTES:
    case RL_AVRO_STRING: emit(c, (struct rl_avro_op){.code = RL_AVRO_OP_BYTES, .n = 1}); break;
    case RL_AVRO_UNION: emit_union(c, type, NULL); break;
    case RL_AVRO_ARRAY:
    case RL_AVRO_MAP:
      emit(c, (struct rl_avro_op){.code = RL_AVRO_OP_ITEMS, .items = items_new(c, type)});
      break;
    case RL_AVRO_MISFIT: emit_skip(c, type->items); break;
    default:
      if (!type->exact)
        emit_call(c, type, NULL);
      else if (type->least > 0)
        emit(c, (struct rl_avro_op){.code = RL_AVRO_OP_FIXED, .n = type->least});
  }
}

/* ---- what is wanted ---- */

static bool wants_self(const struct rl_json_node *node) { return node->own > node->first; }

static struct rl_avro_op taking(enum rl_avro_opcode code, const struct rl_json_node *node,
                                struct rl_avro_type *type) {
  return (struct rl_avro_op){
      .code = code, .from = (uint32_t)node->first, .to = (uint32_t)node->own, .type = type};
}

static struct rl_json_node *child_of(const struct rl_json_node *node, struct rl_bytes name) {
  char padded[8] = {0};
  if (!node->n_slots) return NULL;
  memcpy(padded, name.data, name.len < 8 ? name.len : 8);
  return rl_json_find_key(node, name.data, name.len, rl_json_word(padded, name.len));
}

static void emit_constant(struct compiler *c, const struct rl_json_node *node, const struct rl_avro_doc *doc,
                          size_t at);

static void emit_list_op(struct compiler *c, enum rl_avro_opcode code, const struct rl_json_node *each,
                         size_t n) {
  emit(c,
       (struct rl_avro_op){.code = code, .from = (uint32_t)each->first, .to = (uint32_t)each->last, .n = n});
}

static void emit_constant_list(struct compiler *c, const struct rl_json_node *each,
                               const struct rl_avro_doc *doc, size_t at) {
  size_t item = at + 1;
  for (uint32_t i = 0; i < doc->at[at].len; i++, item = doc->past[item]) {
    emit_constant(c, each, doc, item);
    emit_list_op(c, RL_AVRO_OP_ELEMENT, each, 0);
  }
  emit_list_op(c, RL_AVRO_OP_LISTS, each, doc->at[at].len);
}

/* A constant is walked now: what is wanted of it are constants too. */
static void emit_constant(struct compiler *c, const struct rl_json_node *node, const struct rl_avro_doc *doc,
                          size_t at) {
  if (wants_self(node)) {
    struct rl_avro_op op = taking(RL_AVRO_OP_CONSTANT, node, NULL);
    op.constant = &doc->at[at];
    op.n = doc->past[at] - at;
    emit(c, op);
  }
  for (size_t i = 0; i < node->n_slots; i++) {
    const struct rl_json_key *key = &node->keys[i];
    size_t below = key->node ? rl_avro_doc_member(doc, at, rl_bytes(key->text, key->len)) : 0;
    if (below) emit_constant(c, key->node, doc, below);
  }
  if (doc->at[at].tag != RL_ARRAY) return;
  for (size_t i = 0; i < node->n_elements; i++) {
    int64_t index = node->elements[i].index, n = doc->at[at].len;
    if (index < 0) index += n;
    if (index < 0 || index >= n) continue;
    size_t item = at + 1;
    while (index-- > 0) item = doc->past[item];
    emit_constant(c, node->elements[i].node, doc, item);
  }
  if (node->each) emit_constant_list(c, node->each, doc, at);
}

static void emit_given(struct compiler *c, const struct rl_avro_type *type, const struct rl_json_node *node) {
  for (uint32_t i = 0; i < type->n_given; i++) {
    const struct rl_json_node *child = child_of(node, type->given[i].name);
    if (!child) continue;
    struct rl_avro_doc doc;
    rl_avro_doc_make(&doc, type->given[i].value, type->given[i].n);
    emit_constant(c, child, &doc, 0);
    rl_avro_doc_free(&doc);
  }
}

/* Records are called, so that a chain of them is compiled one by one. */
static void emit_take(struct compiler *c, struct rl_avro_type *type, struct rl_json_node *node);

static struct rl_json_node *wanted(const struct rl_avro_field *field, const struct rl_json_node *node) {
  return node && !field->dropped ? child_of(node, field->name) : NULL;
}

/* How many of a record's fields there are up to the last that is wanted. */
static uint32_t up_to_last(const struct rl_avro_type *type, const struct rl_json_node *node) {
  uint32_t n = type->n;
  while (n > 0 && !wanted(&type->fields[n - 1], node)) n--;
  return n;
}

/* Of the value itself, which nothing follows that is wanted, the rest may be left unread. */
static void emit_fields(struct compiler *c, const struct rl_avro_type *type,
                        const struct rl_json_node *node) {
  uint32_t n = up_to_last(type, node);
  for (uint32_t i = 0; i < n; i++) {
    struct rl_json_node *child = wanted(&type->fields[i], node);
    if (child)
      emit_take(c, type->fields[i].type, child);
    else
      emit_skip(c, type->fields[i].type);
  }
  if (node) emit_given(c, type, node);
  if (n < type->n && node && node == c->root) emit(c, (struct rl_avro_op){.code = RL_AVRO_OP_REST});
  for (uint32_t i = n; i < type->n; i++) emit_skip(c, type->fields[i].type);
}

static void emit_elements(struct compiler *c, const struct rl_avro_type *type,
                          const struct rl_json_node *node) {
  struct rl_avro_items *items = items_new(c, type);
  items->n_picks = node->n_elements;
  items->picks = rl_arena_alloc(&c->program->arena, node->n_elements * sizeof *items->picks);
  for (size_t i = 0; i < node->n_elements; i++) {
    struct rl_json_node *below = node->elements[i].node;
    items->picks[i] = (struct rl_avro_pick){node->elements[i].index, below, code_of(c, type->items, below)};
  }
  items->from_end = node->from_end;
  if (node->each) items->each = (struct rl_avro_pick){0, node->each, code_of(c, type->items, node->each)};
  c->total += items->n_picks;
  emit(c, (struct rl_avro_op){.code = RL_AVRO_OP_ELEMENTS, .items = items});
}

static void emit_keys(struct compiler *c, const struct rl_avro_type *type, const struct rl_json_node *node) {
  struct rl_avro_items *items = items_new(c, type);
  items->node = node;
  items->picks = rl_arena_alloc(&c->program->arena, node->n_slots * sizeof *items->picks);
  for (size_t i = 0; i < node->n_slots; i++) {
    struct rl_json_node *below = node->keys[i].node;
    if (below)
      items->picks[items->n_picks++] = (struct rl_avro_pick){0, below, code_of(c, type->items, below)};
  }
  c->total += items->n_picks;
  emit(c, (struct rl_avro_op){.code = RL_AVRO_OP_KEYS, .items = items});
}

/* Is something wanted of what is inside the value? */
static bool wants_inside(const struct rl_avro_type *type, const struct rl_json_node *node) {
  return type->kind == RL_AVRO_ARRAY ? node->n_elements > 0 || node->each : node->n_slots > 0;
}

static void emit_shapes(struct compiler *c, struct rl_avro_type *type, const struct rl_json_node *node,
                        bool again) {
  struct rl_avro_op op = taking(RL_AVRO_OP_SHAPES, node, type);
  op.n = again;
  emit(c, op);
}

static void emit_container(struct compiler *c, struct rl_avro_type *type, struct rl_json_node *node) {
  bool inside = wants_inside(type, node), shaped = node->shaped && type->kind == RL_AVRO_ARRAY;
  if (wants_self(node) && shaped)
    emit_shapes(c, type, node, inside);
  else if (wants_self(node))
    emit(c, taking(inside ? RL_AVRO_OP_PEEK : RL_AVRO_OP_TREE, node, type));
  if (!inside && !wants_self(node))
    emit_skip(c, type);
  else if (inside && type->kind == RL_AVRO_RECORD)
    emit_call(c, type, node);
  else if (inside && type->kind == RL_AVRO_ARRAY)
    emit_elements(c, type, node);
  else if (inside)
    emit_keys(c, type, node);
}

static void emit_take(struct compiler *c, struct rl_avro_type *type, struct rl_json_node *node) {
  switch (type->kind) {
    case RL_AVRO_UNION: emit_union(c, type, node); break;
    case RL_AVRO_RECORD:
    case RL_AVRO_ARRAY:
    case RL_AVRO_MAP: emit_container(c, type, node); break;
    default: /* below a misfit nothing is missing: it is an error for whatever is asked of it */
      if (wants_self(node) || type->kind == RL_AVRO_MISFIT)
        emit(c, taking(RL_AVRO_OP_SCALAR, node, type));
      else
        emit_skip(c, type);
  }
}

/* ---- compiling ---- */

static void compile_body(struct compiler *c, const struct todo *todo) {
  if (todo->fields)
    emit_fields(c, todo->type, todo->node);
  else if (todo->node)
    emit_take(c, todo->type, todo->node);
  else
    emit_skip(c, todo->type);
}

static void compile(struct compiler *c, const struct todo *todo) {
  c->n_ops = 0;
  compile_body(c, todo);
  c->total++;
  RL_GROW(c->ops, c->cap_ops, c->n_ops + 1);
  c->ops[c->n_ops++] = (struct rl_avro_op){.code = RL_AVRO_OP_END};
  todo->code->ops = rl_arena_alloc(&c->program->arena, c->n_ops * sizeof *c->ops);
  memcpy(todo->code->ops, c->ops, c->n_ops * sizeof *c->ops);
}

static bool selects(const struct rl_avro_type *type, const struct rl_json_node *node) {
  switch (type->kind) {
    case RL_AVRO_RECORD:
    case RL_AVRO_MAP: return node->n_slots > 0;
    case RL_AVRO_ARRAY: return node->n_elements > 0 || node->each;
    case RL_AVRO_MISFIT: return true; /* which fails when it is met, with its own sentence */
    case RL_AVRO_UNION:
      for (uint32_t i = 0; i < type->n; i++)
        if (selects(type->branches[i], node)) return true;
      return false;
    default: return false;
  }
}

int rl_avro_program_new(struct rl_avro_program **out, struct rl_avro_schema *schema,
                        const struct rl_json_program *steps, struct rl_err *err) {
  struct compiler c = {.program = rl_zalloc(sizeof *c.program)};
  struct rl_json_node *root = (struct rl_json_node *)&steps->root;
  c.root = root;
  rl_arena_init(&c.program->arena);
  c.program->selects = selects(schema->root, root);
  c.program->root = code_of(&c, schema->root, steps->n_order > 0 ? root : NULL);
  while (c.n_todo > 0 && !c.too_large) {
    struct todo next = c.todo[--c.n_todo];
    compile(&c, &next);
  }
  rl_avro_pairs_free(&c.values);
  rl_avro_pairs_free(&c.fields);
  rl_free(c.todo);
  rl_free(c.ops);
  *out = c.program;
  if (!c.too_large) return 0;
  rl_avro_program_free(c.program);
  return rl_fail(err, RL_EHANDLER, "Avro schema: too large for the fields asked for: over %d steps", OPS_MAX);
}

void rl_avro_program_free(struct rl_avro_program *program) {
  if (!program) return;
  rl_arena_free(&program->arena);
  rl_free(program);
}
