/* rille.stream{ topics = …, group = … }: batches in a loop of the caller's own (S11).
 *
 *   for batch, out in rille.stream{…} do … end
 *
 * Asking for the next batch says that the last is done: its outputs are sent and its offsets committed.
 * batch:done() says so at once. break, return and an error leave the batch in hand undone, and close the
 * stream (the loop's closing value; in Lua 5.4.4 a `break` skips it when a function in the loop's body
 * captures the loop's variables, a bug of its own: `local s <close> = rille.stream{…}` is closed in any
 * case). stream:stop() hands over what is there and ends the loop; stream:close() ends it now.
 *
 * Lua runs on the caller's thread only; rille's threads run beside it, with all signals blocked. */
#ifndef RL_MODULE_STREAM_H
#define RL_MODULE_STREAM_H

#include <lua.h>

void rl_module_open_stream(lua_State *L); /* pushes the function `stream`; registers its type */

#endif
