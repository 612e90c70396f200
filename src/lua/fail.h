/* How failures carry their class through Lua's error values (S4).
 *
 * error("text"), error{…}, error(nil): the messages' own. error(rille.transient("text")): the weather. A
 * misused rille function raises a "rille.failure" userdata of class script: the run stops with status 4. */
#ifndef RL_LUA_FAIL_H
#define RL_LUA_FAIL_H

#include <lua.h>

#include "stream/engine.h"

/* Raises a script failure with position, as luaL_error does. Never returns. */
__attribute__((format(printf, 2, 3), noreturn)) void rl_lua_script_error(lua_State *L, const char *fmt, ...);
/* Raises the weather with position: what the handler needs is down, no message is to blame. Never returns. */
__attribute__((format(printf, 2, 3), noreturn)) void rl_lua_weather(lua_State *L, const char *fmt, ...);
/* Makes the text at the top, which begins with its position, an error value that is the weather. */
void rl_lua_as_weather(lua_State *L);
int l_transient(lua_State *L); /* rille.transient(message) */
/* The message handler of every protected call: turns any error value into one that carries its traceback. */
int rl_lua_traceback(lua_State *L);
/* Raises what a handler gave back as its error (`return nil, err`): the value at the top. No traceback is
 * made for it: by now there is none to be had. */
__attribute__((noreturn)) void rl_lua_returned(lua_State *L);
/* Reads the error value at the top (made by rl_lua_traceback) into a failure and pops it. Does not raise. */
void rl_lua_failure(lua_State *L, struct rl_failure *why);
/* Pushes what an error value says, in one text: a string, a table's __tostring or .message, nil, anything. */
void rl_lua_describe(lua_State *L, int idx);
/* Pushes "bright.lua:12: " of the innermost Lua function at `level` or further out; "" if there is none. */
void rl_lua_place(lua_State *L, int level);
void rl_lua_open_fail(lua_State *L);

#endif
