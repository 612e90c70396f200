/* A schema registry of the test's own: paths and what they answer, which may change while it runs. */
#ifndef REGISTRY_BED_H
#define REGISTRY_BED_H

#include "http_bed.h"

enum { REGISTRY_ROUTES = 64 };

struct registry_bed {
  struct http_bed http;
  struct {
    char path[200];
    const char *status;
    char *body;
    int asked;
  } at[REGISTRY_ROUTES];
  int n;
  const char *door; /* a header that all requests must have; NULL: none */
};

#define REGISTRY_NOT_FOUND "{\"error_code\":40403,\"message\":\"Schema not found\"}"

static inline int registry_route(struct registry_bed *r, const char *path) {
  for (int i = 0; i < r->n; i++)
    if (strcmp(r->at[i].path, path) == 0) return i;
  return -1;
}

static inline bool registry_serve(struct http_bed *http, int fd, const struct http_asked *asked,
                                  struct rl_buf *out) {
  struct registry_bed *r = http->arg;
  (void)fd;
  pthread_mutex_lock(&http->mu);
  int i = registry_route(r, asked->path);
  if (i >= 0) r->at[i].asked++;
  if (r->door && !strstr(asked->head, r->door))
    http_say(out, "401 Unauthorized", "", "who is it?");
  else if (i >= 0)
    http_say(out, r->at[i].status, "Content-Type: application/vnd.schemaregistry.v1+json\r\n", r->at[i].body);
  else
    http_say(out, "404 Not Found", "", REGISTRY_NOT_FOUND);
  pthread_mutex_unlock(&http->mu);
  return true;
}

static inline void registry_put(struct registry_bed *r, const char *path, const char *status,
                                const char *body) {
  pthread_mutex_lock(&r->http.mu);
  int i = registry_route(r, path);
  if (i < 0) i = r->n++;
  snprintf(r->at[i].path, sizeof r->at[i].path, "%s", path);
  r->at[i].status = status;
  rl_free(r->at[i].body);
  r->at[i].body = rl_strdup(body);
  pthread_mutex_unlock(&r->http.mu);
}

static inline int registry_asked(struct registry_bed *r, const char *path) {
  pthread_mutex_lock(&r->http.mu);
  int i = registry_route(r, path), n = i >= 0 ? r->at[i].asked : 0;
  pthread_mutex_unlock(&r->http.mu);
  return n;
}

static inline void registry_quote(struct rl_buf *out, const char *schema) {
  rl_buf_puts(out, "{\"schema\":\"");
  for (; *schema; schema++) {
    if (*schema == '"' || *schema == '\\') rl_buf_putc(out, '\\');
    rl_buf_putc(out, *schema);
  }
  rl_buf_putc(out, '"');
}

/* A path's schema; `more`: what follows it in the answer, as ",\"schemaType\":\"JSON\"". */
static inline void registry_schema(struct registry_bed *r, const char *path, const char *schema,
                                   const char *more) {
  struct rl_buf body = RL_BUF_INIT;
  registry_quote(&body, schema);
  rl_buf_printf(&body, "%s}", more);
  registry_put(r, path, "200 OK", body.data);
  rl_buf_free(&body);
}

static inline void registry_start(struct registry_bed *r, int port) {
  *r = (struct registry_bed){.n = 0};
  http_bed_start(&r->http, port, registry_serve, r);
  registry_put(r, "/schemas/types", "200 OK", "[\"AVRO\"]");
}

static inline void registry_stop(struct registry_bed *r) {
  http_bed_stop(&r->http);
  for (int i = 0; i < r->n; i++) rl_free(r->at[i].body);
}

#endif
