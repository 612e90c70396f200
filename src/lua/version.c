#include "lua/version.h"

#include <lua.h>

const char *rl_lua_version(void) { return LUA_VERSION_MAJOR "." LUA_VERSION_MINOR "." LUA_VERSION_RELEASE; }
