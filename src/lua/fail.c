#include "lua/fail.h"

#include <lauxlib.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"

#define FAILURE_TYPE "rille.failure"

/* User value 1: the text. User value 2: the traceback, once a message handler has seen it. */
struct failure {
  enum rl_blame blame;
  bool placed; /* the text begins with script and line */
  bool whole;  /* nothing is to be added on its way out */
};

static struct failure *push_failure(lua_State *L, enum rl_blame blame, bool placed) {
  struct failure *f = lua_newuserdatauv(L, sizeof *f, 2);
  *f = (struct failure){blame, placed, false};
  luaL_setmetatable(L, FAILURE_TYPE);
  return f;
}

void rl_lua_place(lua_State *L, int level) {
  lua_Debug ar;
  for (; lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Sl", &ar);
    if (ar.currentline <= 0) continue;
    lua_pushfstring(L, "%s:%d: ", ar.short_src, ar.currentline);
    return;
  }
  lua_pushliteral(L, "");
}

__attribute__((noreturn)) static void raise(lua_State *L, enum rl_blame blame, const char *text) {
  push_failure(L, blame, true);
  rl_lua_place(L, 1);
  lua_pushstring(L, text);
  lua_concat(L, 2);
  lua_setiuservalue(L, -2, 1);
  lua_error(L);
  __builtin_unreachable();
}

void rl_lua_script_error(lua_State *L, const char *fmt, ...) {
  char text[1024];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  raise(L, RL_BLAME_SCRIPT, text);
}

void rl_lua_weather(lua_State *L, const char *fmt, ...) {
  char text[1200];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  raise(L, RL_BLAME_WEATHER, text);
}

void rl_lua_as_weather(lua_State *L) {
  push_failure(L, RL_BLAME_WEATHER, true);
  lua_insert(L, -2);
  lua_setiuservalue(L, -2, 1);
}

int l_transient(lua_State *L) {
  luaL_checkany(L, 1);
  push_failure(L, RL_BLAME_WEATHER, false);
  luaL_tolstring(L, 1, NULL);
  lua_setiuservalue(L, -2, 1);
  return 1;
}

static int l_failure_tostring(lua_State *L) {
  luaL_checkudata(L, 1, FAILURE_TYPE);
  lua_getiuservalue(L, 1, 1);
  return 1;
}

/* "it failed: " .. err */
static int l_failure_concat(lua_State *L) {
  luaL_tolstring(L, 1, NULL);
  luaL_tolstring(L, 2, NULL);
  lua_concat(L, 2);
  return 1;
}

/* A table that is no text by itself: what its `message` says, or what it is. */
static void describe_table(lua_State *L, int idx) {
  lua_pushliteral(L, "message");
  if (lua_rawget(L, idx) == LUA_TSTRING) return;
  lua_pop(L, 1);
  lua_pushfstring(L, "(the error is a %s value without a message)", luaL_typename(L, idx));
}

static bool has_tostring(lua_State *L, int idx) {
  if (luaL_getmetafield(L, idx, "__tostring") == LUA_TNIL) return false;
  lua_pop(L, 1);
  return true;
}

void rl_lua_describe(lua_State *L, int idx) {
  idx = lua_absindex(L, idx);
  int type = lua_type(L, idx);
  if (type == LUA_TNIL)
    lua_pushliteral(L, "(the error is nil)");
  else if (type == LUA_TSTRING || type == LUA_TNUMBER || has_tostring(L, idx))
    luaL_tolstring(L, idx, NULL);
  else if (type == LUA_TTABLE)
    describe_table(L, idx);
  else
    lua_pushfstring(L, "(the error is a %s value)", luaL_typename(L, idx));
}

static void set_text_and_trace(lua_State *L, int failure, bool place) {
  if (place) {
    rl_lua_place(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  lua_setiuservalue(L, failure, 1);
  luaL_traceback(L, L, NULL, 1);
  lua_setiuservalue(L, failure, 2);
}

/* Error objects of scripts may be raised again and again: they stay as they are, and the failure is new. */
int rl_lua_traceback(lua_State *L) {
  lua_settop(L, 1);
  struct failure *f = luaL_testudata(L, 1, FAILURE_TYPE);
  if (f && f->whole) return 1;
  bool text = lua_type(L, 1) == LUA_TSTRING;
  push_failure(L, f ? f->blame : RL_BLAME_MESSAGE, true)->whole = true;
  rl_lua_describe(L, 1);
  set_text_and_trace(L, 2, f ? !f->placed : !text);
  return 1;
}

void rl_lua_returned(lua_State *L) {
  int value = lua_absindex(L, -1);
  struct failure *f = luaL_testudata(L, value, FAILURE_TYPE);
  push_failure(L, f ? f->blame : RL_BLAME_MESSAGE, true)->whole = true;
  rl_lua_describe(L, value);
  lua_setiuservalue(L, -2, 1);
  lua_error(L);
  __builtin_unreachable();
}

/* The error becomes a header of a dead letter: newlines and their kin become blanks. A script's failure is no
 * dead letter, and its lines may show the place in an expression: they stay. */
static char *one_line(const char *text, enum rl_blame blame) {
  char *line = rl_strdup(text);
  for (char *c = line; blame != RL_BLAME_SCRIPT && *c; c++)
    if ((unsigned char)*c < ' ') *c = ' ';
  return line;
}

static const char *text_of(lua_State *L, int idx) {
  return lua_type(L, idx) == LUA_TSTRING ? lua_tostring(L, idx) : NULL;
}

void rl_lua_failure(lua_State *L, struct rl_failure *why) {
  int value = lua_absindex(L, -1);
  struct failure *f = luaL_testudata(L, value, FAILURE_TYPE);
  if (f) {
    lua_getiuservalue(L, value, 1);
    lua_getiuservalue(L, value, 2);
  } else { /* Lua's own: no memory left, or an error in the message handler */
    lua_pushvalue(L, value);
    lua_pushnil(L);
  }
  enum rl_blame blame = f ? f->blame : RL_BLAME_MESSAGE;
  const char *text = text_of(L, -2);
  char *error = one_line(text ? text : "an error that cannot be described", blame);
  rl_failure_set(why, blame, error, text_of(L, -1));
  rl_free(error);
  lua_settop(L, value - 1);
}

void rl_lua_open_fail(lua_State *L) {
  if (luaL_newmetatable(L, FAILURE_TYPE)) {
    lua_pushcfunction(L, l_failure_tostring);
    lua_setfield(L, -2, "__tostring");
    lua_pushcfunction(L, l_failure_concat);
    lua_setfield(L, -2, "__concat");
  }
  lua_pop(L, 1);
}
