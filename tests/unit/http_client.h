/* For the tests of the HTTP client: a client, a GET, and a server that says hello. */
#ifndef HTTP_CLIENT_H
#define HTTP_CLIENT_H

#include "base/http.h"
#include "http_bed.h"

static inline struct rl_http *client(const struct rl_http_opts *opts) {
  struct rl_http *http = NULL;
  struct rl_err err = {0};
  if (rl_http_new(&http, opts, &err)) UNIT_FAIL("%s", err.text);
  return http;
}

struct got {
  struct rl_http_call call;
  struct rl_err err;
  int code;
};

static inline void get(struct got *g, struct rl_http *http, const char *base, const char *path) {
  struct rl_buf url = RL_BUF_INIT;
  *g = (struct got){.code = 0};
  rl_http_put_url(&url, base, path);
  g->call = (struct rl_http_call){.method = "GET", .url = url.data};
  g->code = rl_http_run(http, &g->call, 1, NULL, NULL, &g->err);
  rl_buf_free(&url);
  CHECK_INT(g->code, g->call.code);
}

static inline bool hello(struct http_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  (void)bed, (void)fd;
  http_say(out, "200 OK", "X-Path:  here \r\nx-path: again\r\n", asked->path);
  return true;
}

#endif
