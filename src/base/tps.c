#include "base/tps.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"

struct rl_tp *rl_tps_add(struct rl_tps *list, const char *topic, int32_t partition, int64_t offset) {
  RL_GROW(list->at, list->cap, list->n + 1);
  struct rl_tp *tp = &list->at[list->n++];
  *tp = (struct rl_tp){rl_strdup(topic), partition, offset, 0};
  return tp;
}

struct rl_tp *rl_tps_find(const struct rl_tps *list, const char *topic, int32_t partition) {
  for (size_t i = 0; i < list->n; i++) {
    struct rl_tp *tp = &list->at[i];
    if (tp->partition == partition && strcmp(tp->topic, topic) == 0) return tp;
  }
  return NULL;
}

void rl_tps_copy(struct rl_tps *to, const struct rl_tps *from) {
  *to = (struct rl_tps)RL_TPS_INIT;
  for (size_t i = 0; i < from->n; i++) {
    const struct rl_tp *tp = &from->at[i];
    rl_tps_add(to, tp->topic, tp->partition, tp->offset)->error = tp->error;
  }
}

void rl_tps_free(struct rl_tps *list) {
  for (size_t i = 0; i < list->n; i++) rl_free(list->at[i].topic);
  rl_free(list->at);
  *list = (struct rl_tps)RL_TPS_INIT;
}

void rl_tps_put(struct rl_buf *out, const struct rl_tps *list) {
  for (size_t i = 0; i < list->n; i++) {
    const struct rl_tp *tp = &list->at[i];
    rl_buf_printf(out, "%s%s[%" PRId32 "]", i ? ", " : "", tp->topic, tp->partition);
  }
}
