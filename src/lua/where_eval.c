#include "lua/where_eval.h"

#include <math.h>

#include "lua/number_order.h"
#include "lua/where_arith.h"

enum tri { NO, YES, UNKNOWN };

enum { IN_MAX = 64 }; /* longer lists are looked up in a table, by the loop in Lua */

struct row {
  const struct rl_cell *const *columns;
  uint32_t at;
};

static enum tri eval(const struct rl_where_node *node, const struct row *row);

bool rl_where_can_eval(const struct rl_where_node *node) {
  if (node->op == RL_W_CALL || node->op == RL_W_CONCAT || node->op == RL_W_LEN) return false;
  if (node->op == RL_W_IN && node->n > IN_MAX) return false;
  for (uint32_t i = 0; i < node->n; i++) {
    if (!rl_where_can_eval(node->kid[i])) return false;
  }
  return true;
}

static const struct rl_cell missing = {.tag = RL_MISSING};

static bool is_missing(const struct rl_cell *cell) {
  return cell->tag <= RL_NULL || (cell->tag == RL_DOUBLE && isnan(cell->d));
}

static bool is_text(const struct rl_cell *cell) { return cell->tag == RL_TEXT || cell->tag == RL_BLOB; }

/* The value of a node: a cell where it stands, or computed into *own. */
static const struct rl_cell *value(const struct rl_where_node *node, const struct row *row,
                                   struct rl_cell *own) {
  if (node->op == RL_W_COLUMN) return &row->columns[node->name][row->at];
  if (node->op == RL_W_LITERAL) return &node->value;
  struct rl_cell left_own, right_own;
  const struct rl_cell *left = value(node->kid[0], row, &left_own);
  const struct rl_cell *right = node->n > 1 ? value(node->kid[1], row, &right_own) : &missing;
  *own = rl_where_arith(node->op, left, right);
  return own;
}

static int order_texts(const struct rl_cell *a, const struct rl_cell *b) {
  uint32_t shorter = a->len < b->len ? a->len : b->len;
  int order = shorter ? memcmp(a->s, b->s, shorter) : 0;
  return order ? order : (a->len > b->len) - (a->len < b->len);
}

static bool same_text(const struct rl_cell *a, const struct rl_cell *b) {
  return a->len == b->len && (a->len == 0 || memcmp(a->s, b->s, a->len) == 0);
}

static bool equal(const struct rl_cell *a, const struct rl_cell *b) {
  if (rl_is_number(a)) return rl_is_number(b) && rl_number_order(a, b) == 0;
  if (is_text(a)) return is_text(b) && same_text(a, b);
  if (a->tag != b->tag) return false;
  return a->tag == RL_BOOL ? a->i == b->i : a->s == b->s;
}

static enum tri tri(bool known) { return known ? YES : NO; }

static enum tri negate(enum tri t) { return t == UNKNOWN ? UNKNOWN : tri(t == NO); }

static enum tri by_order(enum rl_where_op op, int order) {
  switch (op) {
    case RL_W_EQ: return tri(order == 0);
    case RL_W_NE: return tri(order != 0);
    case RL_W_LT: return tri(order < 0);
    case RL_W_LE: return tri(order <= 0);
    case RL_W_GT: return tri(order > 0);
    default: return tri(order >= 0);
  }
}

static enum tri compare(enum rl_where_op op, const struct rl_cell *a, const struct rl_cell *b) {
  if (is_missing(a) || is_missing(b)) return UNKNOWN;
  if (op == RL_W_EQ || op == RL_W_NE) return tri(equal(a, b) == (op == RL_W_EQ));
  if (rl_is_number(a) && rl_is_number(b)) return by_order(op, rl_number_order(a, b));
  if (is_text(a) && is_text(b)) return by_order(op, order_texts(a, b));
  return UNKNOWN;
}

static enum tri compare_doubles(enum rl_where_op op, double a, double b) {
  if (isnan(a) || isnan(b)) return UNKNOWN;
  return by_order(op, (a > b) - (a < b));
}

static enum tri eval_comparison(const struct rl_where_node *node, const struct row *row) {
  struct rl_cell left_own, right_own;
  const struct rl_cell *a = value(node->kid[0], row, &left_own);
  const struct rl_cell *b = value(node->kid[1], row, &right_own);
  if (a->tag == RL_DOUBLE && b->tag == RL_DOUBLE) return compare_doubles(node->op, a->d, b->d);
  if (a->tag == RL_INT && b->tag == RL_INT) return by_order(node->op, (a->i > b->i) - (a->i < b->i));
  return compare(node->op, a, b);
}

static enum tri eval_in(const struct rl_where_node *node, const struct row *row) {
  struct rl_cell own;
  const struct rl_cell *v = value(node->kid[0], row, &own);
  if (is_missing(v)) return UNKNOWN;
  for (uint32_t i = 1; i < node->n; i++) {
    if (equal(v, &node->kid[i]->value)) return YES;
  }
  return NO;
}

static enum tri eval_truth(const struct rl_where_node *node, const struct row *row) {
  struct rl_cell own;
  const struct rl_cell *v = value(node->kid[0], row, &own);
  if (is_missing(v)) return UNKNOWN;
  return tri(v->tag != RL_BOOL || v->i != 0);
}

static bool eval_absent(const struct rl_where_node *node, const struct row *row) {
  struct rl_cell own;
  return is_missing(value(node->kid[0], row, &own));
}

/* `and` ends at the first NO, `or` at the first YES; an UNKNOWN on the way stands if none comes. */
static enum tri eval_joined(const struct rl_where_node *node, const struct row *row, enum tri decides) {
  enum tri result = negate(decides);
  for (uint32_t i = 0; i < node->n; i++) {
    enum tri t = eval(node->kid[i], row);
    if (t == decides) return t;
    if (t == UNKNOWN) result = UNKNOWN;
  }
  return result;
}

static enum tri eval(const struct rl_where_node *node, const struct row *row) {
  switch (node->op) {
    case RL_W_TRUTH: return eval_truth(node, row);
    case RL_W_ABSENT: return tri(eval_absent(node, row));
    case RL_W_PRESENT: return tri(!eval_absent(node, row));
    case RL_W_IN: return eval_in(node, row);
    case RL_W_AND: return eval_joined(node, row, NO);
    case RL_W_OR: return eval_joined(node, row, YES);
    case RL_W_NOT: return negate(eval(node->kid[0], row));
    default: return eval_comparison(node, row);
  }
}

size_t rl_where_eval(const struct rl_where_tree *tree, const struct rl_cell *const *columns,
                     const uint32_t *rows, size_t n, uint32_t *out) {
  size_t passed = 0;
  for (size_t i = 0; i < n; i++) {
    struct row row = {columns, rows[i]};
    if (eval(tree->root, &row) == YES) out[passed++] = rows[i];
  }
  return passed;
}
