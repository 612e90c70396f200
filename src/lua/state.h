/* A Lua state for scripts: the standard libraries, with what a host must change in them.
 *
 * - load, loadfile, dofile, require take text only: crafted bytecode can crash the interpreter (promise 8).
 * - print and io.write put whole lines on stdout even when several lanes write; rl_lua_flush empties it.
 * - os.exit is refused: it would leave the group's consumer open (promise 6).
 * - coroutine.resume, wrap, close and yield know the limits (lua/limits.h).
 * - warn() goes to the host's log.
 * - `rille` is there, for require and as a global. */
#ifndef RL_LUA_STATE_H
#define RL_LUA_STATE_H

#include <lua.h>
#include <stdbool.h>

#include "base/err.h"
#include "lua/alloc.h"
#include "lua/limits.h"

/* A state of its own, which counts in `alloc` and obeys `limits`; both outlive it. NULL: out of memory. */
lua_State *rl_lua_state_new(struct rl_lua_alloc *alloc, struct rl_limits *limits);

/* Puts the folder of `script` first on package.path. Raises for lack of memory. */
void rl_lua_add_path(lua_State *L, const char *script);
/* The global `arg`: arg[0] the script, arg[1]… its arguments. Raises for lack of memory. */
void rl_lua_set_arg(lua_State *L, const char *script, char *const *args, size_t n);

/* Empties stdout. 0; RL_EPIPE when its reader went away; RL_EFAIL. */
int rl_lua_flush(struct rl_err *err);

void rl_lua_open_text_only(lua_State *L);
void rl_lua_open_stdio(lua_State *L);
void rl_lua_open_execute(lua_State *L);
void rl_lua_open_popen(lua_State *L);
void rl_lua_open_coroutine(lua_State *L); /* needs the state's limits in place */

#endif
