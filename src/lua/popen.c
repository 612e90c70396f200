/* io.popen whose child gets our signals: see os_execute.c. Its files are the library's own in all else. */
#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdbool.h>
#include <unistd.h>

#include "lua/spawn.h"
#include "lua/state.h"

struct command {
  luaL_Stream stream; /* first: the library's functions see nothing else */
  pid_t child;
};

static int close_command(lua_State *L) {
  struct command *c = luaL_checkudata(L, 1, LUA_FILEHANDLE);
  fclose(c->stream.f); /* as pclose: what the command did is the result */
  return luaL_execresult(L, rl_lua_await(c->child));
}

/* Closed in every other child: a reader must see the end when its own command ends. */
static int make_pipe(int ends[2]) {
#ifdef __linux__
  return pipe2(ends, O_CLOEXEC);
#else
  if (pipe(ends) < 0) return -1;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  return 0;
#endif
}

/* The command has one end of the pipe in place of its stdin or stdout. */
static pid_t spawn_on(const char *text, int theirs, bool reads) {
  posix_spawn_file_actions_t files;
  pid_t child = -1;
  int why = posix_spawn_file_actions_init(&files);
  if (why == 0) {
    why = posix_spawn_file_actions_adddup2(&files, theirs, reads ? STDOUT_FILENO : STDIN_FILENO);
    if (why == 0 && (child = rl_lua_spawn(text, &files)) < 0) why = errno;
    posix_spawn_file_actions_destroy(&files);
  }
  errno = why;
  return child;
}

static int start(struct command *c, const char *text, bool reads) {
  int ends[2];
  if (make_pipe(ends) < 0) return -1;
  int ours = ends[!reads], theirs = ends[reads];
  c->stream.f = fdopen(ours, reads ? "r" : "w");
  c->child = c->stream.f ? spawn_on(text, theirs, reads) : -1;
  int why = errno;
  close(theirs);
  if (c->child < 0 && c->stream.f)
    fclose(c->stream.f);
  else if (c->child < 0)
    close(ours);
  errno = why;
  return c->child < 0 ? -1 : 0;
}

static int l_io_popen(lua_State *L) {
  const char *text = luaL_checkstring(L, 1), *mode = luaL_optstring(L, 2, "r");
  bool known = (mode[0] == 'r' || mode[0] == 'w') && mode[1] == '\0';
  luaL_argcheck(L, known, 2, "invalid mode");
  struct command *c = lua_newuserdatauv(L, sizeof *c, 0);
  c->stream.closef = NULL; /* closed, until it has started */
  luaL_setmetatable(L, LUA_FILEHANDLE);
  fflush(NULL);
  if (start(c, text, mode[0] == 'r') != 0) return luaL_fileresult(L, 0, text);
  c->stream.closef = close_command;
  return 1;
}

void rl_lua_open_popen(lua_State *L) {
  lua_getglobal(L, LUA_IOLIBNAME);
  lua_pushcfunction(L, l_io_popen);
  lua_setfield(L, -2, "popen");
  lua_pop(L, 1);
}
