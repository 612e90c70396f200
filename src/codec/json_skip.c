#include "base/mem.h"
#include "codec/json_walk.h"

/* The kinds of the containers this skip has open are bits of a stack, so that depth costs memory by the bit.
 */
static bool push(struct rl_json *json, const uint32_t *p, bool object) {
  if (!rl_json_enter(json, p)) return false;
  size_t word = json->depth / 64;
  if (word >= json->open_cap) RL_GROW(json->open, json->open_cap, word + 1);
  uint64_t bit = UINT64_C(1) << json->depth % 64;
  json->open[word] = object ? json->open[word] | bit : json->open[word] & ~bit;
  return true;
}

static bool top_is_object(const struct rl_json *json) {
  return json->open[json->depth / 64] >> json->depth % 64 & 1;
}

static inline bool is_scalar(uint8_t first) {
  return rl_json_kinds[first] != RL_JSON_BAD && rl_json_kinds[first] < RL_JSON_OBJECT;
}

/* Most of what is skipped is a run of `"key": scalar,` or `scalar,`: stepped over here at once. What stops
 * the run, sound or not, is for the walk to judge. */
static inline const uint32_t *plain_members(const struct rl_json *json, const uint32_t *p) {
  const uint8_t *text = json->text;
  while (text[p[0]] == '"' && text[p[1]] == ':' && is_scalar(text[p[2]]) && text[p[3]] == ',') p += 4;
  return p;
}

static inline const uint32_t *plain_elements(const struct rl_json *json, const uint32_t *p) {
  const uint8_t *text = json->text;
  while (is_scalar(text[p[0]]) && text[p[1]] == ',') p += 2;
  return p;
}

/* A key is skipped with the values: its escapes are checked when theirs are. */
static const uint32_t *skip_key(struct rl_json *json, const uint32_t *p) {
  const uint32_t *value = rl_json_colon(json, p);
  return value && json->strict && !rl_json_check_scalar(json, p) ? NULL : value;
}

/* To the next value that is looked at, from where a member or element must start. */
static inline const uint32_t *next_value(struct rl_json *json, const uint32_t *p, bool object) {
  if (!json->strict) p = object ? plain_members(json, p) : plain_elements(json, p);
  return object ? skip_key(json, p) : p;
}

/* Past the opening bracket at p: to the first value; or, with *ended, past the closing bracket: a value
 * ended. */
static const uint32_t *open_container(struct rl_json *json, const uint32_t *p, bool *ended) {
  bool object = json->text[*p] == '{';
  if (!push(json, p, object)) return NULL;
  p++;
  *ended = json->text[*p] == (object ? '}' : ']');
  if (*ended) return json->depth--, p + 1;
  return next_value(json, p, object);
}

/* After a value: to the next one in the same container; or, with *ended, past the closing bracket. */
static inline const uint32_t *after_value(struct rl_json *json, const uint32_t *p, bool object, bool *ended) {
  uint8_t c = json->text[*p];
  *ended = c == (object ? '}' : ']');
  if (*ended) return json->depth--, p + 1;
  if (c == ',') return next_value(json, p + 1, object);
  return rl_json_fault(json, object ? "expected ',' or '}'" : "expected ',' or ']'", *p);
}

/* Not recursive: a document's depth is bounded by max_depth, not by the C stack. */
const uint32_t *rl_json_skip_container(struct rl_json *json, const uint32_t *p) {
  size_t outside = json->depth;
  bool ended;
  p = open_container(json, p, &ended);
  while (p && json->depth > outside) {
    if (ended) {
      p = after_value(json, p, top_is_object(json), &ended);
    } else if (rl_json_kind_at(json, p) >= RL_JSON_OBJECT) {
      p = open_container(json, p, &ended);
    } else if ((p = rl_json_skip(json, p)) != NULL) {
      ended = true;
    }
  }
  return p;
}
