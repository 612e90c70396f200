#include "lua/rille_open.h"

#include <lauxlib.h>

#include "lua/avro.h"
#include "lua/batch.h"
#include "lua/csv.h"
#include "lua/fail.h"
#include "lua/json.h"
#include "lua/log.h"
#include "lua/out.h"
#include "lua/tensor.h"
#include "lua/where.h"

int rl_lua_open_rille(lua_State *L) {
  static const luaL_Reg functions[] = {{"transient", l_transient}, {"where", l_where}, {NULL, NULL}};
  rl_lua_open_tensor(L); /* before all that has a finalizer: its memory goes last */
  rl_lua_open_fail(L);
  rl_lua_open_batch(L);
  rl_lua_open_out(L);
  rl_lua_open_where(L);
  luaL_newlib(L, functions);
  lua_insert(L, -2);
  lua_setfield(L, -2, "tensor");
  rl_lua_open_json(L);
  lua_setfield(L, -2, "json");
  rl_lua_open_avro(L);
  lua_setfield(L, -2, "avro");
  rl_lua_open_csv(L);
  lua_setfield(L, -2, "csv");
  rl_lua_push_null(L);
  lua_setfield(L, -2, "null");
  rl_lua_open_log(L);
  lua_setfield(L, -2, "log");
  lua_pushliteral(L, RL_VERSION);
  lua_setfield(L, -2, "version");
  return 1;
}
