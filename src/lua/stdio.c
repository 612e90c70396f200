/* print and io.write of several lanes share one stdout: what one call writes stays together. */
#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lua/args.h"
#include "lua/state.h"

static int l_print(lua_State *L) {
  int n = lua_gettop(L);
  luaL_Buffer line;
  luaL_buffinit(L, &line);
  rl_arg_join(L, n, &line);
  luaL_addchar(&line, '\n');
  luaL_pushresult(&line);
  size_t len;
  const char *text = lua_tolstring(L, -1, &len);
  fwrite(text, 1, len, stdout); /* an error stays with the stream: rl_lua_flush reports it */
  return 0;
}

/* Upvalue 1: the library's own write. It raises on wrong arguments: the lock must be given back first. */
static int l_io_write(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  flockfile(stdout);
  int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  funlockfile(stdout);
  return status == LUA_OK ? lua_gettop(L) : lua_error(L);
}

void rl_lua_open_stdio(lua_State *L) {
  lua_register(L, "print", l_print);
  lua_getglobal(L, LUA_IOLIBNAME);
  lua_getfield(L, -1, "write");
  lua_pushcclosure(L, l_io_write, 1);
  lua_setfield(L, -2, "write");
  lua_pop(L, 1);
}

/* An error of an earlier write has left no errno: the pipe itself is asked. */
static bool reader_gone(int error) {
  struct pollfd out = {STDOUT_FILENO, 0, 0};
  return error == EPIPE || (poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)));
}

int rl_lua_flush(struct rl_err *err) {
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  int error = errno;
  if (reader_gone(error)) return rl_fail(err, RL_EPIPE, "stdout: its reader went away");
  return rl_fail(err, RL_EFAIL, "cannot write to stdout: %s",
                 error ? strerror(error) : "an earlier write failed");
}
