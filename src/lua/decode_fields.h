/* Columns out of what a script's own decode made: its tables are walked along each field's path. */
#ifndef RL_LUA_DECODE_FIELDS_H
#define RL_LUA_DECODE_FIELDS_H

#include <lua.h>

#include "stream/batch.h"

/* Fills the row's fields that have a path from the value at the top, which stays. Raises when a value does
 * not fit its field's type or a required one is missing. */
void rl_lua_fill_fields(lua_State *L, struct rl_batch *batch, size_t row);

#endif
