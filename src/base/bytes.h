/* A borrowed run of bytes. `data == NULL` is null (absent); `data != NULL, len == 0` is empty: Kafka
 * keeps the two apart and so does everything here. */
#ifndef RL_BASE_BYTES_H
#define RL_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct rl_bytes {
  const char *data;
  size_t len;
};

static inline struct rl_bytes rl_bytes(const void *data, size_t len) {
  struct rl_bytes b = {(const char *)data, len};
  return b;
}

static inline struct rl_bytes rl_bytes_str(const char *text) {
  return rl_bytes(text, text ? strlen(text) : 0);
}

static inline bool rl_bytes_eq(struct rl_bytes a, struct rl_bytes b) {
  if (!a.data || !b.data) return a.data == b.data;
  return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

#endif
