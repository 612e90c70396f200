/* The registered secrets: log.c's own. Not locked: the log's lock is held by whoever calls. */
#ifndef RL_BASE_SECRET_H
#define RL_BASE_SECRET_H

#include "base/buf.h"

void rl_secret_add(const char *value);
void rl_secret_mask(struct rl_buf *out, struct rl_bytes text);

#endif
