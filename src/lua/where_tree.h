/* A `where` expression as a tree: what the parser makes, and what the generator and the evaluator read.
 *
 * Two kinds of nodes, and the parser keeps them apart: values (columns, literals, arithmetic, functions),
 * which may be missing, and conditions (comparisons, and/or/not), which may be unknown. No condition is an
 * operand of a value. A tree borrows nothing; it is a plain value but for its arena. No Lua in this file: it
 * can neither raise nor run anything. */
#ifndef RL_LUA_WHERE_TREE_H
#define RL_LUA_WHERE_TREE_H

#include "base/arena.h"
#include "base/err.h"
#include "codec/cell.h"

enum rl_where_op {
  /* values */
  RL_W_COLUMN,  /* name: index into names */
  RL_W_LITERAL, /* value: BOOL, INT, DOUBLE, BIG or TEXT */
  RL_W_ADD,
  RL_W_SUB,
  RL_W_MUL,
  RL_W_DIV,
  RL_W_IDIV,
  RL_W_MOD,
  RL_W_POW,
  RL_W_NEG,
  RL_W_LEN,
  RL_W_CONCAT, /* two kids or more */
  RL_W_CALL,   /* fn, its arguments as kids */
  /* conditions */
  RL_W_TRUTH, /* of a value: false is false, missing is unknown, anything else is true */
  RL_W_EQ,
  RL_W_NE,
  RL_W_LT,
  RL_W_LE,
  RL_W_GT,
  RL_W_GE,
  RL_W_ABSENT,  /* x == nil: never unknown */
  RL_W_PRESENT, /* x ~= nil: never unknown */
  RL_W_IN,      /* the value, then literals */
  RL_W_AND,     /* two kids or more */
  RL_W_OR,
  RL_W_NOT,
};

struct rl_where_fn;

struct rl_where_node {
  enum rl_where_op op;
  uint32_t at;    /* byte of the expression where it begins */
  uint32_t depth; /* bounded, so recursion over a tree is */
  uint32_t n;     /* kids */
  struct rl_where_node **kid;
  union {
    struct rl_cell value;
    uint32_t name;
    const struct rl_where_fn *fn;
  };
};

struct rl_where_name {
  const char *text;
  uint32_t at; /* of its first use */
};

struct rl_where_tree {
  struct rl_arena arena; /* of everything below */
  struct rl_bytes text;
  struct rl_where_node *root; /* a condition */
  struct rl_where_name *names;
  size_t n_names, cap_names;
};

enum { RL_WHERE_TEXT_MAX = 64 * 1024, RL_WHERE_DEPTH_MAX = 150 };

static inline bool rl_where_is_condition(const struct rl_where_node *node) { return node->op >= RL_W_TRUTH; }

/* Copies the text. 0 or RL_EUSAGE: what is wrong, the column, and the line with a caret under it. The tree is
 * to be freed in either case. */
int rl_where_parse(struct rl_where_tree *tree, struct rl_bytes text, struct rl_err *err);
void rl_where_free(struct rl_where_tree *tree);

/* Fills err with "where: … at column N", the line that holds the byte `at`, and a caret under it. */
__attribute__((format(printf, 4, 5))) int rl_where_fail(struct rl_err *err, struct rl_bytes text, size_t at,
                                                        const char *fmt, ...);

#endif
