#include "codec/json_suggest.h"

#include "base/mem.h"
#include "base/str.h"
#include "codec/path.h"
#include "codec/path_put.h"

struct search {
  const struct rl_tape *tape;
  const struct rl_field *field;
  struct rl_buf *out;
};

static struct rl_bytes text_of(const struct rl_cell *cell) { return rl_bytes(cell->s, cell->len); }

static size_t element(const struct rl_tape *tape, size_t i, int64_t index) {
  uint32_t len = tape->at[i].len;
  if (index < 0) index += len;
  if (index < 0 || index >= (int64_t)len) return 0;
  size_t at = i + 1;
  while (index-- > 0) at = rl_tape_past(tape, at);
  return at;
}

static size_t step_into(const struct rl_tape *tape, size_t i, const struct rl_step *step) {
  if (step->key) return rl_tape_member(tape, i, step->key);
  return tape->at[i].tag == RL_ARRAY ? element(tape, i, step->index) : 0;
}

/* Follows the field's steps from step *n on as far as they go; *n is then the first that leads nowhere. */
static size_t follow(const struct search *s, size_t i, size_t *n) {
  for (; *n < s->field->n_steps; ++*n) {
    size_t next = step_into(s->tape, i, &s->field->steps[*n]);
    if (!next) break;
    i = next;
  }
  return i;
}

static bool find_below(const struct search *s, size_t i, const char *key, int depth);

static bool find_in_members(const struct search *s, size_t i, const char *key, int depth) {
  size_t at = i + 1, len = s->out->len;
  for (uint32_t n = s->tape->at[i].len; n > 0; n--) {
    struct rl_bytes name = text_of(&s->tape->at[at]);
    rl_path_put_key(s->out, name);
    bool has_nul = name.data && memchr(name.data, 0, name.len);
    if (!has_nul && find_below(s, at + 1, key, depth + 1)) return true;
    rl_path_cut(s->out, len);
    at = rl_tape_past(s->tape, at + 1);
  }
  return false;
}

/* Puts the path of the first member of that name in or below the value at i. Of an array the first element
 * stands for all: for a field with [*] under that name. */
static bool find_below(const struct search *s, size_t i, const char *key, int depth) {
  const struct rl_cell *cell = &s->tape->at[i];
  if (depth == RL_PATH_STEPS) return false;
  if (cell->tag == RL_OBJECT) {
    if (!rl_tape_member(s->tape, i, key)) return find_in_members(s, i, key, depth);
    rl_path_put_key(s->out, rl_bytes_str(key));
    return true;
  }
  if (cell->tag != RL_ARRAY || cell->len == 0) return false;
  size_t len = s->out->len;
  rl_buf_puts(s->out, s->field->n_lists ? "[*]" : "[0]");
  if (find_below(s, i + 1, key, depth + 1)) return true;
  rl_path_cut(s->out, len);
  return false;
}

static const char *nearest_key(const struct rl_tape *tape, size_t i, const char *key,
                               struct rl_arena *arena) {
  uint32_t n = tape->at[i].len;
  const char **keys = rl_arena_alloc(arena, (n + 1) * sizeof *keys);
  size_t at = i + 1;
  for (uint32_t k = 0; k < n; k++) {
    struct rl_bytes text = text_of(&tape->at[at]);
    char *copy = rl_arena_alloc(arena, text.len + 1);
    if (text.len) memcpy(copy, text.data, text.len);
    copy[text.len] = 0;
    keys[k] = copy;
    at = rl_tape_past(tape, at + 1);
  }
  return rl_nearest(key, keys, n);
}

/* The path with its first wrong step replaced by the nearest key there, if the rest then leads somewhere. */
static void put_nearest(const struct search *s, struct rl_arena *arena) {
  size_t n = 0, at = follow(s, 0, &n);
  if (n == s->field->n_steps) return;
  const char *key = s->field->steps[n].key;
  if (!key || s->tape->at[at].tag != RL_OBJECT) return;
  const char *nearest = nearest_key(s->tape, at, key, arena);
  if (!nearest) return;
  size_t rest = n + 1, value = rl_tape_member(s->tape, at, nearest);
  if (!value) return; /* a key with a NUL in it, which no path can name */
  follow(s, value, &rest);
  if (rest < s->field->n_steps) return;
  for (size_t i = 0; i < n; i++) rl_path_put_step(s->out, &s->field->steps[i]);
  rl_path_put_key(s->out, rl_bytes_str(nearest));
  for (size_t i = n + 1; i < s->field->n_steps; i++) rl_path_put_step(s->out, &s->field->steps[i]);
}

/* The path with [*] wherever it goes from an array on to a key: there it is, in the elements. */
static bool put_through_arrays(const struct search *s) {
  size_t at = 0;
  bool through = false;
  for (size_t n = 0; n < s->field->n_steps; n++) {
    const struct rl_step *step = &s->field->steps[n];
    if (step->key && s->tape->at[at].tag == RL_ARRAY && s->tape->at[at].len) {
      rl_buf_puts(s->out, "[*]");
      through = true;
      at++;
    }
    at = step_into(s->tape, at, step);
    if (!at) break;
    rl_path_put_step(s->out, step);
  }
  if (at && through) return true;
  rl_path_cut(s->out, 0);
  return false;
}

static void suggest(const struct search *s, struct rl_arena *arena) {
  if (put_through_arrays(s)) return;
  const char *last = s->field->steps[s->field->n_steps - 1].key;
  if (!last || !find_below(s, 0, last, 0)) put_nearest(s, arena);
}

void rl_json_suggest(struct rl_bytes document, size_t max_depth, const struct rl_field *field,
                     struct rl_buf *out) {
  struct rl_json *json = rl_json_new();
  struct rl_tape tape = RL_TAPE_INIT;
  struct rl_arena keys;
  rl_arena_init(&keys);
  if (rl_json_tape(json, document, max_depth, &tape, NULL) == 0) {
    struct rl_buf path = RL_BUF_INIT; /* the caller's may hold words already */
    suggest(&(struct search){&tape, field, &path}, &keys);
    rl_buf_put(out, path.data, path.len);
    rl_buf_free(&path);
  }
  rl_arena_free(&keys);
  rl_tape_free(&tape);
  rl_json_free(json);
}
