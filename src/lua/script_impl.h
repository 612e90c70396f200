/* What an open script holds; for lua/script.c and lua/engine.c only. */
#ifndef RL_LUA_SCRIPT_IMPL_H
#define RL_LUA_SCRIPT_IMPL_H

#include <lua.h>

#include "lua/alloc.h"
#include "lua/limits.h"
#include "lua/refusal.h"
#include "lua/script.h"
#include "stream/engine.h"

struct rl_script {
  char *name;
  lua_State *L;
  struct rl_lua_alloc alloc;
  struct rl_limits *limits;
  struct rl_refusal refusal; /* the last of the call that runs or ran */
  int table;                 /* references into the registry; LUA_NOREF where the script has none */
  int handle, decode;
  int hook[RL_HOOK_CLOSE + 1];
  double every;
};

/* What a call says that failed for lack of memory: where, and the limit. */
void rl_script_no_memory(const struct rl_script *script, char *text, size_t size);

#endif
