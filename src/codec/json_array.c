#include "codec/json_array.h"

#include "base/buf.h"
#include "base/mem.h"
#include "codec/json_walk.h"
#include "codec/path.h"

enum state { BEFORE_ELEMENT, BEHIND_ARRAY, AT_END };

struct rl_json_array {
  struct rl_json_select *select;
  struct rl_json *json; /* the select's */
  struct rl_field path; /* the keys that lead to the array */
  struct rl_buf key;    /* of a key with escapes */
  const uint32_t *at;
  enum state state;
};

/* ---- the path ---- */

static int refuse_path(const char *path, struct rl_err *err) {
  return rl_fail(err, RL_EUSAGE,
                 "rows: \"%s\" will not do: expected [*], for a document that is an array, or the keys of an "
                 "array in it: \"alerts[*]\"",
                 path);
}

static int parse_path(struct rl_json_array *a, const char *path, struct rl_err *err) {
  size_t len = strlen(path);
  if (len < 3 || strcmp(path + len - 3, "[*]") != 0) return refuse_path(path, err);
  if (len == 3) return 0;
  a->path.path = rl_strndup(path, len - 3);
  if (rl_path_parse(&a->path, NULL) != 0 || a->path.meta != RL_META_NONE) return refuse_path(path, err);
  for (size_t i = 0; i < a->path.n_steps; i++)
    if (!a->path.steps[i].key) return refuse_path(path, err);
  return 0;
}

int rl_json_array_new(struct rl_json_array **out, const char *path, struct rl_json_select *select,
                      struct rl_err *err) {
  struct rl_json_array *a = rl_zalloc(sizeof *a);
  a->select = select;
  a->state = AT_END;
  int code = parse_path(a, path, err);
  if (code == 0)
    *out = a;
  else
    rl_json_array_free(a);
  return code;
}

void rl_json_array_free(struct rl_json_array *a) {
  if (!a) return;
  for (size_t i = 0; i < a->path.n_steps; i++) rl_free(a->path.steps[i].key);
  rl_free(a->path.steps);
  rl_free(a->path.path);
  rl_buf_free(&a->key);
  rl_free(a);
}

/* ---- the way to the array, and from it to the document's end ---- */

/* A fault of the walk, or what was said already. */
static int fault(struct rl_json_array *a, struct rl_err *err) {
  a->state = AT_END;
  return rl_json_finish(a->json, NULL, err);
}

static int wrong_kind(struct rl_json_array *a, const char *wanted, const uint32_t *p, struct rl_err *err) {
  a->state = AT_END;
  const char *path = a->path.path ? a->path.path : "";
  return rl_fail(err, RL_EHANDLER, "rows = \"%s[*]\": expected %s, found %s at byte %u", path, wanted,
                 rl_json_kind_name(rl_json_kind_at(a->json, p)), *p);
}

/* 1: the key at p is this one; 0: it is not; -1: one of its escapes is none. */
static int is_key(struct rl_json_array *a, const uint32_t *p, const char *key) {
  struct rl_bytes raw = rl_json_raw(a->json, p);
  if (!rl_json_has_escape(a->json, *p + 1, *p + 1 + raw.len)) return rl_bytes_eq(raw, rl_bytes_str(key));
  size_t bad;
  rl_buf_clear(&a->key);
  char *text = rl_buf_reserve(&a->key, raw.len + 1);
  ssize_t len = rl_json_unescape(raw, text, &bad);
  if (len >= 0) return rl_bytes_eq(rl_bytes(text, (size_t)len), rl_bytes_str(key));
  rl_json_fault(a->json, "malformed escape in a key", *p + 1 + bad);
  return -1;
}

/* Over members, from the key at *p on. 1: *p is the value of that key. 0: *p is behind the object's brace.
 * -1: a fault. */
static int seek(struct rl_json_array *a, const char *key, const uint32_t **p) {
  struct rl_json *json = a->json;
  for (;; ++*p) {
    const uint32_t *value = rl_json_colon(json, *p);
    int found = value ? is_key(a, *p, key) : -1;
    if (found != 0) {
      *p = value;
      return found;
    }
    *p = rl_json_skip(json, value);
    if (!*p) return -1;
    if (json->text[**p] == '}') {
      json->depth--;
      ++*p;
      return 0;
    }
    if (json->text[**p] != ',') return rl_json_fault(json, "expected ',' or '}'", **p), -1;
  }
}

static int enter_object(struct rl_json_array *a, const char *key, const uint32_t **p, struct rl_err *err) {
  if (rl_json_kind_at(a->json, *p) != RL_JSON_OBJECT)
    return wrong_kind(a, "an object on the way there", *p, err);
  const uint32_t *start = *p;
  if (!rl_json_enter(a->json, *p)) return fault(a, err);
  int found = 0;
  if (a->json->text[(*p)[1]] != '}') {
    ++*p;
    found = seek(a, key, p);
  }
  if (found < 0) return fault(a, err);
  if (found > 0) return 0;
  a->state = AT_END;
  return rl_fail(err, RL_EHANDLER, "rows = \"%s[*]\": there is no \"%s\" in the object at byte %u",
                 a->path.path, key, *start);
}

int rl_json_array_begin(struct rl_json_array *a, struct rl_bytes payload, struct rl_err *err) {
  a->state = AT_END;
  int code = rl_json_select_load(a->select, payload, &a->json, err);
  if (code != 0) return code;
  const uint32_t *p = a->json->tokens;
  for (size_t i = 0; code == 0 && i < a->path.n_steps; i++)
    code = enter_object(a, a->path.steps[i].key, &p, err);
  if (code != 0) return code;
  if (rl_json_kind_at(a->json, p) != RL_JSON_ARRAY) return wrong_kind(a, "an array", p, err);
  if (!rl_json_enter(a->json, p)) return fault(a, err);
  bool empty = a->json->text[p[1]] == ']';
  a->at = p + 1 + empty;
  a->json->depth -= empty;
  a->state = empty ? BEHIND_ARRAY : BEFORE_ELEMENT;
  return 0;
}

/* The rest of the object whose member was the array, or led to it. A key that came again would count, and its
 * rows are none of those that were given out. */
static int leave_object(struct rl_json_array *a, const char *key, struct rl_err *err) {
  const uint8_t *text = a->json->text;
  if (text[*a->at] == '}') {
    a->json->depth--;
    a->at++;
    return 0;
  }
  if (text[*a->at] != ',') return rl_json_fault(a->json, "expected ',' or '}'", *a->at), fault(a, err);
  a->at++;
  int found = seek(a, key, &a->at);
  if (found == 0) return 0;
  if (found < 0) return fault(a, err);
  return rl_fail(err, RL_EHANDLER, "rows = \"%s[*]\": the key \"%s\" comes again at byte %u", a->path.path,
                 key, a->at[-2]); /* a->at is its value */
}

static int finish(struct rl_json_array *a, struct rl_err *err) {
  if (a->state == AT_END) return 0;
  a->state = AT_END;
  int code = 0;
  for (size_t i = a->path.n_steps; code == 0 && i > 0; i--)
    code = leave_object(a, a->path.steps[i - 1].key, err);
  return code == 0 ? rl_json_finish(a->json, a->at, err) : code;
}

/* ---- elements ---- */

/* p is behind an element. */
static int step(struct rl_json_array *a, const uint32_t *p, struct rl_err *err) {
  uint8_t c = a->json->text[*p];
  if (c != ',' && c != ']') return rl_json_fault(a->json, "expected ',' or ']'", *p), fault(a, err);
  a->at = p + 1;
  if (c == ',') return 1;
  a->json->depth--;
  a->state = BEHIND_ARRAY;
  return 1;
}

int rl_json_array_next(struct rl_json_array *a, struct rl_arena *arena, struct rl_cell *row,
                       struct rl_err *err) {
  if (a->state != BEFORE_ELEMENT) return finish(a, err);
  const uint32_t *p = a->at;
  int code = rl_json_select_value(a->select, &p, arena, row, err);
  if (code == 0) return step(a, p, err);
  a->state = AT_END;
  return code;
}

int rl_json_array_next_text(struct rl_json_array *a, struct rl_bytes *text, struct rl_err *err) {
  if (a->state != BEFORE_ELEMENT) return finish(a, err);
  uint32_t start = *a->at;
  const uint32_t *p = rl_json_skip(a->json, a->at);
  if (!p) return fault(a, err);
  *text = rl_bytes(a->json->origin + start, *p - start);
  return step(a, p, err);
}
