#include "stream/pace.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* Kafka's format, version 2: a batch's header takes 61 bytes, the varints of a record up to 26 and of a
 * header up to 10. */
enum { OF_BATCH = 61, OF_RECORD = 26, OF_HEADER = 10 };

size_t rl_pace_bytes(const struct rl_record *record) {
  size_t bytes = record->key.len + record->value.len + OF_RECORD;
  for (size_t i = 0; i < record->n_headers; i++)
    bytes += strlen(record->headers[i].name) + record->headers[i].value.len + OF_HEADER;
  return bytes;
}

bool rl_pace_room(const struct rl_pace *pace, size_t bytes) {
  if (!pace->limit || !pace->under_way) return true;
  return pace->under_way + bytes + OF_BATCH <= pace->limit;
}

struct rl_pace *rl_paces_find(const struct rl_paces *paces, const char *topic) {
  for (size_t i = 0; i < paces->n; i++)
    if (strcmp(paces->at[i]->topic, topic) == 0) return paces->at[i];
  return NULL;
}

struct rl_pace *rl_paces_add(struct rl_paces *paces, const char *topic, size_t limit) {
  RL_GROW(paces->at, paces->cap, paces->n + 1);
  struct rl_pace *pace = rl_alloc(sizeof *pace);
  *pace = (struct rl_pace){.topic = rl_strdup(topic), .limit = limit};
  paces->at[paces->n++] = pace;
  return pace;
}

void rl_paces_free(struct rl_paces *paces) {
  for (size_t i = 0; i < paces->n; i++) {
    rl_free(paces->at[i]->topic);
    rl_free(paces->at[i]);
  }
  rl_free(paces->at);
}
