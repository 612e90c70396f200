/* kcat's output formats: "%t [%p] %o: %k %s\n" compiled once, applied to each message. */
#ifndef RL_CLI_FORMAT_H
#define RL_CLI_FORMAT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/msg.h"

struct rl_piece {
  char what;          /* the directive's letter; 0: text */
  struct rl_buf text; /* as it is to be printed */
};

struct rl_format {
  struct rl_piece *at;
  size_t n, cap;
};

/* RL_EUSAGE naming the directive or escape that is none. */
int rl_format_make(struct rl_format *f, const char *text, struct rl_err *err);
/* As kcat without -f: the value, before it the key and `key_delim` unless that is NULL, after it `delim`. */
int rl_format_delimited(struct rl_format *f, const char *key_delim, const char *delim, struct rl_err *err);
void rl_format_put(const struct rl_format *f, struct rl_buf *out, const struct rl_msg *msg);
void rl_format_free(struct rl_format *f);

#endif
