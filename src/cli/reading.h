/* Reading topics without a group, message by message, for the commands that only look: nobody notices. */
#ifndef RL_CLI_READING_H
#define RL_CLI_READING_H

#include "base/msg.h"
#include "stream/settings.h"

struct rl_reading {
  /* A message, which is released afterwards: 0, 1: that was enough, or a negative RL_E…. */
  int (*take)(void *self, const struct rl_msg *msg, struct rl_err *err);
  void *self;
  double patience; /* ends when none came for so many seconds; 0: never */
};

/* Finishes the settings: no group, and from `start` unless they say otherwise. */
int rl_reading_settle(struct rl_settings *s, const char *start, const char *origin, struct rl_err *err);
/* Until a signal, enough, or the end that the settings name. Standard output is flushed as it goes. */
int rl_read_topics(const struct rl_settings *settings, const struct rl_reading *what, struct rl_err *err);

#endif
