/* HTTP for registries and model servers, on libcurl.
 *
 * A client holds what all its requests share: time-outs, TLS, credentials, and connections that stay open
 * between requests. Any number of threads may use one client: each call takes a line of its own (a curl multi
 * handle with its connections) and puts it back. One call may carry several requests, which are then under
 * way at once.
 *
 * Bounded: time to connect, time of a request, bytes of a body, bytes of its head. Redirects are not
 * followed, so that credentials go nowhere else: the error names the place, and that is to be set as the
 * URL. `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` of the environment count as with curl, except
 * that the loopback (localhost, 127.…, ::1) is always reached directly. Without TLS a proxy sees credentials.
 *
 * Credentials are registered as secrets (log.h) and stand in no error. A URL that holds a user or a password
 * is refused. */
#ifndef RL_BASE_HTTP_H
#define RL_BASE_HTTP_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct rl_http;

struct rl_http_opts {
  double connect;                /* seconds until a connection stands, TLS too; 0: 10 */
  double timeout;                /* seconds of a whole request; 0: 30 */
  size_t max_body;               /* bytes of an answer's body; 0: 16 MiB */
  const char *ca;                /* file of PEM certificates that are trusted; NULL: the system's */
  const char *certificate, *key; /* files, PEM: the client's own; key NULL: it stands with the certificate */
  const char *user, *password;   /* basic authentication; NULL: none */
  const char *token;             /* bearer; NULL: none. Not beside a user. */
};

/* One request and its answer. Zero it, fill the first part; rl_http_call_free what was answered. */
struct rl_http_call {
  const char *method; /* "GET", "POST" … */
  const char *url;
  const char *const *headers; /* "Name: value" */
  size_t n_headers;
  struct rl_bytes body; /* data NULL: none */
  double timeout;       /* seconds; 0: the client's */

  int code;   /* 0: 2xx. RL_ETRANSIENT: no connection, time-out, 429, 502 to 504. RL_EUSAGE: a certificate
                 or key file that cannot be used, a bad URL. RL_EFAIL: anything else. */
  int status; /* 0 while there is no answer */
  double retry_after;   /* seconds the server asks to wait; 0: it does not say */
  struct rl_buf head;   /* the answer's header lines, as they came */
  struct rl_buf answer; /* its body, whatever the status */
  struct rl_err err;    /* "GET http://host/path: 404 Not Found: what the body says first" */
};

/* Texts are copied. RL_EUSAGE: options that do not go together, or credentials that will not do. */
int rl_http_new(struct rl_http **out, const struct rl_http_opts *opts, struct rl_err *err);
void rl_http_free(struct rl_http *http); /* when no call is under way */

/* Runs all n requests at once and waits for their ends: each call's code is set. Between two waits, at least
 * every 100 ms and after a signal, go_on is asked (NULL: always yes); when it says no, what is not answered
 * yet ends with RL_ETRANSIENT. Returns the first call's code that is not 0, and its error. */
int rl_http_run(struct rl_http *http, struct rl_http_call *calls, size_t n, bool (*go_on)(void *arg),
                void *arg, struct rl_err *err);
/* All calls under way, and those to come, end soon with RL_ETRANSIENT. Any thread. */
void rl_http_stop(struct rl_http *http);

void rl_http_call_free(struct rl_http_call *call);
/* The first header of that name, without blanks around it: in `call->head`; data NULL: none. */
struct rl_bytes rl_http_header(const struct rl_http_call *call, const char *name);

/* 0 or RL_EUSAGE: a credential (NULL: none) that holds control characters, which would end its header and
 * begin another. The error begins with the name and does not repeat the text. */
int rl_http_check_login(const char *name, const char *text, struct rl_err *err);
/* 0 or RL_EUSAGE: http:// or https://, a host, no user or password. The text of a URL that may hold a
 * secret (an '@', a query) is not repeated. */
int rl_http_check_url(const char *url, struct rl_err *err);
/* Puts text as a path's or query's part: all but letters, digits and -._~ as %XX. */
void rl_http_put_escaped(struct rl_buf *out, struct rl_bytes text);
/* Puts base without slashes at its end, and path. */
void rl_http_put_url(struct rl_buf *out, const char *base, const char *path);

#endif
