/* Where a script stood when its allocator refused it memory (D 14): Lua calls no message handler for that
 * error, so place and frames are noted by the allocator itself, at each refusal. Whatever collection or pcall
 * of the script saves it, the last refusal of a call that failed for lack of memory is its reason. */
#ifndef RL_LUA_REFUSAL_H
#define RL_LUA_REFUSAL_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

struct rl_refusal {
  bool noted;
  char place[200]; /* "bright.lua:12"; "": no Lua function was there */
  char traceback[4096];
};

/* May the frames be read while this request is refused? Not when it may be for the stack itself: from Lua
 * 5.4.5 on the frames point nowhere while their stack grows. block: what is to grow, NULL for a new one. */
bool rl_refusal_readable(const void *block, size_t new_size);
/* Allocates nothing in L. */
void rl_refusal_note(struct rl_refusal *r, lua_State *L);

#endif
