/* The engine (stream/engine.h) that runs a script's handler: one a lane, each with its own script. */
#ifndef RL_LUA_ENGINE_H
#define RL_LUA_ENGINE_H

#include "lua/script.h"
#include "stream/engine.h"

/* Takes the script over (destroy closes it) on success only; settings are finished and outlive the engine.
 * The script may have been opened on another thread, if the lane's handler thread was started since.
 *
 * handle, decode and hook return RL_EPIPE when stdout's reader went away: the run is to end quietly with that
 * batch uncommitted (S5.3). The blame is SCRIPT, so that a caller that looks at nothing else stops and
 * dead-letters nothing. */
int rl_lua_engine_new(struct rl_engine *out, struct rl_script *script, const struct rl_settings *settings,
                      struct rl_err *err);

#endif
