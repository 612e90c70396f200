/* os.execute and io.popen of a program's state. system() ignores SIGINT while its child runs, and a child of
 * either inherits the blocked signals of our threads: Ctrl-C would reach nobody. */
#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lua/spawn.h"
#include "lua/state.h"

#define SHELL "/bin/sh"

extern char **environ;

static int set_signals(posix_spawnattr_t *attr) {
  static const int plain[] = {SIGINT, SIGQUIT, SIGTERM, SIGPIPE};
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) sigaddset(&defaults, plain[i]);
  posix_spawnattr_setsigmask(attr, &none);
  posix_spawnattr_setsigdefault(attr, &defaults);
  return posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

pid_t rl_lua_spawn(const char *command, const posix_spawn_file_actions_t *files) {
  posix_spawnattr_t attr;
  char *const words[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};
  pid_t child = -1;
  int why = posix_spawnattr_init(&attr);
  if (why == 0) {
    why = set_signals(&attr);
    if (why == 0) why = posix_spawn(&child, SHELL, files, &attr, words, environ);
    posix_spawnattr_destroy(&attr);
  }
  errno = why;
  return why == 0 ? child : -1;
}

int rl_lua_await(pid_t child) {
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  errno = 0; /* else Lua takes the status for a failure of the call */
  return status;
}

static int l_os_execute(lua_State *L) {
  const char *command = luaL_optstring(L, 1, NULL);
  if (!command) {
    lua_pushboolean(L, access(SHELL, X_OK) == 0);
    return 1;
  }
  pid_t child = rl_lua_spawn(command, NULL);
  return luaL_execresult(L, child < 0 ? -1 : rl_lua_await(child));
}

void rl_lua_open_execute(lua_State *L) {
  lua_getglobal(L, LUA_OSLIBNAME);
  lua_pushcfunction(L, l_os_execute);
  lua_setfield(L, -2, "execute");
  lua_pop(L, 1);
}
