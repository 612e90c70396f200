/* One batch through the handler, in three files: attempt.c runs it, in parts and again; attempt_strike.c says
 * what leaves it when partitions are taken away, attempt_settle.c what becomes of messages that fail. Private
 * to them. */
#ifndef RL_STREAM_ATTEMPT_H
#define RL_STREAM_ATTEMPT_H

#include "base/backoff.h"
#include "stream/bisect.h"
#include "stream/lane_state.h"

struct rl_attempt {
  struct rl_lane *lane;
  struct rl_batch *batch;
  struct rl_flight *flight;
  uint32_t *todo; /* messages still to be settled when the run of the handler began, or less: strike */
  size_t n;
  uint32_t *rows; /* of the part in hand, where rows are not messages */
  size_t cap_rows;
  unsigned char *settled; /* by message of the batch */
  struct rl_pin **pins;   /* by message of the batch */
  struct rl_bisect bisect;
  struct rl_backoff backoff, weather;
  struct rl_failure why; /* of the last attempt */
  char *halved_for;      /* why the batch is taken apart; NULL: it is not */
  bool blamed;           /* a message was found at fault */
  uint64_t changes;      /* epoch_changes when last looked at: waits end when there are more */
  bool once;             /* at most once: no retry, no bisect, no strike (S3.2) */
};

/* If partitions were taken away since the last look, their messages leave what is still to be done (S2.1). At
 * most once nothing is struck: what is committed nobody else will handle. */
void rl_attempt_strike(struct rl_attempt *a);

/* Values that do not decode are known by themselves: dead-lettered without retry or bisect (S4.2). Without a
 * dead-letter topic the messages before the first of them, *first_bad, are handled, and the run stops there;
 * else *first_bad is how many messages there are. RL_EHANDLER: the lane failed. */
int rl_attempt_settle_bad(struct rl_attempt *a, size_t *first_bad);
/* The message, or with bisect = false the messages, todo[first .. first + n) that failed by themselves. */
int rl_attempt_settle_blamed(struct rl_attempt *a, const struct rl_part_of *part, size_t first, size_t n);
/* At most once: why todo[first .. first + n) are lost, and where the first and the last of them stand. */
void rl_attempt_say_lost(const struct rl_attempt *a, size_t first, size_t n);
/* The run stops at this message: promise 5 without a dead-letter topic. */
int rl_attempt_stop_at(struct rl_attempt *a, uint32_t message, bool by_handler, const char *error);
/* The script's fault: nothing of the batch is committed, not even what passed in parts before (S4.6). */
int rl_attempt_script_failed(struct rl_attempt *a);
/* What the handler printed has no reader any more: the batch stays uncommitted, the run ends quietly (S5.3).
 */
int rl_attempt_reader_gone(struct rl_attempt *a);

#endif
