/* Arguments of rille's functions. A wrong one is the script's failure, not a message's (S4.6): the run stops.
 */
#ifndef RL_LUA_ARGS_H
#define RL_LUA_ARGS_H

#include <lauxlib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The string at idx. call: "out:send"; what: "topic". */
const char *rl_arg_text(lua_State *L, int idx, const char *call, const char *what, size_t *len);
int64_t rl_arg_integer(lua_State *L, int idx, const char *call, const char *what);
void rl_arg_function(lua_State *L, int idx, const char *call, const char *what);
/* The table at idx may have the keys named only; nil and absent are no table: false. */
int rl_arg_options(lua_State *L, int idx, const char *call, const char *const *names, size_t n);
/* Adds arguments 1 to n as text, tabs between, as print does. The stack is as it was. */
void rl_arg_join(lua_State *L, int n, luaL_Buffer *line);
/* The method is called with its object: out:send(…), not out.send(…). */
void *rl_arg_self(lua_State *L, const char *type, const char *call);

/* Has the value at idx the metatable that the registry keeps under `key`? Never raises, never allocates:
 * where luaL_testudata's name may have no memory. Needs two free stack slots. */
bool rl_arg_has_metatable(lua_State *L, int idx, const void *key);
/* The full userdata at idx that has it; NULL: it is no such. */
void *rl_arg_userdata(lua_State *L, int idx, const void *key);

#endif
