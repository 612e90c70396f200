/* timed FILE COMMAND...: runs a command and writes to FILE what it took, process-wide:
 *   "end=UPTIME cpu_s=S rss_mb=M"   (end: CLOCK_BOOTTIME, the clock of /proc/uptime; rss: the peak)
 * Exits with the command's status. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec / 1e6; }

static int tell(const char *path, const struct rusage *use) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  FILE *file = fopen(path, "w");
  if (!file) return -1;
  fprintf(file, "end=%.3f cpu_s=%.3f rss_mb=%ld\n", (double)now.tv_sec + (double)now.tv_nsec / 1e9,
          seconds(use->ru_utime) + seconds(use->ru_stime), use->ru_maxrss / 1024);
  return fclose(file);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  pid_t pid = fork();
  if (pid < 0) return 1;
  if (pid == 0) {
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    _exit(127);
  }
  int status = 0;
  struct rusage use;
  if (wait4(pid, &status, 0, &use) != pid || tell(argv[1], &use)) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
