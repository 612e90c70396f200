/* The headers of a dead letter: the message's own, unchanged, then where it came from and why it is here. */
#ifndef RL_STREAM_LETTER_H
#define RL_STREAM_LETTER_H

#include "base/arena.h"
#include "base/msg.h"
#include "stream/sink.h"

#define RL_LETTER_TRACEBACK 4096 /* bytes kept of a traceback (S4.5) */

struct rl_letter_headers {
  struct rl_header *at;
  size_t n, cap;
  struct rl_arena arena;
};

void rl_letter_headers(struct rl_letter_headers *out, const struct rl_msg *msg,
                       const struct rl_letter *letter, const char *script);
void rl_letter_headers_free(struct rl_letter_headers *h);

#endif
