/* Arrays as formats give them, to the shape that is declared. */
#include <math.h>
#include <stdio.h>

#include "codec/json_walk.h"
#include "codec/shape.h"

/* An array as it is read: what it has of the declared shape is known when it has ended. Depth 1 is the
 * outermost array's; the elements are all at one depth, the leaf. */
struct shaper {
  const struct rl_field *field;
  const struct rl_coerce *in;
  struct rl_shaped *shaped;
  size_t n;                           /* elements so far; those past the shape's count are not kept */
  uint32_t depth, leaf;               /* leaf 0: no element yet */
  uint32_t seen[RL_SHAPE_DIMS + 2];   /* items so far of the array that is open at each depth */
  uint32_t length[RL_SHAPE_DIMS + 2]; /* of the first array that ended at each depth */
  bool ended[RL_SHAPE_DIMS + 2];      /* has there been one? */
  struct rl_err *err;
};

/* ---- what is wrong ---- */

static int wrong(const struct shaper *s, const char *found) {
  return rl_shape_wrong(s->field, found, s->err);
}

static int wrong_lengths(const struct shaper *s) {
  char found[96];
  snprintf(found, sizeof found, "arrays of different lengths, %u and %u, side by side", s->length[s->depth],
           s->seen[s->depth]);
  return wrong(s, found);
}

static int wrong_mix(const struct shaper *s) { return wrong(s, "numbers and arrays side by side"); }

static int wrong_shape(const struct shaper *s) {
  struct rl_shape found = {0};
  struct rl_buf text = RL_BUF_INIT;
  while (found.n < RL_SHAPE_DIMS && s->ended[found.n + 1]) {
    found.at[found.n] = s->length[found.n + 1];
    found.n++;
  }
  rl_buf_puts(&text, "shape ");
  rl_put_shape(&text, &found);
  int code = wrong(s, text.data);
  rl_buf_free(&text);
  return code;
}

static int wrong_value(const struct shaper *s, const struct rl_cell *cell) {
  struct rl_buf found = RL_BUF_INIT;
  rl_put_found(&found, cell);
  int code = wrong(s, found.data);
  rl_buf_free(&found);
  return code;
}

/* "[3][4]": where the element that came last stands. */
static int at_element(const struct shaper *s, int code) {
  struct rl_buf place = RL_BUF_INIT;
  for (uint32_t d = 1; d <= s->depth; d++) rl_buf_printf(&place, "[%u]", s->seen[d] - 1);
  if (s->err) rl_err_prefix(s->err, "%s of ", place.data);
  rl_buf_free(&place);
  return code;
}

/* ---- elements ---- */

static int fill_null(const struct shaper *s, struct rl_cell *cell) {
  const struct rl_field *field = s->field;
  if (field->has_default)
    *cell = field->fallback;
  else if (field->type == RL_F32 || field->type == RL_F64)
    *cell = (struct rl_cell){.tag = RL_DOUBLE, .d = (double)NAN};
  else
    return at_element(s, wrong_value(s, cell));
  return 0;
}

static int element(struct shaper *s, struct rl_cell cell) {
  s->seen[s->depth]++;
  if (!s->leaf) s->leaf = s->depth;
  if (s->leaf != s->depth || s->ended[s->depth + 1]) return wrong_mix(s);
  if (s->n++ >= s->field->shape.count) return 0;
  int code = cell.tag <= RL_NULL ? fill_null(s, &cell) : rl_coerce_scalar(s->field, &cell, s->err);
  if (code != 0) return cell.tag <= RL_NULL ? code : at_element(s, code);
  rl_shape_store(s->shaped, s->n - 1, &cell);
  return 0;
}

static int open_array(struct shaper *s) {
  if (s->depth > 0) s->seen[s->depth]++;
  if (s->leaf && s->depth >= s->leaf) return wrong_mix(s);
  if (s->depth == RL_SHAPE_DIMS) return wrong(s, "arrays nested deeper");
  s->seen[++s->depth] = 0;
  return 0;
}

static int close_array(struct shaper *s) {
  uint32_t d = s->depth;
  if (s->ended[d] && s->length[d] != s->seen[d]) return wrong_lengths(s);
  s->ended[d] = true;
  s->length[d] = s->seen[d];
  s->depth--;
  return 0;
}

static bool fits(const struct shaper *s) {
  const struct rl_shape *shape = &s->field->shape;
  bool flat = !s->ended[2] && s->length[1] == shape->count, nested = true;
  for (uint32_t d = 1; d <= shape->n; d++) nested = nested && s->ended[d] && s->length[d] == shape->at[d - 1];
  return (nested && s->leaf == shape->n) || (flat && s->leaf == 1);
}

/* ---- sources ---- */

/* A text whose structure is sound; its scalars may be malformed. The copy has the bytes past its end that
 * rl_json_number wants. */
struct text {
  const char *start, *at;
  const char *origin; /* what start is a copy of */
};

static int malformed(const struct shaper *s, const struct text *t) {
  const char *value = s->in->value.data, *at = t->origin + (t->at - t->start);
  if (!value || at < value || at >= value + s->in->value.len)
    return rl_fail(s->err, RL_EHANDLER, "field '%s' (%s): malformed value in the array", s->field->name,
                   s->field->path);
  return rl_fail(s->err, RL_EHANDLER, "field '%s' (%s): malformed value in the array at byte %zu",
                 s->field->name, s->field->path, (size_t)(at - value));
}

static bool word(struct text *t, const char *word, struct rl_cell value, struct rl_cell *cell) {
  size_t len = strlen(word);
  if (strncmp(t->at, word, len) != 0) return false;
  t->at += len;
  *cell = value;
  return true;
}

static bool number(struct text *t, struct rl_cell *cell) {
  size_t len = rl_json_number(t->at, cell);
  t->at += len;
  return len > 0;
}

static bool scalar(struct text *t, struct rl_cell *cell) {
  switch (*t->at) {
    case 't': return word(t, "true", (struct rl_cell){.tag = RL_BOOL, .i = 1}, cell);
    case 'f': return word(t, "false", (struct rl_cell){.tag = RL_BOOL, .i = 0}, cell);
    case 'n': return word(t, "null", (struct rl_cell){.tag = RL_NULL}, cell);
    default: return number(t, cell);
  }
}

static bool ends_scalar(char c) {
  return c == ',' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Texts and objects are no elements, whatever is in them. */
static int text_element(struct shaper *s, struct text *t) {
  struct rl_cell cell = {.tag = RL_JSON, .len = 1, .s = "{"};
  if (*t->at == '"') return s->seen[s->depth]++, at_element(s, wrong(s, "a text"));
  if (*t->at == '{') return s->seen[s->depth]++, at_element(s, wrong_value(s, &cell));
  const char *start = t->at;
  if (scalar(t, &cell) && ends_scalar(*t->at)) return element(s, cell);
  t->at = start;
  return malformed(s, t);
}

static int read_text(struct shaper *s, struct text *t) {
  uint32_t outside = s->depth;
  int code = 0;
  do {
    switch (*t->at) {
      case '[': code = open_array(s), t->at++; break;
      case ']': code = close_array(s), t->at++; break;
      case ',':
      case ' ':
      case '\n':
      case '\r':
      case '\t': t->at++; break;
      default: code = text_element(s, t);
    }
  } while (code == 0 && s->depth > outside);
  return code;
}

static int read_json(struct shaper *s, const struct rl_cell *cell) {
  struct rl_buf *copy = s->in->scratch;
  rl_buf_clear(copy);
  char *start = rl_buf_reserve(copy, cell->len + 8);
  memcpy(start, cell->s, cell->len);
  memset(start + cell->len, 0, 8);
  struct text t = {start, start, cell->s};
  return *start == '[' ? read_text(s, &t) : wrong_value(s, cell);
}

/* Containers end where their items are used up. */
static int close_finished(struct shaper *s, const uint32_t *left, uint32_t outside) {
  int code = 0;
  while (code == 0 && s->depth > outside && left[s->depth] == 0) code = close_array(s);
  return code;
}

static int read_tree(struct shaper *s, const struct rl_cell *tree) {
  uint32_t left[RL_SHAPE_DIMS + 1] = {0}, outside = s->depth;
  int code = 0;
  for (uint32_t i = 0; code == 0 && i < tree->len; i++) {
    const struct rl_cell *cell = &tree->tree[i];
    if (s->depth > outside) left[s->depth]--;
    if (cell->tag == RL_OBJECT) return wrong(s, "an object");
    code = cell->tag == RL_ARRAY ? open_array(s) : element(s, *cell);
    if (code == 0 && cell->tag == RL_ARRAY) left[s->depth] = cell->len;
    if (code == 0) code = close_finished(s, left, outside);
  }
  return code;
}

static int read_cell(struct shaper *s, const struct rl_cell *cell);

static int read_list(struct shaper *s, const struct rl_cell *list) {
  int code = open_array(s);
  for (uint32_t i = 0; code == 0 && i < list->len; i++) code = read_cell(s, &list->list[i]);
  return code == 0 ? close_array(s) : code;
}

static int read_cell(struct shaper *s, const struct rl_cell *cell) {
  switch (cell->tag) {
    case RL_JSON: return read_json(s, cell);
    case RL_TREE: return read_tree(s, cell);
    case RL_LIST: return read_list(s, cell);
    default: return s->depth > 0 ? element(s, *cell) : wrong_value(s, cell);
  }
}

int rl_shape_read(const struct rl_field *field, struct rl_shaped *shaped, const struct rl_cell *cell,
                  const struct rl_coerce *in, struct rl_err *err) {
  struct shaper s = {.field = field, .in = in, .shaped = shaped, .err = err};
  int code = read_cell(&s, cell);
  return code == 0 && !fits(&s) ? wrong_shape(&s) : code;
}
