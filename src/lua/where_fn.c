#include "lua/where_fn.h"

#include <string.h>

#include "base/str.h"

enum { ANY_NUMBER = 50 }; /* arguments of max and min: a call of Lua's keeps each in a register */

const struct rl_where_fn rl_where_fns[] = {
    {"math", "abs", RL_FN_TOTAL, "n", false},         {"math", "ceil", RL_FN_TOTAL, "n", false},
    {"math", "floor", RL_FN_TOTAL, "n", false},       {"math", "sqrt", RL_FN_TOTAL, "n", false},
    {"math", "exp", RL_FN_TOTAL, "n", false},         {"math", "sin", RL_FN_TOTAL, "n", false},
    {"math", "cos", RL_FN_TOTAL, "n", false},         {"math", "tan", RL_FN_TOTAL, "n", false},
    {"math", "asin", RL_FN_TOTAL, "n", false},        {"math", "acos", RL_FN_TOTAL, "n", false},
    {"math", "deg", RL_FN_TOTAL, "n", false},         {"math", "rad", RL_FN_TOTAL, "n", false},
    {"math", "atan", RL_FN_NUMBERS, "n?n", false},    {"math", "log", RL_FN_NUMBERS, "n?n", false},
    {"math", "fmod", RL_FN_NUMBERS, "nn", false},     {"math", "modf", RL_FN_NUMBERS, "n", false},
    {"math", "max", RL_FN_NUMBERS, "n*", false},      {"math", "min", RL_FN_NUMBERS, "n*", false},
    {"math", "tointeger", RL_FN_NUMBERS, "n", false}, {"math", "type", RL_FN_VALUE, "n", true},
    {"math", "ult", RL_FN_TRUTH, "ii", false},        {"string", "sub", RL_FN_VALUE, "si?i", false},
    {"string", "lower", RL_FN_VALUE, "s", false},     {"string", "upper", RL_FN_VALUE, "s", false},
    {"string", "len", RL_FN_VALUE, "s", false},       {"string", "byte", RL_FN_VALUE, "s?i", false},
    {"string", "find", RL_FN_FIND, "ss?ib", false},
};
const size_t rl_where_n_fns = sizeof rl_where_fns / sizeof *rl_where_fns;

static bool is(const char *name, size_t len, const char *word) {
  return strlen(word) == len && memcmp(name, word, len) == 0;
}

const struct rl_where_fn *rl_where_fn_find(const char *name, size_t len) {
  const char *dot = memchr(name, '.', len);
  const char *last = dot ? dot + 1 : name;
  size_t last_len = len - (size_t)(last - name);
  for (size_t i = 0; i < rl_where_n_fns; i++) {
    const struct rl_where_fn *fn = &rl_where_fns[i];
    if (!is(last, last_len, fn->name)) continue;
    if (dot ? is(name, (size_t)(dot - name), fn->lib) : !fn->qualified) return fn;
  }
  return NULL;
}

const struct rl_where_fn *rl_where_fn_method(const char *name, size_t len) {
  const struct rl_where_fn *fn = rl_where_fn_find(name, len);
  return fn && strcmp(fn->lib, "string") == 0 ? fn : NULL;
}

const char *rl_where_fn_nearest(const char *name) {
  const char *names[sizeof rl_where_fns / sizeof *rl_where_fns];
  const char *dot = strchr(name, '.');
  for (size_t i = 0; i < rl_where_n_fns; i++) names[i] = rl_where_fns[i].name;
  return rl_nearest(dot ? dot + 1 : name, names, rl_where_n_fns);
}

size_t rl_where_fn_least(const struct rl_where_fn *fn) { return strcspn(fn->args, "?*"); }

size_t rl_where_fn_most(const struct rl_where_fn *fn) {
  if (strchr(fn->args, '*')) return ANY_NUMBER;
  return strlen(fn->args) - (strchr(fn->args, '?') != NULL);
}

char rl_where_fn_arg(const struct rl_where_fn *fn, size_t i) {
  size_t least = rl_where_fn_least(fn);
  if (i < least) return fn->args[i];
  return fn->args[least] == '*' ? fn->args[least - 1] : fn->args[i + 1];
}
