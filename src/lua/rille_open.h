/* The table `rille`, the same in the program and in the module. */
#ifndef RL_LUA_RILLE_OPEN_H
#define RL_LUA_RILLE_OPEN_H

#include <lua.h>

int rl_lua_open_rille(lua_State *L); /* a lua_CFunction: pushes the table, registers all types */

#endif
