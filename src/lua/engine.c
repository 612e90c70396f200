#include "lua/engine.h"

#include <lauxlib.h>
#include <stdio.h>

#include "base/mem.h"
#include "lua/batch.h"
#include "lua/decode.h"
#include "lua/fail.h"
#include "lua/message.h"
#include "lua/out.h"
#include "lua/reader.h"
#include "lua/script_impl.h"
#include "lua/state.h"

struct engine {
  struct rl_script *script;
  lua_State *L;
  struct rl_lua_out *out;
  int out_ref;
  int reader; /* LUA_NOREF, or LUA_REFNIL: values are JSON */
  double time;
};

/* What a protected call is about; it is on the C stack of the call. */
struct call {
  struct engine *e;
  const struct rl_view *view;
  struct rl_batch *batch; /* decode */
  size_t row;
  enum rl_hook hook;
  const struct rl_tps *parts;
  const char *reason;
  struct rl_outbox *box;
};

static char batch_key; /* registry[&batch_key]: the batch in hand, so that it is there to be closed */

/* ---- protected: these raise ---- */

static void push_ref(lua_State *L, int ref) { lua_rawgeti(L, LUA_REGISTRYINDEX, ref); }

/* Calls the function below its n arguments; `nil, error` and `false, error` fail as a raised error does. */
static void call_script(lua_State *L, int n) {
  int base = lua_gettop(L) - n - 1;
  lua_call(L, n, LUA_MULTRET);
  int results = lua_gettop(L) - base;
  if (results < 2 || lua_toboolean(L, base + 1) || lua_isnil(L, base + 2)) return;
  lua_settop(L, base + 2);
  rl_lua_returned(L);
}

static int p_handle(lua_State *L) {
  struct call *c = lua_touserdata(L, 1);
  push_ref(L, c->e->script->handle);
  rl_lua_push_batch(L, c->view);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &batch_key);
  if (c->e->script->decode != LUA_NOREF) rl_lua_use_decoded(L, -1, c->view->batch);
  push_ref(L, c->e->reader);
  rl_lua_use_reader(L, -2);
  push_ref(L, c->e->out_ref);
  call_script(L, 2);
  return 0;
}

static int p_decode(lua_State *L) {
  struct call *c = lua_touserdata(L, 1);
  push_ref(L, c->e->script->decode);
  rl_lua_decode_row(L, c->batch, c->row);
  return 0;
}

static void push_part(lua_State *L, const struct rl_tp *tp) {
  lua_createtable(L, 0, 3);
  lua_pushstring(L, tp->topic);
  lua_setfield(L, -2, "topic");
  lua_pushinteger(L, tp->partition);
  lua_setfield(L, -2, "partition");
  if (tp->offset >= 0) { /* the negative ones are no positions */
    lua_pushinteger(L, tp->offset);
    lua_setfield(L, -2, "offset");
  }
}

static void push_parts(lua_State *L, const struct rl_tps *parts) {
  lua_createtable(L, (int)parts->n, 0);
  for (size_t i = 0; i < parts->n; i++) {
    push_part(L, &parts->at[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

static int p_hook(lua_State *L) {
  struct call *c = lua_touserdata(L, 1);
  push_ref(L, c->e->script->hook[c->hook]);
  int n = 0;
  if (c->hook == RL_HOOK_ASSIGNED || c->hook == RL_HOOK_REVOKED) {
    push_parts(L, c->parts);
    n = 1;
  }
  if (c->hook == RL_HOOK_EVERY || c->hook == RL_HOOK_CLOSE) {
    push_ref(L, c->e->out_ref);
    n = 1;
  }
  if (c->hook == RL_HOOK_CLOSE) {
    lua_pushstring(L, c->reason);
    n = 2;
  }
  call_script(L, n);
  return 0;
}

/* ---- the call ---- */

static int failed(struct rl_failure *why, enum rl_blame blame, const char *text) {
  rl_failure_set(why, blame, text, NULL);
  return RL_EHANDLER;
}

static int out_of_memory(struct engine *e, struct rl_failure *why) {
  char text[400];
  const struct rl_refusal *refusal = &e->script->refusal;
  rl_script_no_memory(e->script, text, sizeof text);
  lua_gc(e->L, LUA_GCCOLLECT); /* what the call left must not cost the next one its memory */
  e->script->alloc.peak = e->script->alloc.used;
  rl_failure_set(why, RL_BLAME_MESSAGE, text, refusal->noted ? refusal->traceback : NULL);
  return RL_EHANDLER;
}

/* A script that catches its interruption, and the next, has still been cut short somewhere. */
static int judge(struct engine *e, int status, enum rl_limits_end end, struct rl_failure *why) {
  char text[200];
  if (status == LUA_OK && end == RL_LIMITS_KEPT) return 0;
  if (end == RL_LIMITS_STOPPED) return failed(why, RL_BLAME_STOPPED, "the call was stopped");
  if (status == LUA_OK) {
    snprintf(text, sizeof text, "%s: the call took longer than limits.time (%g s)", e->script->name, e->time);
    return failed(why, rl_limits_excused(e->script->limits) ? RL_BLAME_WEATHER : RL_BLAME_MESSAGE, text);
  }
  if (status == LUA_ERRMEM) return out_of_memory(e, why);
  lua_pushvalue(e->L, -1);
  rl_lua_failure(e->L, why);
  return RL_EHANDLER;
}

/* What print and io.write said goes out with the batch it is about, whether that failed or not. No message is
 * to blame when it cannot: none of them may be dead-lettered for it. A call that failed although its reader
 * went away most likely failed for that, and its batch comes again. */
static int flush(int rc, struct rl_failure *why) {
  struct rl_err err;
  int flushed = rl_lua_flush(&err);
  if (!flushed || (rc && flushed != RL_EPIPE)) return rc;
  rl_failure_clear(why);
  rl_failure_set(why, RL_BLAME_SCRIPT, err.text, NULL);
  return flushed;
}

/* Nothing outside of the pcall may raise: it would end the process. */
static int run(struct engine *e, lua_CFunction p, struct call *c, struct rl_failure *why) {
  lua_State *L = e->L;
  c->e = e;
  e->script->refusal.noted = false;
  rl_limits_begin(e->script->limits, e->time, e->script->name);
  if (c->box) rl_lua_out_open(e->out, c->box, c->view ? c->view->batch : NULL);
  lua_pushcfunction(L, rl_lua_traceback);
  lua_pushcfunction(L, p);
  lua_pushlightuserdata(L, c);
  int status = lua_pcall(L, 1, 0, 1);
  enum rl_limits_end end = rl_limits_end(e->script->limits);
  rl_lua_out_close(e->out);
  int rc = judge(e, status, end, why);
  lua_settop(L, 0);
  return rc;
}

/* Storing nil where something is does not allocate. */
static void close_batch_in_hand(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &batch_key) == LUA_TUSERDATA) {
    rl_lua_close_batch(L, -1);
    lua_pushnil(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &batch_key);
  }
  lua_settop(L, 0);
}

/* ---- stream/engine.h ---- */

static int engine_handle(void *self, const struct rl_view *view, struct rl_outbox *out,
                         struct rl_failure *why) {
  struct engine *e = self;
  struct call c = {.view = view, .box = out};
  int rc = run(e, p_handle, &c, why);
  close_batch_in_hand(e->L);
  return flush(rc, why);
}

static int engine_decode(void *self, struct rl_batch *batch, size_t row, struct rl_failure *why) {
  struct call c = {.batch = batch, .row = row};
  int rc = run(self, p_decode, &c, why);
  return rc ? flush(rc, why) : 0;
}

static int engine_hook(void *self, enum rl_hook hook, const struct rl_tps *parts, const char *reason,
                       struct rl_outbox *out, struct rl_failure *why) {
  struct engine *e = self;
  if (e->script->hook[hook] == LUA_NOREF) return 0;
  struct call c = {.hook = hook, .parts = parts, .reason = reason, .box = out};
  return flush(run(e, p_hook, &c, why), why);
}

static void engine_release(void *self, struct rl_batch *batch) {
  struct engine *e = self;
  rl_lua_drop_decoded(e->L, batch);
}

static void engine_interrupt(void *self) {
  struct engine *e = self;
  rl_limits_stop(e->script->limits);
}

static const char *engine_where(void *self) {
  struct engine *e = self;
  return rl_limits_where(e->script->limits);
}

static void engine_destroy(void *self) {
  struct engine *e = self;
  rl_script_close(e->script);
  rl_free(e);
}

static int p_prepare(lua_State *L) {
  struct engine *e = lua_touserdata(L, 1);
  const struct rl_settings *s = lua_touserdata(L, 2);
  e->out = rl_lua_push_out(L);
  e->out_ref = luaL_ref(L, LUA_REGISTRYINDEX);
  rl_lua_set_depth(L, (size_t)s->limits_depth);
  rl_lua_push_reader(L, s);
  e->reader = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

static int prepare(struct engine *e, const struct rl_settings *s, struct rl_err *err) {
  lua_State *L = e->L;
  lua_pushcfunction(L, p_prepare);
  lua_pushlightuserdata(L, e);
  lua_pushlightuserdata(L, (void *)(uintptr_t)s);
  int status = lua_pcall(L, 2, 0, 0);
  if (status != LUA_OK && status != LUA_ERRMEM)
    rl_fail(err, RL_EUSAGE, "%s: %s", e->script->name, lua_tostring(L, -1));
  lua_settop(L, 0);
  if (status != LUA_ERRMEM) return status == LUA_OK ? 0 : RL_EUSAGE;
  return rl_fail(err, RL_ENOMEM, "%s: not enough memory to begin with (limits.memory is %lld bytes)",
                 e->script->name, (long long)s->limits_memory);
}

int rl_lua_engine_new(struct rl_engine *out, struct rl_script *script, const struct rl_settings *settings,
                      struct rl_err *err) {
  struct engine *e = rl_zalloc(sizeof *e);
  *e = (struct engine){.script = script, .L = script->L, .reader = LUA_NOREF, .time = settings->limits_time};
  script->alloc.limit = (size_t)settings->limits_memory;
  int rc = prepare(e, settings, err);
  if (rc) {
    rl_free(e);
    return rc;
  }
  if (!settings->decode_lua) script->decode = LUA_NOREF;
  *out = (struct rl_engine){.self = e,
                            .script = script->name,
                            .every = script->every,
                            .handle = engine_handle,
                            .decode = script->decode != LUA_NOREF ? engine_decode : NULL,
                            .hook = engine_hook,
                            .release = engine_release,
                            .interrupt = engine_interrupt,
                            .where = engine_where,
                            .destroy = engine_destroy};
  for (int i = 0; i <= RL_HOOK_CLOSE; i++) out->has_hook[i] = script->hook[i] != LUA_NOREF;
  return 0;
}
