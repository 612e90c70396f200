/* An allocator that counts, and refuses past a limit (struct rl_tensor_alloc). */
#ifndef RL_TESTS_METER_H
#define RL_TESTS_METER_H

#include <stdlib.h>

struct meter {
  size_t used, limit;
};

static void *metered(void *self, void *p, size_t old_size, size_t new_size) {
  struct meter *m = self;
  if (new_size == 0) {
    free(p);
    m->used -= old_size;
    return NULL;
  }
  if (m->used + new_size > m->limit) return NULL;
  m->used += new_size;
  return malloc(new_size);
}

#endif
