/* timed FILE COMMAND...: runs a command and writes to FILE what it took, process-wide:
 *   "wall_s=S cpu_s=S rss_mb=M"   (rss: the peak)
 * A SIGTERM is the command's, since some are only ended so; one that kills timed itself takes the command
 * along. Exits with the command's status. */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
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

static volatile sig_atomic_t command; /* the process that SIGTERM is handed to */

static void pass_on(int sig) { kill(command, sig); }

/* SIGTERM waits until there is a command to have it. */
static pid_t start(char **argv) {
  struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
  sigset_t term, before;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  sigprocmask(SIG_BLOCK, &term, &before);
  command = fork();
  if (command == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    execvp(*argv, argv);
    perror(*argv);
    _exit(127);
  }
  if (command > 0) sigaction(SIGTERM, &action, NULL);
  sigprocmask(SIG_SETMASK, &before, NULL);
  return command;
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  double begin = now();
  pid_t pid = start(argv + 2);
  if (pid < 0) return 1;
  int status = 0;
  struct rusage use;
  if (wait4(pid, &status, 0, &use) != pid || tell(argv[1], now() - begin, &use)) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
