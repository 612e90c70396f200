/* Tables whose members are all there are: a misspelt one is the script's failure and not nil, which a call
 * would blame on the message in hand (S4.6). rawget asks without an error. */
#ifndef RL_LUA_MEMBERS_H
#define RL_LUA_MEMBERS_H

#include <lua.h>

/* Reading a name that the table at the top has not got raises a script failure with the nearest name from
 * now on. name: what scripts call the table, "rille.json"; a literal. A metatable that it has is kept. */
void rl_lua_only_members(lua_State *L, const char *name);
/* The metatable at the top becomes a type's own: scripts can neither see nor change it, and C code knows the
 * type's values by `key` (rl_arg_has_metatable). what: "a tensor". */
void rl_lua_seal_type(lua_State *L, const char *what, const void *key);

#endif
