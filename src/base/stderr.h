/* Standard error without waiting for its reader.
 *
 * A pipe that nobody reads stops whoever writes to it, and a lane's reader that stops is put out of its
 * group. So where standard error is a pipe or a socket, what does not go at once is held, up to
 * RL_STDERR_HELD bytes, and goes out before what comes next; lines beyond that are left out and counted.
 * Files and terminals are written as usual. The caller holds a lock (log.c does). */
#ifndef RL_BASE_STDERR_H
#define RL_BASE_STDERR_H

#include <stdbool.h>

#include "base/buf.h"

#define RL_STDERR_HELD ((size_t)256 << 10)

void rl_stderr_put(struct rl_bytes line); /* a whole line, or a terminal's sequences */
bool rl_stderr_holds(void);
/* Writes what is held as far as that goes within so long. */
void rl_stderr_flush(int timeout_ms);

#endif
