#include "lua/state.h"

#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

#include "base/log.h"
#include "lua/fail.h"
#include "lua/rille_open.h"

static int l_os_exit(lua_State *L) {
  rl_lua_script_error(L, "os.exit would leave the group's consumer open: raise an error to end the run");
}

/* A warning comes in pieces: warn("a", "b"), or "error in __gc" and its text. */
struct warning {
  char text[512];
  size_t len;
};

static void on_warning(void *state, const char *piece, int more) {
  struct warning *w = state;
  size_t len = strlen(piece), room = sizeof w->text - 1 - w->len;
  if (len > room) len = room;
  memcpy(w->text + w->len, piece, len);
  w->len += len;
  if (more) return;
  w->text[w->len] = '\0';
  w->len = 0;
  if (w->text[0] != '@') rl_log(RL_WARN, "%s", w->text); /* "@on" and "@off" switch the interpreter's own */
}

/* Anchored in the registry: finalizers may warn until the state has closed. */
static void open_warnings(lua_State *L) {
  struct warning *w = lua_newuserdatauv(L, sizeof *w, 0);
  w->len = 0;
  lua_setfield(L, LUA_REGISTRYINDEX, "rille.warning");
  lua_setwarnf(L, on_warning, w);
}

static int on_panic(lua_State *L) {
  const char *text = lua_tostring(L, -1);
  rl_log(RL_ERROR, "an error outside of any protected call: %s", text ? text : "(no text)");
  return 0; /* Lua aborts */
}

/* Of rille.null, which is cjson's too; other light userdata are shown as Lua does it. In a program of ours
 * alone: the metatable is that of all light userdata there are. */
static int l_null_tostring(lua_State *L) {
  const void *at = lua_touserdata(L, 1);
  if (at)
    lua_pushfstring(L, "userdata: %p", at);
  else
    lua_pushliteral(L, "null");
  return 1;
}

static void open_null(lua_State *L) {
  lua_pushlightuserdata(L, NULL);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, l_null_tostring);
  lua_setfield(L, -2, "__tostring");
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
}

static int p_open(lua_State *L) {
  rl_limits_announce(L);
  open_warnings(L);
  luaL_openlibs(L);
  rl_lua_open_text_only(L);
  rl_lua_open_stdio(L);
  rl_lua_open_execute(L);
  rl_lua_open_popen(L);
  rl_lua_open_coroutine(L);
  lua_getglobal(L, LUA_OSLIBNAME);
  lua_pushcfunction(L, l_os_exit);
  lua_setfield(L, -2, "exit");
  open_null(L);
  luaL_requiref(L, "rille", rl_lua_open_rille, 1); /* a global, too: for --code */
  return 0;
}

lua_State *rl_lua_state_new(struct rl_lua_alloc *alloc, struct rl_limits *limits) {
  lua_State *L = lua_newstate(rl_lua_realloc, alloc);
  if (!L) return NULL;
  lua_atpanic(L, on_panic);
  rl_limits_attach(limits, L);
  lua_pushcfunction(L, p_open);
  if (lua_pcall(L, 0, 0, 0) == LUA_OK) return L;
  lua_close(L);
  return NULL;
}

/* "dir/?.lua;dir/?/init.lua;" before what is there. A ';' or '?' in the folder's name would be read as path
 * syntax: then it is left out. */
void rl_lua_add_path(lua_State *L, const char *script) {
  const char *slash = strrchr(script, '/');
  lua_pushlstring(L, slash ? script : ".", slash ? (size_t)(slash - script) + (slash == script) : 1);
  const char *folder = lua_tostring(L, -1);
  lua_getglobal(L, LUA_LOADLIBNAME);
  lua_getfield(L, -1, "path");
  if (!strpbrk(folder, ";?")) {
    lua_pushfstring(L, "%s/?.lua;%s/?/init.lua;%s", folder, folder, lua_tostring(L, -1));
    lua_setfield(L, -3, "path");
  }
  lua_pop(L, 3);
}

void rl_lua_set_arg(lua_State *L, const char *script, char *const *args, size_t n) {
  lua_createtable(L, (int)n, 1);
  lua_pushstring(L, script);
  lua_rawseti(L, -2, 0);
  for (size_t i = 0; i < n; i++) {
    lua_pushstring(L, args[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setglobal(L, "arg");
}
