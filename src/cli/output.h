/* Standard output of the commands: stdio, with its errors noticed. */
#ifndef RL_CLI_OUTPUT_H
#define RL_CLI_OUTPUT_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* Writes what stdio holds. RL_EPIPE when the reader went away (which ends quietly), RL_EFAIL when it cannot
 * be written. */
int rl_out_flush(struct rl_err *err);
int rl_out_write(const struct rl_buf *text, struct rl_err *err); /* all of it, through stdio */

/* A table of texts, its columns as wide as their widest; cells are copied. */
struct rl_table {
  size_t columns;
  char **cells; /* row by row, the first row the headings */
  size_t n, cap;
};
void rl_table_init(struct rl_table *t, size_t columns);
__attribute__((format(printf, 2, 3))) void rl_table_cell(struct rl_table *t, const char *fmt, ...);
void rl_table_offset(struct rl_table *t, int64_t offset);   /* "-" when it is no offset */
int rl_table_print(struct rl_table *t, struct rl_err *err); /* and frees it */
void rl_table_free(struct rl_table *t);

#endif
