#include "lua/refusal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program may run with another release of the library than it was built with. */
#pragma weak lua_ident

#define LEVELS 20
#define STACK_MOVES_SINCE 5 /* 5.4.5 */
/* A stack has at most a million slots of 16 bytes, and some more while an error is handled. */
#define STACK_BYTES_AT_MOST ((size_t)17 << 20)

/* "$LuaVersion: Lua 5.4.4 …": 4. Not known: the newest. */
static long release(void) {
  static const char before[] = "Lua 5.4.";
  const char *at = lua_ident ? strstr(lua_ident, before) : NULL;
  return at ? strtol(at + sizeof before - 1, NULL, 10) : STACK_MOVES_SINCE;
}

bool rl_refusal_readable(const void *block, size_t new_size) {
  return !block || new_size > STACK_BYTES_AT_MOST || release() < STACK_MOVES_SINCE;
}

struct writer {
  char *at;
  size_t room; /* its terminator included */
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  int n = vsnprintf(w->at, w->room, fmt, args);
  va_end(args);
  size_t len = n < 0 ? 0 : (size_t)n < w->room ? (size_t)n : w->room - 1;
  w->at += len;
  w->room -= len;
}

/* As luaL_traceback does, which allocates. */
static void put_frame(struct writer *w, const lua_Debug *ar) {
  put(w, "\n\t%s:", ar->short_src);
  if (ar->currentline > 0) put(w, "%d:", ar->currentline);
  if (*ar->namewhat)
    put(w, " in %s '%s'", ar->namewhat, ar->name);
  else if (*ar->what == 'm')
    put(w, " in main chunk");
  else if (*ar->what == 'C')
    put(w, " in ?");
  else
    put(w, " in function <%s:%d>", ar->short_src, ar->linedefined);
  if (ar->istailcall) put(w, "\n\t(...tail calls...)");
}

void rl_refusal_note(struct rl_refusal *r, lua_State *L) {
  struct writer w = {r->traceback, sizeof r->traceback};
  lua_Debug ar;
  if (!lua_getstack(L, 0, &ar)) return; /* a coroutine that died of the refusal before */
  r->noted = true;
  r->place[0] = '\0';
  put(&w, "stack traceback:");
  for (int level = 0; lua_getstack(L, level, &ar); level++) {
    if (level == LEVELS) {
      put(&w, "\n\t...");
      return;
    }
    lua_getinfo(L, "Slnt", &ar);
    if (!r->place[0] && ar.currentline > 0)
      snprintf(r->place, sizeof r->place, "%s:%d", ar.short_src, ar.currentline);
    put_frame(&w, &ar);
  }
}
