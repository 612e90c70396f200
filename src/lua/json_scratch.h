/* What decoding and encoding work in: a parser, a tape and a buffer, kept from call to call.
 *
 * They belong to a userdata, so an error raised in the middle leaks nothing. Building values may run a
 * script's
 * __gc, and that may decode again: so the one in the registry is taken while in use, and whoever finds it
 * taken works in a new one. One that was abandoned by an error stays taken; the next release replaces it. */
#ifndef RL_LUA_JSON_SCRATCH_H
#define RL_LUA_JSON_SCRATCH_H

#include <lua.h>

#include "base/buf.h"
#include "codec/json.h"

struct rl_json_frame {
  uint32_t left;  /* values still to come */
  uint32_t index; /* of the last item, in an array */
  bool object;
};

struct rl_json_scratch {
  bool taken;
  struct rl_json *parser;
  struct rl_tape tape;
  struct rl_buf buf;
  struct rl_json_frame *frames;
  size_t n_frames, cap_frames;
};

/* Pushes the userdata and returns what is in it, empty. */
struct rl_json_scratch *rl_json_take(lua_State *L);
/* Gives back the one at idx (absolute): memory past a bound is freed. Never raises. */
void rl_json_give(lua_State *L, int idx);

/* Pushes the one value that the n cells of a tape are; null in it is rille.null. 0, or RL_EHANDLER: too deep
 * for Lua's stack, and some of it is left on the stack. (lua/json_decode.c) */
int rl_json_build(lua_State *L, struct rl_json_scratch *s, const struct rl_cell *cells, size_t n,
                  struct rl_err *err);
/* Gives back the scratch at `held` and takes it off the stack; of what stands above it only the value built
 * stays, and nothing when code is not 0. Returns code. */
int rl_json_end(lua_State *L, int held, int code);

void rl_json_open_scratch(lua_State *L);

#endif
