/* The grammar from `concat` on: what has a value. */
#include "lua/where_grammar.h"

int rl_where_expect(struct rl_where_parser *p, const char *text, const char *after) {
  if (!rl_where_at(p, text)) return rl_where_unexpected(p, "`%s` was expected %s", text, after);
  return rl_where_advance(p);
}

int rl_where_parse_list(struct rl_where_parser *p, struct rl_where_list *list, const char *close,
                        int (*parse)(struct rl_where_parser *, struct rl_where_node **)) {
  while (!rl_where_at(p, close)) {
    struct rl_where_node *node;
    int code = parse(p, &node);
    if (code) return code;
    rl_where_list_add(p, list, node);
    if (rl_where_at(p, close)) break;
    if ((code = rl_where_expect(p, ",", "between the parts of a list"))) return code;
  }
  return rl_where_advance(p);
}

static int parse_argument(struct rl_where_parser *p, struct rl_where_node **out) {
  int code = rl_where_parse_condition(p, out);
  return code ? code : rl_where_need_value(p, *out);
}

static int parse_arguments(struct rl_where_parser *p, struct rl_where_list *list) {
  int code = rl_where_expect(p, "(", "after a function's name");
  return code ? code : rl_where_parse_list(p, list, ")", parse_argument);
}

/* NAME, with its token in hand: a function when a parenthesis follows, else a constant or a column. */
static int parse_name(struct rl_where_parser *p, struct rl_where_node **out) {
  struct rl_where_token name = p->token;
  int code = rl_where_advance(p);
  if (code) return code;
  if (!rl_where_at(p, "(") || name.quoted) {
    *out = rl_where_column_or_constant(p, &name);
    return 0;
  }
  const struct rl_where_fn *fn = rl_where_fn_find(name.text, strlen(name.text));
  if (!fn) return rl_where_no_function(p, &name, rl_where_fn_nearest(name.text));
  struct rl_where_list list = {0};
  code = parse_arguments(p, &list);
  return code ? code : rl_where_call(p, &name, fn, &list, out);
}

static int parse_parenthesis(struct rl_where_parser *p, struct rl_where_node **out) {
  int code = rl_where_advance(p);
  if (!code) code = rl_where_parse_condition(p, out);
  return code ? code : rl_where_expect(p, ")", "to close a parenthesis");
}

static int parse_word(struct rl_where_parser *p, struct rl_where_node **out) {
  if (rl_where_at(p, "true") || rl_where_at(p, "false")) {
    *out = rl_where_boolean(p, rl_where_at(p, "true"));
  } else if (rl_where_at(p, "nil")) {
    p->nil.at = p->token.at;
    *out = &p->nil;
  } else if (rl_where_at(p, "not")) {
    return rl_where_unexpected(p, "`not` here needs parentheses");
  } else {
    return rl_where_unexpected(p, "a value was expected");
  }
  return rl_where_advance(p);
}

static int parse_primary(struct rl_where_parser *p, struct rl_where_node **out) {
  switch (p->token.kind) {
    case RL_T_NAME: return parse_name(p, out);
    case RL_T_WORD: return parse_word(p, out);
    case RL_T_LITERAL: *out = rl_where_literal(p, &p->token); return rl_where_advance(p);
    default: break;
  }
  if (rl_where_at(p, "(")) return parse_parenthesis(p, out);
  return rl_where_unexpected(p, "a value was expected");
}

static int parse_method(struct rl_where_parser *p, struct rl_where_node **out) {
  int code = rl_where_advance(p);
  if (code) return code;
  struct rl_where_token name = p->token;
  if (name.kind != RL_T_NAME) return rl_where_unexpected(p, "a method's name was expected after `:`");
  const struct rl_where_fn *fn = rl_where_fn_method(name.text, strlen(name.text));
  if (!fn) return rl_where_no_function(p, &name, rl_where_fn_nearest(name.text));
  if ((code = rl_where_need_value(p, *out)) || (code = rl_where_advance(p))) return code;
  struct rl_where_list list = {0};
  rl_where_list_add(p, &list, *out);
  code = parse_arguments(p, &list);
  return code ? code : rl_where_call(p, &name, fn, &list, out);
}

static int parse_suffixed(struct rl_where_parser *p, struct rl_where_node **out) {
  int code = parse_primary(p, out);
  while (!code && rl_where_at(p, ":")) code = parse_method(p, out);
  return code;
}

static int parse_power(struct rl_where_parser *p, struct rl_where_node **out) {
  int code = parse_suffixed(p, out);
  if (code || !rl_where_at(p, "^")) return code;
  struct rl_where_node *exponent = NULL;
  if ((code = rl_where_advance(p)) || (code = rl_where_parse_sign(p, &exponent))) return code;
  return rl_where_binary(p, RL_W_POW, *out, exponent, out);
}

static int parse_sign_operand(struct rl_where_parser *p, struct rl_where_node **out) {
  struct rl_where_token sign = p->token;
  int code = rl_where_advance(p);
  if (!code) code = rl_where_parse_sign(p, out);
  if (code) return code;
  return rl_where_unary(p, *sign.text == '-' ? RL_W_NEG : RL_W_LEN, sign.at, *out, out);
}

int rl_where_parse_sign(struct rl_where_parser *p, struct rl_where_node **out) {
  if (!rl_where_at(p, "-") && !rl_where_at(p, "#")) return parse_power(p, out);
  int code = rl_where_enter(p);
  if (!code) code = parse_sign_operand(p, out);
  p->level--;
  return code;
}

const struct rl_where_infix *rl_where_infix_at(const struct rl_where_parser *p,
                                               const struct rl_where_infix *ops) {
  for (; ops->mark; ops++) {
    if (rl_where_at(p, ops->mark)) return ops;
  }
  return NULL;
}

static int parse_left(struct rl_where_parser *p, const struct rl_where_infix *ops,
                      int (*operand)(struct rl_where_parser *, struct rl_where_node **),
                      struct rl_where_node **out) {
  const struct rl_where_infix *op;
  int code = operand(p, out);
  while (!code && (op = rl_where_infix_at(p, ops))) {
    struct rl_where_node *right;
    if ((code = rl_where_advance(p)) || (code = operand(p, &right))) return code;
    code = rl_where_binary(p, op->op, *out, right, out);
  }
  return code;
}

static int parse_product(struct rl_where_parser *p, struct rl_where_node **out) {
  static const struct rl_where_infix ops[] = {
      {"*", RL_W_MUL}, {"/", RL_W_DIV}, {"//", RL_W_IDIV}, {"%", RL_W_MOD}, {NULL, 0}};
  return parse_left(p, ops, rl_where_parse_sign, out);
}

static int parse_sum(struct rl_where_parser *p, struct rl_where_node **out) {
  static const struct rl_where_infix ops[] = {{"+", RL_W_ADD}, {"-", RL_W_SUB}, {NULL, 0}};
  return parse_left(p, ops, parse_product, out);
}

int rl_where_parse_value(struct rl_where_parser *p, struct rl_where_node **out) {
  struct rl_where_list list = {0};
  int code = parse_sum(p, out);
  while (!code && rl_where_at(p, "..")) {
    if (list.n == 0) rl_where_list_add(p, &list, *out);
    if ((code = rl_where_advance(p)) || (code = parse_sum(p, out))) return code;
    rl_where_list_add(p, &list, *out);
  }
  return code || list.n == 0 ? code : rl_where_concat(p, &list, out);
}
