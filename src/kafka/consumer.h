/* A Kafka consumer for one lane: events on one side, messages on the other, no blocking call between.
 *
 * The main queue carries events only (rebalance, errors, commit answers, OAUTH tokens); messages come out of
 * the lane's queue, to which each partition's own queue is forwarded when it is assigned. Both ring one
 * descriptor (rl_consumer_fd), from empty to non-empty only: after a ring, serve and take until each says
 * "nothing", or remember that you did not (S6.3). rl_consumer_serve must be called at least every third
 * of max.poll.interval.ms, even when nothing rang, or the member is evicted.
 *
 * All calls are for one thread, the lane's reader. librdkafka's log lines go to base/log. */
#ifndef RL_KAFKA_CONSUMER_H
#define RL_KAFKA_CONSUMER_H

#include "base/msg.h"
#include "base/tps.h"
#include "kafka/config.h"

struct rl_consumer;

struct rl_consumer_opts {
  const struct rl_kconf *conf; /* bootstrap.servers among it */
  const char *brokers;         /* NULL: from conf */
  const char *group;           /* NULL: no group; librdkafka then gets one that is never sent */
  bool manual;                 /* no group, or explicit partitions: assign(), not subscribe() */
  const char *reset;           /* auto.offset.reset: "earliest", "latest", "error"; NULL: earliest */
  bool no_topics;              /* none of those to be subscribed to was there: maybe nothing is ever joined */
  bool embedded;               /* the broker is the embedded one (rl_consumer_is_embedded) */
  int fetch_wait_ms;           /* how long a broker keeps a fetch that finds nothing; 0: librdkafka's 500 */
  int lane;                    /* 0…: part of the client.id "rille-HOST-PID[-LANE]" */
};

int rl_consumer_open(struct rl_consumer **out, const struct rl_consumer_opts *opts, struct rl_err *err);

/* First contact: metadata within `timeout_ms`, else RL_EBROKER with librdkafka's last word on why
 * (unreachable, refused log-in, TLS). */
int rl_consumer_connect(struct rl_consumer *c, int timeout_ms, struct rl_err *err);
/* Does a broker answer? For a run under way: takes no event. */
bool rl_consumer_reachable(struct rl_consumer *c, int timeout_ms);

/* Names and ^regexes. */
int rl_consumer_subscribe(struct rl_consumer *c, char *const *topics, size_t n, struct rl_err *err);

/* Replaces the manual assignment; offsets may be RL_OFFSET_*. Forwards the queues. */
int rl_consumer_assign(struct rl_consumer *c, const struct rl_tps *parts, struct rl_err *err);

enum rl_kev_kind {
  RL_KEV_NONE,
  RL_KEV_ASSIGN,    /* answer with rl_consumer_accept */
  RL_KEV_REVOKE,    /* answer with rl_consumer_yield */
  RL_KEV_LOST,      /* as REVOKE, but owned by nobody any more: yield at once, commit nothing */
  RL_KEV_COMMITTED, /* the answer to rl_consumer_commit: err.code 0 or why; tps with an error each */
  RL_KEV_ERROR, /* err tells (of a broker's connection once a minute); fatal: the client is of no further use
                 */
};

struct rl_kev {
  enum rl_kev_kind kind;
  bool fatal;
  bool all_brokers_down;
  struct rl_tps tps; /* owned by the event; its offsets as librdkafka gave them */
  struct rl_err err;
};

bool rl_consumer_serve(struct rl_consumer *c, struct rl_kev *ev); /* false: nothing more */
void rl_kev_free(struct rl_kev *ev);

/* Completes an ASSIGN (eager or incremental, as the group's protocol is). Offsets in `parts` other than
 * RL_OFFSET_INVALID start there instead of at the committed offset. */
int rl_consumer_accept(struct rl_consumer *c, const struct rl_tps *parts, struct rl_err *err);
/* Completes a REVOKE or LOST. */
int rl_consumer_yield(struct rl_consumer *c, const struct rl_tps *parts, struct rl_err *err);
bool rl_consumer_cooperative(const struct rl_consumer *c);

enum rl_take { RL_TAKE_NONE, RL_TAKE_MSG, RL_TAKE_EOF, RL_TAKE_ERROR };

/* The next thing in the lane's queue, without waiting. MSG: the caller releases it. EOF: only topic,
 * partition, slot and offset (the end) are set. ERROR: topic, partition and slot, where it has them, and err:
 * RL_ETRANSIENT for what librdkafka tries again by itself. */
enum rl_take rl_consumer_take(struct rl_consumer *c, struct rl_msg *msg, struct rl_err *err);

/* The small number of a topic-partition, made on first sight, stable for the consumer's life. */
uint32_t rl_consumer_slot(struct rl_consumer *c, const char *topic, int32_t partition);

/* Commits positions, asynchronously; the answer comes as RL_KEV_COMMITTED. One at a time (S3.1), and only
 * when it may: while the member joins anew it would be of an old generation, and cost a cooperative member
 * all its partitions (joining.h). To be asked when there is something to commit, and again after a ring or a
 * few milliseconds. */
bool rl_consumer_may_commit(struct rl_consumer *c);
int rl_consumer_commit(struct rl_consumer *c, const struct rl_tps *positions, struct rl_err *err);

/* Goes on from these offsets in assigned partitions; what was fetched before is not taken any more. Waits. */
int rl_consumer_seek(struct rl_consumer *c, const struct rl_tps *to, int timeout_ms, struct rl_err *err);

/* Close without blocking (S6.3): begin, then go on serving events (REVOKE comes) until closed. The join that
 * is still pending is waited for by the caller's own deadline; `joined` says whether a join was answered and
 * no other is under way, or none is due: without a group, or while no topic is there to join for. */
int rl_consumer_close_begin(struct rl_consumer *c,
                            struct rl_err *err); /* after a fatal error: closed at once */
bool rl_consumer_closed(const struct rl_consumer *c);
bool rl_consumer_joined(const struct rl_consumer *c);
void rl_consumer_destroy(struct rl_consumer *c); /* every message must be released before */

int rl_consumer_fd(const struct rl_consumer *c); /* readable when there may be something to serve or take */
void rl_consumer_clear(struct rl_consumer *c);   /* takes the rings: before serving */

/* Look-ups, blocking up to timeout_ms: for starts, not for the loop. */
struct rl_topic_info {
  char *name;
  int32_t partitions; /* 0 and error set when it is unknown */
  int error;
};
/* Which of `topics` (names, ^regexes) exist; a regex gives all that match. n_out entries, free with the call
 * below. */
int rl_consumer_topics(struct rl_consumer *c, char *const *topics, size_t n, int timeout_ms,
                       struct rl_topic_info **out, size_t *n_out, struct rl_err *err);
void rl_topic_infos_free(struct rl_topic_info *infos, size_t n);
/* Fills each offset with the partition's end: last stable under read_committed. */
int rl_consumer_ends(struct rl_consumer *c, struct rl_tps *parts, int timeout_ms, struct rl_err *err);
int rl_consumer_begins(struct rl_consumer *c, struct rl_tps *parts, int timeout_ms, struct rl_err *err);
/* The offset behind the partition's last message, whether or not its transaction is over. */
int rl_consumer_last(struct rl_consumer *c, const char *topic, int32_t partition, int timeout_ms,
                     int64_t *last, struct rl_err *err);
/* Offsets hold wall ms on entry and the first offset at or after that time on return (end if none). */
int rl_consumer_times(struct rl_consumer *c, struct rl_tps *parts, int timeout_ms, struct rl_err *err);

/* For the "waiting" line and the summary: what is assigned now. Overwrites *out. */
void rl_consumer_assignment(const struct rl_consumer *c, struct rl_tps *out);
/* Is the cluster an embedded broker? Blocking, up to timeout_ms. */
bool rl_consumer_is_embedded(struct rl_consumer *c, int timeout_ms);
/* Sum of (cached high watermark − position) over assigned partitions; -1 when unknown. positions: by slot. */
int64_t rl_consumer_high(struct rl_consumer *c, const char *topic,
                         int32_t partition); /* cached; -1 unknown */

#endif
