/* first FILE COMMAND...: how long a command takes to its first byte on standard output.
 *
 * Writes "first_s=S" to FILE, asks the command to stop (SIGTERM), reads what else it says and waits for it.
 * Fails when it said nothing, or did not end with status 0. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

static pid_t start(char **command, int *from) {
  int ends[2];
  if (pipe(ends)) return -1;
  pid_t pid = fork();
  if (pid == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execvp(*command, command);
    perror(*command);
    _exit(127);
  }
  close(ends[1]);
  *from = ends[0];
  return pid;
}

static int tell(const char *path, int64_t took) {
  FILE *file = fopen(path, "w");
  if (!file) return -1;
  fprintf(file, "first_s=%.4f\n", (double)took / (double)RL_NS_PER_S);
  return fclose(file);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  char bytes[4096];
  int from = -1, status = 0;
  int64_t begin = rl_now();
  pid_t pid = start(argv + 2, &from);
  if (pid < 0) return 1;
  bool spoke = read(from, bytes, 1) == 1;
  int64_t took = rl_now() - begin;
  kill(pid, SIGTERM);
  while (read(from, bytes, sizeof bytes) > 0) continue;
  if (waitpid(pid, &status, 0) != pid || !spoke || tell(argv[1], took)) return 1;
  /* consume does not mind the signal's coming as it leaves */
  bool asked = WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM;
  return asked || (WIFEXITED(status) && WEXITSTATUS(status) == 0) ? 0 : 1;
}
