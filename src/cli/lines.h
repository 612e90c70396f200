/* Pieces of a file: what stands between delimiters. The last need not be ended by one. */
#ifndef RL_CLI_LINES_H
#define RL_CLI_LINES_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct rl_lines {
  int fd;
  const char *name;      /* for errors: the path, or "standard input"; borrowed */
  struct rl_bytes delim; /* borrowed; empty: all of the file is one piece */
  struct rl_buf held;    /* read, not yet given */
  size_t at;             /* where the next piece begins in it */
  size_t seen;           /* no delimiter starts before this */
  bool at_end;
  bool text;    /* to be set after opening: a file that begins as binary ones do is refused */
  int64_t line; /* of the piece given last, from 1 */
};

/* A file that is not there, that may not be read, or is a folder: RL_EUSAGE. "-" is standard input. */
int rl_lines_check(const char *path, struct rl_err *err);
/* path "-" is standard input. RL_EUSAGE when it cannot be opened. */
int rl_lines_open(struct rl_lines *l, const char *path, struct rl_bytes delim, struct rl_err *err);
/* The next piece, without its delimiter, valid until the next call. 1, 0 at the end, or RL_EFAIL, of a
 * binary file where text is RL_EUSAGE; 2: a signal
 * came before there was one. */
int rl_lines_next(struct rl_lines *l, struct rl_bytes *piece, struct rl_err *err);
void rl_lines_close(struct rl_lines *l);

#endif
