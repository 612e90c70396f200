/* For the tests of the registry: one who asks for schemas as a reader does, and what refers to what. */
#ifndef REGISTRY_ASKER_H
#define REGISTRY_ASKER_H

#include <poll.h>

#include "base/log.h"
#include "codec/registry.h"
#include "registry_bed.h"

#define ASKER_PATIENCE_MS 20000

struct asker {
  struct registry_bed bed;
  struct rl_registry *r;
  struct rl_wake bell;
  const struct rl_schema_text *text;
  struct rl_err err;
};

static inline void asker_open(struct asker *a, const char *const *urls, size_t n, double backoff) {
  struct rl_registry_opts opts = {.urls = urls, .n_urls = n, .backoff = backoff, .backoff_max = 4 * backoff};
  opts.http.timeout = 10;
  a->r = NULL;
  a->text = NULL;
  a->err = (struct rl_err){0};
  rl_log_level((enum rl_level)(RL_ERROR - 1));
  if (rl_registry_new(&a->r, &opts, &a->err) || rl_wake_open(&a->bell)) UNIT_FAIL("%s", a->err.text);
  rl_registry_listen(a->r, &a->bell);
}

/* At its own bed, whose paths may be put before and after. */
static inline void asker_at(struct asker *a, double backoff) {
  const char *url = a->bed.http.url;
  asker_open(a, &url, 1, backoff);
}

static inline void asker_start(struct asker *a, double backoff) {
  registry_start(&a->bed, 0);
  asker_at(a, backoff);
}

static inline void asker_close(struct asker *a) {
  rl_registry_unlisten(a->r, &a->bell);
  rl_registry_unref(a->r);
  rl_wake_close(&a->bell);
}

static inline void asker_stop(struct asker *a) {
  asker_close(a);
  registry_stop(&a->bed);
}

static inline int ask_once(struct asker *a, uint32_t id) {
  struct rl_schema_source *source = rl_registry_source(a->r);
  return source->get(source, id, &a->text, &a->err);
}

static inline void await_news(struct asker *a) {
  struct pollfd fd = {.fd = a->bell.rd, .events = POLLIN};
  if (poll(&fd, 1, ASKER_PATIENCE_MS) != 1) UNIT_FAIL("no news");
  rl_wake_clear(&a->bell);
}

/* As a reader does: asked, and asked again when there is news, until there is an answer or n times. */
static inline int ask(struct asker *a, uint32_t id, int n) {
  int code = ask_once(a, id);
  for (int i = 0; i < n && code == RL_ETRANSIENT; i++) {
    await_news(a);
    code = ask_once(a, id);
  }
  return code;
}

static inline const char *text_at(const struct asker *a, size_t i) {
  static char text[2000];
  if (i >= a->text->n) return "(none)";
  snprintf(text, sizeof text, "%.*s", (int)a->text->texts[i].len, a->text->texts[i].data);
  return text;
}

/* ---- references ---- */

static inline void refer(struct rl_buf *out, const char *subject, int version) {
  rl_buf_printf(out, "%s{\"name\":\"n.%s\",\"subject\":\"%s\",\"version\":%d}",
                out->len ? "," : ",\"references\":[", subject, subject, version);
}

static inline void put_ref_schema(struct registry_bed *bed, const char *path, const char *schema,
                                  const char *one, const char *two) {
  struct rl_buf more = RL_BUF_INIT;
  if (one) refer(&more, one, 1);
  if (two) refer(&more, two, 1);
  if (one) rl_buf_putc(&more, ']');
  registry_schema(bed, path, schema, rl_buf_text(&more));
  rl_buf_free(&more);
}

#endif
