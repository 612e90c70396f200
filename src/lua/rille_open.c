#include "lua/rille_open.h"

#include <lauxlib.h>

#include "lua/avro.h"
#include "lua/batch.h"
#include "lua/csv.h"
#include "lua/fail.h"
#include "lua/fits.h"
#include "lua/json.h"
#include "lua/log.h"
#include "lua/members.h"
#include "lua/metrics.h"
#include "lua/mlp.h"
#include "lua/model.h"
#include "lua/out.h"
#include "lua/shuffle.h"
#include "lua/tensor.h"
#include "lua/where.h"

/* The table at the top, which is popped, becomes a member of the one below. */
static void set_table(lua_State *L, const char *member, const char *name) {
  rl_lua_only_members(L, name);
  lua_setfield(L, -2, member);
}

int rl_lua_open_rille(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"gunzip", l_gunzip},       {"model", l_model}, {"shuffle", l_shuffle},
      {"transient", l_transient}, {"where", l_where}, {NULL, NULL},
  };
  rl_lua_open_tensor(L); /* before all that has a finalizer: its memory goes last */
  rl_lua_open_fail(L);
  rl_lua_open_batch(L);
  rl_lua_open_out(L);
  rl_lua_open_where(L);
  rl_lua_open_model(L);
  rl_lua_open_shuffle(L);
  luaL_newlib(L, functions);
  lua_insert(L, -2);
  set_table(L, "tensor", "rille.tensor");
  rl_lua_open_json(L);
  set_table(L, "json", "rille.json");
  rl_lua_open_avro(L);
  set_table(L, "avro", "rille.avro");
  rl_lua_open_csv(L);
  set_table(L, "csv", "rille.csv");
  rl_lua_open_mlp(L);
  set_table(L, "mlp", "rille.mlp");
  rl_lua_open_metrics(L);
  set_table(L, "metrics", "rille.metrics");
  rl_lua_open_fits(L);
  set_table(L, "fits", "rille.fits");
  rl_lua_push_null(L);
  lua_setfield(L, -2, "null");
  rl_lua_open_log(L);
  set_table(L, "log", "rille.log");
  lua_pushliteral(L, RL_VERSION);
  lua_setfield(L, -2, "version");
  rl_lua_only_members(L, "rille");
  return 1;
}
