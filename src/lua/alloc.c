#include "lua/alloc.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static bool grows_past_limit(const struct rl_lua_alloc *a, size_t old_size, size_t new_size) {
  if (!a->limit || new_size <= old_size) return false;
  size_t rest = a->used - old_size;
  return rest > a->limit || new_size > a->limit - rest;
}

void *rl_lua_realloc(void *alloc, void *p, size_t old_size, size_t new_size) {
  struct rl_lua_alloc *a = alloc;
  if (!p) old_size = 0; /* for a new block Lua passes what kind of object it is */
  if (new_size == 0) {
    free(p);
    a->used -= old_size;
    return NULL;
  }
  void *q = grows_past_limit(a, old_size, new_size) ? NULL : realloc(p, new_size);
  if (!q && a->refused) a->refused(a->of, p, new_size);
  if (!q) return NULL;
  a->used += new_size - old_size;
  if (a->used > a->peak) a->peak = a->used;
  return q;
}

size_t rl_lua_memory_limit(lua_State *L) {
  void *self;
  if (lua_getallocf(L, &self) != rl_lua_realloc) return SIZE_MAX;
  const struct rl_lua_alloc *a = self;
  return a->limit ? a->limit : SIZE_MAX;
}
