#include "stream/ndjson.h"

#include <stdio.h>

#include "base/str.h"

#define MAX_DEPTH 1000

static void put_text(struct rl_buf *out, const char *name, struct rl_bytes v) {
  bool text = !v.data || rl_utf8_valid(v);
  rl_buf_printf(out, "\"%s%s\":", name, text ? "" : "_base64");
  if (!v.data) {
    rl_buf_puts(out, "null");
  } else if (text) {
    rl_put_json_string(out, v);
  } else {
    rl_buf_putc(out, '"');
    rl_put_base64(out, v);
    rl_buf_putc(out, '"');
  }
}

static void put_header(struct rl_buf *out, size_t i, const struct rl_header *h) {
  rl_buf_puts(out, i ? ",{\"name\":" : "{\"name\":");
  rl_put_json_string(out, rl_bytes_str(h->name));
  rl_buf_putc(out, ',');
  put_text(out, "value", h->value);
  rl_buf_putc(out, '}');
}

static void put_headers(struct rl_buf *out, const struct rl_msg *msg, const struct rl_header *headers,
                        size_t n) {
  struct rl_header h;
  rl_buf_puts(out, ",\"headers\":[");
  for (size_t i = 0; headers && i < n; i++) put_header(out, i, &headers[i]);
  if (!headers && msg->ops)
    for (size_t i = 0; rl_msg_header(msg, i, &h); i++) put_header(out, i, &h);
  rl_buf_puts(out, "],");
}

static bool is_one_line(struct rl_bytes text) {
  return !memchr(text.data, '\n', text.len) && !memchr(text.data, '\r', text.len);
}

static bool is_json(struct rl_bytes text, struct rl_json *json, struct rl_tape *scratch) {
  rl_tape_reset(scratch);
  return text.data && text.len && rl_json_tape(json, text, MAX_DEPTH, scratch, NULL) == 0;
}

/* A JSON string or null would be read back as the text it holds, or as no value: those stand as text. */
static bool embeds(const struct rl_cell *root) { return root->tag != RL_TEXT && root->tag != RL_NULL; }

static void put_value(struct rl_buf *out, struct rl_bytes value, enum rl_ndjson_value how,
                      struct rl_json *json, struct rl_tape *scratch) {
  if (how == RL_NDJSON_EMBED && value.data && is_one_line(value) && is_json(value, json, scratch) &&
      embeds(&scratch->at[0])) {
    rl_buf_puts(out, "\"value\":");
    rl_buf_put(out, value.data, value.len);
  } else if (how == RL_NDJSON_EMBED || !value.data) {
    put_text(out, "value", value);
  } else {
    rl_buf_puts(out, "\"value_base64\":\"");
    rl_put_base64(out, value);
    rl_buf_putc(out, '"');
  }
}

void rl_ndjson_put(struct rl_buf *out, const struct rl_msg *msg, const struct rl_header *headers,
                   size_t n_headers, enum rl_ndjson_value how, struct rl_json *json,
                   struct rl_tape *scratch) {
  rl_buf_puts(out, "{\"topic\":");
  rl_put_json_string(out, rl_bytes_str(msg->topic));
  rl_buf_printf(out, ",\"partition\":%d,\"offset\":%lld", msg->partition, (long long)msg->offset);
  if (msg->timestamp >= 0) rl_buf_printf(out, ",\"timestamp\":%lld", (long long)msg->timestamp);
  rl_buf_putc(out, ',');
  put_text(out, "key", msg->key);
  put_headers(out, msg, headers, n_headers);
  put_value(out, msg->value, how, json, scratch);
  rl_buf_puts(out, "}\n");
}

/* The value of a key in the object at `at`; NULL if it has none. */
static const struct rl_cell *member(const struct rl_tape *tape, size_t at, const char *key) {
  size_t pairs = tape->at[at].len;
  for (at++; pairs; pairs--) {
    const struct rl_cell *name = &tape->at[at++];
    if (rl_bytes_eq(rl_bytes(name->s, name->len), rl_bytes_str(key))) return &tape->at[at];
    at = rl_tape_past(tape, at);
  }
  return NULL;
}

static bool has_value(const struct rl_tape *tape) {
  return member(tape, 0, "value") || member(tape, 0, "value_base64");
}

static bool is_record(const struct rl_tape *tape) {
  if (!tape->n || tape->at[0].tag != RL_OBJECT) return false;
  const struct rl_cell *topic = member(tape, 0, "topic"), *partition = member(tape, 0, "partition"),
                       *offset = member(tape, 0, "offset");
  return topic && topic->tag == RL_TEXT && partition && partition->tag == RL_INT && offset &&
         offset->tag == RL_INT && has_value(tape);
}

bool rl_ndjson_plain(struct rl_bytes text, struct rl_json *json, struct rl_tape *scratch) {
  return text.data && is_one_line(text) && is_json(text, json, scratch) && !is_record(scratch);
}

static int get_base64(struct rl_arena *arena, const struct rl_cell *c, struct rl_bytes *out,
                      struct rl_err *err) {
  struct rl_buf buf = RL_BUF_INIT;
  bool ok = c->tag == RL_TEXT && rl_get_base64(&buf, rl_bytes(c->s, c->len));
  if (ok) *out = rl_arena_copy(arena, rl_buf_bytes(&buf));
  rl_buf_free(&buf);
  return ok ? 0 : rl_fail(err, RL_EHANDLER, "a ..._base64 member is not base64 text");
}

/* A name, with its NUL. */
static const char *get_name(struct rl_arena *arena, const struct rl_cell *c) {
  char *name = rl_arena_alloc(arena, (size_t)c->len + 1);
  memcpy(name, c->s, c->len);
  name[c->len] = '\0';
  return name;
}

/* NAME, or NAME_base64, of the object at `at`; null when it is null or not there. */
static int get_text(const struct rl_tape *tape, size_t at, struct rl_arena *arena, const char *name,
                    struct rl_bytes *out, struct rl_err *err) {
  char base64[32];
  snprintf(base64, sizeof base64, "%s_base64", name);
  const struct rl_cell *c = member(tape, at, base64);
  if (c) return get_base64(arena, c, out, err);
  c = member(tape, at, name);
  *out = rl_bytes(NULL, 0);
  if (c && c->tag == RL_TEXT) *out = rl_arena_copy(arena, rl_bytes(c->s, c->len));
  return 0;
}

static void put_cells(struct rl_buf *out, const struct rl_tape *tape, size_t *at);

static void put_scalar(struct rl_buf *out, const struct rl_cell *c) {
  switch (c->tag) {
    case RL_BOOL: rl_buf_puts(out, c->i ? "true" : "false"); break;
    case RL_INT: rl_buf_printf(out, "%lld", (long long)c->i); break;
    case RL_DOUBLE: rl_put_double(out, c->d); break;
    case RL_BIG: rl_buf_put(out, c->s, c->len); break;
    case RL_TEXT: rl_put_json_string(out, rl_bytes(c->s, c->len)); break;
    default: rl_buf_puts(out, "null");
  }
}

static void put_items(struct rl_buf *out, const struct rl_tape *tape, size_t *at, bool object, size_t n) {
  rl_buf_putc(out, object ? '{' : '[');
  for (size_t i = 0; i < n; i++) {
    if (i) rl_buf_putc(out, ',');
    if (object) put_scalar(out, &tape->at[(*at)++]);
    if (object) rl_buf_putc(out, ':');
    put_cells(out, tape, at);
  }
  rl_buf_putc(out, object ? '}' : ']');
}

static void put_cells(struct rl_buf *out, const struct rl_tape *tape, size_t *at) {
  const struct rl_cell *c = &tape->at[(*at)++];
  if (c->tag == RL_ARRAY || c->tag == RL_OBJECT)
    put_items(out, tape, at, c->tag == RL_OBJECT, c->len);
  else
    put_scalar(out, c);
}

/* An embedded value is a JSON text again; a string is the text that it holds. */
static void get_embedded(const struct rl_tape *tape, const struct rl_cell *c, struct rl_arena *arena,
                         struct rl_bytes *out) {
  if (c->tag == RL_NULL) return;
  if (c->tag == RL_TEXT) {
    *out = rl_arena_copy(arena, rl_bytes(c->s, c->len));
    return;
  }
  struct rl_buf buf = RL_BUF_INIT;
  size_t at = (size_t)(c - tape->at);
  put_cells(&buf, tape, &at);
  *out = rl_arena_copy(arena, rl_buf_bytes(&buf));
  rl_buf_free(&buf);
}

static int get_headers(const struct rl_tape *tape, struct rl_arena *arena, struct rl_header **out, size_t *n,
                       struct rl_err *err) {
  const struct rl_cell *list = member(tape, 0, "headers");
  *n = list && list->tag == RL_ARRAY ? list->len : 0;
  *out = rl_arena_alloc(arena, (*n + 1) * sizeof **out);
  size_t at = list ? (size_t)(list - tape->at) + 1 : 0;
  for (size_t i = 0; i < *n; i++, at = rl_tape_past(tape, at)) {
    const struct rl_cell *name = tape->at[at].tag == RL_OBJECT ? member(tape, at, "name") : NULL;
    if (!name || name->tag != RL_TEXT) return rl_fail(err, RL_EHANDLER, "header %zu has no name", i + 1);
    (*out)[i].name = get_name(arena, name);
    if (get_text(tape, at, arena, "value", &(*out)[i].value, err)) return RL_EHANDLER;
  }
  return 0;
}

static int get_value(const struct rl_tape *tape, struct rl_arena *arena, struct rl_bytes *out,
                     struct rl_err *err) {
  const struct rl_cell *c = member(tape, 0, "value_base64");
  *out = rl_bytes(NULL, 0);
  if (c) return get_base64(arena, c, out, err);
  get_embedded(tape, member(tape, 0, "value"), arena, out);
  return 0;
}

static int get_content(const struct rl_tape *tape, struct rl_arena *arena, struct rl_msg *msg,
                       struct rl_header **headers, size_t *n_headers, struct rl_err *err) {
  const struct rl_cell *timestamp = member(tape, 0, "timestamp");
  msg->timestamp = timestamp && timestamp->tag == RL_INT ? timestamp->i : -1;
  msg->timestamp_type = msg->timestamp < 0 ? RL_TIMESTAMP_NONE : RL_TIMESTAMP_CREATE;
  if (get_text(tape, 0, arena, "key", &msg->key, err) || get_value(tape, arena, &msg->value, err) ||
      get_headers(tape, arena, headers, n_headers, err))
    return RL_EHANDLER;
  return 0;
}

int rl_ndjson_get(struct rl_bytes line, struct rl_json *json, struct rl_tape *scratch, struct rl_arena *arena,
                  struct rl_msg *msg, struct rl_header **headers, size_t *n_headers, struct rl_err *err) {
  rl_tape_reset(scratch);
  if (!memchr(line.data, '{', line.len) || rl_json_tape(json, line, MAX_DEPTH, scratch, NULL)) return 0;
  if (!is_record(scratch)) return 0;
  msg->topic = get_name(arena, member(scratch, 0, "topic"));
  msg->partition = (int32_t)member(scratch, 0, "partition")->i;
  msg->offset = member(scratch, 0, "offset")->i;
  return get_content(scratch, arena, msg, headers, n_headers, err) ? RL_EHANDLER : 1;
}

/* ---- lines that are to be records ---- */

static int check_member(const struct rl_tape *tape, size_t at, const char *name, uint32_t tag,
                        const char *wanted, struct rl_err *err) {
  const struct rl_cell *c = member(tape, at, name);
  if (!c || c->tag == tag || c->tag == RL_NULL) return 0;
  if (tag == RL_ARRAY && c->tag == RL_OBJECT && !c->len)
    return 0; /* an empty list, as Lua's encoders have it */
  return rl_fail(err, RL_EHANDLER, "%s is neither %s nor null", name, wanted);
}

static int check_headers(const struct rl_tape *tape, struct rl_err *err) {
  const struct rl_cell *list = member(tape, 0, "headers");
  if (!list || list->tag != RL_ARRAY) return 0;
  size_t at = (size_t)(list - tape->at) + 1;
  for (size_t i = 0; i < list->len; i++, at = rl_tape_past(tape, at))
    if (tape->at[at].tag == RL_OBJECT && check_member(tape, at, "value", RL_TEXT, "a string", err))
      return rl_err_prefix(err, "header %zu: ", i + 1);
  return 0;
}

static int check_record(const struct rl_tape *tape, struct rl_err *err) {
  static const struct {
    const char *name;
    uint32_t tag;
    const char *wanted;
  } members[] = {{"key", RL_TEXT, "a string"},
                 {"headers", RL_ARRAY, "a list"},
                 {"timestamp", RL_INT, "a whole number"},
                 {"topic", RL_TEXT, "a string"},
                 {"partition", RL_INT, "a whole number"},
                 {"offset", RL_INT, "a whole number"}};
  if (tape->at[0].tag != RL_OBJECT) return rl_fail(err, RL_EHANDLER, "JSON, but no object");
  if (!has_value(tape)) return rl_fail(err, RL_EHANDLER, "neither value nor value_base64 in it");
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    if (check_member(tape, 0, members[i].name, members[i].tag, members[i].wanted, err)) return err->code;
  return check_headers(tape, err);
}

int rl_ndjson_want(struct rl_bytes line, struct rl_json *json, struct rl_tape *scratch,
                   struct rl_arena *arena, struct rl_msg *msg, struct rl_header **headers, size_t *n_headers,
                   struct rl_err *err) {
  rl_tape_reset(scratch);
  struct rl_err why = {0};
  int rc = rl_json_tape(json, line, MAX_DEPTH, scratch, &why);
  if (!rc) rc = check_record(scratch, &why);
  if (!rc) rc = get_content(scratch, arena, msg, headers, n_headers, &why);
  if (!rc) return 0;
  return rl_fail(err, RL_EHANDLER, "%s; expected a record such as {\"key\":\"k\",\"value\":\"v\"}", why.text);
}
