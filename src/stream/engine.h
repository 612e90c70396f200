/* The seam between host and script: what a lane asks of whatever runs the handler. lua/ implements it;
 * stream/ knows no Lua. All calls but `interrupt` come from the lane's handler thread, one at a time;
 * `interrupt` may come from any thread at any time between create and destroy.
 *
 * A call fails by filling `struct rl_failure`; the lane decides what follows from its blame (S4). */
#ifndef RL_STREAM_ENGINE_H
#define RL_STREAM_ENGINE_H

#include "base/tps.h"
#include "stream/batch.h"
#include "stream/outbox.h"

enum rl_blame {
  RL_BLAME_NONE,
  RL_BLAME_MESSAGE, /* retry, bisect, dead letter (S4.2) */
  RL_BLAME_WEATHER, /* wait and try again (S4.1) */
  RL_BLAME_SCRIPT,  /* stop at once, status 4 (S4.6) */
  RL_BLAME_STOPPED, /* interrupted by the lane: the attempt counts as not made */
};

struct rl_failure {
  enum rl_blame blame;
  char *error;     /* one line, with script and line where there are */
  char *traceback; /* NULL if none */
};

/* Copies the texts, frees those that were there: *f must be zeroed or set before. */
void rl_failure_set(struct rl_failure *f, enum rl_blame blame, const char *error, const char *traceback);
void rl_failure_clear(struct rl_failure *f);

enum rl_hook { RL_HOOK_OPEN, RL_HOOK_ASSIGNED, RL_HOOK_REVOKED, RL_HOOK_EVERY, RL_HOOK_CLOSE };

struct rl_engine {
  void *self;
  const char *script; /* for headers and messages: "bright.lua" */
  double every;       /* seconds between RL_HOOK_EVERY calls; 0: none */
  bool has_hook[RL_HOOK_CLOSE + 1];

  /* Runs the handler over the view's rows, staging into out. */
  int (*handle)(void *self, const struct rl_view *view, struct rl_outbox *out, struct rl_failure *why);
  /* decode = function: once a row, before handle; fails as MESSAGE for that row only. NULL when it has none.
   */
  int (*decode)(void *self, struct rl_batch *batch, size_t row, struct rl_failure *why);
  /* parts: for ASSIGNED and REVOKED; reason: for CLOSE ("end", "stop", "error"); out: for EVERY and CLOSE. */
  int (*hook)(void *self, enum rl_hook hook, const struct rl_tps *parts, const char *reason,
              struct rl_outbox *out, struct rl_failure *why);
  /* The batch is settled: drop what the script's values borrow from it. Before its messages are released. */
  void (*release)(void *self, struct rl_batch *batch);
  /* Makes the call that runs, if any, fail soon with RL_BLAME_STOPPED. */
  void (*interrupt)(void *self);
  /* Where the call that runs is, for a message when it is stuck: "bright.lua:12"; any thread. NULL: none
   * runs. */
  const char *(*where)(void *self);
  void (*destroy)(void *self);
};

#endif
