/* The functions an expression may call: Lua's own, from math and string, that depend on nothing but their
 * arguments. */
#ifndef RL_LUA_WHERE_FN_H
#define RL_LUA_WHERE_FN_H

#include <stdbool.h>
#include <stddef.h>

enum rl_where_fn_kind {
  RL_FN_TOTAL,   /* one number to a number, for every number; NaN to NaN: may be called without a check */
  RL_FN_NUMBERS, /* numbers to a number */
  RL_FN_VALUE,   /* to a text or number */
  RL_FN_TRUTH,   /* to true or false */
  RL_FN_FIND,    /* a position, or none: as a condition, whether there is one */
};

struct rl_where_fn {
  const char *lib;  /* "math" or "string" */
  const char *name; /* in it */
  enum rl_where_fn_kind kind;
  const char *args; /* a letter an argument: n number, i integer, s text, b `true`; after '?' optional; '*':
                       any number more of the last */
  bool qualified;   /* only as lib.name */
};

/* "math.abs", "string.sub", "abs", "sub"; NULL if there is none. */
const struct rl_where_fn *rl_where_fn_find(const char *name, size_t len);
/* As a method of a text, name:sub(…): string functions only. */
const struct rl_where_fn *rl_where_fn_method(const char *name, size_t len);
/* The name, of those there are, that is nearest to the one given, or NULL. */
const char *rl_where_fn_nearest(const char *name);

size_t rl_where_fn_least(const struct rl_where_fn *fn);
size_t rl_where_fn_most(const struct rl_where_fn *fn);
/* The letter of argument i. */
char rl_where_fn_arg(const struct rl_where_fn *fn, size_t i);

extern const struct rl_where_fn rl_where_fns[];
extern const size_t rl_where_n_fns;

#endif
