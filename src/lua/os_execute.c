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

int rl_lua_spawn(pid_t *child, const char *command, const posix_spawn_file_actions_t *files) {
  posix_spawnattr_t attr;
  char *const words[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};
  errno = posix_spawnattr_init(&attr);
  if (errno) return -1;
  errno = set_signals(&attr);
  if (!errno) errno = posix_spawn(child, SHELL, files, &attr, words, environ);
  int why = errno;
  posix_spawnattr_destroy(&attr);
  errno = why;
  return why ? -1 : 0;
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
  pid_t child;
  if (!command) {
    lua_pushboolean(L, access(SHELL, X_OK) == 0);
    return 1;
  }
  int status = rl_lua_spawn(&child, command, NULL);
  return luaL_execresult(L, status == 0 ? rl_lua_await(child) : status);
}

void rl_lua_open_execute(lua_State *L) {
  lua_getglobal(L, LUA_OSLIBNAME);
  lua_pushcfunction(L, l_os_execute);
  lua_setfield(L, -2, "execute");
  lua_pop(L, 1);
}
