#include "codec/avro_pairs.h"

#include <stdint.h>

#include "base/mem.h"

static struct rl_avro_pair *slot_of(const struct rl_avro_pairs *pairs, const void *a, const void *b) {
  uint64_t mixed = ((uint64_t)(uintptr_t)a ^ (uint64_t)(uintptr_t)b * 31) * UINT64_C(0x9E3779B97F4A7C15);
  size_t i = (size_t)(mixed >> 32) & (pairs->n_slots - 1);
  while (pairs->slots[i].value && (pairs->slots[i].a != a || pairs->slots[i].b != b))
    i = (i + 1) & (pairs->n_slots - 1);
  return &pairs->slots[i];
}

static void grow(struct rl_avro_pairs *pairs) {
  struct rl_avro_pairs more = {.n = pairs->n, .n_slots = pairs->n_slots ? pairs->n_slots * 2 : 64};
  more.slots = rl_zalloc(more.n_slots * sizeof *more.slots);
  for (size_t i = 0; i < pairs->n_slots; i++)
    if (pairs->slots[i].value) *slot_of(&more, pairs->slots[i].a, pairs->slots[i].b) = pairs->slots[i];
  rl_free(pairs->slots);
  *pairs = more;
}

void **rl_avro_pairs_at(struct rl_avro_pairs *pairs, const void *a, const void *b) {
  if (2 * pairs->n >= pairs->n_slots) grow(pairs);
  struct rl_avro_pair *slot = slot_of(pairs, a, b);
  if (!slot->value) {
    pairs->n++;
    slot->a = a;
    slot->b = b;
  }
  return &slot->value;
}

void rl_avro_pairs_free(struct rl_avro_pairs *pairs) {
  rl_free(pairs->slots);
  *pairs = (struct rl_avro_pairs){0};
}
