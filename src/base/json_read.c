#include "base/json_read.h"

#include <math.h>

#include "base/json_text.h"
#include "base/mem.h"

/* ---- the walk ---- */

struct walk {
  struct rl_json_read *doc;
  const char *what; /* is wrong */
  size_t at;        /* the token */
};

static size_t fault(struct walk *w, size_t at, const char *what) {
  w->what = what;
  w->at = at;
  return 0;
}

static char first_byte(const struct rl_json_read *doc, size_t i) { return doc->text[doc->at[i]]; }

/* What lies from the token's start to the next one, without the blanks behind it. */
static struct rl_bytes token(const struct rl_json_read *doc, size_t i) {
  const char *begin = doc->text + doc->at[i], *end = doc->text + doc->at[i + 1];
  while (end > begin && strchr(" \t\r\n", end[-1])) end--;
  return rl_bytes(begin, (size_t)(end - begin));
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_word(const struct rl_json_read *doc, size_t i) {
  static const char *const words[] = {"true", "false", "null", "NaN", "Infinity", "-Infinity"};
  struct rl_bytes text = token(doc, i);
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (rl_bytes_eq(text, rl_bytes_str(words[k]))) return true;
  return false;
}

static size_t scalar(struct walk *w, size_t i) {
  const char *text = w->doc->text + w->doc->at[i];
  if (*text == '"' || is_digit(text[*text == '-']) || is_word(w->doc, i)) return i + 1;
  return fault(w, i, "expected a value");
}

static size_t value(struct walk *w, size_t i, int depth);

/* One element, or a pair; i is at its start. */
static size_t element(struct walk *w, size_t i, bool object, int depth) {
  if (!object) return value(w, i, depth);
  if (first_byte(w->doc, i) != '"') return fault(w, i, "expected a key in quotes");
  if (first_byte(w->doc, i + 1) != ':') return fault(w, i + 1, "expected ':' after a key");
  return value(w, i + 2, depth);
}

/* The byte past the text is one that no step takes: no walk goes past the last token. */
static size_t container(struct walk *w, size_t open, bool object, int depth) {
  const char close = object ? '}' : ']';
  size_t i = open + 1;
  if (depth == RL_JSON_READ_DEPTH) return fault(w, open, "nested too deep");
  if (first_byte(w->doc, i) != close) {
    while ((i = element(w, i, object, depth + 1)) != 0 && first_byte(w->doc, i) == ',') i++;
    if (i == 0) return 0;
    if (first_byte(w->doc, i) != close)
      return fault(w, i, object ? "expected ',' or '}'" : "expected ',' or ']'");
  }
  w->doc->past[open] = (uint32_t)(i + 1);
  return i + 1;
}

static size_t value(struct walk *w, size_t i, int depth) { /* NOLINT(misc-no-recursion): bounded above */
  char c = first_byte(w->doc, i);
  return c == '{' || c == '[' ? container(w, i, c == '{', depth) : scalar(w, i);
}

/* ---- a document ---- */

static const char *index_fault(enum rl_index_result result) {
  switch (result) {
    case RL_INDEX_EMPTY: return "it is empty";
    case RL_INDEX_UTF8: return "it is not UTF-8";
    case RL_INDEX_UNCLOSED: return "a text in it has no end";
    case RL_INDEX_CONTROL: return "a control character stands in a text";
    case RL_INDEX_MEMORY: return "there is no memory to read it";
    default: return "it cannot be read";
  }
}

static int read_tokens(struct rl_json_read *doc, size_t len, struct rl_err *err) {
  enum rl_index_result result =
      doc->index ? rl_index_run(doc->index, (const uint8_t *)doc->text, len, &doc->at, &doc->n)
                 : RL_INDEX_MEMORY;
  return result == RL_INDEX_OK ? 0 : rl_fail(err, RL_EFAIL, "no JSON: %s", index_fault(result));
}

static int walk_all(struct rl_json_read *doc, struct rl_err *err) {
  struct walk w = {.doc = doc};
  doc->past = rl_alloc((doc->n + 1) * sizeof *doc->past);
  size_t end = value(&w, 0, 0);
  if (end != 0 && end != doc->n) fault(&w, end, "expected nothing after it");
  if (!w.what) return 0;
  return rl_fail(err, RL_EFAIL, "no JSON: %s at byte %u", w.what, (unsigned)doc->at[w.at]);
}

/* A NUL ends every buffer: no step of the walk takes it. */
int rl_json_read_open(struct rl_json_read *doc, struct rl_buf *body, struct rl_err *err) {
  *doc = (struct rl_json_read){.index = rl_index_new()};
  int code = 0;
  if (body->len >= UINT32_MAX - RL_JSON_PADDING)
    code = rl_fail(err, RL_EFAIL, "JSON of %zu bytes is too long", body->len);
  if (code == 0) {
    memset(rl_buf_reserve(body, RL_JSON_PADDING), 0, RL_JSON_PADDING);
    doc->text = body->data;
    code = read_tokens(doc, body->len, err);
  }
  if (code == 0) code = walk_all(doc, err);
  if (code != 0) rl_json_read_close(doc);
  return code;
}

void rl_json_read_close(struct rl_json_read *doc) {
  rl_index_free(doc->index);
  rl_free(doc->past);
  *doc = (struct rl_json_read){0};
}

/* ---- values ---- */

enum rl_json_read_kind rl_json_read_kind(const struct rl_json_read *doc, size_t i) {
  switch (first_byte(doc, i)) {
    case '{': return RL_READ_OBJECT;
    case '[': return RL_READ_ARRAY;
    case '"': return RL_READ_TEXT;
    case 't': return RL_READ_TRUE;
    case 'f': return RL_READ_FALSE;
    case 'n': return RL_READ_NULL;
    default: return RL_READ_NUMBER;
  }
}

static bool is_container(const struct rl_json_read *doc, size_t i) {
  return rl_json_read_kind(doc, i) <= RL_READ_ARRAY;
}

size_t rl_json_read_past(const struct rl_json_read *doc, size_t i) {
  return is_container(doc, i) ? doc->past[i] : i + 1;
}

size_t rl_json_read_first(const struct rl_json_read *doc, size_t i) {
  if (!is_container(doc, i) || doc->past[i] == i + 2) return 0;
  return first_byte(doc, i) == '{' ? i + 3 : i + 1;
}

size_t rl_json_read_next(const struct rl_json_read *doc, size_t i) {
  size_t comma = rl_json_read_past(doc, i);
  if (comma >= doc->n || first_byte(doc, comma) != ',') return 0;
  bool pair = first_byte(doc, i - 1) == ':';
  return pair ? comma + 3 : comma + 1;
}

size_t rl_json_read_leaf(const struct rl_json_read *doc, size_t i, size_t end) {
  for (; i < end; i++) {
    char c = first_byte(doc, i);
    if (c != '[' && c != ']' && c != ',') return i;
  }
  return end;
}

size_t rl_json_read_leaves(const struct rl_json_read *doc, size_t i) {
  size_t n = 0, end = rl_json_read_past(doc, i);
  for (size_t at = i; (at = rl_json_read_leaf(doc, at, end)) < end; at++) n++;
  return n;
}

size_t rl_json_read_count(const struct rl_json_read *doc, size_t i) {
  size_t n = 0;
  for (size_t at = rl_json_read_first(doc, i); at; at = rl_json_read_next(doc, at)) n++;
  return n;
}

/* Between its quotes. */
static struct rl_bytes raw_text(const struct rl_json_read *doc, size_t i) {
  struct rl_bytes text = token(doc, i);
  return rl_bytes(text.data + 1, text.len - 2);
}

bool rl_json_read_text(const struct rl_json_read *doc, size_t i, struct rl_buf *out) {
  size_t bad;
  rl_buf_clear(out);
  if (rl_json_read_kind(doc, i) != RL_READ_TEXT) return false;
  struct rl_bytes raw = raw_text(doc, i);
  ssize_t len = rl_json_unescape(raw, rl_buf_reserve(out, raw.len + 1), &bad);
  if (len < 0) return false;
  out->len = (size_t)len;
  out->data[len] = '\0';
  return true;
}

static bool is_key(const struct rl_json_read *doc, size_t i, struct rl_bytes key, struct rl_buf *scratch) {
  struct rl_bytes raw = raw_text(doc, i);
  if (!memchr(raw.data, '\\', raw.len)) return rl_bytes_eq(raw, key);
  return rl_json_read_text(doc, i, scratch) && rl_bytes_eq(rl_buf_bytes(scratch), key);
}

size_t rl_json_read_member(const struct rl_json_read *doc, size_t i, const char *key) {
  struct rl_buf scratch = RL_BUF_INIT;
  size_t found = 0;
  if (rl_json_read_kind(doc, i) != RL_READ_OBJECT) return 0;
  for (size_t at = rl_json_read_first(doc, i); at; at = rl_json_read_next(doc, at))
    if (is_key(doc, rl_json_read_key(at), rl_bytes_str(key), &scratch)) found = at;
  rl_buf_free(&scratch);
  return found;
}

/* ---- numbers ---- */

struct rl_bytes rl_json_read_number(const struct rl_json_read *doc, size_t i) {
  return rl_json_read_kind(doc, i) == RL_READ_NUMBER ? token(doc, i) : rl_bytes("", 0);
}

bool rl_json_read_int(const struct rl_json_read *doc, size_t i, int64_t *out) {
  struct rl_bytes text = rl_json_read_number(doc, i);
  return text.len > 0 && rl_int_from(text.data, text.data + text.len, out);
}

static double special(char c) { return c == 'N' ? (double)NAN : c == 'I' ? HUGE_VAL : -HUGE_VAL; }

bool rl_json_read_double(const struct rl_json_read *doc, size_t i, double *out) {
  struct rl_bytes text = rl_json_read_number(doc, i);
  if (text.len == 0) return false;
  if (!is_digit(text.data[*text.data == '-'])) return *out = special(*text.data), true;
  return rl_double_from(text.data, text.data + text.len, out) == RL_DOUBLE_OK;
}

bool rl_json_read_float(const struct rl_json_read *doc, size_t i, float *out) {
  struct rl_bytes text = rl_json_read_number(doc, i);
  double wide;
  if (text.len == 0) return false;
  if (rl_float_from(text.data, text.data + text.len, out) == RL_DOUBLE_OK && isfinite(*out)) return true;
  if (!rl_json_read_double(doc, i, &wide)) return false;
  *out = (float)wide;
  return isfinite(*out) || !isfinite(wide);
}
