/* Standard output through stdio, with its errors noticed and named. */
#ifndef RL_BASE_STDOUT_H
#define RL_BASE_STDOUT_H

#include "base/err.h"

/* Why a write failed, errno being `error` (0: an earlier one did, which has left none). RL_EPIPE when the
 * reader went away (which ends quietly), RL_EFAIL when standard output cannot be written. */
int rl_stdout_failed(struct rl_err *err, int error);
/* Writes what stdio holds. 0, or as above: also for what failed before. */
int rl_stdout_flush(struct rl_err *err);

#endif
