#include "module/stream.h"

#include <lauxlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "lua/batch.h"
#include "lua/message.h"
#include "lua/reader.h"
#include "lua/script_settings.h"
#include "module/stream_impl.h"
#include "stream/sink.h"

extern char **environ;

static struct rl_stream *check_stream(lua_State *L) { return luaL_checkudata(L, 1, RL_STREAM_TYPE); }

/* ---- opening ---- */

/* Closed first, acquired later: from here on the collector can take it. */
static struct rl_stream *new_stream(lua_State *L) {
  struct rl_stream *s = lua_newuserdatauv(L, sizeof *s, RL_UV_COUNT);
  memset(s, 0, sizeof *s);
  luaL_setmetatable(L, RL_STREAM_TYPE);
  return s;
}

static void read_settings(lua_State *L, struct rl_stream *s) {
  struct rl_err err = {0};
  struct rl_lua_reader reader = {L, &s->settings, "rille.stream", true, &err};
  rl_settings_init(&s->settings);
  s->has_settings = true;
  if (rl_lua_read_settings(&reader, 1)) luaL_error(L, "%s", err.text);
  if (rl_settings_env(&s->settings, environ, &err) || rl_settings_finish(&s->settings, &err))
    luaL_error(L, "rille.stream: %s", err.text);
}

static void warn_hidden(const struct rl_fields *fields) {
  for (size_t i = 0; i < fields->n; i++)
    if (rl_lua_batch_has(fields->at[i].name))
      rl_log(RL_WARN, "the field '%s' is read as batch.columns.%s: batch.%s is something else",
             fields->at[i].name, fields->at[i].name, fields->at[i].name);
}

static void start(lua_State *L, struct rl_stream *s) {
  struct rl_err err = {0};
  if (rl_run_prepare(&s->run, &s->settings, &err)) luaL_error(L, "rille.stream: %s", err.text);
  s->has_run = true;
  rl_outbox_init(&s->box, (size_t)s->settings.limits_output, rl_sink_max_message(&s->settings));
  s->box.no_reject = !s->settings.dead_letter;
  s->has_box = true;
  if (rl_lane_start(&s->lane, &s->run, 0, NULL, &err)) {
    s->lane = NULL;
    luaL_error(L, "rille.stream: %s", err.text);
  }
}

static void set_values(lua_State *L, int idx, struct rl_stream *s) {
  s->out = rl_lua_push_out(L);
  lua_setiuservalue(L, idx, RL_UV_OUT);
  if (s->settings.decode_lua) {
    lua_getfield(L, 1, "decode");
    lua_setiuservalue(L, idx, RL_UV_DECODE);
  }
  rl_lua_push_reader(L, &s->settings);
  lua_setiuservalue(L, idx, RL_UV_READER);
  luaL_loadbufferx(L, "", 0, "=rille", "t");
  lua_setiuservalue(L, idx, RL_UV_EMPTY);
}

/* rille.stream{…}: the four values of a generic for; the first alone is the stream. */
static int l_stream(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  struct rl_stream *s = new_stream(L);
  read_settings(L, s);
  set_values(L, 2, s);
  rl_lua_set_depth(L, (size_t)s->settings.limits_depth);
  warn_hidden(&s->settings.fields);
  start(L, s);
  lua_pushnil(L);
  lua_pushnil(L);
  lua_pushvalue(L, 2);
  return 4;
}

/* ---- methods ---- */

/* A finalizer may run in the midst of any method of a batch: it must not end it there. Lua's collector counts
 * nothing while one runs. */
static void not_in_a_finalizer(lua_State *L, const char *call) {
  if (lua_gc(L, LUA_GCCOUNT) < 0) luaL_error(L, "%s must not be called by a finalizer (__gc)", call);
}

/* stream(): the next batch and its `out`. A stream that is closed, or at its end, gives nil. */
static int l_stream_call(lua_State *L) {
  struct rl_stream *s = check_stream(L);
  struct rl_err err = {0};
  not_in_a_finalizer(L, "the next batch");
  if (!s->lane) return 0;
  rl_stream_done(L, 1, s);
  if (rl_stream_next(L, 1, s)) return 2;
  if (rl_stream_close(L, 1, s, true, &err)) luaL_error(L, "rille.stream: %s", err.text);
  return 0;
}

static int l_stream_stop(lua_State *L) {
  struct rl_stream *s = check_stream(L);
  if (s->lane) rl_lane_stop(s->lane, false);
  return 0;
}

/* true, or nil and what went wrong: leaving is an operation like any other. */
static int l_stream_close(lua_State *L) {
  struct rl_err err = {0};
  not_in_a_finalizer(L, "stream:close");
  if (rl_stream_close(L, 1, check_stream(L), true, &err)) {
    lua_pushnil(L);
    lua_pushstring(L, err.text);
    return 2;
  }
  lua_pushboolean(L, true);
  return 1;
}

/* The loop's closing value: it must not raise over the error that may be on its way. */
static int l_stream_leave(lua_State *L) {
  struct rl_stream *s = check_stream(L);
  struct rl_err err = {0};
  if (rl_stream_close(L, 1, s, true, &err) && !s->failed) rl_log(RL_ERROR, "%s", err.text);
  return 0;
}

static int l_stream_gc(lua_State *L) {
  struct rl_stream *s = check_stream(L);
  rl_stream_close(L, 1, s, false, NULL);
  return 0;
}

static int l_stream_tostring(lua_State *L) {
  lua_pushfstring(L, "rille.stream (%s)", check_stream(L)->lane ? "open" : "closed");
  return 1;
}

/* batch:done() */
static int l_batch_done(lua_State *L) {
  not_in_a_finalizer(L, "batch:done");
  struct rl_lua_batch *b = rl_lua_check_batch(L, 1);
  lua_settop(L, 1);
  lua_getiuservalue(L, 1, 1);
  lua_getfield(L, 2, "stream");
  struct rl_stream *s = luaL_checkudata(L, 3, RL_STREAM_TYPE);
  if (b->batch == s->batch) rl_stream_done(L, 3, s);
  return 0;
}

void rl_module_open_stream(lua_State *L) {
  static const luaL_Reg methods[] = {{"stop", l_stream_stop}, {"close", l_stream_close}, {NULL, NULL}};
  static const luaL_Reg meta[] = {{"__call", l_stream_call},
                                  {"__close", l_stream_leave},
                                  {"__gc", l_stream_gc},
                                  {"__tostring", l_stream_tostring},
                                  {NULL, NULL}};
  if (luaL_newmetatable(L, RL_STREAM_TYPE)) {
    luaL_setfuncs(L, meta, 0);
    luaL_newlib(L, methods);
    lua_setfield(L, -2, "__index");
    rl_lua_batch_method(L, "done", l_batch_done);
  }
  lua_pop(L, 1);
  lua_pushcfunction(L, l_stream);
}
