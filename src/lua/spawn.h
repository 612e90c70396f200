/* Commands that a handler runs: with no signal blocked, and those that end a run at their default. */
#ifndef RL_LUA_SPAWN_H
#define RL_LUA_SPAWN_H

#include <spawn.h>
#include <sys/types.h>

/* Runs a command with the shell: its process; -1 with errno. */
pid_t rl_lua_spawn(const char *command, const posix_spawn_file_actions_t *files);
/* Its wait status once it ended, errno 0; -1 with errno. */
int rl_lua_await(pid_t child);

#endif
