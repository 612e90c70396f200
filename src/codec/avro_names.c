#include "codec/avro_names.h"

#include "base/mem.h"

void rl_avro_put_place(struct rl_buf *out, const struct rl_avro_place *place) {
  if (!place->up) return;
  rl_avro_put_place(out, place->up);
  if (!place->name.data) {
    if (place->item) rl_buf_printf(out, "[%u]", place->item);
    return;
  }
  if (out->len > 0) rl_buf_putc(out, '.');
  rl_buf_put(out, place->name.data, place->name.len);
}

static size_t hash(struct rl_bytes name) {
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < name.len; i++) h = (h ^ (unsigned char)name.data[i]) * UINT64_C(0x100000001b3);
  return (size_t)(h ^ h >> 32);
}

/* The slot that holds the name, or the free one where it belongs. */
static struct rl_avro_type **slot_of(const struct rl_avro_names *names, struct rl_bytes name) {
  size_t i = hash(name) & (names->n_slots - 1);
  while (names->slots[i] && !rl_bytes_eq(names->slots[i]->name, name)) i = (i + 1) & (names->n_slots - 1);
  return &names->slots[i];
}

struct rl_avro_type *rl_avro_names_find(const struct rl_avro_names *names, struct rl_bytes name) {
  return names->n_slots ? *slot_of(names, name) : NULL;
}

static void grow(struct rl_avro_names *names) {
  struct rl_avro_names more = {.n = names->n, .n_slots = names->n_slots ? names->n_slots * 2 : 16};
  more.slots = rl_zalloc(more.n_slots * sizeof *more.slots);
  for (size_t i = 0; i < names->n_slots; i++)
    if (names->slots[i]) *slot_of(&more, names->slots[i]->name) = names->slots[i];
  rl_free(names->slots);
  *names = more;
}

void rl_avro_names_add(struct rl_avro_names *names, struct rl_avro_type *type) {
  if (2 * names->n >= names->n_slots) grow(names);
  *slot_of(names, type->name) = type;
  names->n++;
}

void rl_avro_names_free(struct rl_avro_names *names) {
  rl_free(names->slots);
  *names = (struct rl_avro_names){0};
}

struct rl_bytes rl_avro_namespace(struct rl_bytes name) {
  const char *dot = rl_bytes_last(name, '.');
  return dot ? rl_bytes(name.data, (size_t)(dot - name.data)) : rl_bytes(NULL, 0);
}

struct rl_bytes rl_avro_short_name(struct rl_bytes name) {
  struct rl_bytes space = rl_avro_namespace(name);
  return space.data ? rl_bytes(name.data + space.len + 1, name.len - space.len - 1) : name;
}

struct rl_bytes rl_avro_full_name(struct rl_arena *arena, struct rl_bytes space, struct rl_bytes name) {
  if (space.len == 0 || memchr(name.data, '.', name.len)) return rl_arena_copy(arena, name);
  char *full = rl_arena_alloc(arena, space.len + 1 + name.len);
  memcpy(full, space.data, space.len);
  full[space.len] = '.';
  memcpy(full + space.len + 1, name.data, name.len);
  return rl_bytes(full, space.len + 1 + name.len);
}
