/* The grammar, loosest first; all but `..` and `^` group from the left:
 *
 *   condition   = and-list { `or` and-list }
 *   and-list    = negation { `and` negation }
 *   negation    = `not` negation | comparison                (looser than a comparison, as in SQL and Python:
 *                                                             Lua's `(not a) == b` is never what is meant)
 *   comparison  = concat [ OP concat | OP `nil` | [`not`] `in` `{` literals `}`
 *                        | [`not`] `between` concat `and` concat ]
 *   concat      = sum { `..` sum }
 *   sum         = product { (`+` | `-`) product }
 *   product     = sign { (`*` | `/` | `//` | `%`) sign }
 *   sign        = (`-` | `#`) sign | power
 *   power       = suffixed [ `^` sign ]
 *   suffixed    = primary { `:` NAME arguments }
 *   primary     = literal | NAME | NAME arguments | `(` condition `)`
 */
#include "lua/where_build.h"

static int parse_condition(struct rl_where_parser *p, struct rl_where_node **out);
static int parse_concat(struct rl_where_parser *p, struct rl_where_node **out);
static int parse_sign(struct rl_where_parser *p, struct rl_where_node **out);

static bool at(const struct rl_where_parser *p, const char *text) { return rl_where_at(p, text); }

static int expect(struct rl_where_parser *p, const char *text, const char *after) {
  if (!at(p, text)) return rl_where_unexpected(p, "`%s` was expected %s", text, after);
  return rl_where_advance(p);
}

/* One argument or element after another up to `close`; the opening mark has been taken. */
static int parse_list(struct rl_where_parser *p, struct rl_where_list *list, const char *close,
                      int (*parse)(struct rl_where_parser *, struct rl_where_node **)) {
  while (!at(p, close)) {
    struct rl_where_node *node;
    int code = parse(p, &node);
    if (code) return code;
    rl_where_list_add(p, list, node);
    if (at(p, close)) break;
    if ((code = expect(p, ",", "between the parts of a list"))) return code;
  }
  return rl_where_advance(p);
}

static int parse_argument(struct rl_where_parser *p, struct rl_where_node **out) {
  int code = parse_condition(p, out);
  return code ? code : rl_where_need_value(p, *out);
}

static int parse_arguments(struct rl_where_parser *p, struct rl_where_list *list) {
  int code = expect(p, "(", "after a function's name");
  return code ? code : parse_list(p, list, ")", parse_argument);
}

/* NAME, with its token in hand: a function when a parenthesis follows, else a constant or a column. */
static int parse_name(struct rl_where_parser *p, struct rl_where_node **out) {
  struct rl_where_token name = p->token;
  int code = rl_where_advance(p);
  if (code) return code;
  if (!at(p, "(") || name.quoted) {
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
  if (!code) code = parse_condition(p, out);
  return code ? code : expect(p, ")", "to close a parenthesis");
}

static int parse_word(struct rl_where_parser *p, struct rl_where_node **out) {
  if (at(p, "true") || at(p, "false")) {
    *out = rl_where_boolean(p, at(p, "true"));
  } else if (at(p, "nil")) {
    p->nil.at = p->token.at;
    *out = &p->nil;
  } else if (at(p, "not")) {
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
  if (at(p, "(")) return parse_parenthesis(p, out);
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
  while (!code && at(p, ":")) code = parse_method(p, out);
  return code;
}

static int parse_power(struct rl_where_parser *p, struct rl_where_node **out) {
  int code = parse_suffixed(p, out);
  if (code || !at(p, "^")) return code;
  struct rl_where_node *exponent;
  if ((code = rl_where_advance(p)) || (code = parse_sign(p, &exponent))) return code;
  return rl_where_binary(p, RL_W_POW, *out, exponent, out);
}

static int parse_sign_operand(struct rl_where_parser *p, struct rl_where_node **out) {
  struct rl_where_token sign = p->token;
  int code = rl_where_advance(p);
  if (!code) code = parse_sign(p, out);
  if (code) return code;
  return rl_where_unary(p, *sign.text == '-' ? RL_W_NEG : RL_W_LEN, sign.at, *out, out);
}

static int parse_sign(struct rl_where_parser *p, struct rl_where_node **out) {
  if (!at(p, "-") && !at(p, "#")) return parse_power(p, out);
  int code = rl_where_enter(p);
  if (!code) code = parse_sign_operand(p, out);
  p->level--;
  return code;
}

struct infix {
  const char *mark;
  enum rl_where_op op;
};

/* The operator of the table that is at hand, or NULL. */
static const struct infix *infix_at(const struct rl_where_parser *p, const struct infix *ops) {
  for (; ops->mark; ops++) {
    if (at(p, ops->mark)) return ops;
  }
  return NULL;
}

static int parse_left(struct rl_where_parser *p, const struct infix *ops,
                      int (*operand)(struct rl_where_parser *, struct rl_where_node **),
                      struct rl_where_node **out) {
  const struct infix *op;
  int code = operand(p, out);
  while (!code && (op = infix_at(p, ops))) {
    struct rl_where_node *right;
    if ((code = rl_where_advance(p)) || (code = operand(p, &right))) return code;
    code = rl_where_binary(p, op->op, *out, right, out);
  }
  return code;
}

static int parse_product(struct rl_where_parser *p, struct rl_where_node **out) {
  static const struct infix ops[] = {
      {"*", RL_W_MUL}, {"/", RL_W_DIV}, {"//", RL_W_IDIV}, {"%", RL_W_MOD}, {NULL, 0}};
  return parse_left(p, ops, parse_sign, out);
}

static int parse_sum(struct rl_where_parser *p, struct rl_where_node **out) {
  static const struct infix ops[] = {{"+", RL_W_ADD}, {"-", RL_W_SUB}, {NULL, 0}};
  return parse_left(p, ops, parse_product, out);
}

static int parse_concat(struct rl_where_parser *p, struct rl_where_node **out) {
  struct rl_where_list list = {0};
  int code = parse_sum(p, out);
  while (!code && at(p, "..")) {
    if (list.n == 0) rl_where_list_add(p, &list, *out);
    if ((code = rl_where_advance(p)) || (code = parse_sum(p, out))) return code;
    rl_where_list_add(p, &list, *out);
  }
  return code || list.n == 0 ? code : rl_where_concat(p, &list, out);
}

static int parse_element(struct rl_where_parser *p, struct rl_where_node **out) {
  uint32_t start = p->token.at;
  int code = parse_sign(p, out);
  if (code || ((*out)->op == RL_W_LITERAL && *out != &p->nil)) return code;
  return rl_where_fail(p->lexer.err, p->tree->text, start, "`in` takes a list of literals: %s",
                       *out == &p->nil ? "`x == nil` asks for what is missing" : "`or` joins the rest");
}

static int parse_in(struct rl_where_parser *p, struct rl_where_node **out) {
  struct rl_where_list list = {0};
  int code = rl_where_need_value(p, *out);
  if (code) return code;
  rl_where_list_add(p, &list, *out);
  if ((code = rl_where_advance(p)) || (code = expect(p, "{", "after `in`"))) return code;
  if ((code = parse_list(p, &list, "}", parse_element))) return code;
  *out = rl_where_node_of(p, RL_W_IN, (*out)->at, &list);
  return rl_where_check_depth(p, *out);
}

static int parse_between(struct rl_where_parser *p, struct rl_where_node **out) {
  struct rl_where_node *low, *high, *value = *out;
  int code = rl_where_advance(p);
  if (code || (code = parse_concat(p, &low))) return code;
  if ((code = expect(p, "and", "after `between` and its lower bound"))) return code;
  if ((code = parse_concat(p, &high))) return code;
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
  if (at(p, "in")) return parse_in(p, out);
  if (at(p, "between")) return parse_between(p, out);
  return rl_where_unexpected(p, "`in` or `between` was expected after `not`");
}

static int parse_not_range(struct rl_where_parser *p, struct rl_where_node **out) {
  uint32_t start = (*out)->at;
  int code = rl_where_advance(p);
  if (!code) code = parse_range(p, out);
  return code ? code : rl_where_unary(p, RL_W_NOT, start, *out, out);
}

static const struct infix comparisons[] = {{"==", RL_W_EQ}, {"~=", RL_W_NE}, {"<", RL_W_LT}, {"<=", RL_W_LE},
                                           {">", RL_W_GT},  {">=", RL_W_GE}, {NULL, 0}};

static int parse_operator(struct rl_where_parser *p, enum rl_where_op op, struct rl_where_node **out) {
  struct rl_where_node *right, *left = *out;
  int code = rl_where_advance(p);
  if (code || (code = parse_concat(p, &right))) return code;
  if (infix_at(p, comparisons)) {
    return rl_where_unexpected(p, "comparisons do not chain: write `1 < x and x < 5`");
  }
  bool equality = op == RL_W_EQ || op == RL_W_NE;
  if (equality && (left == &p->nil || right == &p->nil)) {
    return rl_where_presence(p, op, left == &p->nil ? right : left, out);
  }
  return rl_where_compare(p, op, left, right, out);
}

static int parse_comparison(struct rl_where_parser *p, struct rl_where_node **out) {
  int code = parse_concat(p, out);
  if (code) return code;
  const struct infix *op = infix_at(p, comparisons);
  if (op) return parse_operator(p, op->op, out);
  if (at(p, "in") || at(p, "between")) return parse_range(p, out);
  if (at(p, "not")) return parse_not_range(p, out);
  return 0;
}

static int parse_negation(struct rl_where_parser *p, struct rl_where_node **out) {
  uint32_t start = p->token.at;
  if (!at(p, "not")) return parse_comparison(p, out);
  int code = rl_where_enter(p);
  if (!code) code = rl_where_advance(p);
  if (!code) code = parse_negation(p, out);
  if (!code) code = rl_where_need_condition(p, out);
  p->level--;
  return code ? code : rl_where_unary(p, RL_W_NOT, start, *out, out);
}

/* `word` between operands makes one node of as many kids: a long list does not make a deep tree. */
static int parse_joined(struct rl_where_parser *p, const char *word, enum rl_where_op op,
                        int (*operand)(struct rl_where_parser *, struct rl_where_node **),
                        struct rl_where_node **out) {
  struct rl_where_list list = {0};
  int code = operand(p, out);
  while (!code && at(p, word)) {
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

static int parse_condition(struct rl_where_parser *p, struct rl_where_node **out) {
  int code = rl_where_enter(p);
  if (!code) code = parse_joined(p, "or", RL_W_OR, parse_and, out);
  p->level--;
  return code;
}

static int parse_all(struct rl_where_parser *p, struct rl_where_node **out) {
  int code = rl_where_advance(p);
  if (code) return code;
  if (p->token.kind == RL_T_END) return rl_where_unexpected(p, "an expression was expected");
  if ((code = parse_condition(p, out))) return code;
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
