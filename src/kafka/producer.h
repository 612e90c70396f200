/* A Kafka producer, idempotent, partitioned as Java's clients do (murmur2_random), linger 0, message time-out
 * none: an outage is waited out. Delivery reports are events, served by the lane's reader; sending may happen
 * on another thread. Settings of the user go on top. */
#ifndef RL_KAFKA_PRODUCER_H
#define RL_KAFKA_PRODUCER_H

#include "base/msg.h"
#include "kafka/config.h"

struct rl_producer;

struct rl_producer_opts {
  const struct rl_kconf *conf;
  const char *brokers;
  int lane;
};

int rl_producer_open(struct rl_producer **out, const struct rl_producer_opts *opts, struct rl_err *err);

struct rl_record {
  const char *topic;
  int32_t partition; /* -1: by key */
  int64_t timestamp; /* ms; 0 or less: now */
  struct rl_bytes key, value;
  const struct rl_header *headers;
  size_t n_headers;
  bool pinned;  /* value stays valid until the delivery report: not copied (S6.3). Key and headers always are.
                 */
  void *opaque; /* comes back with the report */
};

/* 0; RL_EFULL: the queue is full, nothing was taken; else refused for good, with the reason: too large
 * (err->kafka MSG_SIZE_TOO_LARGE), unknown topic or partition (RL_EBROKER) … No report follows an error. */
int rl_producer_send(struct rl_producer *p, const struct rl_record *record, struct rl_err *err);

/* One delivery report: err->code 0 when acknowledged. RL_EBROKER for authorisation, unknown topic and lost
 * brokers, RL_EHANDLER for what is refused for good (too large, invalid). */
typedef void rl_delivered(void *opaque, const struct rl_err *err, void *arg);
/* Serves all reports and errors that wait; returns how many reports. */
int rl_producer_serve(struct rl_producer *p, rl_delivered *fn, void *arg);
/* Within the callback: the record that the report is about, as it was sent. What it points to lives until the
 * callback returns. */
void rl_producer_reported(struct rl_producer *p, struct rl_record *out);
/* An error that the client does not survive (fenced, out of order), if there was one. */
bool rl_producer_fatal(struct rl_producer *p, struct rl_err *err);

int rl_producer_fd(const struct rl_producer *p);
void rl_producer_clear(struct rl_producer *p);
int rl_producer_pending(const struct rl_producer *p);      /* sent and not reported */
size_t rl_producer_max_bytes(const struct rl_producer *p); /* message.max.bytes */

/* Was it refused for its size alone? */
bool rl_producer_too_large(const struct rl_err *err);

/* Waits for a broker's first answer; the error names the address and says why there is none. Before anything
 * is sent. */
int rl_producer_connect(struct rl_producer *p, int timeout_ms, struct rl_err *err);

/* Is there such a topic? Waits up to timeout_ms for metadata; RL_EBROKER when it is unknown. */
int rl_producer_has_topic(struct rl_producer *p, const char *topic, int timeout_ms, struct rl_err *err);

/* What such a topic takes in a request (its max.message.bytes), where that is less than the producer may put
 * into one. 0: it is not, or the broker does not say so within timeout_ms. */
size_t rl_producer_topic_limit(struct rl_producer *p, const char *topic, int timeout_ms);

/* And this partition of it? Of a topic that is there. */
int rl_producer_has_partition(struct rl_producer *p, const char *topic, int32_t partition, int timeout_ms,
                              struct rl_err *err);

/* Purges what is unsent (reports come as errors, served here to fn) and destroys the handle. */
void rl_producer_destroy(struct rl_producer *p, rl_delivered *fn, void *arg);

#endif
