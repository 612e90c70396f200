/* require "rille" in any Lua 5.4: the table of the program, and rille.stream (S11). */
#include <lauxlib.h>

#include "lua/rille_open.h"
#include "module/stream.h"

__attribute__((visibility("default"))) int luaopen_rille(lua_State *L);

int luaopen_rille(lua_State *L) {
  luaL_checkversion(L);
  rl_lua_open_rille(L);
  rl_module_open_stream(L);
  lua_setfield(L, -2, "stream");
  return 1;
}
