/* A message as every room sees it: where it stands in Kafka, and bytes borrowed from whoever holds it
 * (librdkafka's fetch buffer, or a line of an input file) until rl_msg_release. A plain value: copying it
 * copies the borrowing, not the bytes; exactly one copy is released. */
#ifndef RL_BASE_MSG_H
#define RL_BASE_MSG_H

#include <stdint.h>

#include "base/bytes.h"

struct rl_header {
  const char *name;
  struct rl_bytes value; /* null and empty are different */
};

enum rl_timestamp_type { RL_TIMESTAMP_NONE, RL_TIMESTAMP_CREATE, RL_TIMESTAMP_APPEND };

struct rl_msg;
struct rl_msg_ops {
  /* Header i of the message; false past the last. Bytes live as long as the message. */
  bool (*header)(const struct rl_msg *msg, size_t i, struct rl_header *out);
  void (*release)(struct rl_msg *msg);
};

struct rl_msg {
  const char *topic; /* interned by the source: outlives the message */
  int32_t partition;
  uint32_t slot;  /* the source's small number for (topic, partition): indexes per-partition tables */
  uint32_t epoch; /* of the slot when it was taken (S2.1); set by the lane */
  uint8_t timestamp_type;
  int64_t offset;
  int64_t timestamp; /* ms since 1970; -1 when there is none */
  struct rl_bytes key, value;
  void *handle; /* the holder of the bytes; NULL once released */
  const struct rl_msg_ops *ops;
};

static inline bool rl_msg_header(const struct rl_msg *msg, size_t i, struct rl_header *out) {
  return msg->ops->header(msg, i, out);
}

static inline void rl_msg_release(struct rl_msg *msg) {
  if (msg->handle) msg->ops->release(msg);
  msg->handle = NULL;
}

#endif
