/* The grammar down to `comparison`: what is true, false or unknown. */
#include "lua/where_grammar.h"

static int parse_element(struct rl_where_parser *p, struct rl_where_node **out) {
  uint32_t start = p->token.at;
  int code = rl_where_parse_sign(p, out);
  if (code || ((*out)->op == RL_W_LITERAL && *out != &p->nil)) return code;
  return rl_where_fail(p->lexer.err, p->tree->text, start, "`in` takes a list of literals: %s",
                       *out == &p->nil ? "`x == nil` asks for what is missing" : "`or` joins the rest");
}

static int parse_in(struct rl_where_parser *p, struct rl_where_node **out) {
  struct rl_where_list list = {0};
  int code = rl_where_need_value(p, *out);
  if (code) return code;
  rl_where_list_add(p, &list, *out);
  if ((code = rl_where_advance(p)) || (code = rl_where_expect(p, "{", "after `in`"))) return code;
  if ((code = rl_where_parse_list(p, &list, "}", parse_element))) return code;
  *out = rl_where_node_of(p, RL_W_IN, (*out)->at, &list);
  return rl_where_check_depth(p, *out);
}

static int parse_between(struct rl_where_parser *p, struct rl_where_node **out) {
  struct rl_where_node *low, *high, *value = *out;
  int code = rl_where_advance(p);
  if (code || (code = rl_where_parse_value(p, &low))) return code;
  if ((code = rl_where_expect(p, "and", "after `between` and its lower bound"))) return code;
  if ((code = rl_where_parse_value(p, &high))) return code;
  struct rl_where_node *both[2];
  if ((code = rl_where_binary(p, RL_W_GE, value, low, &both[0]))) return code;
  if ((code = rl_where_binary(p, RL_W_LE, value, high, &both[1]))) return code;
  struct rl_where_list list = {0};
  rl_where_list_add(p, &list, both[0]);
  rl_where_list_add(p, &list, both[1]);
  *out = rl_where_node_of(p, RL_W_AND, value->at, &list);
  return rl_where_check_depth(p, *out);
}

/* `in` or `between`, the word at hand. */
static int parse_range(struct rl_where_parser *p, struct rl_where_node **out) {
  if (rl_where_at(p, "in")) return parse_in(p, out);
  if (rl_where_at(p, "between")) return parse_between(p, out);
  return rl_where_unexpected(p, "`in` or `between` was expected after `not`");
}

static int parse_not_range(struct rl_where_parser *p, struct rl_where_node **out) {
  uint32_t start = (*out)->at;
  int code = rl_where_advance(p);
  if (!code) code = parse_range(p, out);
  return code ? code : rl_where_unary(p, RL_W_NOT, start, *out, out);
}

static const struct rl_where_infix comparisons[] = {{"==", RL_W_EQ}, {"~=", RL_W_NE}, {"<", RL_W_LT},
                                                    {"<=", RL_W_LE}, {">", RL_W_GT},  {">=", RL_W_GE},
                                                    {NULL, 0}};

static int parse_operator(struct rl_where_parser *p, enum rl_where_op op, struct rl_where_node **out) {
  struct rl_where_node *right, *left = *out;
  int code = rl_where_advance(p);
  if (code || (code = rl_where_parse_value(p, &right))) return code;
  if (rl_where_infix_at(p, comparisons)) {
    return rl_where_unexpected(p, "comparisons do not chain: write `1 < x and x < 5`");
  }
  bool equality = op == RL_W_EQ || op == RL_W_NE;
  if (equality && (left == &p->nil || right == &p->nil)) {
    return rl_where_presence(p, op, left == &p->nil ? right : left, out);
  }
  return rl_where_compare(p, op, left, right, out);
}

static int parse_comparison(struct rl_where_parser *p, struct rl_where_node **out) {
  int code = rl_where_parse_value(p, out);
  if (code) return code;
  const struct rl_where_infix *op = rl_where_infix_at(p, comparisons);
  if (op) return parse_operator(p, op->op, out);
  if (rl_where_at(p, "in") || rl_where_at(p, "between")) return parse_range(p, out);
  if (rl_where_at(p, "not")) return parse_not_range(p, out);
  return 0;
}

static int parse_negation(struct rl_where_parser *p, struct rl_where_node **out) {
  uint32_t start = p->token.at;
  if (!rl_where_at(p, "not")) return parse_comparison(p, out);
  int code = rl_where_enter(p);
  if (!code) code = rl_where_advance(p);
  if (!code) code = parse_negation(p, out);
  if (!code) code = rl_where_need_condition(p, out);
  p->level--;
  return code ? code : rl_where_unary(p, RL_W_NOT, start, *out, out);
}

/* `word` between operands makes one node of as many kids: a long list does not make a deep tree. */
int parse_joined(struct rl_where_parser *p, const char *word, enum rl_where_op op,
                 int (*operand)(struct rl_where_parser *, struct rl_where_node **),
                 struct rl_where_node **out) {
  struct rl_where_list list = {0};
  int code = operand(p, out);
  while (!code && rl_where_at(p, word)) {
    if (list.n == 0) {
      if ((code = rl_where_need_condition(p, out))) return code;
      rl_where_list_add(p, &list, *out);
    }
    if ((code = rl_where_advance(p)) || (code = operand(p, out))) return code;
    if ((code = rl_where_need_condition(p, out))) return code;
    rl_where_list_add(p, &list, *out);
  }
  if (code || list.n == 0) return code;
  *out = rl_where_node_of(p, op, list.at[0]->at, &list);
  return rl_where_check_depth(p, *out);
}

static int parse_and(struct rl_where_parser *p, struct rl_where_node **out) {
  return parse_joined(p, "and", RL_W_AND, parse_negation, out);
}

int rl_where_parse_condition(struct rl_where_parser *p, struct rl_where_node **out) {
  int code = rl_where_enter(p);
  if (!code) code = parse_joined(p, "or", RL_W_OR, parse_and, out);
  p->level--;
  return code;
}

static int parse_all(struct rl_where_parser *p, struct rl_where_node **out) {
  int code = rl_where_advance(p);
  if (code) return code;
  if (p->token.kind == RL_T_END) return rl_where_unexpected(p, "an expression was expected");
  if ((code = rl_where_parse_condition(p, out))) return code;
  if (p->token.kind != RL_T_END) return rl_where_unexpected(p, "`and`, `or` or the end was expected");
  return rl_where_need_condition(p, out);
}

int rl_where_parse(struct rl_where_tree *tree, struct rl_bytes text, struct rl_err *err) {
  *tree = (struct rl_where_tree){0};
  rl_arena_init(&tree->arena);
  if (text.len > RL_WHERE_TEXT_MAX) {
    return rl_fail(err, RL_EUSAGE, "where: an expression of %zu bytes is too long, %d is the most", text.len,
                   RL_WHERE_TEXT_MAX);
  }
  tree->text = rl_arena_copy(&tree->arena, text);
  struct rl_where_parser p = {.tree = tree,
                              .lexer = {.text = tree->text, .arena = &tree->arena, .err = err},
                              .nil = {.op = RL_W_LITERAL}};
  return parse_all(&p, &tree->root);
}

void rl_where_free(struct rl_where_tree *tree) {
  rl_arena_free(&tree->arena);
  *tree = (struct rl_where_tree){0};
}
