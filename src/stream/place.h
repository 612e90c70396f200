/* Where a message came from, as errors and warnings name it: TOPIC[PARTITION] offset OFFSET; before it, when
 * it was read from a file, FILE:LINE, as a record there may say anything of its topic and offset. */
#ifndef RL_STREAM_PLACE_H
#define RL_STREAM_PLACE_H

#include "base/msg.h"

/* What is too long for an error is cut there. */
enum { RL_PLACE_MAX = 1024 };

void rl_place(char to[RL_PLACE_MAX], const struct rl_msg *msg);

#endif
