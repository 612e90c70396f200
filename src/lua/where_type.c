#include "lua/where_type.h"

#include "lua/where_fn.h"

static bool is_zero(const struct rl_where_node *node) {
  const struct rl_cell *v = &node->value;
  return v->tag == RL_INT ? v->i == 0 : v->tag == RL_DOUBLE && v->d == 0;
}

static enum rl_where_type type_of_literal(const struct rl_where_node *node) {
  switch (node->value.tag) {
    case RL_INT:
    case RL_DOUBLE: return RL_WHERE_NUMBER;
    case RL_TEXT: return RL_WHERE_TEXT;
    case RL_BOOL: return RL_WHERE_BOOLEAN;
    default: return RL_WHERE_ANY;
  }
}

enum rl_where_type rl_where_type_of_column(const char *profile, const struct rl_where_node *node) {
  switch (profile[node->name]) {
    case 'n': return RL_WHERE_NUMBER;
    case 't': return RL_WHERE_TEXT;
    case 'b': return RL_WHERE_BOOLEAN;
    default: return RL_WHERE_ANY;
  }
}

/* Division by zero raises in integers and NaN^0 is 1: `//`, `%` and `^` stand inline only where the right
 * side is a literal that is not zero; `1 ^ NaN` needs the left side not to be a literal. */
static bool is_inline_operator(const struct rl_where_node *node) {
  switch (node->op) {
    case RL_W_ADD:
    case RL_W_SUB:
    case RL_W_MUL:
    case RL_W_DIV:
    case RL_W_NEG: return true;
    case RL_W_IDIV:
    case RL_W_MOD:
    case RL_W_POW: return node->kid[1]->op == RL_W_LITERAL && !is_zero(node->kid[1]);
    case RL_W_CALL: return node->fn->kind == RL_FN_TOTAL;
    default: return false;
  }
}

enum rl_where_type rl_where_type_of(const char *profile, const struct rl_where_node *node) {
  if (node->op == RL_W_COLUMN) return rl_where_type_of_column(profile, node);
  if (node->op == RL_W_LITERAL) return type_of_literal(node);
  if (!is_inline_operator(node)) return RL_WHERE_ANY;
  for (uint32_t i = 0; i < node->n; i++) {
    if (rl_where_type_of(profile, node->kid[i]) != RL_WHERE_NUMBER) return RL_WHERE_ANY;
  }
  return RL_WHERE_NUMBER;
}
