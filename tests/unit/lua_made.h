/* For the tests of the engine: messages that are made up and counted, scripts given as text, and calls into
 * them. */
#ifndef LUA_MADE_H
#define LUA_MADE_H

#include "base/log.h"
#include "base/mem.h"
#include "codec/decoder.h"
#include "lua/engine.h"
#include "lua/script_impl.h"
#include "unit.h"

static int made_live; /* messages that were made and not released */

/* A key or value of its own, so that a read after the release is one of freed memory. */
struct made {
  char *key, *value;
  struct rl_header headers[4];
  size_t n_headers;
};

static bool made_header(const struct rl_msg *msg, size_t i, struct rl_header *out) {
  struct made *m = msg->handle;
  if (i >= m->n_headers) return false;
  *out = m->headers[i];
  return true;
}

static void made_release(struct rl_msg *msg) {
  struct made *m = msg->handle;
  free(m->key);
  free(m->value);
  free(m);
  made_live--;
}

static const struct rl_msg_ops made_ops = {made_header, made_release};

static struct rl_msg make_msg(const char *key, const char *value, int64_t offset) {
  struct made *m = calloc(1, sizeof *m);
  m->key = key ? strdup(key) : NULL;
  m->value = value ? strdup(value) : NULL;
  made_live++;
  return (struct rl_msg){.topic = "alerts",
                         .partition = 3,
                         .slot = 1,
                         .timestamp_type = RL_TIMESTAMP_CREATE,
                         .offset = offset,
                         .timestamp = 1700000000000 + offset,
                         .key = rl_bytes_str(m->key),
                         .value = rl_bytes_str(m->value),
                         .handle = m,
                         .ops = &made_ops};
}

/* The engine under test, its settings and its outbox. */
struct made_run {
  struct rl_settings s;
  struct rl_engine e;
  struct rl_outbox box;
  struct rl_failure why;
  struct rl_decoder *decoder;
  lua_State *L; /* the script's */
  bool up;
  struct rl_err err;
};

static char made_log[4096]; /* what was logged, line after line */

static void made_log_line(enum rl_level level, const char *line, void *arg) {
  (void)level;
  (void)arg;
  size_t at = strlen(made_log);
  snprintf(made_log + at, sizeof made_log - at, "%s\n", line);
}

/* The collector at pause 0 goes round without rest: what is not anchored is gone at once. */
static void made_pause_0(lua_State *L) {
  lua_gc(L, LUA_GCINC, 1, 1000, 0);
  lua_gc(L, LUA_GCSETPAUSE, 0);
}

static bool made_no_gc; /* leaves the collector as it is */

static int made_open(struct made_run *r, const char *code) {
  memset(r, 0, sizeof *r);
  made_log[0] = '\0';
  rl_log_to(made_log_line, NULL);
  rl_settings_init(&r->s);
  struct rl_script *script;
  struct rl_script_opts opts = {.code = code};
  int rc = rl_script_open(&script, &opts, &r->err);
  if (!rc) rc = rl_script_settings(script, &r->s, &r->err);
  if (rc) {
    rl_script_close(script);
    return rc;
  }
  struct rl_registry_opts at = {.urls = (const char *const *)r->s.registry.at, .n_urls = r->s.registry.n};
  if (at.n_urls && rl_registry_new(&r->s.registry_client, &at, &r->err)) UNIT_FAIL("%s", r->err.text);
  r->L = script->L;
  if (!made_no_gc) made_pause_0(r->L);
  rc = rl_lua_engine_new(&r->e, script, &r->s, &r->err);
  r->up = rc == 0;
  if (rc) rl_script_close(script);
  rl_outbox_init(&r->box, (size_t)r->s.limits_output, 1000000);
  if (r->s.decode_lua || !r->s.decode) {
    rl_free(r->s.decode);
    r->s.decode = rl_strdup(r->s.fields.n && !r->s.decode_lua ? "json" : "raw");
  }
  if (!rc) rc = rl_settings_decoder(&r->s, r->s.decode_lua ? NULL : &r->s.fields, &r->decoder, &r->err);
  return rc;
}

static void made_close(struct made_run *r) {
  if (r->up) r->e.destroy(r->e.self);
  rl_decoder_free(r->decoder);
  rl_outbox_free(&r->box);
  rl_failure_clear(&r->why);
  rl_settings_free(&r->s);
  rl_log_to(NULL, NULL);
  CHECK_INT(made_live, 0);
}

__attribute__((unused)) static struct rl_batch *made_batch(struct made_run *r) {
  struct rl_batch *b = rl_batch_new(r->s.fields.n ? &r->s.fields : NULL, 4);
  b->number = 12;
  b->cause = RL_CAUSE_TIMEOUT;
  return b;
}

__attribute__((unused)) static void made_add(struct made_run *r, struct rl_batch *b, const char *key,
                                             const char *value) {
  struct rl_msg msg = make_msg(key, value, 100 + (int64_t)b->n);
  size_t at = rl_batch_add(b, &msg), rows;
  struct rl_err err;
  if (rl_decoder_rows(r->decoder, &b->msgs[at], b->columns, &rows, &err)) rl_batch_set_bad(b, at, err.text);
  rl_batch_set_rows(b, rows);
}

/* Handles all rows, as one attempt. */
__attribute__((unused)) static int made_handle(struct made_run *r, struct rl_batch *b) {
  uint32_t rows[64];
  for (size_t i = 0; i < b->rows; i++) rows[i] = (uint32_t)i;
  struct rl_view view = {.batch = b, .rows = rows, .n = b->rows, .attempt = 1, .parts_of = b->rows};
  rl_failure_clear(&r->why);
  rl_outbox_reset(&r->box);
  return r->e.handle(r->e.self, &view, &r->box, &r->why);
}

__attribute__((unused)) static void made_settle(struct made_run *r, struct rl_batch *b) {
  r->e.release(r->e.self, b);
  rl_batch_free(b);
}

/* Runs the script over one batch of these values (NULL-terminated, "~" a null value) and wants it to pass.
 * Scripts check by themselves, with assert. */
__attribute__((unused)) static void made_pass(const char *code, const char *const *values) {
  struct made_run r;
  if (made_open(&r, code)) {
    UNIT_FAIL("%s", r.err.text);
    made_close(&r);
    return;
  }
  struct rl_batch *b = made_batch(&r);
  for (; *values; values++) made_add(&r, b, "k", strcmp(*values, "~") == 0 ? NULL : *values);
  if (made_handle(&r, b)) UNIT_FAIL("%s\n%s", r.why.error, r.why.traceback ? r.why.traceback : "");
  made_settle(&r, b);
  made_close(&r);
}

/* The same, and wants it to fail: with this blame, and a text that has `part`. */
__attribute__((unused)) static void made_fail(const char *code, const char *const *values,
                                              enum rl_blame blame, const char *part) {
  struct made_run r;
  if (made_open(&r, code)) {
    UNIT_FAIL("%s", r.err.text);
    made_close(&r);
    return;
  }
  struct rl_batch *b = made_batch(&r);
  for (; *values; values++) made_add(&r, b, "k", *values);
  CHECK_INT(made_handle(&r, b), RL_EHANDLER);
  CHECK_INT(r.why.blame, blame);
  CHECK_HAS(r.why.error, part);
  made_settle(&r, b);
  made_close(&r);
}

#define VALUES(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif
