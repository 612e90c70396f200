/* A small `lua` for sanitizers: lua [-e CODE]... [SCRIPT [ARGS]]. The crate that carries Lua's source has the
 * library only. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <string.h>

static int traceback(lua_State *L) {
  const char *text = lua_tostring(L, 1);
  luaL_traceback(L, L, text ? text : luaL_tolstring(L, 1, NULL), 1);
  return 1;
}

static void set_arg(lua_State *L, int argc, char **argv, int script) {
  lua_createtable(L, argc - script, script + 1);
  for (int i = 0; i < argc; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i - script);
  }
  lua_setglobal(L, "arg");
}

/* Calls the chunk on top, which loading left there unless it failed. */
static int call(lua_State *L, int loaded, int argc, char **argv) {
  if (loaded == LUA_OK) {
    lua_pushcfunction(L, traceback);
    lua_insert(L, -2);
    luaL_checkstack(L, argc, "arguments");
    for (int i = 0; i < argc; i++) lua_pushstring(L, argv[i]);
    if (lua_pcall(L, argc, 0, -2 - argc) == LUA_OK) return 0;
  }
  fprintf(stderr, "lua: %s\n", lua_tostring(L, -1));
  return 1;
}

int main(int argc, char **argv) {
  lua_State *L = luaL_newstate();
  int at = 1, failed = 0;
  if (!L) return 1;
  luaL_openlibs(L);
  set_arg(L, argc, argv, argc > 1 && strcmp(argv[1], "-e") != 0 ? 1 : 0);
  for (; !failed && at + 1 < argc && strcmp(argv[at], "-e") == 0; at += 2)
    failed = call(L, luaL_loadbuffer(L, argv[at + 1], strlen(argv[at + 1]), "=(-e)"), 0, NULL);
  if (!failed && at < argc) {
    set_arg(L, argc, argv, at);
    failed =
        call(L, luaL_loadfile(L, strcmp(argv[at], "-") == 0 ? NULL : argv[at]), argc - at - 1, argv + at + 1);
  }
  lua_close(L);
  return failed;
}
