/* Lists of fields as the command line writes them (fields.h). */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "base/mem.h"
#include "base/str.h"
#include "codec/fields.h"
#include "codec/json_walk.h"
#include "codec/path.h"

/* The first of `stop` outside quotes, or the end. */
static const char *find_outside_quotes(const char *at, const char *end, char stop) {
  while (at < end && *at != stop) {
    const char *past = *at == '"' ? rl_path_quoted_end(at) : NULL;
    at = past && past <= end ? past : at + 1;
  }
  return at;
}

const char *rl_fields_colon(const char *text) {
  const char *end = text + strlen(text), *colon = find_outside_quotes(text, end, ':');
  return colon < end ? colon : NULL;
}

static char *trimmed(const char *start, const char *end) {
  while (start < end && isspace((unsigned char)*start)) start++;
  while (end > start && isspace((unsigned char)end[-1])) end--;
  return rl_strndup(start, (size_t)(end - start));
}

/* An item in parts. */
struct item {
  const char *text; /* as written, for errors */
  struct rl_field_spec spec;
  bool typed;
  char *fallback; /* the default's text, NULL: none */
};

static int refuse_part(const struct item *item, const char *part, struct rl_err *err) {
  static const char *const words[] = {"required", "default", "shape", "bytes"};
  const char *nearest = rl_type_nearest(part);
  if (!nearest) nearest = rl_nearest(part, words, sizeof words / sizeof *words);
  return rl_fail(
      err, RL_EUSAGE,
      "field '%s': '%s' is no type%s%s%s; there are auto, i64, f64, f32, bool, str, bytes and any, "
      "and required, default=, shape= and bytes= (a key that holds a colon is written in quotes)",
      item->text, part, nearest ? " (did you mean " : "", nearest ? nearest : "", nearest ? "?)" : "");
}

static int refuse_twice(const struct item *item, const char *what, struct rl_err *err) {
  return rl_fail(err, RL_EUSAGE, "field '%s': %s comes twice", item->text, what);
}

/* "63x63" */
static int read_shape(struct item *item, const char *text, struct rl_err *err) {
  struct rl_shape *shape = &item->spec.shape;
  if (shape->n) return refuse_twice(item, "a shape", err);
  for (const char *at = text;; at++) {
    char *end = NULL;
    unsigned long length = isdigit((unsigned char)*at) ? strtoul(at, &end, 10) : 0;
    if (length < 1 || length > RL_SHAPE_MAX || shape->n == RL_SHAPE_DIMS || (*end && *end != 'x')) break;
    shape->at[shape->n++] = (uint32_t)length;
    if (!*end) return 0;
    at = end;
  }
  return rl_fail(err, RL_EUSAGE, "field '%s': a shape is 1 to %d whole numbers, as in shape=63x63, not '%s'",
                 item->text, RL_SHAPE_DIMS, text);
}

static int read_order(struct item *item, const char *text, struct rl_err *err) {
  if (item->spec.order != RL_NO_ORDER) return refuse_twice(item, "bytes=", err);
  item->spec.order = strcmp(text, "little") == 0 ? RL_LITTLE
                     : strcmp(text, "big") == 0  ? RL_BIG_FIRST
                                                 : RL_NO_ORDER;
  if (item->spec.order != RL_NO_ORDER) return 0;
  return rl_fail(err, RL_EUSAGE, "field '%s': bytes= is little or big, not '%s'", item->text, text);
}

static int read_default(struct item *item, const char *start, const char *end, struct rl_err *err) {
  if (item->fallback) return refuse_twice(item, "a default", err);
  item->fallback = trimmed(start, end);
  return 0;
}

static int read_type(struct item *item, const char *word, struct rl_err *err) {
  if (rl_type_parse(word, &item->spec.type)) return refuse_part(item, word, err);
  if (item->typed) return refuse_twice(item, "a type", err);
  item->typed = true;
  return 0;
}

/* TYPE, required, default=VALUE, shape=LENGTHS or bytes=ORDER. */
static int read_part(struct item *item, const char *start, const char *end, struct rl_err *err) {
  const char *equals = find_outside_quotes(start, end, '=');
  char *word = trimmed(start, equals), *value = equals < end ? trimmed(equals + 1, end) : NULL;
  int code;
  if (value && strcmp(word, "default") == 0)
    code = read_default(item, equals + 1, end, err);
  else if (value && strcmp(word, "shape") == 0)
    code = read_shape(item, value, err);
  else if (value && strcmp(word, "bytes") == 0)
    code = read_order(item, value, err);
  else if (value)
    code = refuse_part(item, word, err);
  else if (strcmp(word, "required") == 0)
    code = (item->spec.required = true, 0);
  else
    code = read_type(item, word, err);
  rl_free(word);
  rl_free(value);
  return code;
}

/* ---- defaults ---- */

/* In place; a backslash is what it is in paths. */
static struct rl_cell quoted_text(char *text) {
  size_t len = rl_path_unquote(text, text);
  text[len] = '\0';
  bool valid = rl_utf8_valid(rl_bytes(text, len));
  return (struct rl_cell){.tag = valid ? RL_TEXT : RL_BLOB, .len = (uint32_t)len, .s = text};
}

static bool is_number(const char *text, struct rl_cell *cell) {
  char padded[64 + 8] = {0};
  size_t len = strlen(text);
  if (len == 0 || len > sizeof padded - 8) return false;
  memcpy(padded, text, len + 1);
  if (rl_json_number(padded, cell) != len) return false;
  if (cell->tag == RL_BIG) cell->s = text;
  return true;
}

/* What no quotes say to be a text is what it looks like, but where a text is declared. */
static struct rl_cell bare_value(const char *text, enum rl_type type) {
  struct rl_cell cell;
  bool wants_text = type == RL_STR || type == RL_BYTES, is_true = strcmp(text, "true") == 0;
  if (strcmp(text, "{}") == 0) return (struct rl_cell){.tag = RL_LIST};
  if (!wants_text && (is_true || strcmp(text, "false") == 0))
    return (struct rl_cell){.tag = RL_BOOL, .i = is_true};
  if (!wants_text && is_number(text, &cell)) return cell;
  if ((type == RL_F64 || type == RL_F32) && strcasecmp(text, "nan") == 0)
    return (struct rl_cell){.tag = RL_DOUBLE, .d = (double)NAN};
  return (struct rl_cell){.tag = RL_TEXT, .len = (uint32_t)strlen(text), .s = text};
}

/* Texts are borrowed from the item's. */
static int make_default(struct item *item, struct rl_err *err) {
  struct rl_field_spec *spec = &item->spec;
  if (!item->fallback) return 0;
  const char *end = *item->fallback == '"' ? rl_path_quoted_end(item->fallback) : NULL;
  if (*item->fallback == '"' && (!end || *end))
    return rl_fail(err, RL_EUSAGE, "field '%s': the default's text has no end, or something behind it",
                   item->text);
  spec->has_default = true;
  spec->fallback = end ? quoted_text(item->fallback) : bare_value(item->fallback, spec->type);
  return 0;
}

/* ---- items ---- */

static int read_parts(struct item *item, const char *colon, const char *end, struct rl_err *err) {
  int code = 0;
  while (code == 0 && colon < end) {
    const char *next = find_outside_quotes(colon + 1, end, ':');
    code = read_part(item, colon + 1, next, err);
    colon = next;
  }
  return code == 0 ? make_default(item, err) : code;
}

/* [NAME=]PATH[:PART]…; a name stands before all colons. */
static int parse_item(struct rl_fields *fields, const char *start, const char *end, struct rl_err *err) {
  const char *colon = find_outside_quotes(start, end, ':');
  const char *equals = find_outside_quotes(start, colon, '=');
  bool named = equals < colon;
  char *text = trimmed(start, end);
  char *name = named ? trimmed(start, equals) : NULL;
  char *path = trimmed(named ? equals + 1 : start, colon);
  struct item item = {.text = text};
  int code = *text ? read_parts(&item, colon, end, err)
                   : rl_fail(err, RL_EUSAGE, "an empty field between commas in the list of fields");
  if (code == 0) code = rl_fields_add_spec(fields, name, path, &item.spec, err);
  rl_free(text);
  rl_free(name);
  rl_free(path);
  rl_free(item.fallback);
  return code;
}

int rl_fields_parse(struct rl_fields *fields, const char *list, struct rl_err *err) {
  const char *end = list + strlen(list);
  for (const char *at = list;; at++) {
    const char *comma = find_outside_quotes(at, end, ',');
    int code = parse_item(fields, at, comma, err);
    if (code != 0) return code;
    at = comma;
    if (at == end) return 0;
  }
}
