/* How many cores control groups leave to a process: their files, made here. */
#include "base/cores.h"

#include <ftw.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static char root[] = "/tmp/rille-cores-XXXXXX";
static char self[64];

static void put(const char *name, const char *text) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", root, name);
  for (char *slash = strchr(path + sizeof root, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    mkdir(path, 0700);
    *slash = '/';
  }
  FILE *f = fopen(path, "w");
  fputs(text, f);
  fclose(f);
}

static int drop(const char *path, const struct stat *s, int kind, struct FTW *at) {
  (void)s, (void)kind, (void)at;
  return remove(path);
}

static void begin(const char *groups) {
  strcpy(strrchr(root, '-') + 1, "XXXXXX");
  CHECK(mkdtemp(root) != NULL);
  put("self", groups);
  snprintf(self, sizeof self, "%s/self", root);
}

static void end(int want) {
  CHECK_INT(rl_cores_of_groups(self, root), want);
  nftw(root, drop, 8, FTW_DEPTH | FTW_PHYS);
}

TEST(version_2) {
  begin("0::/a/b\n");
  end(0);
  begin("0::/a/b\n");
  put("a/b/cpu.max", "max 100000\n");
  end(0);
  begin("0::/a/b\n");
  put("a/b/cpu.max", "150000 100000\n");
  end(2);
  begin("0::/a/b\n");
  put("a/b/cpu.max", "50000 100000\n");
  end(1);
}

TEST(the_groups_above_count_too) {
  begin("0::/a/b\n");
  put("a/b/cpu.max", "800000 100000\n");
  put("a/cpu.max", "300000 100000\n");
  end(3);
  begin("0::/a/b\n");
  put("a/b/cpu.max", "200000 100000\n");
  put("a/cpu.max", "max 100000\n");
  put("cpu.max", "900000 100000\n");
  end(2);
  begin("0::/\n"); /* as a container sees itself */
  put("cpu.max", "400000 100000\n");
  end(4);
  begin("0::/not/there\n");
  put("cpu.max", "400000 100000\n");
  end(4);
}

TEST(version_1) {
  begin("5:memory:/x\n4:cpu,cpuacct:/x\n");
  put("cpu,cpuacct/x/cpu.cfs_quota_us", "250000\n");
  put("cpu,cpuacct/x/cpu.cfs_period_us", "100000\n");
  put("memory/x/cpu.cfs_quota_us", "100000\n");
  put("memory/x/cpu.cfs_period_us", "100000\n");
  end(3);
  begin("4:cpu,cpuacct:/x\n");
  put("cpu,cpuacct/x/cpu.cfs_quota_us", "-1\n");
  put("cpu,cpuacct/x/cpu.cfs_period_us", "100000\n");
  end(0);
  begin("3:cpuset:/x\n");
  put("cpuset/x/cpu.cfs_quota_us", "100000\n");
  put("cpuset/x/cpu.cfs_period_us", "100000\n");
  end(0);
}

TEST(damaged_files_are_no_limit) {
  begin("nonsense\n0:\n0::/a\n");
  put("a/cpu.max", "100000\n");
  put("cpu.max", "0 0\n");
  end(0);
  CHECK_INT(rl_cores_of_groups("/nowhere/self", "/nowhere"), 0);
}

TEST(affinity) {
  cpu_set_t all, one;
  size_t first = 0;
  CHECK_INT(sched_getaffinity(0, sizeof all, &all), 0);
  while (!CPU_ISSET(first, &all)) first++;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  CHECK(rl_cores() >= 1 && rl_cores() <= CPU_COUNT(&all));
  CHECK_INT(sched_setaffinity(0, sizeof one, &one), 0);
  CHECK_INT(rl_cores(), 1);
  CHECK_INT(sched_setaffinity(0, sizeof all, &all), 0);
}
