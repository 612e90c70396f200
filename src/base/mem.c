#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__ /* which those above define */
#include <malloc.h>
#endif

/* No formatting here: with memory gone, only write(2) is sure to work. */
static _Noreturn void out_of_memory(void) {
  static const char line[] =
      "rille: error: out of memory; give the process more, or lower the batch limits\n";
  ssize_t written = write(STDERR_FILENO, line, sizeof line - 1);
  (void)written;
  abort();
}

void *rl_alloc(size_t size) {
  void *p = malloc(size ? size : 1);
  if (!p) out_of_memory();
  return p;
}

void *rl_zalloc(size_t size) {
  void *p = calloc(1, size ? size : 1);
  if (!p) out_of_memory();
  return p;
}

void *rl_realloc(void *p, size_t size) {
  void *q = realloc(p, size ? size : 1);
  if (!q) out_of_memory();
  return q;
}

char *rl_strdup(const char *text) { return rl_strndup(text, strlen(text)); }

char *rl_strndup(const char *text, size_t len) {
  if (len == SIZE_MAX) out_of_memory();
  char *copy = rl_alloc(len + 1);
  if (len) memcpy(copy, text, len);
  copy[len] = '\0';
  return copy;
}

void rl_free(void *p) { free(p); }

/* Larger ones than 32 MiB are rare, and the largest that glibc lets stay. */
void rl_mem_keep(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

void rl_mem_trim(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

static size_t grown(size_t cap, size_t need) {
  size_t more = cap < 8 ? 8 : cap;
  while (more < need) {
    if (more > SIZE_MAX / 2) return need;
    more *= 2;
  }
  return more;
}

void rl_grow(void **array, size_t *cap, size_t need, size_t size) {
  if (need <= *cap) return;
  size_t more = grown(*cap, need), bytes;
  if (__builtin_mul_overflow(more, size, &bytes)) out_of_memory();
  /* The caller's pointer is a `T *`, not a `void *`: copied as bytes, so that no alias rule is broken. */
  void *p;
  memcpy(&p, array, sizeof p);
  p = rl_realloc(p, bytes);
  memcpy(array, &p, sizeof p);
  *cap = more;
}
