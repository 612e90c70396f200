/* Where outputs go: topics through one producer a lane, files and stdout as NDJSON (S5).
 *
 * The handler's thread sends; the lane's reader serves the answers (rl_sink_serve). An answer lowers the
 * flight's `pending`; a refusal for good sets its `refused`, unless the source message could be dead-lettered
 * instead. */
#ifndef RL_STREAM_SINK_H
#define RL_STREAM_SINK_H

#include "kafka/producer.h"
#include "stream/flight.h"
#include "stream/outbox.h"
#include "stream/pin.h"
#include "stream/settings.h"

struct rl_sink;

struct rl_sink_opts {
  const struct rl_settings *settings;
  int lane;
  const char *script;        /* for the header rille.script */
  void (*opened)(void *arg); /* a producer is there: the reader must watch its descriptor */
  /* The producer's queue is full: wait until some answers came. False: give up, the lane is leaving. */
  bool (*wait_room)(void *arg);
  void *arg;
  int topic_ms; /* for the look-up of a topic at its first use; 0: RL_SINK_TOPIC_MS */
};

#define RL_SINK_TOPIC_MS 30000 /* S5.2 */

struct rl_sink *rl_sink_new(const struct rl_sink_opts *opts);
void rl_sink_free(struct rl_sink *sink); /* purges what is unsent */

/* A topic that must be there: asked once, within timeout_ms. "-" and "file:…" always are (they are opened).
 */
int rl_sink_check(struct rl_sink *sink, const char *topic, int timeout_ms, struct rl_err *err);

/* A dead letter's own words. */
struct rl_letter {
  const char *error, *traceback;
  int attempts;
};

/* Sends one staged output of the batch on behalf of the flight. pins: one slot a message of the batch, made
 * as needed; the caller puts them when the batch is settled. Errors: the output was refused, nothing is
 * pending for it. */
int rl_sink_put(struct rl_sink *sink, struct rl_flight *flight, struct rl_batch *batch, struct rl_pin **pins,
                const struct rl_out *out, struct rl_err *err);
/* Sends the message to the dead-letter topic. */
int rl_sink_reject(struct rl_sink *sink, struct rl_flight *flight, const struct rl_msg *msg,
                   const struct rl_letter *letter, struct rl_err *err);
/* What was written to files has reached them: flushed, with fsync when asked. RL_EPIPE when a reader went
 * away. */
int rl_sink_flush(struct rl_sink *sink, struct rl_err *err);

/* The reader's side. */
int rl_sink_fd(const struct rl_sink *sink); /* -1: no producer yet */
int rl_sink_serve(struct rl_sink *sink);    /* answers served */
bool rl_sink_fatal(struct rl_sink *sink, struct rl_err *err);
size_t rl_sink_max_message(const struct rl_settings *s); /* message.max.bytes as it will be */
int64_t rl_sink_sent(const struct rl_sink *sink);        /* outputs acknowledged, dead letters aside */
int64_t rl_sink_rejected(const struct rl_sink *sink);    /* dead letters acknowledged */

#endif
