/* print and io.write of several lanes share one stdout: what one call writes stays together. */
#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>

#include "base/stdout.h"
#include "lua/args.h"
#include "lua/fail.h"
#include "lua/state.h"

/* A handler that prints on to nobody must not run until limits.time. That the reader went away is found again
 * when its call is over: the run ends quietly then. */
static void stop_if_failed(lua_State *L, int error) {
  struct rl_err err = {0};
  if (!ferror(stdout) || error == EINTR) return; /* what interrupted it raises by itself */
  rl_stdout_failed(&err, error);
  rl_lua_script_error(L, "%s", err.text);
}

static int l_print(lua_State *L) {
  int n = lua_gettop(L);
  luaL_Buffer line;
  luaL_buffinit(L, &line);
  rl_arg_join(L, n, &line);
  luaL_addchar(&line, '\n');
  luaL_pushresult(&line);
  size_t len;
  const char *text = lua_tolstring(L, -1, &len);
  errno = 0;
  fwrite(text, 1, len, stdout);
  stop_if_failed(L, errno);
  return 0;
}

/* Upvalue 1: the library's own write. It raises on wrong arguments: the lock must be given back first. */
static int l_io_write(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  flockfile(stdout);
  errno = 0;
  int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  int error = errno;
  funlockfile(stdout);
  if (status != LUA_OK) return lua_error(L);
  stop_if_failed(L, error);
  return lua_gettop(L);
}

void rl_lua_open_stdio(lua_State *L) {
  lua_register(L, "print", l_print);
  lua_getglobal(L, LUA_IOLIBNAME);
  lua_getfield(L, -1, "write");
  lua_pushcclosure(L, l_io_write, 1);
  lua_setfield(L, -2, "write");
  lua_pop(L, 1);
}

int rl_lua_flush(struct rl_err *err) { return rl_stdout_flush(err); }
