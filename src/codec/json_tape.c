#include "base/mem.h"
#include "codec/json_walk.h"

/* A document becomes a tape in one walk. Open containers are a stack of places on the tape: a container's
 * cell counts its items while they come. Keys that come twice stay both: the last one counts (json.h). */
struct taper {
  struct rl_json *json;
  struct rl_tape *tape;
  size_t *open; /* tape indexes of the open containers */
  size_t n_open, cap;
};

/* There is room: no token makes more than one cell. */
static void append(struct rl_tape *tape, struct rl_cell cell) { tape->at[tape->n++] = cell; }

static bool scalar(struct taper *t, const uint32_t *p) {
  struct rl_cell cell;
  if (!rl_json_scalar(t->json, p, NULL, &cell)) return false;
  append(t->tape, cell);
  return true;
}

static const uint32_t *key(struct taper *t, const uint32_t *p) {
  const uint32_t *value = rl_json_colon(t->json, p);
  return value && scalar(t, p) ? value : NULL;
}

static struct rl_cell *top(struct taper *t) { return &t->tape->at[t->open[t->n_open - 1]]; }

static const uint32_t *close_container(struct taper *t, const uint32_t *p) {
  t->n_open--;
  t->json->depth--;
  return p + 1;
}

/* As in a skip (json_skip.c): *ended says that a value has just ended. */
static const uint32_t *open_container(struct taper *t, const uint32_t *p, bool *ended) {
  bool object = t->json->text[*p] == '{';
  if (!rl_json_enter(t->json, p)) return NULL;
  RL_GROW(t->open, t->cap, t->n_open + 1);
  t->open[t->n_open++] = t->tape->n;
  append(t->tape, (struct rl_cell){.tag = object ? RL_OBJECT : RL_ARRAY});
  p++;
  *ended = t->json->text[*p] == (object ? '}' : ']');
  if (*ended) return close_container(t, p);
  top(t)->len++;
  return object ? key(t, p) : p;
}

static const uint32_t *after_value(struct taper *t, const uint32_t *p, bool *ended) {
  bool object = top(t)->tag == RL_OBJECT;
  uint8_t c = t->json->text[*p];
  *ended = c == (object ? '}' : ']');
  if (*ended) return close_container(t, p);
  if (c != ',') return rl_json_fault(t->json, object ? "expected ',' or '}'" : "expected ',' or ']'", *p);
  top(t)->len++;
  return object ? key(t, p + 1) : p + 1;
}

static const uint32_t *walk(struct taper *t, const uint32_t *p) {
  bool ended = false;
  do {
    if (ended) {
      p = after_value(t, p, &ended);
    } else if (rl_json_kind_at(t->json, p) >= RL_JSON_OBJECT) {
      p = open_container(t, p, &ended);
    } else {
      p = scalar(t, p) ? p + 1 : NULL;
      ended = true;
    }
  } while (p && (t->n_open > 0 || !ended));
  return p;
}

int rl_json_tape(struct rl_json *json, struct rl_bytes text, size_t max_depth, struct rl_tape *tape,
                 struct rl_err *err) {
  rl_tape_reset(tape);
  char *own = rl_arena_alloc(&tape->arena, text.len + RL_JSON_PADDING);
  if (text.len) memcpy(own, text.data, text.len);
  json->max_depth = max_depth ? max_depth : RL_JSON_DEPTH;
  int code = rl_json_load_padded(json, own, text.len, err);
  if (code != 0) return code;
  RL_GROW(tape->at, tape->cap, json->n_tokens);
  struct taper t = {.json = json, .tape = tape};
  code = rl_json_finish(json, walk(&t, json->tokens), err);
  rl_free(t.open);
  if (code != 0) rl_tape_reset(tape);
  return code;
}

void rl_tape_reset(struct rl_tape *tape) {
  tape->n = 0;
  rl_arena_reset(&tape->arena);
}

void rl_tape_free(struct rl_tape *tape) {
  rl_free(tape->at);
  rl_arena_free(&tape->arena);
  *tape = (struct rl_tape){0};
}
