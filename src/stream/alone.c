#include "stream/alone.h"

#include "base/mem.h"

struct rl_alone {
  struct rl_alone *next;
  struct rl_record record;
  struct rl_arena arena;
};

static const struct rl_header *copy_headers(struct rl_arena *arena, const struct rl_record *from) {
  struct rl_header *to = rl_arena_alloc(arena, (from->n_headers + 1) * sizeof *to);
  for (size_t i = 0; i < from->n_headers; i++) {
    to[i].name = rl_arena_strdup(arena, from->headers[i].name);
    to[i].value = rl_arena_copy(arena, from->headers[i].value);
  }
  return to;
}

struct rl_alone *rl_alone_new(const struct rl_record *record) {
  struct rl_alone *a = rl_zalloc(sizeof *a);
  rl_arena_init(&a->arena);
  a->record = *record;
  a->record.pinned = false;
  a->record.topic = rl_arena_strdup(&a->arena, record->topic);
  a->record.key = rl_arena_copy(&a->arena, record->key);
  a->record.value = rl_arena_copy(&a->arena, record->value);
  a->record.headers = copy_headers(&a->arena, record);
  return a;
}

void rl_alone_free(struct rl_alone *a) {
  rl_arena_free(&a->arena);
  rl_free(a);
}

void rl_alone_push(struct rl_alone_queue *queue, struct rl_alone *a) {
  if (queue->last)
    queue->last->next = a;
  else
    queue->first = a;
  queue->last = a;
}

struct rl_alone *rl_alone_pop(struct rl_alone_queue *queue) {
  struct rl_alone *a = queue->first;
  if (!a) return NULL;
  queue->first = a->next;
  if (!queue->first) queue->last = NULL;
  a->next = NULL;
  return a;
}

struct rl_record *rl_alone_record(struct rl_alone *a) {
  return &a->record;
}
