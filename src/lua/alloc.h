/* The allocator of a Lua state: counts what the state holds and refuses to grow past a limit (promise 8). Lua
 * answers a refusal with an emergency collection and, if that is not enough, with "not enough memory" in the
 * script. Shrinking never fails: Lua depends on it. */
#ifndef RL_LUA_ALLOC_H
#define RL_LUA_ALLOC_H

#include <lua.h>
#include <stddef.h>

struct rl_lua_alloc {
  size_t used, peak; /* bytes */
  size_t limit;      /* bytes; 0: none. May be lowered below `used`: then nothing grows any more */
  /* Told of each refusal, NULL: nobody; block is NULL for a new one. It may not allocate in the state. */
  void (*refused)(void *of, const void *block, size_t new_size);
  void *of;
};

void *rl_lua_realloc(void *alloc, void *p, size_t old_size, size_t new_size); /* a lua_Alloc */

/* limits.memory of the state; SIZE_MAX: none, as in any lua5.4. */
size_t rl_lua_memory_limit(lua_State *L);

#endif
