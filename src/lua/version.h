/* Which Lua this was built with: src/lua is the only room that knows. */
#ifndef RL_LUA_VERSION_H
#define RL_LUA_VERSION_H

const char *rl_lua_version(void); /* "5.4.4" */

#endif
