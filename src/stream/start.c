#include "stream/start.h"

#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/str.h"

static bool find_word(const char *text, enum rl_start_kind *kind) {
  static const struct {
    const char *word;
    enum rl_start_kind kind;
  } words[] = {
      {"beginning", RL_START_BEGINNING}, {"earliest", RL_START_BEGINNING}, {"end", RL_START_END},
      {"latest", RL_START_END},          {"stored", RL_START_STORED},
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcasecmp(text, words[i].word) != 0) continue;
    *kind = words[i].kind;
    return true;
  }
  return false;
}

static bool is_time(const char *text, int64_t *ms) {
  if ((text[0] == 's' || text[0] == 'e') && text[1] == '@') return rl_parse_i64(text + 2, ms) && *ms >= 0;
  return rl_parse_time(text, ms);
}

bool rl_start_parse(const char *text, struct rl_start *out) {
  int64_t value = 0;
  *out = (struct rl_start){.value = 0};
  if (find_word(text, &out->kind)) return true;
  if (rl_parse_i64(text, &value)) {
    if (value == INT64_MIN || (value == 0 && *text == '-')) return false;
    out->kind = value < 0 ? RL_START_BEFORE : RL_START_OFFSET;
    out->value = value < 0 ? -value : value;
    return true;
  }
  if (!is_time(text, &value)) return false;
  *out = (struct rl_start){.kind = RL_START_TIME, .value = value};
  return true;
}

/* The number that text begins with; moves past it. */
static bool take_partition(const char **text, int32_t *number) {
  int64_t value = 0;
  const char *p = *text;
  for (; *p >= '0' && *p <= '9' && value <= INT32_MAX; p++) value = value * 10 + (*p - '0');
  bool good = p > *text && value <= INT32_MAX;
  *text = p;
  *number = good ? (int32_t)value : 0;
  return good;
}

bool rl_range_parse(const char *text, struct rl_range *out) {
  *out = (struct rl_range){.topic = NULL};
  const char *colon = strrchr(text, ':');
  if (colon == text) return false;
  if (colon) {
    out->topic = text;
    out->topic_len = (size_t)(colon - text);
    text = colon + 1;
  }
  if (!take_partition(&text, &out->first)) return false;
  out->last = out->first;
  if (*text == '-' && (++text, !take_partition(&text, &out->last))) return false;
  return !*text && out->first <= out->last;
}
