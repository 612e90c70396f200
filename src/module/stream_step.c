/* One step of a stream's loop: the last batch done, the next one waited for; and the way out. */
#include <lauxlib.h>
#include <poll.h>

#include "lua/batch.h"
#include "lua/decode.h"
#include "lua/reader.h"
#include "module/stream_impl.h"

#define SLICE_MS 200 /* a signal that came just before poll(2) is seen after so long */

/* The batch in hand leaves Lua's hands: every value the caller kept of it reads nothing from now on. */
static void close_in_hand(lua_State *L, int idx, struct rl_stream *s) {
  if (s->out) rl_lua_out_close(s->out);
  lua_getiuservalue(L, idx, RL_UV_BATCH);
  rl_lua_close_batch(L, -1);
  lua_pop(L, 1);
  lua_pushnil(L);
  lua_setiuservalue(L, idx, RL_UV_BATCH);
  if (s->settings.decode_lua && s->batch) rl_lua_drop_decoded(L, s->batch);
}

static void fail(lua_State *L, struct rl_stream *s, const struct rl_err *err) {
  s->failed = true;
  luaL_error(L, "rille.stream: %s", err->text);
}

void rl_stream_done(lua_State *L, int idx, struct rl_stream *s) {
  struct rl_batch *batch = s->batch;
  struct rl_err err = {0};
  if (!batch) return;
  close_in_hand(L, idx, s);
  s->batch = NULL;
  int rc = rl_lane_done(s->lane, batch, &s->box, &err);
  rl_outbox_reset(&s->box);
  if (rc) fail(L, s, &err);
}

/* ---- the next batch ---- */

/* An empty Lua function: the one place where the hook of a Ctrl-C can raise. */
static void let_hooks_run(lua_State *L, int idx) {
  lua_getiuservalue(L, idx, RL_UV_EMPTY);
  lua_call(L, 0, 0);
}

/* 1: s->batch; 0: the end; raises what the lane failed with. */
static int wait_for_batch(lua_State *L, int idx, struct rl_stream *s) {
  while (s->lane) {
    struct rl_err err = {0};
    struct rl_batch *batch = NULL;
    int rc = rl_lane_next(s->lane, 0, &batch, &err);
    if (rc == 1) s->batch = batch;
    if (rc == 1 || rc == 0) return rc;
    if (rc < 0) fail(L, s, &err);
    struct pollfd ready = {rl_lane_fd(s->lane), POLLIN, 0};
    poll(&ready, 1, SLICE_MS);
    let_hooks_run(L, idx);
  }
  return 0; /* a hook closed the stream */
}

static int p_decode(lua_State *L) {
  struct rl_batch *batch = lua_touserdata(L, 2);
  size_t row = (size_t)lua_tointeger(L, 3);
  lua_settop(L, 1);
  rl_lua_decode_row(L, batch, row);
  return 0;
}

/* What the caller's decode refuses is dead-lettered like what the host cannot decode. */
static void decode_row(lua_State *L, int idx, struct rl_stream *s, size_t row) {
  lua_pushcfunction(L, p_decode);
  lua_getiuservalue(L, idx, RL_UV_DECODE);
  lua_pushlightuserdata(L, s->batch);
  lua_pushinteger(L, (lua_Integer)row);
  if (lua_pcall(L, 3, 0, 0) == LUA_OK) return;
  const char *why = luaL_tolstring(L, -1, NULL);
  rl_batch_set_bad(s->batch, row, why);
  rl_outbox_reject(&s->box, (uint32_t)row, why);
  lua_pop(L, 2);
}

/* A message that the caller decodes is one row. */
static void decode_rows(lua_State *L, int idx, struct rl_stream *s) {
  for (size_t row = 0; row < s->batch->n; row++)
    if (!s->batch->bad || !s->batch->bad[row]) decode_row(L, idx, s, row);
}

/* Pushes a userdata with the rows of messages that decoded. */
static uint32_t *good_rows(lua_State *L, const struct rl_batch *batch, size_t *n) {
  uint32_t *rows = lua_newuserdatauv(L, (batch->rows + 1) * sizeof *rows, 0);
  *n = 0;
  for (size_t row = 0; row < batch->rows; row++)
    if (!batch->bad || !batch->bad[rl_batch_owner(batch, row)]) rows[(*n)++] = (uint32_t)row;
  return rows;
}

/* Pushes the batch, which knows its stream. False, and nothing pushed: no row of it is left. */
static bool push_batch(lua_State *L, int idx, struct rl_stream *s) {
  struct rl_view view = {.batch = s->batch, .attempt = 1};
  if (s->settings.decode_lua) decode_rows(L, idx, s);
  view.rows = good_rows(L, s->batch, &view.n);
  view.parts_of = view.n;
  if (view.n == 0) {
    lua_pop(L, 1);
    return false;
  }
  rl_lua_push_batch(L, &view);
  lua_remove(L, -2);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, idx, RL_UV_BATCH);
  if (s->settings.decode_lua) rl_lua_use_decoded(L, -1, s->batch);
  lua_getiuservalue(L, idx, RL_UV_READER);
  rl_lua_use_reader(L, -2);
  lua_getiuservalue(L, -1, 1);
  lua_pushvalue(L, idx);
  lua_setfield(L, -2, "stream");
  lua_pop(L, 1);
  return true;
}

bool rl_stream_next(lua_State *L, int idx, struct rl_stream *s) {
  while (wait_for_batch(L, idx, s) == 1) {
    if (!push_batch(L, idx, s)) {
      rl_stream_done(L, idx, s);
      continue;
    }
    rl_lua_out_open(s->out, &s->box, s->batch);
    lua_getiuservalue(L, idx, RL_UV_OUT);
    return true;
  }
  return false;
}

/* ---- the way out ---- */

/* What the lane hands over on its way out is not handled by anybody: it comes again in the next run. */
static int abandon_rest(struct rl_lane *lane, struct rl_err *err) {
  struct rl_batch *batch;
  int rc;
  while ((rc = rl_lane_next(lane, SLICE_MS, &batch, err)) > 0)
    if (rc == 1) rl_lane_abandon(lane, batch);
  return rc;
}

static int leave(struct rl_lane *lane, bool wait, struct rl_err *err) {
  rl_lane_stop(lane, !wait);
  int rc = wait ? abandon_rest(lane, err) : 0;
  int ended = wait ? rl_lane_wait(lane, err) : 0;
  rl_lane_free(lane);
  return rc ? rc : ended;
}

int rl_stream_close(lua_State *L, int idx, struct rl_stream *s, bool wait, struct rl_err *err) {
  struct rl_lane *lane = s->lane;
  int rc = 0;
  s->lane = NULL; /* first: what follows is done once */
  if (s->has_settings) close_in_hand(L, idx, s);
  if (lane && s->batch) rl_lane_abandon(lane, s->batch);
  s->batch = NULL;
  if (lane) rc = leave(lane, wait, err);
  if (s->has_box) rl_outbox_free(&s->box);
  if (s->has_run) rl_run_free(&s->run);
  if (s->has_settings) rl_settings_free(&s->settings);
  s->has_box = s->has_run = s->has_settings = false;
  return rc;
}
