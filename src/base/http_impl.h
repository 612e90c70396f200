/* What the files of the HTTP unit share. */
#ifndef RL_BASE_HTTP_IMPL_H
#define RL_BASE_HTTP_IMPL_H

#include <curl/curl.h>
#include <stdatomic.h>

#include "base/http.h"

/* A request under way: its call, and curl's side of it. */
struct rl_http_try {
  struct rl_http_call *call;
  const struct rl_http_opts *opts;
  CURL *easy; /* kept from call to call */
  struct curl_slist *headers;
  char said[CURL_ERROR_SIZE]; /* what curl says of a failure */
  bool too_long;              /* a body or head over its bound ended it */
};

/* Sets the request up on t->easy, which is made if need be. */
void rl_http_try_begin(struct rl_http_try *t, const struct rl_http_opts *opts, struct rl_http_call *call);
/* Takes the result: fills the call. */
void rl_http_try_end(struct rl_http_try *t, CURLcode result);
void rl_http_try_free(struct rl_http_try *t);

bool rl_http_is_loopback(const char *url);

#endif
