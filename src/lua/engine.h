/* The engine (stream/engine.h) that runs a script's handler: one a lane, each with its own script. */
#ifndef RL_LUA_ENGINE_H
#define RL_LUA_ENGINE_H

#include "lua/script.h"
#include "stream/engine.h"

/* Takes the script over (destroy closes it) on success only; settings are finished and outlive the engine.
 * The script may have been opened on another thread, if the lane's handler thread was started since.
 *
 * handle and hook return RL_EPIPE, with blame NONE, when stdout's reader went away: then the call itself did
 * not fail, and the run ends quietly with its batch uncommitted (S5.3). */
int rl_lua_engine_new(struct rl_engine *out, struct rl_script *script, const struct rl_settings *settings,
                      struct rl_err *err);

#endif
