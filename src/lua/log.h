/* rille.log: the script's own words among the host's, on stderr. */
#ifndef RL_LUA_LOG_H
#define RL_LUA_LOG_H

#include <lua.h>

void rl_lua_open_log(lua_State *L); /* pushes the table { debug, info, warn, error } */

#endif
