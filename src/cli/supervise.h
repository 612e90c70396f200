/* What the main thread does while lanes run: it waits for signals and for lanes to end, and shows progress.
 *
 * The first signal asks all lanes to finish and leave, the second to leave at once; lanes that have not left
 * a second after that are left behind, with a line that says so. A lane that fails makes the others finish.
 */
#ifndef RL_CLI_SUPERVISE_H
#define RL_CLI_SUPERVISE_H

#include "cli/signals.h"
#include "stream/lane.h"

struct rl_crew {
  struct rl_run *run;
  struct rl_lane **lanes;
  size_t n;
};

/* Until all lanes have ended. 0, or the first lane's error (RL_EPIPE only when there is no other). */
int rl_supervise(const struct rl_crew *crew, struct rl_signals *signals, struct rl_err *err);

#endif
