/* How the reader, on its way out (ends.c), tells the handler to end, and hears that it has. */
#ifndef RL_STREAM_ENDS_H
#define RL_STREAM_ENDS_H

#include "stream/lane_state.h"

/* Nothing more will come: the handler closes. abandon: nor is the batch in hand finished. */
void rl_ends_tell(struct rl_lane *lane, bool abandon);
/* Tells it so, once, and ends the call that runs. */
void rl_ends_interrupt(struct rl_lane *lane, int64_t now);
/* The first may have come before the engine was within the call. No other call: `close` has its own time. */
void rl_ends_interrupt_again(struct rl_lane *lane);
bool rl_ends_handler_idle(struct rl_lane *lane); /* it waits for a batch */
bool rl_ends_handler_gone(struct rl_lane *lane); /* it has closed */
bool rl_ends_broken_off(struct rl_lane *lane); /* no more is handled: the run failed, a batch was given up */

#endif
