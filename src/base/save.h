/* Files that are replaced whole: whoever reads finds the old one or the new one, and a save that fails, or a
 * process that is killed, leaves the old one. */
#ifndef RL_BASE_SAVE_H
#define RL_BASE_SAVE_H

#include <stdio.h>

#include "base/err.h"

/* Writes all of the file; 0, or not, with errno. */
typedef int rl_save_write(FILE *file, const void *arg);

/* A link's target is replaced, not the link; it keeps its mode. What is no plain file (a pipe, a device) is
 * written to as it is. A process that is killed meanwhile may leave PATH.PID-N.part. RL_EFAIL naming the
 * path. */
int rl_save(const char *path, rl_save_write *write, const void *arg, struct rl_err *err);

#endif
