/* How many cores this process may use: what its affinity allows, and no more than its control groups pay for.
 */
#ifndef RL_BASE_CORES_H
#define RL_BASE_CORES_H

int rl_cores(void); /* at least 1 */

/* The least quota of the control groups named in the file `self` (/proc/self/cgroup) and those above them,
 * whose files stand below `root` (/sys/fs/cgroup): version 2's cpu.max, version 1's cpu.cfs_quota_us. In
 * cores, a part of one counts whole; 0: no limit. */
int rl_cores_of_groups(const char *self, const char *root);

#endif
