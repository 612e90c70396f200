#include "lua/where_build.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { LEVELS_MAX = 60, PARTS_MAX = 50 }; /* of parentheses; of one `..` */

bool rl_where_at(const struct rl_where_parser *p, const char *text) {
  bool word = p->token.kind == RL_T_WORD || p->token.kind == RL_T_MARK;
  return word && strcmp(p->token.text, text) == 0;
}

int rl_where_advance(struct rl_where_parser *p) { return rl_where_next(&p->lexer, &p->token); }

static int fail_at(struct rl_where_parser *p, uint32_t at, const char *what) {
  return rl_where_fail(p->lexer.err, p->tree->text, at, "%s", what);
}

int rl_where_enter(struct rl_where_parser *p) {
  return ++p->level <= LEVELS_MAX
             ? 0
             : fail_at(p, p->token.at, "too many parentheses or signs inside each other");
}

/* Other languages' way to ask for what is missing. */
static const char *hint(const struct rl_where_token *token) {
  bool is = token->kind == RL_T_NAME && (strcmp(token->text, "is") == 0 || strcmp(token->text, "IS") == 0);
  return is ? ": what is missing is `x == nil`" : "";
}

int rl_where_unexpected(struct rl_where_parser *p, const char *fmt, ...) {
  char what[200];
  va_list args;
  va_start(args, fmt);
  vsnprintf(what, sizeof what, fmt, args);
  va_end(args);
  struct rl_bytes text = p->tree->text;
  if (p->token.kind == RL_T_END)
    return rl_where_fail(p->lexer.err, text, p->token.at, "%s, not the end", what);
  int len = (int)(p->token.end - p->token.at);
  return rl_where_fail(p->lexer.err, text, p->token.at, "%s, not `%.*s`%s", what, len > 60 ? 60 : len,
                       text.data + p->token.at, hint(&p->token));
}

int rl_where_no_function(struct rl_where_parser *p, const struct rl_where_token *name, const char *nearest) {
  return rl_where_fail(p->lexer.err, p->tree->text, name->at, "there is no function `%.60s` here; %s%s%s",
                       name->text, nearest ? "did you mean `" : "",
                       nearest ? nearest : "man rille-where lists them", nearest ? "`?" : "");
}

void rl_where_list_add(struct rl_where_parser *p, struct rl_where_list *list, struct rl_where_node *node) {
  if (list->n == list->cap) {
    size_t cap = list->cap ? 2 * list->cap : 4;
    struct rl_where_node **grown = rl_arena_alloc(&p->tree->arena, cap * sizeof *grown);
    if (list->n) memcpy(grown, list->at, list->n * sizeof *grown);
    list->at = grown;
    list->cap = cap;
  }
  list->at[list->n++] = node;
}

static struct rl_where_node *new_node(struct rl_where_parser *p, enum rl_where_op op, uint32_t at) {
  struct rl_where_node *node = rl_arena_alloc(&p->tree->arena, sizeof *node);
  *node = (struct rl_where_node){.op = op, .at = at, .depth = 1};
  return node;
}

/* A kid on the left costs Lua's parser one level of recursion in the code that is generated, any other two.
 */
struct rl_where_node *rl_where_node_of(struct rl_where_parser *p, enum rl_where_op op, uint32_t at,
                                       const struct rl_where_list *kids) {
  struct rl_where_node *node = new_node(p, op, at);
  node->n = (uint32_t)kids->n;
  node->kid = kids->at;
  for (size_t i = 0; i < kids->n; i++) {
    uint32_t depth = kids->at[i]->depth + (i == 0 ? 1 : 2);
    if (depth > node->depth) node->depth = depth;
  }
  return node;
}

int rl_where_check_depth(struct rl_where_parser *p, const struct rl_where_node *node) {
  return node->depth <= RL_WHERE_DEPTH_MAX ? 0 : fail_at(p, node->at, "an expression nested too deep begins");
}

int rl_where_need_value(struct rl_where_parser *p, const struct rl_where_node *node) {
  if (node == &p->nil) return fail_at(p, node->at, "`nil` is compared by `==` and `~=` only");
  if (!rl_where_is_condition(node)) return 0;
  return fail_at(p, node->at,
                 "a value was expected, this is a condition (`and`, `or` and comparisons give no values)");
}

static bool can_be_condition(const struct rl_where_node *node) {
  switch (node->op) {
    case RL_W_COLUMN: return true;
    case RL_W_LITERAL: return node->value.tag == RL_BOOL;
    case RL_W_CALL: return node->fn->kind == RL_FN_TRUTH || node->fn->kind == RL_FN_FIND;
    default: return false;
  }
}

int rl_where_need_condition(struct rl_where_parser *p, struct rl_where_node **node) {
  if (*node == &p->nil) return rl_where_need_value(p, *node);
  if (rl_where_is_condition(*node)) return 0;
  if (can_be_condition(*node)) return rl_where_unary(p, RL_W_TRUTH, (*node)->at, *node, node);
  return fail_at(p, (*node)->at, "a condition was expected, this is a value: compare it with something");
}

struct rl_where_node *rl_where_literal(struct rl_where_parser *p, const struct rl_where_token *token) {
  struct rl_where_node *node = new_node(p, RL_W_LITERAL, token->at);
  node->value = token->value;
  return node;
}

struct rl_where_node *rl_where_boolean(struct rl_where_parser *p, bool value) {
  struct rl_where_node *node = new_node(p, RL_W_LITERAL, p->token.at);
  node->value = (struct rl_cell){.tag = RL_BOOL, .i = value};
  return node;
}

static bool constant(const char *name, struct rl_cell *value) {
  static const struct {
    const char *name;
    struct rl_cell value;
  } constants[] = {{"math.pi", {.tag = RL_DOUBLE, .d = 3.141592653589793}},
                   {"math.huge", {.tag = RL_DOUBLE, .d = HUGE_VAL}},
                   {"math.maxinteger", {.tag = RL_INT, .i = INT64_MAX}},
                   {"math.mininteger", {.tag = RL_INT, .i = INT64_MIN}}};
  for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
    *value = constants[i].value;
    if (strcmp(name, constants[i].name) == 0) return true;
  }
  return false;
}

static uint32_t name_index(struct rl_where_parser *p, const struct rl_where_token *name) {
  struct rl_where_tree *tree = p->tree;
  for (size_t i = 0; i < tree->n_names; i++) {
    if (strcmp(tree->names[i].text, name->text) == 0) return (uint32_t)i;
  }
  if (tree->n_names == tree->cap_names) {
    tree->cap_names = tree->cap_names ? 2 * tree->cap_names : 8;
    struct rl_where_name *grown = rl_arena_alloc(&tree->arena, tree->cap_names * sizeof *grown);
    if (tree->n_names) memcpy(grown, tree->names, tree->n_names * sizeof *grown);
    tree->names = grown;
  }
  tree->names[tree->n_names] = (struct rl_where_name){name->text, name->at};
  return (uint32_t)tree->n_names++;
}

struct rl_where_node *rl_where_column_or_constant(struct rl_where_parser *p,
                                                  const struct rl_where_token *name) {
  struct rl_cell value;
  bool is_constant = !name->quoted && constant(name->text, &value);
  struct rl_where_node *node = new_node(p, is_constant ? RL_W_LITERAL : RL_W_COLUMN, name->at);
  if (is_constant) {
    node->value = value;
  } else {
    node->name = name_index(p, name);
  }
  return node;
}

/* -N of a literal is a literal: so -9223372036854775808 is an integer, and `in` takes negative numbers. */
static bool negate_literal(struct rl_where_parser *p, struct rl_cell *value) {
  switch (value->tag) {
    case RL_INT: value->i = (int64_t)(0 - (uint64_t)value->i); return true;
    case RL_DOUBLE: value->d = -value->d; return true;
    case RL_BIG: break;
    default: return false;
  }
  bool negative = *value->s == '-';
  char *text = rl_arena_alloc(&p->tree->arena, value->len + 2);
  snprintf(text, value->len + 2, "%s%.*s", negative ? "" : "-", (int)value->len - negative,
           value->s + negative);
  if (strcmp(text, "-9223372036854775808") == 0) {
    *value = (struct rl_cell){.tag = RL_INT, .i = INT64_MIN};
  } else {
    *value = (struct rl_cell){.tag = RL_BIG, .len = (uint32_t)strlen(text), .s = text};
  }
  return true;
}

int rl_where_unary(struct rl_where_parser *p, enum rl_where_op op, uint32_t at, struct rl_where_node *kid,
                   struct rl_where_node **out) {
  int code = op == RL_W_NOT ? 0 : rl_where_need_value(p, kid);
  if (code) return code;
  if (op == RL_W_NEG && kid->op == RL_W_LITERAL && negate_literal(p, &kid->value)) {
    kid->at = at;
    *out = kid;
    return 0;
  }
  struct rl_where_list list = {0};
  rl_where_list_add(p, &list, kid);
  *out = rl_where_node_of(p, op, at, &list);
  return rl_where_check_depth(p, *out);
}

int rl_where_binary(struct rl_where_parser *p, enum rl_where_op op, struct rl_where_node *left,
                    struct rl_where_node *right, struct rl_where_node **out) {
  int code = rl_where_need_value(p, left);
  if (!code) code = rl_where_need_value(p, right);
  if (code) return code;
  struct rl_where_list list = {0};
  rl_where_list_add(p, &list, left);
  rl_where_list_add(p, &list, right);
  *out = rl_where_node_of(p, op, left->at, &list);
  return rl_where_check_depth(p, *out);
}

int rl_where_concat(struct rl_where_parser *p, const struct rl_where_list *kids, struct rl_where_node **out) {
  if (kids->n > PARTS_MAX) return fail_at(p, kids->at[PARTS_MAX]->at, "too many parts joined by `..`");
  for (size_t i = 0; i < kids->n; i++) {
    int code = rl_where_need_value(p, kids->at[i]);
    if (code) return code;
  }
  *out = rl_where_node_of(p, RL_W_CONCAT, kids->at[0]->at, kids);
  return rl_where_check_depth(p, *out);
}

static bool is_boolean(const struct rl_where_node *node) {
  return node->op == RL_W_LITERAL && node->value.tag == RL_BOOL;
}

/* `(a > b) == true` is a > b, `(a > b) ~= true` its negation, unknown where that is. */
static int compare_condition(struct rl_where_parser *p, enum rl_where_op op, struct rl_where_node *condition,
                             struct rl_where_node *other, struct rl_where_node **out) {
  bool equality = op == RL_W_EQ || op == RL_W_NE;
  if (!equality || !is_boolean(other)) return rl_where_need_value(p, condition);
  *out = condition;
  if ((op == RL_W_EQ) == (other->value.i != 0)) return 0;
  return rl_where_unary(p, RL_W_NOT, condition->at, condition, out);
}

int rl_where_compare(struct rl_where_parser *p, enum rl_where_op op, struct rl_where_node *left,
                     struct rl_where_node *right, struct rl_where_node **out) {
  if (rl_where_is_condition(left)) return compare_condition(p, op, left, right, out);
  if (rl_where_is_condition(right)) return compare_condition(p, op, right, left, out);
  return rl_where_binary(p, op, left, right, out);
}

int rl_where_presence(struct rl_where_parser *p, enum rl_where_op op, struct rl_where_node *value,
                      struct rl_where_node **out) {
  return rl_where_unary(p, op == RL_W_EQ ? RL_W_ABSENT : RL_W_PRESENT, value->at, value, out);
}

/* `find` is plain: its fourth argument, when there is one, can only be true. */
static int check_argument(struct rl_where_parser *p, const struct rl_where_fn *fn,
                          const struct rl_where_node *arg, size_t i) {
  if (rl_where_fn_arg(fn, i) != 'b') return 0;
  if (is_boolean(arg) && arg->value.i) return 0;
  return fail_at(p, arg->at, "`find` looks for plain text here: its fourth argument can only be true");
}

int rl_where_call(struct rl_where_parser *p, const struct rl_where_token *name, const struct rl_where_fn *fn,
                  const struct rl_where_list *args, struct rl_where_node **out) {
  size_t least = rl_where_fn_least(fn), most = rl_where_fn_most(fn);
  if (args->n < least || args->n > most) {
    char takes[40];
    snprintf(takes, sizeof takes, least == most ? "%zu" : "%zu to %zu", least, most);
    return rl_where_fail(p->lexer.err, p->tree->text, name->at, "`%s` takes %s arguments, not %zu", fn->name,
                         takes, args->n);
  }
  for (size_t i = 0; i < args->n; i++) {
    int code = check_argument(p, fn, args->at[i], i);
    if (code) return code;
  }
  *out = rl_where_node_of(p, RL_W_CALL, name->at, args);
  (*out)->fn = fn;
  return rl_where_check_depth(p, *out);
}
