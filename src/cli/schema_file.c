/* What a file shows. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/lines.h"
#include "cli/schema.h"
#include "codec/avro_schema.h"
#include "stream/ndjson.h"

bool rl_samples_add(struct rl_samples *s, struct rl_bytes key, struct rl_bytes value) {
  if (!value.data) {
    s->nulls++;
    return s->nulls < s->wanted;
  }
  RL_GROW(s->at, s->cap, s->n + 1);
  s->at[s->n++] = (struct rl_sample){rl_arena_copy(&s->arena, key), rl_arena_copy(&s->arena, value)};
  return s->n < s->wanted && s->arena.used < RL_SAMPLES_BYTES;
}

void rl_samples_free(struct rl_samples *s) {
  rl_arena_free(&s->arena);
  rl_free(s->at);
}

/* ---- the file's bytes ---- */

/* Of a long file its beginning will do; *cut says that there is more. */
static int read_some(const char *path, struct rl_buf *out, bool *cut, struct rl_err *err) {
  enum { CHUNK = 1 << 16 };
  if (rl_lines_check(path, err)) return RL_EUSAGE;
  FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
  if (!in) return rl_fail(err, RL_EUSAGE, "cannot read %s: %s", path, strerror(errno));
  size_t n;
  while (out->len < RL_SAMPLES_BYTES && (n = fread(rl_buf_reserve(out, CHUNK), 1, CHUNK, in)) > 0)
    out->len += n;
  int failed = ferror(in) ? errno : 0;
  *cut = !feof(in);
  if (in != stdin) fclose(in);
  return failed ? rl_fail(err, RL_EFAIL, "cannot read %s: %s", path, strerror(failed)) : 0;
}

static char first_of(struct rl_bytes text) {
  size_t i = 0;
  while (i < text.len && strchr(" \t\r\n", text.data[i])) i++;
  return i < text.len ? text.data[i] : '\0';
}

static bool is_schema(struct rl_bytes text) {
  struct rl_avro_schema *schema = NULL;
  bool is = strchr("{[\"", first_of(text)) && rl_avro_schema_new(&schema, &text, 1, false, NULL) == 0;
  rl_avro_schema_free(schema);
  return is;
}

/* ---- lines of JSON ---- */

struct lines {
  struct rl_samples *samples;
  struct rl_json *json;
  struct rl_tape tape;
  struct rl_arena arena;
};

/* A message as `rille tap` prints it, or a value. */
static bool add_line(struct lines *l, struct rl_bytes line) {
  struct rl_msg msg = {.topic = ""};
  struct rl_header *headers;
  size_t n;
  rl_arena_reset(&l->arena);
  int record = rl_ndjson_get(line, l->json, &l->tape, &l->arena, &msg, &headers, &n, NULL);
  if (record == 1) return rl_samples_add(l->samples, msg.key, msg.value);
  return rl_samples_add(l->samples, rl_bytes(NULL, 0), line);
}

static void add_lines(struct lines *l, struct rl_bytes text, bool cut) {
  bool more = true;
  while (more && text.len > 0) {
    const char *end = memchr(text.data, '\n', text.len);
    if (!end && cut) return; /* half a line */
    size_t len = end ? (size_t)(end - text.data) : text.len;
    if (first_of(rl_bytes(text.data, len))) more = add_line(l, rl_bytes(text.data, len));
    len += end != NULL;
    text = rl_bytes(text.data + len, text.len - len);
  }
}

static bool is_document(struct lines *l, struct rl_bytes text) {
  struct rl_msg msg = {.topic = ""};
  struct rl_header *headers;
  size_t n;
  if (rl_json_tape(l->json, text, 0, &l->tape, NULL) != 0) return false;
  return rl_ndjson_get(text, l->json, &l->tape, &l->arena, &msg, &headers, &n, NULL) == 0;
}

static void add_json(struct rl_samples *samples, struct rl_bytes text, bool cut) {
  struct lines l = {.samples = samples, .json = rl_json_new()};
  rl_arena_init(&l.arena);
  samples->whole = !cut && is_document(&l, text);
  if (samples->whole)
    rl_samples_add(samples, rl_bytes(NULL, 0), text);
  else
    add_lines(&l, text, cut);
  rl_arena_free(&l.arena);
  rl_tape_free(&l.tape);
  rl_json_free(l.json);
}

/* ---- all ---- */

/* A text that was cut ends with its last whole line. */
static struct rl_bytes whole_lines(struct rl_bytes text, bool cut) {
  while (cut && text.len > 0 && text.data[text.len - 1] != '\n') text.len--;
  return text;
}

int rl_samples_file(struct rl_samples *samples, const char *path, bool *schema, struct rl_err *err) {
  struct rl_buf data = RL_BUF_INIT;
  bool cut = false;
  int rc = read_some(path, &data, &cut, err);
  struct rl_bytes text = rl_buf_bytes(&data), none = {NULL, 0};
  bool binary = rl_avro_is_container(text) || (text.len > 0 && (*text.data == '\0' || *text.data == '\xC3'));
  *schema = !rc && !binary && is_schema(text);
  samples->whole = true;
  if (!rc && text.len > 0) {
    if (*schema || binary)
      rl_samples_add(samples, none, text);
    else if (strchr("{[", first_of(text)) && first_of(text))
      add_json(samples, text, cut);
    else
      rl_samples_add(samples, none, whole_lines(text, cut));
  }
  rl_buf_free(&data);
  return rc;
}
