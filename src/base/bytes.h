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

/* Where `part` first lies in b; NULL: nowhere. An empty part lies at the beginning. POSIX had no memmem for
 * long. */
static inline const char *rl_bytes_find(struct rl_bytes b, struct rl_bytes part) {
  if (part.len == 0) return b.data;
  if (!b.data || b.len < part.len) return NULL;
  const char *end = b.data + (b.len - part.len);
  for (const char *at = b.data; at <= end; at++) {
    at = (const char *)memchr(at, part.data[0], (size_t)(end - at) + 1);
    if (!at || memcmp(at, part.data, part.len) == 0) return at;
  }
  return NULL;
}

/* Where c last lies in b; NULL: nowhere. */
static inline const char *rl_bytes_last(struct rl_bytes b, char c) {
  for (size_t i = b.len; i > 0; i--)
    if (b.data[i - 1] == c) return b.data + i - 1;
  return NULL;
}

#endif
