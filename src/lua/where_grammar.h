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
 *
 * In two files: where_parse.c down to `comparison`, where_value.c from `concat` on. Private to them. */
#ifndef RL_LUA_WHERE_GRAMMAR_H
#define RL_LUA_WHERE_GRAMMAR_H

#include "lua/where_build.h"

int rl_where_parse_condition(struct rl_where_parser *p, struct rl_where_node **out);
int rl_where_parse_value(struct rl_where_parser *p, struct rl_where_node **out); /* `concat` */
int rl_where_parse_sign(struct rl_where_parser *p, struct rl_where_node **out);

/* The mark at hand must be `text`, and is taken. */
int rl_where_expect(struct rl_where_parser *p, const char *text, const char *after);
/* One argument or element after another up to `close`; the opening mark has been taken. */
int rl_where_parse_list(struct rl_where_parser *p, struct rl_where_list *list, const char *close,
                        int (*parse)(struct rl_where_parser *, struct rl_where_node **));

struct rl_where_infix {
  const char *mark;
  enum rl_where_op op;
};

/* The operator of the table (its last mark is NULL) that is at hand, or NULL. */
const struct rl_where_infix *rl_where_infix_at(const struct rl_where_parser *p,
                                               const struct rl_where_infix *ops);

#endif
