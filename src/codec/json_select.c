#include "codec/json_select.h"

#include "base/mem.h"
#include "base/str.h"
#include "codec/json_program.h"
#include "codec/json_walk.h"
#include "codec/lists.h"

struct rl_json_select {
  struct rl_json *json;
  struct rl_json_program program;
  bool strict, hint_rows;
  uint64_t document; /* counts them: rl_json_node.seen */
  struct rl_buf key; /* of a key with escapes */
  struct rl_lists lists;
  /* of the document being read */
  struct rl_arena *arena;
  struct rl_cell *row;
};

struct rl_json_select *rl_json_select_new(const struct rl_fields *fields,
                                          const struct rl_json_select_opts *opts) {
  struct rl_json_select *s = rl_zalloc(sizeof *s);
  s->json = rl_json_new();
  s->json->max_depth = opts->max_depth ? opts->max_depth : RL_JSON_DEPTH;
  s->strict = opts->strict;
  s->hint_rows = opts->hint_rows;
  rl_json_program_make(&s->program, fields);
  return s;
}

void rl_json_select_free(struct rl_json_select *s) {
  if (!s) return;
  rl_json_free(s->json);
  rl_json_program_free(&s->program);
  rl_buf_free(&s->key);
  rl_lists_free(&s->lists);
  rl_free(s);
}

static const uint32_t *take(struct rl_json_select *s, struct rl_json_node *node, const uint32_t *p);

static void set(struct rl_json_select *s, size_t from, size_t to, struct rl_cell cell) {
  for (size_t i = from; i < to; i++) s->row[s->program.order[i]] = cell;
}

/* A key that is spelled with escapes; *fine is false when one of them is none. */
static struct rl_json_node *find_escaped(struct rl_json_select *s, const struct rl_json_node *node,
                                         struct rl_bytes raw, bool *fine) {
  rl_buf_clear(&s->key);
  char *out = rl_buf_reserve(&s->key, raw.len + 8);
  size_t bad;
  ssize_t len = rl_json_unescape(raw, out, &bad);
  *fine = len >= 0;
  if (!*fine) {
    size_t at = (size_t)(raw.data - (const char *)s->json->text);
    rl_json_fault(s->json, "malformed escape in a key", at + bad);
    return NULL;
  }
  return rl_json_find_key(node, out, (size_t)len, rl_json_word(out, (size_t)len));
}

/* The node for the key at p, or NULL when nobody wants it. */
static inline struct rl_json_node *find(struct rl_json_select *s, const struct rl_json_node *node,
                                        const uint32_t *p, bool *fine) {
  struct rl_bytes raw = rl_json_raw(s->json, p);
  if (rl_json_has_escape(s->json, *p + 1, *p + 1 + raw.len)) return find_escaped(s, node, raw, fine);
  return rl_json_find_key(node, raw.data, raw.len, rl_json_word(raw.data, raw.len));
}

/* p is past the brace. */
static const uint32_t *take_members(struct rl_json_select *s, struct rl_json_node *node, const uint32_t *p) {
  struct rl_json *json = s->json;
  for (;; p++) {
    const uint32_t *value = rl_json_colon(json, p);
    if (!value) return NULL;
    bool fine = true;
    struct rl_json_node *child = find(s, node, p, &fine);
    if (!fine) return NULL;
    p = child ? take(s, child, value) : rl_json_skip(json, value);
    if (!p) return NULL;
    if (json->text[*p] == '}') return p + 1;
    if (json->text[*p] != ',') return rl_json_fault(json, "expected ',' or '}'", *p);
  }
}

/* How many elements from p, which is past the bracket, to the closing one; -1: a fault. */
static int64_t count_elements(struct rl_json *json, const uint32_t *p) {
  size_t escape = json->escape;
  int64_t n = 1;
  while ((p = rl_json_skip(json, p)) != NULL && json->text[*p] == ',') {
    n++;
    p++;
  }
  json->escape = escape;
  return p ? n : -1;
}

static const size_t *order_of(const struct rl_json_select *s, const struct rl_json_node *node) {
  return s->program.order + node->first;
}

static const uint32_t *take_each(struct rl_json_select *s, struct rl_json_node *each, const uint32_t *p) {
  size_t at = *p;
  p = take(s, each, p);
  if (!p || rl_lists_push(&s->lists, s->row, order_of(s, each), each->last - each->first)) return p;
  return rl_json_fault(s->json, rl_lists_too_many, at);
}

/* Two elements of the node can be one of the array ([0] and [-1], [*]): then it is walked for each. */
static const uint32_t *take_element(struct rl_json_select *s, struct rl_json_node *node, int64_t index,
                                    int64_t n, const uint32_t *p) {
  const uint32_t *after = NULL;
  size_t escape = s->json->escape;
  for (size_t i = 0; i < node->n_elements; i++) {
    int64_t wanted = node->elements[i].index;
    if ((wanted < 0 ? wanted + n : wanted) != index) continue;
    s->json->escape = escape;
    after = take(s, node->elements[i].node, p);
    if (!after) return NULL;
  }
  if (node->each) {
    s->json->escape = escape;
    return take_each(s, node->each, p);
  }
  return after ? after : rl_json_skip(s->json, p);
}

/* p is past the bracket of an array that is not empty. */
static const uint32_t *take_elements(struct rl_json_select *s, struct rl_json_node *node, const uint32_t *p) {
  struct rl_json *json = s->json;
  int64_t n = node->from_end ? count_elements(json, p) : 0;
  if (n < 0) return NULL;
  for (int64_t index = 0;; index++, p++) {
    p = take_element(s, node, index, n, p);
    if (!p) return NULL;
    if (json->text[*p] == ']') return p + 1;
    if (json->text[*p] != ',') return rl_json_fault(json, "expected ',' or ']'", *p);
  }
}

static bool takes_elements(const struct rl_json_node *node) { return node->n_elements > 0 || node->each; }

/* Into an array; p is past its bracket. */
static const uint32_t *take_array(struct rl_json_select *s, struct rl_json_node *node, const uint32_t *p) {
  const struct rl_json_node *each = node->each;
  size_t base = s->lists.n;
  p = s->json->text[*p] == ']' ? p + 1 : take_elements(s, node, p);
  if (p && each) rl_lists_end(&s->lists, base, s->row, order_of(s, each), each->last - each->first, s->arena);
  return p;
}

/* Into a container of which something is wanted. */
static const uint32_t *descend(struct rl_json_select *s, struct rl_json_node *node, const uint32_t *p) {
  struct rl_json *json = s->json;
  bool object = json->text[*p] == '{';
  if (object ? !node->n_slots : !takes_elements(node)) return rl_json_skip_container(json, p);
  if (!rl_json_enter(json, p)) return NULL;
  if (!object)
    p = take_array(s, node, p + 1);
  else
    p = json->text[p[1]] == '}' ? p + 2 : take_members(s, node, p + 1);
  json->depth--;
  return p;
}

/* A container that is wanted itself is decoded when it is read: its scalars are checked now, so that this
 * does not fail then. Those of an array of a shape are checked as it is filled. */
static const uint32_t *take_container(struct rl_json_select *s, struct rl_json_node *node,
                                      const uint32_t *p) {
  struct rl_json *json = s->json;
  if (node->first == node->own) return descend(s, node, p);
  size_t start = *p;
  bool strict = json->strict;
  json->strict = strict || !node->shaped;
  p = descend(s, node, p);
  json->strict = strict;
  if (!p) return NULL;
  uint32_t len = (uint32_t)(p[-1] + 1 - start);
  set(s, node->first, node->own, (struct rl_cell){.tag = RL_JSON, .len = len, .s = json->origin + start});
  return p;
}

static const uint32_t *take_scalar(struct rl_json_select *s, struct rl_json_node *node, const uint32_t *p) {
  if (node->first == node->own) return rl_json_skip(s->json, p);
  struct rl_cell cell;
  if (!rl_json_scalar(s->json, p, s->arena, &cell)) return NULL;
  set(s, node->first, node->own, cell);
  return p + 1;
}

/* Of a key that comes again the last counts: what the one before gave is taken back, all of it. */
static const uint32_t *take(struct rl_json_select *s, struct rl_json_node *node, const uint32_t *p) {
  if (node->seen == s->document) set(s, node->first, node->last, (struct rl_cell){.tag = RL_MISSING});
  node->seen = s->document;
  if (rl_json_kind_at(s->json, p) >= RL_JSON_OBJECT) return take_container(s, node, p);
  return take_scalar(s, node, p);
}

const char *rl_json_kind_name(enum rl_json_kind kind) {
  switch (kind) {
    case RL_JSON_OBJECT: return "an object";
    case RL_JSON_ARRAY: return "an array";
    case RL_JSON_STRING: return "a text";
    case RL_JSON_NUMBER: return "a number";
    case RL_JSON_NULL: return "null";
    case RL_JSON_BAD: return "no value";
    default: return "a boolean";
  }
}

static int wrong_value(const struct rl_json_select *s, enum rl_json_kind kind, uint32_t at,
                       struct rl_err *err) {
  return rl_fail(err, RL_EHANDLER, "expected %s with the fields asked for, found %s at byte %u",
                 s->program.root.n_slots ? "an object" : "an array", rl_json_kind_name(kind), at);
}

/* Has a value of this kind something to select from? */
static bool is_sample(const struct rl_json_select *s, enum rl_json_kind kind) {
  const struct rl_json_node *root = &s->program.root;
  if (s->program.n_order == 0) return true;
  return kind == RL_JSON_OBJECT ? root->n_slots > 0 : kind == RL_JSON_ARRAY && takes_elements(root);
}

/* The row of the value at p; the cursor after it, or NULL. */
static const uint32_t *select_value(struct rl_json_select *s, const uint32_t *p, struct rl_arena *arena,
                                    struct rl_cell *row) {
  s->arena = arena;
  s->row = row;
  s->document++;
  rl_lists_begin(&s->lists);
  set(s, 0, s->program.n_order, (struct rl_cell){.tag = RL_MISSING});
  if (rl_json_kind_at(s->json, p) >= RL_JSON_OBJECT) return descend(s, &s->program.root, p);
  struct rl_cell unused;
  return rl_json_scalar(s->json, p, arena, &unused) ? p + 1 : NULL;
}

int rl_json_select_load(struct rl_json_select *s, struct rl_bytes payload, struct rl_json **json,
                        struct rl_err *err) {
  s->json->strict = s->strict;
  *json = s->json;
  return rl_json_load(s->json, payload, err);
}

int rl_json_select_value(struct rl_json_select *s, const uint32_t **p, struct rl_arena *arena,
                         struct rl_cell *row, struct rl_err *err) {
  const uint32_t *value = *p;
  *p = select_value(s, value, arena, row);
  if (!*p) return rl_json_finish(s->json, NULL, err);
  enum rl_json_kind kind = rl_json_kind_at(s->json, value);
  return is_sample(s, kind) ? 0 : wrong_value(s, kind, *value, err);
}

static bool has_object(const struct rl_json *json) {
  return json->n_tokens > 1 && rl_json_kind_at(json, json->tokens + 1) == RL_JSON_OBJECT;
}

/* A root that has nothing to select from is no sample (5, "x"). That is said only of sound JSON. */
int rl_json_select_row(struct rl_json_select *s, struct rl_bytes payload, struct rl_arena *arena,
                       struct rl_cell *row, struct rl_err *err) {
  struct rl_json *json;
  int code = rl_json_select_load(s, payload, &json, err);
  if (code != 0) return code;
  uint32_t at = json->tokens[0];
  enum rl_json_kind kind = rl_json_kind_at(json, json->tokens);
  bool rows = s->hint_rows && kind == RL_JSON_ARRAY && has_object(json);
  code = rl_json_finish(json, select_value(s, json->tokens, arena, row), err); /* tokens may be gone now */
  if (code != 0 || is_sample(s, kind)) return code;
  code = wrong_value(s, kind, at, err);
  return rows && err ? rl_fail(err, code, "%s (rows = \"[*]\" reads its elements)", err->text) : code;
}
