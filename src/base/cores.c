#include "base/cores.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static bool read_line(const char *folder, const char *file, char line[64]) {
  char path[PATH_SIZE];
  if (snprintf(path, sizeof path, "%s/%s", folder, file) >= (int)sizeof path) return false;
  FILE *in = fopen(path, "re");
  bool read = in && fgets(line, 64, in);
  if (in) fclose(in);
  return read;
}

static int cores_of(long long quota, long long period) {
  if (quota <= 0 || period <= 0) return 0;
  long long cores = quota / period + (quota % period != 0);
  return cores > 1 << 20 ? 1 << 20 : (int)cores;
}

/* The number that the text begins with; "max" is none. */
static bool take_number(const char *text, const char **rest, long long *value) {
  char *end;
  errno = 0;
  *value = strtoll(text, &end, 10);
  if (rest) *rest = end;
  return end != text && errno == 0;
}

static bool read_number(const char *folder, const char *file, long long *value) {
  char line[64];
  return read_line(folder, file, line) && take_number(line, NULL, value);
}

/* "150000 100000", "max 100000"; version 1 has two files, and -1 for no limit. */
static int quota_of(const char *folder) {
  char line[64];
  const char *rest;
  long long quota = 0, period = 0;
  bool is_limited = read_line(folder, "cpu.max", line)
                        ? take_number(line, &rest, &quota) && take_number(rest, NULL, &period)
                        : read_number(folder, "cpu.cfs_quota_us", &quota) &&
                              read_number(folder, "cpu.cfs_period_us", &period);
  return is_limited ? cores_of(quota, period) : 0;
}

static int lower(int a, int b) { return !a || (b && b < a) ? b : a; }

/* `folder` and those above it, up to `root`. In a container the groups' own names may not be there. */
static int least_quota(char *folder, size_t root) {
  int least = 0;
  for (;;) {
    least = lower(least, quota_of(folder));
    char *slash = strrchr(folder + root, '/');
    if (!slash) return least;
    *slash = '\0';
  }
}

/* Is `cpu` one of the controllers "cpu,cpuacct"? */
static bool has_cpu(const char *controllers) {
  char list[256];
  snprintf(list, sizeof list, ",%s,", controllers);
  return strstr(list, ",cpu,") != NULL;
}

/* A line "0::/a/b" of version 2, "4:cpu,cpuacct:/a/b" of version 1. */
static int quota_of_line(char *line, const char *root) {
  char folder[PATH_SIZE];
  char *controllers = strchr(line, ':');
  char *path = controllers ? strchr(controllers + 1, ':') : NULL;
  if (!path) return 0;
  controllers++;
  *path++ = '\0';
  path[strcspn(path, "\n")] = '\0';
  if (*controllers && !has_cpu(controllers)) return 0;
  const char *slash = *controllers ? "/" : "";
  int base = snprintf(folder, sizeof folder, "%s%s%s", root, slash, controllers);
  int whole = snprintf(folder, sizeof folder, "%s%s%s%s", root, slash, controllers, path);
  return whole < (int)sizeof folder ? least_quota(folder, (size_t)base) : 0;
}

int rl_cores_of_groups(const char *self, const char *root) {
  char line[PATH_SIZE];
  int least = 0;
  FILE *in = fopen(self, "re");
  while (in && fgets(line, sizeof line, in)) least = lower(least, quota_of_line(line, root));
  if (in) fclose(in);
  return least;
}

int rl_cores(void) {
  cpu_set_t set;
  int cores =
      sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
  int quota = rl_cores_of_groups("/proc/self/cgroup", "/sys/fs/cgroup");
  if (quota && quota < cores) cores = quota;
  return cores > 0 ? cores : 1;
}
