/* A lane: one consumer, one handler, two threads. The reader serves Kafka and fills batches; the handler
 * thread runs the engine on the batch before. Between them is one hand-over slot (stream/handover.h), and a
 * list of batches that are handled and not yet committed (stream/delivery.h).
 *
 *   rl_lane_start … (rl_lane_stop …) … rl_lane_wait(&err) gives the lane's end; rl_lane_free.
 *
 * Without an engine (the library form) no handler thread is made: the caller takes batches with rl_lane_next
 * and settles them with rl_lane_done. A row that did not decode is in the batch still (batch->bad[row]),
 * dead-lettered already: the caller passes over it. */
#ifndef RL_STREAM_LANE_H
#define RL_STREAM_LANE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/wake.h"
#include "stream/engine.h"
#include "stream/settings.h"

struct rl_lane;

/* What the lanes of a process share. */
struct rl_run {
  const struct rl_settings *settings; /* finished */
  struct rl_tps ends;                 /* -e, --end: taken at start; offsets per partition */
  struct rl_tps starts;               /* when manual: where each partition begins */
  pthread_mutex_t mu;                 /* who looks for topics again */
  atomic_bool no_topics;              /* patterns only, and nothing matched; false: starts stays as it is */
  bool embedded;                      /* the broker is the embedded one */
  bool manual;                        /* the lanes share the partitions out: they are no members of a group */
  atomic_llong left;                  /* --count: messages that may still be taken; < 0: no limit */
  atomic_bool got_message;            /* --wait: one came, to whichever lane */
  atomic_bool headers_checked;        /* of CSV's first batch, in whichever lane */
  atomic_llong quiet_since;           /* --idle: no lane got a message since; monotonic ns */
  struct rl_wake changed;             /* rung when a lane ends: the supervisor polls it */
  atomic_int lanes_up;
};

/* Connects, looks topics, starts and ends up (S1.2, S1.3, S7.1, S7.2). RL_EBROKER, RL_EUSAGE. */
int rl_run_prepare(struct rl_run *run, const struct rl_settings *s, struct rl_err *err);
void rl_run_free(struct rl_run *run);
/* Manual, and no topic was there: has one come? Then starts is filled, once for all lanes, and no_topics is
 * false. Blocks up to a second; longer only to look up where what came begins. */
struct rl_consumer;
int rl_run_look_again(struct rl_run *run, struct rl_consumer *c, struct rl_err *err);

/* engine NULL: library form. The lane takes the engine's life over (destroy) on success only. */
int rl_lane_start(struct rl_lane **out, struct rl_run *run, int index, const struct rl_engine *engine,
                  struct rl_err *err);

/* Asks the lane to end: takes no more messages, hands what is filled over (cause stop), finishes, commits
 * within drain, leaves. `now`: at once, without draining. Any thread; not from a signal handler. */
void rl_lane_stop(struct rl_lane *lane, bool now);
/* Waits until the lane has ended (consumer closed). Returns 0 or the code in err. */
int rl_lane_wait(struct rl_lane *lane, struct rl_err *err);
/* After the wait: where the script failed, if that is what ended it; NULL. Lives as long as the lane. */
const char *rl_lane_traceback(const struct rl_lane *lane);
bool rl_lane_ended(const struct rl_lane *lane);
/* After the wait: its handler's thread never came back (S10.3), or its consumer was not closed in time. A
 * process that has nothing else to do should end with _exit. */
bool rl_lane_stuck(const struct rl_lane *lane);
/* Stops and waits if need be. A lane whose handler never came back stays as it is; a consumer that was not
 * closed takes some seconds more. */
void rl_lane_free(struct rl_lane *lane);

struct rl_stats {
  int64_t messages, bytes, batches, handled; /* taken; in batches; handed over; settled messages */
  int64_t by_cause[RL_CAUSE_STOP + 1];
  int64_t sent, rejected, failed; /* outputs acknowledged; dead letters; handler failures */
  int64_t commits, lag;           /* lag: -1 unknown */
  int64_t partitions;             /* assigned */
};
void rl_lane_stats(const struct rl_lane *lane, struct rl_stats *out); /* any thread */

/* Library form. The next batch: 1 and *batch, 0 when the stream ended, a negative code when it failed. Waits
 * up to timeout_ms (-1: for ever) on rl_lane_fd; 2: nothing yet. The batch stays the caller's until
 * rl_lane_done. */
int rl_lane_next(struct rl_lane *lane, int timeout_ms, struct rl_batch **batch, struct rl_err *err);
int rl_lane_fd(const struct rl_lane *lane); /* readable when rl_lane_next will not wait */
/* The batch is done: produce its outputs, commit it, release it. out may be NULL. */
int rl_lane_done(struct rl_lane *lane, struct rl_batch *batch, struct rl_outbox *out, struct rl_err *err);
/* The batch is abandoned: released, never committed. */
void rl_lane_abandon(struct rl_lane *lane, struct rl_batch *batch);

#endif
