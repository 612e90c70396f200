/* One schema asked for: its answer read, and the schemas it refers to before it. */
#include <stdio.h>

#include "base/log.h"
#include "base/mem.h"
#include "codec/avro_schema.h"
#include "codec/json.h"
#include "codec/registry_impl.h"

enum { JSON_DEPTH = 32 };

/* A subject's version, as references name it. */
struct ref {
  struct rl_bytes subject;
  int64_t version;
};

struct asking {
  struct rl_http *http;
  const char *url;
  bool proven; /* as in the place */
  struct rl_json *json;
  struct rl_tape tape; /* of the answer that is being read */
  struct rl_arena *arena;
  struct rl_bytes texts[RL_REGISTRY_TEXTS];
  struct ref refs[RL_REGISTRY_TEXTS]; /* whose texts they are */
  size_t n;
  struct ref path[RL_REGISTRY_DEPTH]; /* from the schema asked for down to the one being read */
  size_t depth;
  struct rl_err *err;
};

/* What was read of an answer; texts and references are in the arena. */
struct answer {
  enum rl_schema_kind kind;
  struct rl_bytes text;
  struct ref *refs;
  size_t n_refs;
};

/* ---- a tape ---- */

/* The cell after the value at i. */
static size_t past(const struct rl_tape *tape, size_t i) {
  for (size_t left = 1; left > 0; i++, left--) {
    const struct rl_cell *cell = &tape->at[i];
    if (cell->tag == RL_ARRAY) left += cell->len;
    if (cell->tag == RL_OBJECT) left += 2 * (size_t)cell->len;
  }
  return i;
}

static struct rl_bytes text_of(const struct rl_cell *cell) {
  return cell && cell->tag == RL_TEXT ? rl_bytes(cell->s, cell->len) : rl_bytes(NULL, 0);
}

/* The value of a key of the object at i; NULL: none. The last one counts. */
static const struct rl_cell *member(const struct rl_tape *tape, size_t i, const char *name) {
  const struct rl_cell *found = NULL;
  if (tape->at[i].tag != RL_OBJECT) return NULL;
  size_t at = i + 1;
  for (uint32_t n = tape->at[i].len; n > 0; n--, at = past(tape, at + 1))
    if (rl_bytes_eq(text_of(&tape->at[at]), rl_bytes_str(name))) found = &tape->at[at + 1];
  return found;
}

/* ---- a request ---- */

/* What the answer of a registry that is there says of the schema; all else is the weather. */
static bool is_verdict(int status) {
  static const int weather[] = {401, 403, 407, 408, 425, 429};
  for (size_t i = 0; i < sizeof weather / sizeof *weather; i++)
    if (status == weather[i]) return false;
  return status >= 400 && status < 500;
}

static int request(struct rl_http *http, const char *base, const char *path, struct rl_http_call *call,
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

static int no_registry(struct asking *a, const char *path, const char *why) {
  return rl_fail(a->err, RL_ETRANSIENT, "GET %s%s: this is no schema registry's answer: %s", a->url, path,
                 why);
}

static int read_tape(struct asking *a, const char *path, const struct rl_buf *body) {
  struct rl_err why = {0};
  if (rl_json_tape(a->json, rl_buf_bytes(body), JSON_DEPTH, &a->tape, &why) != 0)
    return no_registry(a, path, why.text);
  if (a->tape.at[0].tag != RL_OBJECT) return no_registry(a, path, "it is JSON, but no object");
  a->proven = true;
  return 0;
}

/* Registries say 40401 to 40403: the subject, version or schema is not there. */
static bool says_not_found(struct asking *a, const struct rl_buf *body) {
  if (rl_json_tape(a->json, rl_buf_bytes(body), JSON_DEPTH, &a->tape, NULL) != 0) return false;
  const struct rl_cell *code = member(&a->tape, 0, "error_code");
  return code && code->tag == RL_INT && code->i >= 40401 && code->i <= 40499;
}

static int failed(struct asking *a, const struct rl_http_call *call, const struct rl_err *why) {
  if (!is_verdict(call->status)) return rl_fail(a->err, RL_ETRANSIENT, "%s", why->text);
  if (call->status != 404) return rl_fail(a->err, RL_EHANDLER, "the registry refuses: %s", why->text);
  if (a->proven || says_not_found(a, &call->answer))
    return rl_fail(a->err, RL_EHANDLER, "the registry has none: %s", why->text);
  return rl_fail(a->err, RL_ETRANSIENT, "%s; is the path of the registry's URL right?", why->text);
}

static int get_tape(struct asking *a, const char *path) {
  struct rl_http_call call;
  struct rl_err why = {0};
  int code = request(a->http, a->url, path, &call, &why);
  code = code == 0 ? read_tape(a, path, &call.answer) : failed(a, &call, &why);
  rl_http_call_free(&call);
  return code;
}

/* ---- an answer ---- */

static int read_kind(struct asking *a, struct answer *out) {
  static const struct {
    const char *name;
    enum rl_schema_kind kind;
  } kinds[] = {{"AVRO", RL_SCHEMA_AVRO}, {"JSON", RL_SCHEMA_JSON}, {"PROTOBUF", RL_SCHEMA_PROTOBUF}};
  const struct rl_cell *cell = member(&a->tape, 0, "schemaType");
  struct rl_bytes name = text_of(cell);
  out->kind = RL_SCHEMA_AVRO;
  if (!cell || cell->tag == RL_NULL) return 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (!rl_bytes_eq(name, rl_bytes_str(kinds[i].name))) continue;
    out->kind = kinds[i].kind;
    return 0;
  }
  return rl_fail(a->err, RL_EHANDLER, "it is of type '%.*s', which rille does not read", (int)name.len,
                 name.data ? name.data : "");
}

static bool read_ref(struct asking *a, size_t i, struct ref *out) {
  const struct rl_cell *version = member(&a->tape, i, "version");
  struct rl_bytes subject = text_of(member(&a->tape, i, "subject"));
  if (!subject.data || !version || version->tag != RL_INT) return false;
  *out = (struct ref){rl_arena_copy(a->arena, subject), version->i};
  return true;
}

static int read_refs(struct asking *a, const char *path, struct answer *out) {
  const struct rl_cell *list = member(&a->tape, 0, "references");
  out->n_refs = 0;
  if (!list || list->tag == RL_NULL || out->kind != RL_SCHEMA_AVRO) return 0;
  if (list->tag != RL_ARRAY) return no_registry(a, path, "its references are no list");
  if (list->len > RL_REGISTRY_TEXTS)
    return rl_fail(a->err, RL_EHANDLER, "it has %u references, which is over the limit of %d",
                   (unsigned)list->len, RL_REGISTRY_TEXTS);
  out->refs = rl_arena_alloc(a->arena, (list->len + 1) * sizeof *out->refs);
  size_t i = (size_t)(list - a->tape.at) + 1;
  for (; out->n_refs < list->len; out->n_refs++, i = past(&a->tape, i))
    if (!read_ref(a, i, &out->refs[out->n_refs]))
      return no_registry(a, path, "a reference without subject or version");
  return 0;
}

static int read_answer(struct asking *a, const char *path, struct answer *out) {
  struct rl_bytes text = text_of(member(&a->tape, 0, "schema"));
  if (!text.data) return no_registry(a, path, "it has no text named schema");
  int code = read_kind(a, out);
  if (code == 0 && out->kind == RL_SCHEMA_AVRO && text.len > RL_AVRO_SCHEMA_MAX)
    code = rl_fail(a->err, RL_EHANDLER, "it is %zu bytes long, which is over the limit of %d", text.len,
                   RL_AVRO_SCHEMA_MAX);
  if (code != 0) return code;
  out->text = rl_arena_copy(a->arena, text);
  return read_refs(a, path, out);
}

static int get_schema(struct asking *a, const char *path, struct answer *out) {
  int code = get_tape(a, path);
  return code ? code : read_answer(a, path, out);
}

/* ---- references ---- */

static bool same(const struct ref *a, const struct ref *b) {
  return a->version == b->version && rl_bytes_eq(a->subject, b->subject);
}

static void put_ref(struct rl_buf *out, const struct ref *ref) {
  rl_buf_printf(out, "%.*s version %lld", (int)ref->subject.len, ref->subject.data, (long long)ref->version);
}

/* An error with the way down to the reference. */
static int refuse(struct asking *a, const struct ref *ref, const char *what) {
  struct rl_buf way = RL_BUF_INIT;
  for (size_t i = 0; i < a->depth; i++) {
    put_ref(&way, &a->path[i]);
    rl_buf_puts(&way, ", ");
  }
  put_ref(&way, ref);
  rl_fail(a->err, RL_EHANDLER, "its references %s: %s", what, rl_buf_text(&way));
  rl_buf_free(&way);
  return RL_EHANDLER;
}

static int add(struct asking *a, const struct answer *answer, const struct ref *ref) {
  if (a->n == RL_REGISTRY_TEXTS)
    return rl_fail(a->err, RL_EHANDLER, "it is made of more than %d schemas", RL_REGISTRY_TEXTS);
  a->texts[a->n] = answer->text;
  a->refs[a->n++] = *ref;
  return 0;
}

static int add_refs(struct asking *a, const struct answer *answer);

static bool is_added(const struct asking *a, const struct ref *ref) {
  for (size_t i = 0; i < a->n; i++)
    if (same(&a->refs[i], ref)) return true;
  return false;
}

static int get_ref(struct asking *a, const struct ref *ref, struct answer *out) {
  struct rl_buf path = RL_BUF_INIT;
  rl_buf_puts(&path, "/subjects/");
  rl_http_put_escaped(&path, ref->subject);
  rl_buf_printf(&path, "/versions/%lld", (long long)ref->version);
  int code = get_schema(a, path.data, out);
  if (code != 0) rl_err_prefix(a->err, "its reference to %.*s: ", (int)ref->subject.len, ref->subject.data);
  if (code == 0 && out->kind != RL_SCHEMA_AVRO) code = refuse(a, ref, "lead to what is no Avro schema");
  rl_buf_free(&path);
  return code;
}

static int add_ref(struct asking *a, const struct ref *ref) { /* NOLINT(misc-no-recursion): 16 deep at most */
  struct answer answer;
  if (is_added(a, ref)) return 0;
  for (size_t i = 0; i < a->depth; i++)
    if (same(&a->path[i], ref)) return refuse(a, ref, "go round");
  if (a->depth == RL_REGISTRY_DEPTH) return refuse(a, ref, "nest deeper than 16");
  int code = get_ref(a, ref, &answer);
  if (code != 0) return code;
  a->path[a->depth++] = *ref;
  code = add_refs(a, &answer);
  a->depth--;
  return code ? code : add(a, &answer, ref);
}

static int add_refs(struct asking *a, const struct answer *answer) { /* NOLINT(misc-no-recursion) */
  int code = 0;
  for (size_t i = 0; code == 0 && i < answer->n_refs; i++) code = add_ref(a, &answer->refs[i]);
  return code;
}

/* ---- the whole ---- */

static int ask_one(struct asking *a, uint32_t id, enum rl_schema_kind *kind) {
  char path[64];
  struct answer answer = {.kind = RL_SCHEMA_AVRO};
  snprintf(path, sizeof path, "/schemas/ids/%u", (unsigned)id);
  int code = get_schema(a, path, &answer);
  if (code == 0) code = add_refs(a, &answer);
  if (code == 0) code = add(a, &answer, &(struct ref){rl_bytes("", 0), 0});
  *kind = answer.kind;
  return code;
}

static int ask_at(struct rl_registry_place *place, size_t at, uint32_t id, struct rl_registry_schema *out,
                  struct rl_err *err) {
  struct asking *a = rl_alloc(sizeof *a);
  *a = (struct asking){.http = place->http,
                       .url = place->urls[at],
                       .proven = place->proven[at],
                       .json = rl_json_new(),
                       .arena = &out->arena,
                       .err = err};
  int code = ask_one(a, id, &out->text.kind);
  place->proven[at] = a->proven;
  if (code == 0) {
    struct rl_bytes texts = rl_arena_copy(a->arena, rl_bytes(a->texts, a->n * sizeof *a->texts));
    out->text.texts = (const struct rl_bytes *)(const void *)texts.data;
    out->text.n = a->n;
  }
  rl_json_free(a->json);
  rl_tape_free(&a->tape);
  rl_free(a);
  return code;
}

int rl_registry_ask(struct rl_registry_place *place, uint32_t id, struct rl_registry_schema *out,
                    struct rl_err *err) {
  int code = RL_ETRANSIENT;
  rl_arena_init(&out->arena);
  for (size_t i = 0; i < place->n_urls && code == RL_ETRANSIENT; i++) {
    size_t at = (place->at + i) % place->n_urls;
    rl_arena_reset(&out->arena);
    code = ask_at(place, at, id, out, err);
    if (code != RL_ETRANSIENT) place->at = at;
  }
  if (code == 0) return 0;
  rl_arena_free(&out->arena);
  return rl_err_prefix(err, "schema %u: ", (unsigned)id);
}

/* ---- at the start ---- */

/* Some registries have no list of types; they have answered all the same. */
static int judge(const struct rl_http_call *call, int code, struct rl_err *err) {
  if (code == 0 || code == RL_EUSAGE) return code;
  if (call->status == 401 || call->status == 403 || call->status == 407)
    return rl_fail(err, RL_EBROKER, "the schema registry refuses the log-in: %s", call->err.text);
  if (is_verdict(call->status)) {
    rl_log(RL_WARN, "schema registry: %s; is the path of its URL right?", call->err.text);
    return 0;
  }
  if (call->status == 0 && code == RL_EFAIL && !strncmp(call->url, "https:", 6))
    return rl_fail(err, RL_EBROKER, "the schema registry cannot be trusted: %s", call->err.text);
  return rl_fail(err, RL_ETRANSIENT, "%s", call->err.text);
}

int rl_registry_probe(struct rl_registry_place *place, struct rl_err *err) {
  int code = RL_ETRANSIENT;
  for (size_t i = 0; i < place->n_urls && code == RL_ETRANSIENT; i++) {
    struct rl_http_call call;
    code = request(place->http, place->urls[i], "/schemas/types", &call, err);
    call.url = place->urls[i];
    place->proven[i] = code == 0;
    code = judge(&call, code, err);
    rl_http_call_free(&call);
    if (code == 0) place->at = i;
  }
  return code;
}
