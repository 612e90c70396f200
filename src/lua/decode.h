/* decode = function(message): the script's own decoder, which gives a table, or nil and an error. What it
 * makes is kept by the message's slot and offset, for rows of a batch move when others are struck, and read
 * by message:decode(), batch:rows() and, through `fields`, the batch's columns. */
#ifndef RL_LUA_DECODE_H
#define RL_LUA_DECODE_H

#include <lua.h>

#include "stream/batch.h"

/* Calls the function at the top (which it pops) with message `row` of the batch, keeps what it gives and
 * fills the row's columns from it. Raises when it fails. */
void rl_lua_decode_row(lua_State *L, struct rl_batch *batch, size_t row);
/* Gives the root at idx what was decoded of its batch. */
void rl_lua_use_decoded(lua_State *L, int idx, const struct rl_batch *batch);
/* Drops what was decoded of the batch and closes its messages. Does not raise. */
void rl_lua_drop_decoded(lua_State *L, const struct rl_batch *batch);

#endif
