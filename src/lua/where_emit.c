#include "lua/where_emit.h"

#include "base/mem.h"
#include "lua/where_fn.h"
#include "lua/where_type.h"

/* Registers and upvalues are few in Lua (about 250 a function): the rest stays in tables. */
enum { NAMES_LOCAL = 40, LITERALS_LOCAL = 100 };

struct emitter {
  const struct rl_where_tree *tree;
  const char *profile;
  struct rl_buf *code;
  struct rl_where_literals *literals;
  uint32_t *guarded; /* per name: the last comparison that has checked it */
  uint32_t comparison;
};

static void emit_any(struct emitter *e, const struct rl_where_node *node);
static void emit_condition(struct emitter *e, const struct rl_where_node *node, bool want);

static void put(struct emitter *e, const char *text) { rl_buf_puts(e->code, text); }

static void emit_column(struct emitter *e, uint32_t name) {
  rl_buf_printf(e->code, name < NAMES_LOCAL ? "a%u" : "C[%u][i]", name + 1);
}

static void emit_literal(struct emitter *e, const struct rl_where_node *node) {
  struct rl_where_literals *l = e->literals;
  RL_GROW(l->at, l->cap, l->n + 1);
  l->at[l->n++] = node;
  rl_buf_printf(e->code, l->n <= LITERALS_LOCAL ? "k%zu" : "K[%zu]", l->n);
}

static const char *operator_of(enum rl_where_op op) {
  static const char *const marks[] = {
      [RL_W_ADD] = " + ", [RL_W_SUB] = " - ", [RL_W_MUL] = " * ", [RL_W_DIV] = " / ", [RL_W_IDIV] = " // ",
      [RL_W_MOD] = " % ", [RL_W_POW] = " ^ ", [RL_W_EQ] = " == ", [RL_W_NE] = " ~= ", [RL_W_LT] = " < ",
      [RL_W_LE] = " <= ", [RL_W_GT] = " > ",  [RL_W_GE] = " >= "};
  return marks[op];
}

static void emit_inline(struct emitter *e, const struct rl_where_node *node) {
  if (node->op == RL_W_COLUMN) {
    emit_column(e, node->name);
  } else if (node->op == RL_W_LITERAL) {
    emit_literal(e, node);
  } else {
    if (node->op == RL_W_CALL) rl_buf_printf(e->code, "M.%s", node->fn->name);
    put(e, node->op == RL_W_NEG ? "(-" : "(");
    emit_inline(e, node->kid[0]);
    if (node->n == 2) {
      put(e, operator_of(node->op));
      emit_inline(e, node->kid[1]);
    }
    put(e, ")");
  }
}

/* `a1 and a2 and `, each column of the inline value once a comparison. */
static void emit_guards(struct emitter *e, const struct rl_where_node *node) {
  if (node->op == RL_W_COLUMN) {
    if (e->guarded[node->name] == e->comparison) return;
    e->guarded[node->name] = e->comparison;
    emit_column(e, node->name);
    put(e, rl_where_type_of_column(e->profile, node) == RL_WHERE_BOOLEAN ? " ~= nil and " : " and ");
  }
  for (uint32_t i = 0; i < node->n; i++) emit_guards(e, node->kid[i]);
}

static void emit_helper(struct emitter *e, const char *name, const struct rl_where_node *node) {
  rl_buf_printf(e->code, "H.%s(", name);
  for (uint32_t i = 0; i < node->n; i++) {
    if (i > 0) put(e, ", ");
    emit_any(e, node->kid[i]);
  }
  put(e, ")");
}

static const char *helper_of(const struct rl_where_node *node) {
  switch (node->op) {
    case RL_W_ADD: return "a_add";
    case RL_W_SUB: return "a_sub";
    case RL_W_MUL: return "a_mul";
    case RL_W_DIV: return "a_div";
    case RL_W_IDIV: return "a_idiv";
    case RL_W_MOD: return "a_mod";
    case RL_W_POW: return "a_pow";
    case RL_W_NEG: return "a_neg";
    case RL_W_LEN: return "len";
    case RL_W_CONCAT: return "concat";
    default: return node->fn->name;
  }
}

/* The value, or nil where it is missing (or NaN, which the helpers take for missing). */
static void emit_any(struct emitter *e, const struct rl_where_node *node) {
  if (node->op == RL_W_COLUMN || node->op == RL_W_LITERAL) {
    emit_inline(e, node);
  } else if (rl_where_type_of(e->profile, node) == RL_WHERE_ANY) {
    emit_helper(e, helper_of(node), node);
  } else {
    e->comparison++;
    put(e, "(");
    emit_guards(e, node);
    emit_inline(e, node);
    put(e, ")");
  }
}

static enum rl_where_op opposite(enum rl_where_op op) {
  switch (op) {
    case RL_W_EQ: return RL_W_NE;
    case RL_W_NE: return RL_W_EQ;
    case RL_W_LT: return RL_W_GE;
    case RL_W_LE: return RL_W_GT;
    case RL_W_GT: return RL_W_LE;
    default: return RL_W_LT;
  }
}

static void emit_sides(struct emitter *e, const struct rl_where_node *node, enum rl_where_op op) {
  emit_inline(e, node->kid[0]);
  put(e, operator_of(op));
  emit_inline(e, node->kid[1]);
}

static bool may_be_nan(const struct rl_where_node *node) {
  return node->op != RL_W_COLUMN && node->op != RL_W_LITERAL;
}

/* NaN fails every operator but ~=: that one is asked as two. */
static void emit_inline_comparison(struct emitter *e, const struct rl_where_node *node, enum rl_where_op op) {
  e->comparison++;
  put(e, "(");
  emit_guards(e, node);
  if (op == RL_W_NE && (may_be_nan(node->kid[0]) || may_be_nan(node->kid[1]))) {
    put(e, "(");
    emit_sides(e, node, RL_W_LT);
    put(e, " or ");
    emit_sides(e, node, RL_W_GT);
    put(e, ")");
  } else {
    emit_sides(e, node, op);
  }
  put(e, ")");
}

static void emit_helper_comparison(struct emitter *e, const struct rl_where_node *node, bool want) {
  enum rl_where_op op = node->op;
  bool swap = op == RL_W_GT || op == RL_W_GE;
  bool equality = op == RL_W_EQ || op == RL_W_NE;
  put(e, equality ? "(H.eq(" : op == RL_W_LT || op == RL_W_GT ? "(H.lt(" : "(H.le(");
  emit_any(e, node->kid[swap ? 1 : 0]);
  put(e, ", ");
  emit_any(e, node->kid[swap ? 0 : 1]);
  put(e, want == (op != RL_W_NE) ? "))" : ") == false)");
}

/* Texts are ordered by a helper, by their bytes: Lua's own < follows the locale. */
static void emit_comparison(struct emitter *e, const struct rl_where_node *node, bool want) {
  enum rl_where_type type = rl_where_type_of(e->profile, node->kid[0]);
  bool equality = node->op == RL_W_EQ || node->op == RL_W_NE;
  bool same = type != RL_WHERE_ANY && type == rl_where_type_of(e->profile, node->kid[1]);
  if (same && (type == RL_WHERE_NUMBER || equality)) {
    emit_inline_comparison(e, node, want ? node->op : opposite(node->op));
  } else {
    emit_helper_comparison(e, node, want);
  }
}

static void emit_presence(struct emitter *e, const struct rl_where_node *node, bool present) {
  const struct rl_where_node *value = node->kid[0];
  put(e, "(");
  if (value->op == RL_W_COLUMN) {
    emit_column(e, value->name);
    put(e, present ? " ~= nil)" : " == nil)");
    return;
  }
  put(e, present ? "H.known(" : "not H.known(");
  emit_any(e, value);
  put(e, "))");
}

static void emit_truth_helper(struct emitter *e, const struct rl_where_node *value, bool want) {
  put(e, "(");
  if (value->op == RL_W_CALL && value->fn->kind == RL_FN_FIND) {
    emit_helper(e, "found", value);
  } else {
    put(e, "H.truth(");
    emit_any(e, value);
    put(e, ")");
  }
  put(e, want ? ")" : " == false)");
}

static void emit_truth(struct emitter *e, const struct rl_where_node *node, bool want) {
  const struct rl_where_node *value = node->kid[0];
  if (value->op == RL_W_LITERAL) {
    put(e, (value->value.i != 0) == want ? "true" : "false");
  } else if (value->op != RL_W_COLUMN || rl_where_type_of_column(e->profile, value) == RL_WHERE_ANY) {
    emit_truth_helper(e, value, want);
  } else if (rl_where_type_of_column(e->profile, value) == RL_WHERE_BOOLEAN) {
    put(e, "(");
    emit_column(e, value->name);
    put(e, want ? " == true)" : " == false)");
  } else if (want) {
    put(e, "(");
    emit_column(e, value->name);
    put(e, " ~= nil)");
  } else {
    put(e, "false");
  }
}

static bool has_big(const struct rl_where_node *node) {
  for (uint32_t i = 1; i < node->n; i++) {
    if (node->kid[i]->value.tag == RL_BIG) return true;
  }
  return false;
}

static void emit_in(struct emitter *e, const struct rl_where_node *node, bool want) {
  const struct rl_where_node *value = node->kid[0];
  put(e, "(");
  if (value->op == RL_W_COLUMN && rl_where_type_of_column(e->profile, value) != RL_WHERE_ANY &&
      !has_big(node)) {
    emit_column(e, value->name);
    put(e, want ? " ~= nil and " : " ~= nil and not ");
    emit_literal(e, node);
    put(e, "[");
    emit_column(e, value->name);
    put(e, "])");
    return;
  }
  put(e, "H.within(");
  emit_any(e, value);
  put(e, ", ");
  emit_literal(e, node);
  put(e, want ? "))" : ") == false)");
}

static void emit_joined(struct emitter *e, const struct rl_where_node *node, bool want) {
  put(e, "(");
  for (uint32_t i = 0; i < node->n; i++) {
    if (i > 0) put(e, (node->op == RL_W_AND) == want ? " and " : " or ");
    emit_condition(e, node->kid[i], want);
  }
  put(e, ")");
}

/* Code that is truthy when the condition is known to be `want`. */
static void emit_condition(struct emitter *e, const struct rl_where_node *node, bool want) {
  switch (node->op) {
    case RL_W_TRUTH: emit_truth(e, node, want); break;
    case RL_W_ABSENT: emit_presence(e, node, !want); break;
    case RL_W_PRESENT: emit_presence(e, node, want); break;
    case RL_W_IN: emit_in(e, node, want); break;
    case RL_W_AND:
    case RL_W_OR: emit_joined(e, node, want); break;
    case RL_W_NOT: emit_condition(e, node->kid[0], !want); break;
    default: emit_comparison(e, node, want); break;
  }
}

static void put_numbered(struct rl_buf *out, const char *prefix, size_t n, const char *suffix) {
  for (size_t i = 1; i <= n; i++) rl_buf_printf(out, "%s%s%zu%s", i > 1 ? ", " : "", prefix, i, suffix);
}

/* `local k1, k2 = K[1], K[2]` */
static void put_locals(struct rl_buf *out, const char *name, const char *from, const char *to, size_t n) {
  if (n == 0) return;
  rl_buf_puts(out, "local ");
  put_numbered(out, name, n, "");
  rl_buf_puts(out, " = ");
  put_numbered(out, from, n, to);
  rl_buf_putc(out, '\n');
}

void rl_where_emit(const struct rl_where_tree *tree, const char *profile, struct rl_buf *code,
                   struct rl_where_literals *literals) {
  struct rl_buf condition = RL_BUF_INIT;
  uint32_t *guarded = rl_zalloc((tree->n_names + 1) * sizeof *guarded);
  struct emitter e = {tree, profile, &condition, literals, guarded, 0};
  emit_condition(&e, tree->root, true);
  size_t columns = tree->n_names < NAMES_LOCAL ? tree->n_names : NAMES_LOCAL;
  rl_buf_puts(code, "local K, H, M = ...\n");
  put_locals(code, "k", "K[", "]", literals->n < LITERALS_LOCAL ? literals->n : LITERALS_LOCAL);
  rl_buf_puts(code, "return function(C, n, out)\n");
  put_locals(code, "c", "C[", "]", columns);
  rl_buf_puts(code, "local m = 0\nfor i = 1, n do\n");
  put_locals(code, "a", "c", "[i]", columns);
  rl_buf_printf(code, "if %s then m = m + 1 out[m] = i end\nend\nreturn m\nend\n", condition.data);
  rl_free(guarded);
  rl_buf_free(&condition);
}
