/* Options of rille.model: what the script says, and the log-in from the environment. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/http.h"
#include "base/log.h"
#include "lua/args.h"
#include "lua/fail.h"
#include "lua/model.h"

#define CALL "rille.model"

/* Pushes the option; false, and nothing pushed: it is not given. */
static bool push_option(lua_State *L, int idx, const char *name) {
  if (lua_istable(L, idx) && lua_getfield(L, idx, name) != LUA_TNIL) return true;
  if (lua_istable(L, idx)) lua_pop(L, 1);
  return false;
}

static int64_t whole(lua_State *L, int idx, const char *name, int64_t least, int64_t most,
                     int64_t otherwise) {
  if (!push_option(L, idx, name)) return otherwise;
  int64_t value = rl_arg_integer(L, lua_gettop(L), CALL, name);
  lua_pop(L, 1);
  if (value >= least && value <= most) return value;
  rl_lua_script_error(L, CALL ": %s is a whole number from %lld to %lld, not %lld", name, (long long)least,
                      (long long)most, (long long)value);
}

static double seconds(lua_State *L, int idx, const char *name) {
  if (!push_option(L, idx, name)) return 0;
  double value = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : -1;
  lua_pop(L, 1);
  if (value > 0 && value <= 1e9) return value;
  rl_lua_script_error(L, CALL ": %s is a number of seconds above 0", name);
}

static const char *text_option(lua_State *L, int idx, const char *name) {
  size_t len;
  if (!push_option(L, idx, name)) return NULL;
  const char *text = rl_arg_text(L, lua_gettop(L), CALL, name, &len);
  if (strlen(text) == len) return text;
  rl_lua_script_error(L, CALL ": %s holds a zero byte", name);
}

static const char *without_control(lua_State *L, const char *name, const char *text) {
  struct rl_err err;
  if (rl_http_check_login(name, text, &err)) rl_lua_script_error(L, CALL ": %s", err.text);
  return text;
}

static const char *login_option(lua_State *L, int idx, const char *name) {
  return without_control(L, name, text_option(L, idx, name));
}

/* ---- the environment ---- */

static const char *variable(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

/* Pushes the first line of a file. Nothing is open while something may raise. */
static const char *push_line(lua_State *L, const char *name, const char *path) {
  char line[4096];
  FILE *in = fopen(path, "re");
  bool read = in && fgets(line, sizeof line, in) && strcspn(line, "\r\n");
  int error = in && !read && !ferror(in) ? 0 : errno;
  if (in) fclose(in);
  if (!read)
    rl_lua_script_error(L, CALL ": %s: cannot read %s: %s", name, path,
                        error ? strerror(error) : "it is empty");
  return lua_pushlstring(L, line, strcspn(line, "\r\n"));
}

/* Without the line's end that files of secrets have, and variables that were filled from one. */
static const char *push_trimmed(lua_State *L, const char *text) {
  size_t len = text ? strlen(text) : 0;
  while (len && (text[len - 1] == '\n' || text[len - 1] == '\r')) len--;
  return len ? lua_pushlstring(L, text, len) : NULL;
}

/* A secret as it is, or the file that holds it. */
static const char *secret(lua_State *L, const char *name, const char *file) {
  const char *value = variable(name), *path = variable(file);
  if (value && path)
    rl_lua_script_error(L, CALL ": the environment has %s and %s: leave one out", name, file);
  return path ? without_control(L, file, push_line(L, file, path))
              : without_control(L, name, push_trimmed(L, value));
}

/* Who logs in one way in the script is not logged in another way by the environment. */
static void log_in_from_environment(lua_State *L, struct rl_model_opts *o) {
  if (!o->token && !o->user) {
    o->user = without_control(L, "RILLE_MODEL_USER", variable("RILLE_MODEL_USER"));
    o->token = secret(L, "RILLE_MODEL_TOKEN", "RILLE_MODEL_TOKEN_FILE");
  }
  const char *password = variable("RILLE_MODEL_PASSWORD"), *file = variable("RILLE_MODEL_PASSWORD_FILE");
  if (o->user && !o->password) o->password = secret(L, "RILLE_MODEL_PASSWORD", "RILLE_MODEL_PASSWORD_FILE");
  if (!o->user && !o->token && (password || file))
    rl_log(RL_WARN, CALL ": the environment has %s without RILLE_MODEL_USER: nobody is logged in",
           password ? "RILLE_MODEL_PASSWORD" : "RILLE_MODEL_PASSWORD_FILE");
}

static void check_log_in(lua_State *L, const struct rl_model_opts *o) {
  if (o->user && o->token)
    rl_lua_script_error(L, CALL ": user and token are two ways to log in: leave one out");
  if (o->password && !o->user) rl_lua_script_error(L, CALL ": password without user");
  if (o->key && !o->certificate) rl_lua_script_error(L, CALL ": key without certificate");
}

/* ---- all ---- */

void rl_lua_model_options(lua_State *L, int idx, struct rl_model_opts *o) {
  static const char *const names[] = {"batch", "threads",     "timeout", "retries", "warmup",   "in_flight",
                                      "ca",    "certificate", "key",     "user",    "password", "token"};
  luaL_checkstack(L, 20, NULL);
  rl_arg_options(L, idx, CALL, names, sizeof names / sizeof *names);
  int64_t retries = whole(L, idx, "retries", 0, 1000, -1);
  *o = (struct rl_model_opts){.batch = whole(L, idx, "batch", 1, INT64_C(1) << 40, 0),
                              .threads = (int)whole(L, idx, "threads", 1, 1024, 0),
                              .timeout = seconds(L, idx, "timeout"),
                              .retries = retries < 0    ? 0
                                         : retries == 0 ? -1
                                                        : (int)retries,
                              .warmup = whole(L, idx, "warmup", 0, INT64_C(1) << 32, 0),
                              .in_flight = (int)whole(L, idx, "in_flight", 1, 1024, 0)};
  o->ca = text_option(L, idx, "ca");
  o->certificate = text_option(L, idx, "certificate");
  o->key = text_option(L, idx, "key");
  o->user = login_option(L, idx, "user");
  o->password = login_option(L, idx, "password");
  o->token = login_option(L, idx, "token");
  log_in_from_environment(L, o);
  if (o->password) rl_log_secret(o->password);
  if (o->token) rl_log_secret(o->token);
  check_log_in(L, o);
}
