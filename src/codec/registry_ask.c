/* One schema asked for, and the schemas it refers to before it. */
#include <stdio.h>

#include "base/log.h"
#include "base/mem.h"
#include "codec/registry_answer.h"

struct asking {
  struct rl_registry_line line;
  struct rl_bytes texts[RL_REGISTRY_TEXTS];
  struct rl_registry_ref refs[RL_REGISTRY_TEXTS]; /* whose texts they are */
  size_t n;
  struct rl_registry_ref path[RL_REGISTRY_DEPTH]; /* from the schema asked for down to the one being read */
  size_t depth;
};

/* ---- references ---- */

static bool same(const struct rl_registry_ref *a, const struct rl_registry_ref *b) {
  return a->version == b->version && rl_bytes_eq(a->subject, b->subject);
}

static void put_ref(struct rl_buf *out, const struct rl_registry_ref *ref) {
  rl_buf_printf(out, "%.*s version %lld", (int)ref->subject.len, ref->subject.data, (long long)ref->version);
}

/* An error with the way down to the reference. */
static int refuse(struct asking *a, const struct rl_registry_ref *ref, const char *what) {
  struct rl_buf way = RL_BUF_INIT;
  for (size_t i = 0; i < a->depth; i++) {
    put_ref(&way, &a->path[i]);
    rl_buf_puts(&way, ", ");
  }
  put_ref(&way, ref);
  rl_fail(a->line.err, RL_EHANDLER, "its references %s: %s", what, rl_buf_text(&way));
  rl_buf_free(&way);
  return RL_EHANDLER;
}

static int add(struct asking *a, const struct rl_registry_answer *answer, const struct rl_registry_ref *ref) {
  if (a->n == RL_REGISTRY_TEXTS)
    return rl_fail(a->line.err, RL_EHANDLER, "it is made of more than %d schemas", RL_REGISTRY_TEXTS);
  a->texts[a->n] = answer->text;
  a->refs[a->n++] = *ref;
  return 0;
}

static int add_refs(struct asking *a, const struct rl_registry_answer *answer);

static bool is_added(const struct asking *a, const struct rl_registry_ref *ref) {
  for (size_t i = 0; i < a->n; i++)
    if (same(&a->refs[i], ref)) return true;
  return false;
}

static int get_ref(struct asking *a, const struct rl_registry_ref *ref, struct rl_registry_answer *out) {
  struct rl_buf path = RL_BUF_INIT;
  rl_buf_puts(&path, "/subjects/");
  rl_http_put_escaped(&path, ref->subject);
  rl_buf_printf(&path, "/versions/%lld", (long long)ref->version);
  int code = rl_registry_get_schema(&a->line, path.data, out);
  if (code != 0)
    rl_err_prefix(a->line.err, "its reference to %.*s: ", (int)ref->subject.len, ref->subject.data);
  if (code == 0 && out->kind != RL_SCHEMA_AVRO) code = refuse(a, ref, "lead to what is no Avro schema");
  rl_buf_free(&path);
  return code;
}

static int add_ref(struct asking *a,
                   const struct rl_registry_ref *ref) { /* NOLINT(misc-no-recursion): 16 deep at most */
  struct rl_registry_answer answer;
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

static int add_refs(struct asking *a,
                    const struct rl_registry_answer *answer) { /* NOLINT(misc-no-recursion) */
  int code = 0;
  for (size_t i = 0; code == 0 && i < answer->n_refs; i++) code = add_ref(a, &answer->refs[i]);
  return code;
}

/* ---- the whole ---- */

static int ask_one(struct asking *a, uint32_t id, enum rl_schema_kind *kind) {
  char path[64];
  struct rl_registry_answer answer = {.kind = RL_SCHEMA_AVRO};
  snprintf(path, sizeof path, "/schemas/ids/%u", (unsigned)id);
  int code = rl_registry_get_schema(&a->line, path, &answer);
  if (code == 0) code = add_refs(a, &answer);
  if (code == 0) code = add(a, &answer, &(struct rl_registry_ref){rl_bytes("", 0), 0});
  *kind = answer.kind;
  return code;
}

static int ask_at(struct rl_registry_place *place, size_t at, uint32_t id, struct rl_registry_schema *out,
                  struct rl_err *err) {
  struct asking *a = rl_alloc(sizeof *a);
  *a = (struct asking){.line = {.http = place->http,
                                .url = place->urls[at],
                                .proven = place->proven[at],
                                .json = rl_json_new(),
                                .arena = &out->arena,
                                .err = err}};
  int code = ask_one(a, id, &out->text.kind);
  place->proven[at] = a->line.proven;
  if (code == 0) {
    struct rl_bytes texts = rl_arena_copy(&out->arena, rl_bytes(a->texts, a->n * sizeof *a->texts));
    out->text.texts = (const struct rl_bytes *)(const void *)texts.data;
    out->text.n = a->n;
  }
  rl_json_free(a->line.json);
  rl_tape_free(&a->line.tape);
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
  if (rl_registry_is_verdict(call->status)) {
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
    code = rl_registry_request(place->http, place->urls[i], "/schemas/types", &call, err);
    call.url = place->urls[i];
    place->proven[i] = code == 0;
    code = judge(&call, code, err);
    rl_http_call_free(&call);
    if (code == 0) place->at = i;
  }
  return code;
}
