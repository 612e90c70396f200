/* Standard output on the terminal where the progress line stands (log.h).
 *
 * Whatever is written to it, by print, by a library or as an output, first erases that line, and what is no
 * whole line yet keeps it away. Where the C library cannot put a stream of ours in the place of stdout, this
 * is left, and no progress line is shown on a terminal that standard output shares. */
#ifndef RL_BASE_TERMINAL_H
#define RL_BASE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Before anything holds on to stdout. True when standard output and error are terminals and now share it. */
bool rl_terminal_share(void);
bool rl_terminal_shared(void);
/* As write(2) to standard output. */
ssize_t rl_terminal_write(const char *data, size_t len);

#endif
