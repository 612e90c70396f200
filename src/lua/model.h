/* The userdata "rille.model": a model that is called as a function, on tensors (model/model.h).
 *
 * rille.model(URI [, options])   `onnx:FILE`, a path that ends in .onnx, kserve://HOST:PORT/NAME[/VERSION],
 * kserves://..., tfserving://HOST:PORT/NAME. Lanes that ask for the same one share it. Options:
 *   batch       rows a call at most; more are split and joined (no limit)
 *   threads     of a runtime in process (the cores this process may use)
 *   timeout     seconds of a run, retries included (30 for servers; none in process)
 *   retries     of a call that failed as weather, before the run does (3)
 *   warmup      rows of zeros to run once at the start (none)
 *   in_flight   calls of a split run that are under way at once, of servers (4)
 *   ca, certificate, key     TLS: files, PEM
 *   user, password, token    log-in; where none is given, RILLE_MODEL_USER, RILLE_MODEL_PASSWORD and
 *                            RILLE_MODEL_TOKEN, the last two also as a file's name in ..._FILE
 *
 * m(t), m{ name = t, ... }       a tensor when the model has one output, else a table of them by name
 * m.inputs, m.outputs            arrays of { name =, dtype =, shape = }, where -1 is a free size; empty when
 *                                the model does not say
 * m.uri, tostring(m), m:close(), <close>    closed again: nothing; inputs, outputs and uri stay
 *
 * A wrong argument, an unknown name, and a model that cannot be opened are script failures (S4.6); what is
 * not to be had now is the weather, as rille.transient makes it (S4.1); types and shapes that the model does
 * not take, and errors of its own, are ordinary errors: the batch's. limits.time and a stop end a run under
 * way. */
#ifndef RL_LUA_MODEL_H
#define RL_LUA_MODEL_H

#include <lua.h>

#include "model/model.h"

#define RL_MODEL_TYPE "rille.model"

int l_model(lua_State *L);            /* rille.model(URI [, options]) */
void rl_lua_open_model(lua_State *L); /* registers the type */

/* Reads the options at idx, which may be absent, and the environment. Texts live on the stack, which grows.
 */
void rl_lua_model_options(lua_State *L, int idx, struct rl_model_opts *opts);

#endif
