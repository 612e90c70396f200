/* What the tests of the stream room share: a repeatable random source, and messages that count releases. */
#ifndef RL_STREAM_FAKE_H
#define RL_STREAM_FAKE_H

#include "base/mem.h"
#include "base/msg.h"

static inline uint64_t fake_random(uint64_t *seed) {
  uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* 0 to n - 1 */
static inline size_t fake_pick(uint64_t *seed, size_t n) { return (size_t)(fake_random(seed) % n); }
static inline bool fake_chance(uint64_t *seed, size_t one_in) { return fake_pick(seed, one_in) == 0; }

static inline bool fake_header(const struct rl_msg *msg, size_t i, struct rl_header *out) {
  (void)msg, (void)i, (void)out;
  return false;
}

static inline void fake_release(struct rl_msg *msg) { ++*(size_t *)msg->handle; }

static const struct rl_msg_ops fake_ops = {fake_header, fake_release};

/* A message whose release adds one to *released. */
static inline struct rl_msg fake_msg(uint32_t slot, int64_t offset, const char *value, size_t *released) {
  return (struct rl_msg){.topic = "t",
                         .partition = (int32_t)slot,
                         .slot = slot,
                         .offset = offset,
                         .timestamp = -1,
                         .value = rl_bytes_str(value),
                         .handle = released,
                         .ops = &fake_ops};
}

#endif
