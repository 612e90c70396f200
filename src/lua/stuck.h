/* Where a call stands that does not come back to Lua: noted by the signal handler of its own thread, read by
 * any other without a lock. Part of lua/limits.c. */
#ifndef RL_LUA_STUCK_H
#define RL_LUA_STUCK_H

#include <lua.h>
#include <stdatomic.h>

#define RL_STUCK_TEXT 160

struct rl_stuck {
  char text[2][RL_STUCK_TEXT]; /* the one that is not shown is written */
  int shown;                   /* which of them was shown last; the writer's */
  _Atomic(const char *) where; /* NULL: no call runs; the script: not stuck, or not known */
  const char *script;
};

void rl_stuck_begin(struct rl_stuck *s, const char *script);
void rl_stuck_end(struct rl_stuck *s);
/* Notes the innermost Lua function of L, once a call. Async-signal-safe as far as L's frames stand: so only
 * when C code has held them for a while, which is when no hook ran between two signals. */
void rl_stuck_note(struct rl_stuck *s, lua_State *L);
const char *rl_stuck_where(struct rl_stuck *s);

#endif
