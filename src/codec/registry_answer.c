/* One answer of a registry: asked for, and read. */
#include "codec/registry_answer.h"

#include "base/mem.h"
#include "codec/avro_schema.h"

enum { JSON_DEPTH = 32 };

/* ---- a tape ---- */

static struct rl_bytes text_of(const struct rl_cell *cell) {
  return cell && cell->tag == RL_TEXT ? rl_bytes(cell->s, cell->len) : rl_bytes(NULL, 0);
}

static const struct rl_cell *member(const struct rl_tape *tape, size_t i, const char *name) {
  size_t at = rl_tape_member(tape, i, name);
  return at ? &tape->at[at] : NULL;
}

/* ---- a request ---- */

bool rl_registry_is_verdict(int status) {
  static const int weather[] = {401, 403, 407, 408, 425, 429};
  for (size_t i = 0; i < sizeof weather / sizeof *weather; i++)
    if (status == weather[i]) return false;
  return status >= 400 && status < 500;
}

int rl_registry_request(struct rl_http *http, const char *base, const char *path, struct rl_http_call *call,
                        struct rl_err *err) {
  static const char *const headers[] = {"Accept: application/vnd.schemaregistry.v1+json, application/json"};
  struct rl_buf url = RL_BUF_INIT;
  rl_http_put_url(&url, base, path);
  *call = (struct rl_http_call){.method = "GET", .url = url.data, .headers = headers, .n_headers = 1};
  int code = rl_http_run(http, call, 1, NULL, NULL, err);
  rl_buf_free(&url);
  call->url = NULL;
  return code;
}

static int no_registry(struct rl_registry_line *line, const char *path, const char *why) {
  return rl_fail(line->err, RL_ETRANSIENT, "GET %s%s: this is no schema registry's answer: %s", line->url,
                 path, why);
}

static int read_tape(struct rl_registry_line *line, const char *path, const struct rl_buf *body) {
  struct rl_err why = {0};
  if (rl_json_tape(line->json, rl_buf_bytes(body), JSON_DEPTH, &line->tape, &why) != 0)
    return no_registry(line, path, why.text);
  if (line->tape.at[0].tag != RL_OBJECT) return no_registry(line, path, "it is JSON, but no object");
  line->proven = true;
  return 0;
}

/* Registries say 40401 to 40403: the subject, version or schema is not there. */
static bool says_not_found(struct rl_registry_line *line, const struct rl_buf *body) {
  if (rl_json_tape(line->json, rl_buf_bytes(body), JSON_DEPTH, &line->tape, NULL) != 0) return false;
  const struct rl_cell *code = member(&line->tape, 0, "error_code");
  return code && code->tag == RL_INT && code->i >= 40401 && code->i <= 40499;
}

static int failed(struct rl_registry_line *line, const struct rl_http_call *call, const struct rl_err *why) {
  if (!rl_registry_is_verdict(call->status)) return rl_fail(line->err, RL_ETRANSIENT, "%s", why->text);
  if (call->status != 404) return rl_fail(line->err, RL_EHANDLER, "the registry refuses: %s", why->text);
  if (line->proven || says_not_found(line, &call->answer))
    return rl_fail(line->err, RL_EHANDLER, "the registry has none: %s", why->text);
  return rl_fail(line->err, RL_ETRANSIENT, "%s; is the path of the registry's URL right?", why->text);
}

/* ---- an answer ---- */

static int read_kind(struct rl_registry_line *line, struct rl_registry_answer *out) {
  static const struct {
    const char *name;
    enum rl_schema_kind kind;
  } kinds[] = {{"AVRO", RL_SCHEMA_AVRO}, {"JSON", RL_SCHEMA_JSON}, {"PROTOBUF", RL_SCHEMA_PROTOBUF}};
  const struct rl_cell *cell = member(&line->tape, 0, "schemaType");
  struct rl_bytes name = text_of(cell);
  out->kind = RL_SCHEMA_AVRO;
  if (!cell || cell->tag == RL_NULL) return 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (!rl_bytes_eq(name, rl_bytes_str(kinds[i].name))) continue;
    out->kind = kinds[i].kind;
    return 0;
  }
  return rl_fail(line->err, RL_EHANDLER, "it is of type '%.*s', which rille does not read", (int)name.len,
                 name.data ? name.data : "");
}

static bool read_ref(struct rl_registry_line *line, size_t i, struct rl_registry_ref *out) {
  const struct rl_cell *version = member(&line->tape, i, "version");
  struct rl_bytes subject = text_of(member(&line->tape, i, "subject"));
  if (!subject.data || !version || version->tag != RL_INT) return false;
  *out = (struct rl_registry_ref){rl_arena_copy(line->arena, subject), version->i};
  return true;
}

static int read_refs(struct rl_registry_line *line, const char *path, struct rl_registry_answer *out) {
  const struct rl_cell *list = member(&line->tape, 0, "references");
  out->n_refs = 0;
  if (!list || list->tag == RL_NULL || out->kind != RL_SCHEMA_AVRO) return 0;
  if (list->tag != RL_ARRAY) return no_registry(line, path, "its references are no list");
  if (list->len > RL_REGISTRY_TEXTS)
    return rl_fail(line->err, RL_EHANDLER, "it has %u references, which is over the limit of %d",
                   (unsigned)list->len, RL_REGISTRY_TEXTS);
  out->refs = rl_arena_alloc(line->arena, (list->len + 1) * sizeof *out->refs);
  size_t i = (size_t)(list - line->tape.at) + 1;
  for (; out->n_refs < list->len; out->n_refs++, i = rl_tape_past(&line->tape, i))
    if (!read_ref(line, i, &out->refs[out->n_refs]))
      return no_registry(line, path, "a reference without subject or version");
  return 0;
}

static int read_answer(struct rl_registry_line *line, const char *path, struct rl_registry_answer *out) {
  struct rl_bytes text = text_of(member(&line->tape, 0, "schema"));
  if (!text.data) return no_registry(line, path, "it has no text named schema");
  int code = read_kind(line, out);
  if (code == 0 && out->kind == RL_SCHEMA_AVRO && text.len > RL_AVRO_SCHEMA_MAX)
    code = rl_fail(line->err, RL_EHANDLER, "it is %zu bytes long, which is over the limit of %d", text.len,
                   RL_AVRO_SCHEMA_MAX);
  if (code != 0) return code;
  out->text = rl_arena_copy(line->arena, text);
  return read_refs(line, path, out);
}

int rl_registry_read_schema(struct rl_registry_line *line, const char *path, const struct rl_buf *body,
                            struct rl_registry_answer *out) {
  int code = read_tape(line, path, body);
  return code ? code : read_answer(line, path, out);
}

int rl_registry_get_schema(struct rl_registry_line *line, const char *path, struct rl_registry_answer *out) {
  struct rl_http_call call;
  struct rl_err why = {0};
  int code = rl_registry_request(line->http, line->url, path, &call, &why);
  code = code == 0 ? rl_registry_read_schema(line, path, &call.answer, out) : failed(line, &call, &why);
  rl_http_call_free(&call);
  return code;
}
