/* An arena: many small allocations with one life (a batch's texts, an outbox's copies). Reset keeps the
 * first block, so a lane in steady state allocates nothing. Not thread-safe: one owner at a time. */
#ifndef RL_BASE_ARENA_H
#define RL_BASE_ARENA_H

#include "base/bytes.h"

struct rl_arena_block;
struct rl_arena {
  struct rl_arena_block *head; /* the block being filled */
  size_t used;                 /* bytes handed out since the last reset */
};

void rl_arena_init(struct rl_arena *arena);
void *rl_arena_alloc(struct rl_arena *arena, size_t size); /* aligned to 16; never NULL */
struct rl_bytes rl_arena_copy(struct rl_arena *arena,
                              struct rl_bytes bytes); /* null stays null, empty empty */
char *rl_arena_strdup(struct rl_arena *arena, const char *text);
void rl_arena_reset(struct rl_arena *arena);
void rl_arena_free(struct rl_arena *arena);

#endif
