#include "codec/json_walk.h"

const uint8_t rl_json_kinds[256] = {
    ['"'] = RL_JSON_STRING, ['-'] = RL_JSON_NUMBER, ['0'] = RL_JSON_NUMBER, ['1'] = RL_JSON_NUMBER,
    ['2'] = RL_JSON_NUMBER, ['3'] = RL_JSON_NUMBER, ['4'] = RL_JSON_NUMBER, ['5'] = RL_JSON_NUMBER,
    ['6'] = RL_JSON_NUMBER, ['7'] = RL_JSON_NUMBER, ['8'] = RL_JSON_NUMBER, ['9'] = RL_JSON_NUMBER,
    ['t'] = RL_JSON_TRUE,   ['f'] = RL_JSON_FALSE,  ['n'] = RL_JSON_NULL,   ['{'] = RL_JSON_OBJECT,
    ['['] = RL_JSON_ARRAY,
};

static bool fault(struct rl_json *json, const char *what, size_t at) {
  rl_json_fault(json, what, at);
  return false;
}

/* A token ends at the next one or at a blank; what is stuck to it belongs to it ("truex", "1.2.3"). */
static bool ends_at(const struct rl_json *json, const uint32_t *p, size_t end) {
  uint8_t c = json->text[end];
  return end == p[1] || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool word(struct rl_json *json, const uint32_t *p, const char *text, struct rl_cell value,
                 struct rl_cell *cell) {
  size_t len = strlen(text);
  *cell = value;
  if (memcmp(json->text + *p, text, len) == 0 && ends_at(json, p, *p + len)) return true;
  return fault(json, "expected a value (a word that is none of true, false and null)", *p);
}

static bool number(struct rl_json *json, const uint32_t *p, struct rl_cell *cell) {
  const char *text = (const char *)json->text + *p;
  size_t len = rl_json_number(text, cell);
  if (len == 0 || !ends_at(json, p, *p + len)) return fault(json, "malformed number", *p);
  if (cell->tag == RL_BIG) cell->s = json->origin + *p;
  return true;
}

static bool escape_fault(struct rl_json *json, struct rl_bytes raw, size_t bad) {
  size_t at = (size_t)(raw.data - (const char *)json->text);
  return fault(json, "malformed escape in a string", at + bad);
}

/* Text that is the cells' own is unescaped in place: it gets no longer. */
static bool unescape(struct rl_json *json, struct rl_bytes raw, size_t at, struct rl_arena *arena,
                     struct rl_cell *cell) {
  char *out = json->own ? json->own + at : rl_arena_alloc(arena, raw.len);
  size_t bad;
  ssize_t len = rl_json_unescape(raw, out, &bad);
  if (len < 0) return escape_fault(json, raw, bad);
  cell->len = (uint32_t)len;
  cell->s = out;
  return true;
}

static bool string(struct rl_json *json, const uint32_t *p, struct rl_arena *arena, struct rl_cell *cell) {
  struct rl_bytes raw = rl_json_raw(json, p);
  size_t at = *p + 1;
  *cell = (struct rl_cell){.tag = RL_TEXT, .len = (uint32_t)raw.len, .s = json->origin + at};
  if (!rl_json_has_escape(json, at, at + raw.len)) return true;
  return unescape(json, raw, at, arena, cell);
}

bool rl_json_scalar(struct rl_json *json, const uint32_t *p, struct rl_arena *arena, struct rl_cell *cell) {
  switch (rl_json_kind_at(json, p)) {
    case RL_JSON_STRING: return string(json, p, arena, cell);
    case RL_JSON_NUMBER: return number(json, p, cell);
    case RL_JSON_TRUE: return word(json, p, "true", (struct rl_cell){.tag = RL_BOOL, .i = 1}, cell);
    case RL_JSON_FALSE: return word(json, p, "false", (struct rl_cell){.tag = RL_BOOL, .i = 0}, cell);
    case RL_JSON_NULL: return word(json, p, "null", (struct rl_cell){.tag = RL_NULL}, cell);
    default: return fault(json, "expected a value", *p);
  }
}

bool rl_json_check_scalar(struct rl_json *json, const uint32_t *p) {
  if (rl_json_kind_at(json, p) == RL_JSON_STRING) {
    struct rl_bytes raw = rl_json_raw(json, p);
    size_t bad, at = *p + 1;
    if (!rl_json_has_escape(json, at, at + raw.len) || rl_json_check_escapes(raw, &bad)) return true;
    return escape_fault(json, raw, bad);
  }
  struct rl_cell unused;
  return rl_json_scalar(json, p, NULL, &unused);
}
