#include "lua/script.h"

#include <errno.h>
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "lua/batch.h"
#include "lua/fail.h"
#include "lua/script_impl.h"
#include "lua/script_settings.h"
#include "lua/state.h"
#include "lua/where.h"

#define DEFAULT_MEMORY ((size_t)1 << 30)

/* Raises a sentence that begins with the script's name. */
static int wrong(lua_State *L, const struct rl_script *s, const char *what) {
  return luaL_error(L, "%s: %s", s->name, what);
}

/* ---- the chunk ---- */

static void load_chunk(lua_State *L, const struct rl_script *s, const struct rl_script_opts *opts) {
  int status = opts->path ? luaL_loadfilex(L, opts->path, "t")
                          : luaL_loadbufferx(L, opts->code, strlen(opts->code), "=--code", "t");
  if (status == LUA_OK) return;
  const char *text = lua_tostring(L, -1);
  if (strncmp(text, s->name, strlen(s->name)) == 0 || status == LUA_ERRFILE) lua_error(L);
  luaL_error(L, "%s: %s", s->name, text);
}

static void run_chunk(lua_State *L, const struct rl_script *s, const struct rl_script_opts *opts) {
  rl_lua_add_path(L, opts->path ? opts->path : "");
  rl_lua_set_arg(L, s->name, opts->args, opts->n_args);
  load_chunk(L, s, opts);
  luaL_checkstack(L, (int)opts->n_args + 10, "too many script arguments");
  for (size_t i = 0; i < opts->n_args; i++) lua_pushstring(L, opts->args[i]);
  lua_call(L, (int)opts->n_args, 1);
}

/* ---- what it returned ---- */

static int keep(lua_State *L, int idx) {
  lua_pushvalue(L, idx);
  return luaL_ref(L, LUA_REGISTRYINDEX);
}

/* A function of the script's table; LUA_NOREF when it has none. */
static int keep_function(lua_State *L, const struct rl_script *s, const char *name) {
  int type = lua_getfield(L, 1, name);
  int ref = LUA_NOREF;
  if (type == LUA_TFUNCTION)
    ref = keep(L, -1);
  else if (type != LUA_TNIL)
    luaL_error(L, "%s: '%s' must be a function, not a %s", s->name, name, luaL_typename(L, -1));
  lua_pop(L, 1);
  return ref;
}

static void keep_every(lua_State *L, struct rl_script *s) {
  if (lua_getfield(L, 1, "every") != LUA_TNIL) {
    if (!lua_istable(L, -1)) wrong(L, s, "'every' must be a table { seconds, function }");
    int every = lua_gettop(L);
    s->every = lua_rawgeti(L, every, 1) == LUA_TNUMBER ? lua_tonumber(L, -1) : 0;
    if (!(s->every > 0 && s->every < 1e9)) wrong(L, s, "'every' must begin with a number of seconds above 0");
    if (lua_rawgeti(L, every, 2) != LUA_TFUNCTION)
      wrong(L, s, "'every' must be a table { seconds, function }");
    s->hook[RL_HOOK_EVERY] = keep(L, -1);
  }
  lua_settop(L, 1);
}

/* A function under a name that is close to 'handle'; NULL: none. */
static const char *meant_as_handle(lua_State *L) {
  static const char *const names[] = {"handle"};
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
    bool named = lua_type(L, -2) == LUA_TSTRING && lua_isfunction(L, -1);
    const char *name = named ? lua_tostring(L, -2) : "";
    if (*name && !rl_lua_is_script_key(name) && rl_nearest(name, names, 1)) return name;
  }
  return NULL;
}

static void no_handle(lua_State *L, const struct rl_script *s) {
  const char *name = meant_as_handle(L);
  if (name)
    luaL_error(L, "%s: the table has no function 'handle' but one called '%s': did you mean 'handle'?",
               s->name, name);
  wrong(L, s, "the table has no function 'handle'");
}

static void keep_table(lua_State *L, struct rl_script *s) {
  s->table = keep(L, 1);
  s->handle = keep_function(L, s, "handle");
  if (s->handle == LUA_NOREF) no_handle(L, s);
  s->hook[RL_HOOK_OPEN] = keep_function(L, s, "open");
  s->hook[RL_HOOK_CLOSE] = keep_function(L, s, "close");
  s->hook[RL_HOOK_ASSIGNED] = keep_function(L, s, "assigned");
  s->hook[RL_HOOK_REVOKED] = keep_function(L, s, "revoked");
  keep_every(L, s);
  if (lua_getfield(L, 1, "decode") == LUA_TFUNCTION) s->decode = keep(L, -1);
}

struct loading {
  struct rl_script *script;
  const struct rl_script_opts *opts;
};

static int p_load(lua_State *L) {
  struct loading *loading = lua_touserdata(L, 1);
  struct rl_script *s = loading->script;
  rl_lua_watch_where(L);
  run_chunk(L, s, loading->opts);
  lua_replace(L, 1);
  lua_settop(L, 1);
  if (lua_isfunction(L, 1))
    s->handle = keep(L, 1);
  else if (lua_istable(L, 1))
    keep_table(L, s);
  else
    luaL_error(
        L,
        "%s returns %s: a script ends with `return { handle = function(batch, out) ... end }` or returns "
        "that function",
        s->name, lua_isnil(L, 1) ? "nothing" : luaL_typename(L, 1));
  return 0;
}

/* ---- opening ---- */

static void on_refusal(void *of, const void *block, size_t new_size) {
  struct rl_script *s = of;
  lua_State *running = rl_limits_running(s->limits);
  if (running && rl_refusal_readable(block, new_size)) rl_refusal_note(&s->refusal, running);
}

void rl_script_no_memory(const struct rl_script *s, char *text, size_t size) {
  bool placed = s->refusal.noted && s->refusal.place[0];
  snprintf(text, size, "%s: not enough memory: limits.memory is %zu bytes, and %zu were in use",
           placed ? s->refusal.place : s->name, s->alloc.limit, s->alloc.peak);
}

static struct rl_script *new_script(const struct rl_script_opts *opts) {
  struct rl_script *s = rl_zalloc(sizeof *s);
  s->name = rl_strdup(opts->path ? opts->path : "--code");
  s->alloc.limit = opts->memory > 0 ? (size_t)opts->memory : DEFAULT_MEMORY;
  s->limits = rl_limits_new(RL_LIMITS_BEST);
  s->alloc.refused = on_refusal;
  s->alloc.of = s;
  s->table = s->handle = s->decode = LUA_NOREF;
  for (int i = 0; i <= RL_HOOK_CLOSE; i++) s->hook[i] = LUA_NOREF;
  return s;
}

/* The error value at the top. A traceback is added where the script itself ran into it. */
static int fail(lua_State *L, struct rl_err *err) {
  struct rl_failure why = {.blame = RL_BLAME_NONE};
  rl_lua_failure(L, &why);
  rl_fail(err, RL_EUSAGE, "%s", why.error);
  rl_failure_clear(&why);
  return RL_EUSAGE;
}

static int load(struct rl_script *s, const struct rl_script_opts *opts, struct rl_err *err) {
  struct loading loading = {s, opts};
  rl_limits_begin(s->limits, opts->time, s->name);
  lua_pushcfunction(s->L, rl_lua_traceback);
  lua_pushcfunction(s->L, p_load);
  lua_pushlightuserdata(s->L, &loading);
  int status = lua_pcall(s->L, 1, 0, 1);
  rl_limits_end(s->limits);
  int rc = status == LUA_OK ? 0 : fail(s->L, err);
  lua_settop(s->L, 0);
  return rc;
}

int rl_script_open(struct rl_script **out, const struct rl_script_opts *opts, struct rl_err *err) {
  struct rl_script *s = new_script(opts);
  s->L = rl_lua_state_new(&s->alloc, s->limits);
  int rc = s->L ? load(s, opts, err)
                : rl_fail(err, RL_ENOMEM, "%s: no memory for a Lua state (limits.memory is %zu bytes)",
                          s->name, s->alloc.limit);
  if (rc) {
    rl_script_close(s);
    s = NULL;
  }
  *out = s;
  return rc;
}

void rl_script_close(struct rl_script *s) {
  if (!s) return;
  if (s->L) lua_close(s->L);
  rl_limits_free(s->limits);
  rl_free(s->name);
  rl_free(s);
}

const char *rl_script_name(const struct rl_script *s) { return s->name; }

/* ---- settings ---- */

static int p_settings(lua_State *L) {
  struct rl_lua_reader *r = lua_touserdata(L, 1);
  int table = (int)lua_tointeger(L, 2);
  lua_rawgeti(L, LUA_REGISTRYINDEX, table);
  lua_pushinteger(L, rl_lua_read_settings(r, 3));
  return 1;
}

static void warn_hidden(const struct rl_script *script, const struct rl_settings *s) {
  enum rl_layer layer = rl_settings_layer(s, "fields");
  const char *origin = layer == RL_LAYER_CLI   ? "--fields"
                       : layer == RL_LAYER_ENV ? "RILLE_FIELDS"
                                               : script->name;
  for (size_t i = 0; i < s->fields.n; i++) {
    const char *name = s->fields.at[i].name;
    if (rl_lua_batch_has(name))
      rl_log(RL_WARN, "%s: the field '%s' is read as batch.columns.%s: batch.%s is something else", origin,
             name, name, name);
  }
}

static int read_settings(struct rl_script *script, struct rl_settings *s, struct rl_err *err) {
  lua_State *L = script->L;
  struct rl_lua_reader reader = {L, s, script->name, false, err};
  lua_pushcfunction(L, rl_lua_traceback);
  lua_pushcfunction(L, p_settings);
  lua_pushlightuserdata(L, &reader);
  lua_pushinteger(L, script->table);
  int status = lua_pcall(L, 2, 1, 1);
  int rc = status == LUA_OK ? (int)lua_tointeger(L, -1) : fail(L, err);
  lua_settop(L, 0);
  return rc;
}

int rl_script_settings(struct rl_script *script, struct rl_settings *s, struct rl_err *err) {
  int rc = script->table == LUA_NOREF ? 0 : read_settings(script, s, err);
  if (!rc) warn_hidden(script, s);
  return rc;
}

static int p_check(lua_State *L) {
  rl_lua_check_where(L, lua_touserdata(L, 1));
  return 0;
}

int rl_script_check(struct rl_script *script, const struct rl_settings *s, struct rl_err *err) {
  lua_State *L = script->L;
  lua_pushcfunction(L, rl_lua_traceback);
  lua_pushcfunction(L, p_check);
  lua_pushlightuserdata(L, (void *)(uintptr_t)&s->fields);
  int rc = lua_pcall(L, 1, 0, 1) == LUA_OK ? 0 : fail(L, err);
  lua_settop(L, 0);
  return rc;
}
