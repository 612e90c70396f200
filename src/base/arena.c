#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>

#include "base/mem.h"

/* Under ASan what is not handed out is poisoned, so that a use after a reset is found like one after free. */
#if defined(__has_include)
#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#endif
#endif
#ifndef ASAN_POISON_MEMORY_REGION
#define ASAN_POISON_MEMORY_REGION(at, len) ((void)(at), (void)(len))
#define ASAN_UNPOISON_MEMORY_REGION(at, len) ((void)(at), (void)(len))
#endif

enum { ALIGN = 16, FIRST = 16 << 10, LARGEST = 1 << 20 };

struct rl_arena_block {
  struct rl_arena_block *next;
  size_t size, used; /* of data */
  alignas(ALIGN) char data[];
};

static struct rl_arena_block *block_new(size_t size) {
  struct rl_arena_block *block = rl_alloc(sizeof *block + size);
  block->next = NULL;
  block->size = size;
  block->used = 0;
  ASAN_POISON_MEMORY_REGION(block->data, size);
  return block;
}

static void *block_take(struct rl_arena_block *block, size_t size) {
  void *p = block->data + block->used;
  block->used += size;
  return p;
}

static void block_free(struct rl_arena_block *block) {
  ASAN_UNPOISON_MEMORY_REGION(block->data, block->size);
  rl_free(block);
}

void rl_arena_init(struct rl_arena *arena) {
  arena->head = NULL;
  arena->used = 0;
}

/* What would waste most of a block gets one of its own, behind the head: the head goes on being filled. */
static void *alloc_alone(struct rl_arena *arena, size_t size) {
  struct rl_arena_block *block = block_new(size);
  if (arena->head) {
    block->next = arena->head->next;
    arena->head->next = block;
  } else {
    arena->head = block;
  }
  return block_take(block, size);
}

static void *alloc_slow(struct rl_arena *arena, size_t size) {
  if (size > LARGEST / 4) return alloc_alone(arena, size);
  size_t next = arena->head && arena->head->size >= FIRST ? arena->head->size * 2 : FIRST;
  if (next > LARGEST) next = LARGEST;
  while (next < size) next *= 2;
  struct rl_arena_block *block = block_new(next);
  block->next = arena->head;
  arena->head = block;
  return block_take(block, size);
}

void *rl_arena_alloc(struct rl_arena *arena, size_t size) {
  size_t rounded = size ? (size + ALIGN - 1) & ~(size_t)(ALIGN - 1) : ALIGN;
  if (rounded < size) rounded = SIZE_MAX - sizeof(struct rl_arena_block); /* rl_alloc says what is wrong */
  struct rl_arena_block *head = arena->head;
  void *p =
      head && rounded <= head->size - head->used ? block_take(head, rounded) : alloc_slow(arena, rounded);
  ASAN_UNPOISON_MEMORY_REGION(p, size);
  arena->used += rounded;
  return p;
}

struct rl_bytes rl_arena_copy(struct rl_arena *arena, struct rl_bytes bytes) {
  if (!bytes.data) return bytes;
  char *copy = rl_arena_alloc(arena, bytes.len);
  if (bytes.len) memcpy(copy, bytes.data, bytes.len);
  return rl_bytes(copy, bytes.len);
}

char *rl_arena_strdup(struct rl_arena *arena, const char *text) {
  size_t size = strlen(text) + 1;
  return memcpy(rl_arena_alloc(arena, size), text, size);
}

/* The largest block of the usual sizes stays; one of an outsized allocation goes, so that a single big batch
 * does not hold its memory for ever. */
void rl_arena_reset(struct rl_arena *arena) {
  struct rl_arena_block *keep = NULL;
  for (struct rl_arena_block *block = arena->head, *next; block; block = next) {
    next = block->next;
    struct rl_arena_block *drop = block;
    if (block->size <= LARGEST && (!keep || block->size > keep->size)) {
      drop = keep;
      keep = block;
    }
    if (drop) block_free(drop);
  }
  if (keep) {
    keep->next = NULL;
    keep->used = 0;
    ASAN_POISON_MEMORY_REGION(keep->data, keep->size);
  }
  arena->head = keep;
  arena->used = 0;
}

void rl_arena_free(struct rl_arena *arena) {
  for (struct rl_arena_block *block = arena->head, *next; block; block = next) {
    next = block->next;
    block_free(block);
  }
  rl_arena_init(arena);
}
