/* What a model is called with: a tensor, or a table of them by name. */
#ifndef RL_LUA_MODEL_INPUTS_H
#define RL_LUA_MODEL_INPUTS_H

#include <lua.h>

#include "model/model.h"

/* Raises unless the call is of the model, at 1, and one argument. */
void rl_lua_model_one_argument(lua_State *L);
/* The inputs of a run, from the argument at 2: they, their names and their tensors live on the stack, which
 * grows. Raises what is no tensor as a script failure. */
struct rl_model_value *rl_lua_model_inputs(lua_State *L, size_t *n);

#endif
