#include "kafka/slots.h"

#include <string.h>

#include "base/mem.h"

void rl_slots_init(struct rl_slots *s) { memset(s, 0, sizeof *s); }

void rl_slots_free(struct rl_slots *s) {
  for (size_t i = 0; i < s->n_topics; i++) rl_free(s->topics[i]);
  rl_free(s->topics);
  rl_free(s->index);
  rl_free(s->at);
  rl_slots_init(s);
}

void rl_slots_forget(struct rl_slots *s) { memset(s->cache, 0, sizeof s->cache); }

static size_t hash(const char *topic, int32_t partition) {
  uint64_t h = UINT64_C(14695981039346656037) ^ (uint32_t)partition;
  h *= UINT64_C(0x9e3779b97f4a7c15);
  for (; *topic; topic++) h = (h ^ (unsigned char)*topic) * UINT64_C(1099511628211);
  return (size_t)(h ^ h >> 29);
}

/* Where in the index (topic, partition) stands, or the free place where it would. */
static size_t place(const struct rl_slots *s, const char *topic, int32_t partition) {
  size_t mask = s->index_size - 1, at = hash(topic, partition) & mask;
  for (; s->index[at]; at = (at + 1) & mask) {
    const struct rl_kslot *slot = &s->at[s->index[at] - 1];
    if (slot->partition == partition && !strcmp(slot->topic, topic)) break;
  }
  return at;
}

/* Keeps the index at most half full. */
static void make_room(struct rl_slots *s) {
  if (s->index_size >= 2 * (s->n + 1)) return;
  s->index_size = s->index_size ? 2 * s->index_size : 16;
  rl_free(s->index);
  s->index = rl_zalloc(s->index_size * sizeof *s->index);
  for (size_t i = 0; i < s->n; i++) s->index[place(s, s->at[i].topic, s->at[i].partition)] = (uint32_t)i + 1;
}

static const char *intern(struct rl_slots *s, const char *topic) {
  for (size_t i = 0; i < s->n_topics; i++)
    if (!strcmp(s->topics[i], topic)) return s->topics[i];
  RL_GROW(s->topics, s->cap_topics, s->n_topics + 1);
  return s->topics[s->n_topics++] = rl_strdup(topic);
}

uint32_t rl_slots_find(struct rl_slots *s, const char *topic, int32_t partition) {
  make_room(s);
  size_t at = place(s, topic, partition);
  if (s->index[at]) return s->index[at] - 1;
  RL_GROW(s->at, s->cap, s->n + 1);
  struct rl_kslot slot = {intern(s, topic), partition, NULL};
  s->at[s->n] = slot;
  s->index[at] = (uint32_t)++s->n;
  return (uint32_t)s->n - 1;
}

uint32_t rl_slots_of(struct rl_slots *s, const rd_kafka_topic_t *topic, int32_t partition) {
  size_t at = (((uintptr_t)topic >> 6) + (uint32_t)partition) % RL_SLOT_CACHE;
  if (s->cache[at].topic != topic || s->cache[at].partition != partition) {
    s->cache[at].slot = rl_slots_find(s, rd_kafka_topic_name(topic), partition);
    s->cache[at].topic = topic;
    s->cache[at].partition = partition;
  }
  return s->cache[at].slot;
}
