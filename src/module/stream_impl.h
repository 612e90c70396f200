/* What a stream of the library form holds; for the files of this room. */
#ifndef RL_MODULE_STREAM_IMPL_H
#define RL_MODULE_STREAM_IMPL_H

#include <lua.h>

#include "lua/out.h"
#include "stream/lane.h"

#define RL_STREAM_TYPE "rille.stream"

/* User values of the stream. */
enum {
  RL_UV_OUT = 1, /* the userdata of `out` */
  RL_UV_BATCH,   /* the batch in hand */
  RL_UV_DECODE,  /* decode = function */
  RL_UV_EMPTY,   /* an empty Lua function: calling it lets the interpreter's own hook run (S11.3) */
  RL_UV_READER,  /* what reads whole values that are no JSON, or nil */
  RL_UV_COUNT = RL_UV_READER
};

/* Each part is marked when it is there, so that an error in between leaves a stream that can be closed. */
struct rl_stream {
  struct rl_settings settings;
  struct rl_run run;
  struct rl_outbox box;
  bool has_settings, has_run, has_box;
  bool failed;          /* its error was raised: leaving need not say it again */
  struct rl_lane *lane; /* NULL: not started, or closed */
  struct rl_lua_out *out;
  struct rl_batch *batch; /* in hand: neither done nor abandoned */
};

/* Says that the batch in hand, if there is one, is done. Raises when its outputs or offsets are refused. The
 * stream is at idx. */
void rl_stream_done(lua_State *L, int idx, struct rl_stream *s);
/* Waits for the next batch and pushes it and `out`; false at the end of the stream, with nothing pushed.
 * Raises. */
bool rl_stream_next(lua_State *L, int idx, struct rl_stream *s);

/* Ends the stream; the batch in hand is abandoned. wait: for the commits of what is done, as any exit. Does
 * not raise. 0, or what went wrong. Closing what is closed does nothing. */
int rl_stream_close(lua_State *L, int idx, struct rl_stream *s, bool wait, struct rl_err *err);

#endif
