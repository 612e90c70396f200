/* What a lane is made of, for the files that make it up: lane.c (life), reader.c (the reader's loop), fill.c
 * (messages into batches), await.c (messages whose schema is not there yet), hand_over.c (batches to the
 * handler), rebalance.c, commit.c, ends.c (when it is over), explain.c (what it says while it waits),
 * handler.c (the handler's loop), attempt.c (one batch through the handler).
 *
 * Two threads. The reader owns source, offsets, batcher and the batches that fill; the handler's thread owns
 * the engine, the outbox and the batch in hand. What they share stands under `mu`: the handler waits on `cv`,
 * the reader on `bell`. Neither calls out (Kafka, Lua) with `mu` held. */
#ifndef RL_STREAM_LANE_STATE_H
#define RL_STREAM_LANE_STATE_H

#include <pthread.h>

#include "base/clock.h"
#include "codec/decoder.h"
#include "stream/batcher.h"
#include "stream/flight.h"
#include "stream/lane.h"
#include "stream/offsets.h"
#include "stream/sink.h"
#include "stream/source.h"

#define RL_EPOCH_NONE UINT32_MAX /* in lane->epochs: no message of this slot is wanted any more */

enum rl_phase {
  RL_RUNNING,
  RL_FINISHING, /* nothing more is taken; what is filled is handed over */
  RL_LEAVING,   /* the handler is told to close and go */
  RL_SETTLING,  /* outputs and commits of what is done are waited for */
  RL_CLOSING,   /* the consumer leaves its group */
  RL_ENDED,
};

struct rl_hook_call {
  enum rl_hook hook; /* ASSIGNED or REVOKED */
  struct rl_tps parts;
  struct rl_hook_call *next;
};

/* A rebalance that is held open (S2.2). */
struct rl_revoke {
  bool open, hooked; /* hooked: the `revoked` hook was asked for */
  struct rl_tps parts;
  int64_t deadline;
};

/* What the message that is held waits for: its schema, at a registry that has not answered (S4.1). */
struct rl_await {
  bool on;
  uint64_t news;       /* the registry's when the message was last tried */
  int64_t tried;       /* then */
  int64_t since, said; /* when it began; when it was last told */
  struct rl_err why;
};

struct rl_lane {
  struct rl_run *run;
  const struct rl_settings *s;
  int index;
  struct rl_engine engine;
  bool has_engine; /* false: library form */
  struct rl_sink *sink;
  pthread_t reader, handler;
  bool joined_threads;
  struct rl_wake bell;  /* to the reader */
  struct rl_wake ready; /* library form: to the caller */
  atomic_int stop;      /* 0; 1: rl_lane_stop; 2: now */
  atomic_bool ended;
  atomic_llong call_started; /* when the engine's running call began, ns; 0: none runs */

  pthread_mutex_t mu; /* ── shared ── */
  pthread_cond_t cv;
  bool want;                  /* the handler's side is idle and asks for a batch */
  struct rl_batch *given;     /* handed over, not yet taken up */
  struct rl_flight *flying;   /* its flight */
  struct rl_hook_call *hooks; /* asked for, first first */
  int hooks_asked, hooks_done;
  bool quit;               /* the handler is to close and go */
  const char *quit_reason; /* "end", "stop", "error" */
  bool stopping;           /* a signal came: waits for better weather end at once */
  bool abandon;            /* every wait inside the handler's side ends at once */
  bool gave_up;            /* a batch was left unsettled: nothing after it may be handled or committed */
  bool handler_gone;
  struct rl_flight *flights, **flights_end;
  size_t n_flights;
  uint32_t *epochs; /* by slot: which messages are still wanted */
  size_t n_epochs;
  uint64_t epoch_changes; /* counts them, so that waits notice */
  struct rl_err err;      /* the first failure; code 0: none */
  char *traceback;        /* and its traceback, if any */
  struct rl_stats stats;

  /* ── the reader's own ── */
  struct rl_source source;
  struct rl_offsets offsets;
  struct rl_batcher batcher;
  struct rl_decoder *decoder;
  bool decodes_raw; /* every value will do */
  struct rl_batch *filling;
  struct rl_batch *slot; /* full, waits for the handler (one, never more) */
  struct rl_batch *pre;  /* at_most_once: its offsets are being committed */
  struct rl_flight *pre_flight;
  struct rl_msg held;    /* did not fit: begins the next batch */
  struct rl_batch *next; /* instead: it was decoded, and had more rows than there was room for */
  int64_t held_at;       /* when it arrived */
  bool has_held, more, blocked, source_ended, fields_checked;
  bool past_count; /* a message that --count had no room for was let go: nothing behind it may be taken */
  struct rl_await await;
  int64_t number;
  int64_t round; /* which time the range is read (settings' epochs), from 1 */
  bool turning;  /* it was read to its end and will be read again: what fills is handed over */
  enum rl_phase phase;
  enum rl_cause last_cause;
  int64_t deadline;           /* of the phases after RUNNING */
  int64_t interrupted;        /* when the handler was interrupted; RL_NEVER: not */
  long long interrupted_call; /* the call_started of that call; 0: none ran */
  bool poisoned, stuck, close_begun, sink_fatal;
  bool unclosed; /* the group did not answer: to destroy the consumer takes its time */
  int stop_seen;
  struct rl_revoke revoke;
  bool commit_out;
  size_t landed, landed_asked; /* batches done and not committed; those that the commit under way covers */
  int64_t commit_again;
  int commit_failures;
  bool assigned_once;
  int64_t error_quiet; /* errors of the client: so many lines were said, and few more are until then */
  int error_lines;
  int64_t
      head_said; /* the first flight when the last line of explanation was due, and since when it is first */
  int64_t head_since;
  bool head_told; /* that it waits */
  int64_t started, last_message, last_said, last_stats, down_since;
  bool looking;   /* for topics that were not there (late.c) */
  int64_t looked; /* when it last did; 0: not yet */
  int64_t taken_messages, taken_bytes;
  int poll_cap_ms; /* a third of max.poll.interval.ms, or less */

  /* ── the handler's own ── */
  struct rl_batch *in_hand; /* library form: the caller's batch, until it is done */
  struct rl_flight *in_hand_flight;
  struct rl_outbox outbox;
  struct rl_history *history;
  int64_t next_every;
};

/* reader.c */
void *rl_reader_main(void *lane);
/* Fails the lane: the first failure stays, the run ends. Any thread. */
void rl_lane_fail(struct rl_lane *lane, const struct rl_err *err);
/* With the traceback (NULL: none) of what failed, to be shown beside it at the end. */
void rl_lane_fail_traced(struct rl_lane *lane, const struct rl_err *err, const char *traceback);
bool rl_lane_failed(struct rl_lane *lane);

/* fill.c: messages into the batch that fills. */
void rl_fill(struct rl_lane *lane, int64_t now);
bool rl_can_take(struct rl_lane *lane);         /* is there room for another message? */
bool rl_held_fits(struct rl_lane *lane);        /* can the one that did not fit join now? */
bool rl_one_waits(const struct rl_lane *lane);  /* a message, for the batch that fills to go */
bool rl_fill_empty(const struct rl_lane *lane); /* nothing fills or waits */
void rl_fill_drop(struct rl_lane *lane);        /* releases all that was not handed over */
size_t rl_fill_strike(struct rl_lane *lane, bool (*drop)(const struct rl_msg *msg, void *arg), void *arg);

/* hand_over.c: batches to the handler. */
void rl_hand_over(struct rl_lane *lane, int64_t now);
void rl_pre_drop(struct rl_lane *lane);         /* at most once: what waits for its commit is released */
int64_t rl_fill_deadline(struct rl_lane *lane); /* when a hand-over is due by time; RL_NEVER */

/* --count: n messages that were taken are not handled here; whoever gets them counts them again. */
static inline void rl_uncount(struct rl_lane *lane, size_t n) {
  if (lane->s->count > 0) atomic_fetch_add(&lane->run->left, (long long)n);
}

/* await.c: a message whose schema is not there yet. It is the one that is held: nothing is taken behind it.
 */
uint64_t rl_await_news(const struct rl_lane *lane);
/* Its decoding gave why; `news` was looked at before. */
void rl_await_begin(struct rl_lane *lane, uint64_t news, const struct rl_err *why, int64_t now);
bool rl_await_quiet(const struct rl_lane *lane); /* it waits, and there is no news */
void rl_await_step(struct rl_lane *lane, int64_t now);
int64_t rl_await_deadline(const struct rl_lane *lane);

/* lane.c */
/* The partitions of this lane, without a group, from where they begin (S1.3); `out` is empty. */
void rl_lane_share(const struct rl_lane *lane, struct rl_tps *out);

/* rebalance.c */
/* Without a group: what lane_start assigned, before the threads run; or late.c, on the reader's. */
void rl_begin_manual(struct rl_lane *lane, const struct rl_tps *parts);
void rl_on_assign(struct rl_lane *lane, const struct rl_tps *parts);
void rl_on_revoke(struct rl_lane *lane, const struct rl_tps *parts, bool lost, int64_t now);
/* On the way out: the `revoked` hook for all that is still assigned, before `close`. */
void rl_ask_revoked(struct rl_lane *lane);
void rl_revoke_step(struct rl_lane *lane, int64_t now); /* answers it once nothing in hand touches it */
bool rl_stale(struct rl_lane *lane, uint32_t slot, uint32_t epoch); /* mu is held */
void rl_epoch_set(struct rl_lane *lane, uint32_t slot, uint32_t epoch);

/* late.c: without a group, topics that were not there at the start. */
void rl_late_step(struct rl_lane *lane, int64_t now);
int64_t rl_late_deadline(const struct rl_lane *lane);

/* commit.c */
size_t rl_uncommitted(const struct rl_lane *lane); /* batches handled and not committed (promise 1) */
void rl_land(struct rl_lane *lane); /* flights that are done leave the list; their offsets become positions */
void rl_commit_step(struct rl_lane *lane, int64_t now);
void rl_on_committed(struct rl_lane *lane, const struct rl_kev *ev, int64_t now);
bool rl_committed_all(const struct rl_lane *lane); /* positions = what the broker has, none under way */
void rl_flight_append(struct rl_lane *lane, struct rl_flight *f); /* mu is held */

/* ends.c */
void rl_ends_step(struct rl_lane *lane, int64_t now);
void rl_end(struct rl_lane *lane, enum rl_cause cause, int64_t deadline);
int64_t rl_ends_deadline(const struct rl_lane *lane);

/* epochs.c */
/* The range was read to its end. True: it is read again, or will be once what is in hand is done. */
bool rl_epochs_again(struct rl_lane *lane);

/* explain.c */
void rl_explain_step(struct rl_lane *lane, int64_t now);
int64_t rl_explain_deadline(const struct rl_lane *lane);
/* Trouble with the brokers, told once in a while; `waits`: it is an outage. */
void rl_say_trouble(struct rl_lane *lane, const char *text, bool waits, int64_t now);
/* Outputs are acknowledged again, if it was said that they are not. */
void rl_say_answered(struct rl_lane *lane);
/* The weather, which both sides wait for (S4.1): a line; and, when `outage` is over, the lane's failure,
 * whose code it returns. */
void rl_say_waiting(int64_t since, int64_t now, const char *what);
int rl_give_up(struct rl_lane *lane, const char *what);

/* handler.c, attempt.c */
void *rl_handler_main(void *lane);
/* Runs a batch to its end through the engine: settles its flight, frees the batch. */
void rl_attempt_batch(struct rl_lane *lane, struct rl_batch *batch, struct rl_flight *flight);
/* Library form: dead-letters what did not decode; the rows stay in the batch, marked bad. */
int rl_settle_bad(struct rl_lane *lane, struct rl_batch *batch, struct rl_flight *flight, struct rl_err *err);
/* Sends what is staged; on refusal the lane fails. */
int rl_send_staged(struct rl_lane *lane, struct rl_flight *flight, struct rl_batch *batch,
                   struct rl_pin **pins, struct rl_outbox *outbox);
/* The flight is handled: from here on the reader may end it. */
void rl_flight_handled(struct rl_lane *lane, struct rl_flight *flight, enum rl_flight_state state);
bool rl_wait_room(void *lane);
/* Waits until `until`, a change of epochs, or the lane's leaving. False: the lane leaves. */
bool rl_handler_wait(struct rl_lane *lane, int64_t until, uint64_t changes);

#endif
