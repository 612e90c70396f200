/* timed FILE COMMAND...: runs a command and writes to FILE what it took, process-wide:
 *   "wall_s=S cpu_s=S rss_mb=M"   (rss: the peak)
 * Exits with the command's status. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double of(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec / 1e6; }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int tell(const char *path, double wall, const struct rusage *use) {
  FILE *file = fopen(path, "w");
  if (!file) return -1;
  fprintf(file, "wall_s=%.3f cpu_s=%.3f rss_mb=%ld\n", wall, of(use->ru_utime) + of(use->ru_stime),
          use->ru_maxrss / 1024);
  return fclose(file);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  double begin = now();
  pid_t pid = fork();
  if (pid < 0) return 1;
  if (pid == 0) {
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    _exit(127);
  }
  int status = 0;
  struct rusage use;
  if (wait4(pid, &status, 0, &use) != pid || tell(argv[1], now() - begin, &use)) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
