/* What the files of the network's Lua side share. */
#ifndef RL_LUA_MLP_IMPL_H
#define RL_LUA_MLP_IMPL_H

#include <lauxlib.h>

#include "lua/mlp.h"
#include "model/mlp.h"

/* The network a method was called on. */
struct rl_mlp *rl_mlp_self(lua_State *L, const char *call);
/* Pushes a network of the spec; what cannot be, or has no OpenBLAS, raises as the script's failure. */
struct rl_mlp *rl_mlp_push(lua_State *L, const char *call, const struct rl_mlp_spec *spec, uint64_t seed);

/* Reads the options in the table at idx (absent: none) into spec, whose sizes are known. */
void rl_mlp_options(lua_State *L, int idx, const char *call, struct rl_mlp_spec *spec, uint64_t *seed);
/* Reads the positional sizes of the table at idx. */
void rl_mlp_sizes(lua_State *L, int idx, const char *call, struct rl_mlp_spec *spec);

int l_mlp_load(lua_State *L); /* rille.mlp.load(path [, options]) */
int l_mlp_call(lua_State *L); /* m(x) */

extern const luaL_Reg rl_mlp_methods[];

#endif
