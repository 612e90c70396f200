/* The words of a `where` expression. */
#ifndef RL_LUA_WHERE_LEX_H
#define RL_LUA_WHERE_LEX_H

#include "lua/where_tree.h"

enum rl_where_token_kind {
  RL_T_END,
  RL_T_NAME,    /* text: `a`, `candidate.rb`, or what stood between backticks (quoted) */
  RL_T_LITERAL, /* value */
  RL_T_WORD,    /* and or not in between nil true false */
  RL_T_MARK,    /* an operator, parenthesis, brace or comma */
};

struct rl_where_token {
  enum rl_where_token_kind kind;
  uint32_t at, end; /* bytes of the expression */
  const char *text; /* of NAME, WORD and MARK: NUL-terminated */
  bool quoted;
  struct rl_cell value;
};

struct rl_where_lexer {
  struct rl_bytes text;
  size_t at;
  struct rl_arena *arena; /* of the tokens' texts */
  struct rl_err *err;
};

int rl_where_next(struct rl_where_lexer *lexer, struct rl_where_token *token);

#endif
