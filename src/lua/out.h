/* The userdata "rille.out": what a handler sends with. It stages into the lane's outbox while a call runs and
 * is closed between calls: an `out` that a script kept works in its next call, and raises outside of any. */
#ifndef RL_LUA_OUT_H
#define RL_LUA_OUT_H

#include <lua.h>

#include "stream/batch.h"
#include "stream/outbox.h"

struct rl_lua_out;

struct rl_lua_out *rl_lua_push_out(lua_State *L); /* a new one, closed */
/* Until close: stages into box; batch: whose rows it may forward and reject, NULL for none. Neither is owned.
 */
void rl_lua_out_open(struct rl_lua_out *out, struct rl_outbox *box, const struct rl_batch *batch);
void rl_lua_out_close(struct rl_lua_out *out);
void rl_lua_open_out(lua_State *L); /* registers the type */

#endif
