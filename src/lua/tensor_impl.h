/* What the files of the tensor's Lua side share. */
#ifndef RL_LUA_TENSOR_IMPL_H
#define RL_LUA_TENSOR_IMPL_H

#include <lauxlib.h>

#include "lua/tensor.h"

void rl_tensor_open_memory(lua_State *L);
/* The tensor that a method was called on. */
struct rl_tensor *rl_tensor_self(lua_State *L, const char *call);
struct rl_tensor *rl_tensor_self_compact(lua_State *L, const char *call);
/* Reads a shape: a table at idx, or the integers from idx to the top. Returns the rank. */
int rl_tensor_arg_shape(lua_State *L, int idx, const char *call, int64_t shape[RL_RANK_MAX]);
/* An axis from 1, or from -1 backwards, at idx; -1 when absent (all of them). */
int rl_tensor_arg_axis(lua_State *L, int idx, const char *call, const struct rl_tensor *t);
/* Pushes a copy of the table at idx as a tensor. dtype RL_DTYPES: as its values are. */
struct rl_tensor *rl_tensor_from_table(lua_State *L, int idx, const char *call, int dtype);

int l_tensor_call(lua_State *L); /* rille.tensor(table [, dtype]) */
int l_tensor_totable(lua_State *L);
int l_tensor_rows(lua_State *L);

extern const luaL_Reg rl_tensor_makers[], rl_tensor_math[], rl_tensor_folds[], rl_tensor_pairs[],
    rl_tensor_operators[];

#endif
