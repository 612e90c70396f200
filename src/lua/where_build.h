/* What the parser builds trees with: its state, and nodes whose kinds are checked as they are made. */
#ifndef RL_LUA_WHERE_BUILD_H
#define RL_LUA_WHERE_BUILD_H

#include "lua/where_fn.h"
#include "lua/where_lex.h"
#include "lua/where_tree.h"

struct rl_where_parser {
  struct rl_where_tree *tree;
  struct rl_where_lexer lexer;
  struct rl_where_token token; /* at hand */
  struct rl_where_node nil;    /* stands for `nil`, which only == and ~= take: never in a finished tree */
  unsigned level;              /* of parentheses and signs */
};

/* Kids in the making; in the tree's arena. */
struct rl_where_list {
  struct rl_where_node **at;
  size_t n, cap;
};

bool rl_where_at(const struct rl_where_parser *p, const char *text); /* this word or mark is at hand */
int rl_where_advance(struct rl_where_parser *p);
int rl_where_enter(struct rl_where_parser *p); /* one level deeper, bounded; level-- leaves it either way */
/* An error at the token at hand, which it names. */
__attribute__((format(printf, 2, 3))) int rl_where_unexpected(struct rl_where_parser *p, const char *fmt,
                                                              ...);
int rl_where_no_function(struct rl_where_parser *p, const struct rl_where_token *name, const char *nearest);

void rl_where_list_add(struct rl_where_parser *p, struct rl_where_list *list, struct rl_where_node *node);
struct rl_where_node *rl_where_node_of(struct rl_where_parser *p, enum rl_where_op op, uint32_t at,
                                       const struct rl_where_list *kids);
int rl_where_check_depth(struct rl_where_parser *p, const struct rl_where_node *node);

/* The operand is a value, neither a condition nor nil. */
int rl_where_need_value(struct rl_where_parser *p, const struct rl_where_node *node);
/* The operand is a condition, or a value that can be one: then it is wrapped in TRUTH. */
int rl_where_need_condition(struct rl_where_parser *p, struct rl_where_node **node);

struct rl_where_node *rl_where_literal(struct rl_where_parser *p, const struct rl_where_token *token);
struct rl_where_node *rl_where_boolean(struct rl_where_parser *p, bool value);
/* math.pi, math.huge, math.maxinteger, math.mininteger; else a column, entered into the tree's names. */
struct rl_where_node *rl_where_column_or_constant(struct rl_where_parser *p,
                                                  const struct rl_where_token *name);

int rl_where_unary(struct rl_where_parser *p, enum rl_where_op op, uint32_t at, struct rl_where_node *kid,
                   struct rl_where_node **out);
int rl_where_binary(struct rl_where_parser *p, enum rl_where_op op, struct rl_where_node *left,
                    struct rl_where_node *right, struct rl_where_node **out);
int rl_where_concat(struct rl_where_parser *p, const struct rl_where_list *kids, struct rl_where_node **out);
int rl_where_compare(struct rl_where_parser *p, enum rl_where_op op, struct rl_where_node *left,
                     struct rl_where_node *right, struct rl_where_node **out);
int rl_where_presence(struct rl_where_parser *p, enum rl_where_op op, struct rl_where_node *value,
                      struct rl_where_node **out);
int rl_where_call(struct rl_where_parser *p, const struct rl_where_token *name, const struct rl_where_fn *fn,
                  const struct rl_where_list *args, struct rl_where_node **out);

#endif
