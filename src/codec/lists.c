#include "codec/lists.h"

#include "base/mem.h"

const char rl_lists_too_many[] = "over 1048576 elements for fields with [*]";

enum { KEPT = 1 << 16 }; /* cells of the stack: what a large message took goes with it */

void rl_lists_begin(struct rl_lists *lists) {
  if (lists->cap > KEPT) {
    rl_free(lists->at);
    lists->at = NULL;
    lists->cap = 0;
  }
  lists->n = 0;
  lists->left = RL_LIST_CELLS;
}

void rl_lists_free(struct rl_lists *lists) { rl_free(lists->at); }

bool rl_lists_push(struct rl_lists *lists, struct rl_cell *row, const size_t *order, size_t n) {
  if (lists->left < n) return false;
  lists->left -= n;
  RL_GROW(lists->at, lists->cap, lists->n + n);
  for (size_t i = 0; i < n; i++) {
    lists->at[lists->n++] = row[order[i]];
    row[order[i]] = (struct rl_cell){.tag = RL_MISSING};
  }
  return true;
}

void rl_lists_end(struct rl_lists *lists, size_t base, struct rl_cell *row, const size_t *order, size_t n,
                  struct rl_arena *arena) {
  size_t len = (lists->n - base) / n;
  for (size_t i = 0; i < n; i++) {
    struct rl_cell *list = len > 0 ? rl_arena_alloc(arena, len * sizeof *list) : NULL;
    for (size_t k = 0; k < len; k++) list[k] = lists->at[base + k * n + i];
    row[order[i]] = (struct rl_cell){.tag = RL_LIST, .len = (uint32_t)len, .list = list};
  }
  lists->n = base;
}
