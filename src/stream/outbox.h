/* What a handler call wants sent, staged: nothing leaves before the call returned (S5.1). One a lane, reset
 * for each attempt. Texts and bytes are copied into the outbox's arena, but for FORWARD, which names a
 * message. */
#ifndef RL_STREAM_OUTBOX_H
#define RL_STREAM_OUTBOX_H

#include "base/arena.h"
#include "base/err.h"
#include "base/msg.h"

enum rl_out_kind { RL_OUT_SEND, RL_OUT_FORWARD, RL_OUT_REJECT };
#define RL_NO_MESSAGE UINT32_MAX

struct rl_out {
  enum rl_out_kind kind;
  bool json;         /* value is one JSON text (files write it as a line as it is) */
  const char *topic; /* NULL for REJECT */
  int32_t partition; /* -1: by key */
  int64_t timestamp; /* ms; 0: now, or the message's own for FORWARD */
  uint32_t message;  /* of the batch: FORWARD, REJECT, or the one a SEND is about; RL_NO_MESSAGE if none */
  struct rl_bytes key, value;
  struct rl_header *headers; /* SEND only; FORWARD keeps the message's */
  size_t n_headers;
  const char *reason; /* REJECT */
};

struct rl_outbox {
  struct rl_out *at;
  size_t n, cap;
  size_t bytes;     /* staged, values and keys */
  size_t max_bytes; /* limits.output: RL_EHANDLER past it; 0: no limit */
  size_t
      max_message; /* message.max.bytes: a larger SEND to Kafka is refused when staged (S5.2); 0: no limit */
  bool no_reject;  /* there is no dead-letter topic: nothing may be rejected */
  unsigned char *rejected; /* by message: it is staged */
  size_t n_rejected;       /* places there */
  struct rl_arena arena;
};

void rl_outbox_init(struct rl_outbox *o, size_t max_bytes, size_t max_message);
/* Copies what `out` points to. Errors name topic and sizes and stage nothing. */
int rl_outbox_send(struct rl_outbox *o, const struct rl_out *out, struct rl_err *err);
/* size: of the message's key and value. One too large for its topic is not refused here but when it is
 * produced, where it costs that message alone (S5.2). */
int rl_outbox_forward(struct rl_outbox *o, const char *topic, uint32_t message, size_t size,
                      int32_t partition, int64_t timestamp, struct rl_err *err);
/* A message is rejected once, for the first reason: it may be named by several of its rows. */
void rl_outbox_reject(struct rl_outbox *o, uint32_t message, const char *reason);
void rl_outbox_reset(struct rl_outbox *o);
void rl_outbox_free(struct rl_outbox *o);

#endif
