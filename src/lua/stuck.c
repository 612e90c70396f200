#include "lua/stuck.h"

#include <stdbool.h>
#include <string.h>

void rl_stuck_begin(struct rl_stuck *s, const char *script) {
  s->script = script;
  atomic_store(&s->where, script);
}

void rl_stuck_end(struct rl_stuck *s) { atomic_store(&s->where, NULL); }

const char *rl_stuck_where(struct rl_stuck *s) { return atomic_load(&s->where); }

/* printf is not async-signal-safe. */
static size_t put_number(char *to, int n) {
  char digits[12];
  size_t len = 0;
  do digits[len++] = (char)('0' + n % 10);
  while ((n /= 10) > 0);
  for (size_t i = 0; i < len; i++) to[i] = digits[len - 1 - i];
  to[len] = '\0';
  return len;
}

/* The Lua function last entered, the only one of a call in C that a person can look up. */
static bool innermost(lua_State *L, lua_Debug *ar) {
  for (int level = 0; lua_getstack(L, level, ar); level++)
    if (lua_getinfo(L, "Sl", ar) && ar->currentline > 0) return true;
  return false;
}

void rl_stuck_note(struct rl_stuck *s, lua_State *L) {
  lua_Debug ar;
  if (atomic_load(&s->where) != s->script || !innermost(L, &ar)) return;
  char *text = s->text[!s->shown];
  size_t len = strnlen(ar.short_src, sizeof ar.short_src);
  memcpy(text, ar.short_src, len);
  text[len++] = ':';
  put_number(text + len, ar.currentline);
  s->shown = !s->shown;
  atomic_store(&s->where, text);
}
