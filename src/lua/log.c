#include "lua/log.h"

#include <lauxlib.h>

#include "base/log.h"
#include "lua/args.h"

/* Upvalue 1: the level. What is not shown is not even made into text. */
static int l_log(lua_State *L) {
  enum rl_level level = (enum rl_level)lua_tointeger(L, lua_upvalueindex(1));
  if (!rl_log_on(level)) return 0;
  int n = lua_gettop(L);
  luaL_Buffer line;
  luaL_buffinit(L, &line);
  rl_arg_join(L, n, &line);
  luaL_pushresult(&line);
  rl_log(level, "%s", lua_tostring(L, -1));
  return 0;
}

void rl_lua_open_log(lua_State *L) {
  static const struct {
    const char *name;
    enum rl_level level;
  } levels[] = {{"debug", RL_DEBUG}, {"info", RL_INFO}, {"warn", RL_WARN}, {"error", RL_ERROR}};
  lua_newtable(L);
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
    lua_pushinteger(L, levels[i].level);
    lua_pushcclosure(L, l_log, 1);
    lua_setfield(L, -2, levels[i].name);
  }
}
