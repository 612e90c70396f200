/* One request on one curl handle: what it is set to, what it may take, and what its end means. */
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "base/http_impl.h"
#include "base/mem.h"
#include "base/str.h"

enum {
  HEAD_MAX = 256 << 10, /* bytes of an answer's header lines, those of 1xx answers too */
  SAID_MAX = 200,       /* bytes of a body that an error repeats */
};

/* ---- what comes ---- */

static size_t take(struct rl_http_try *t, struct rl_buf *to, const char *data, size_t len, size_t max) {
  t->too_long = len > max || to->len > max - len;
  if (t->too_long) return 0; /* curl ends the request */
  rl_buf_put(to, data, len);
  return len;
}

static size_t on_body(char *data, size_t size, size_t n, void *arg) {
  struct rl_http_try *t = arg;
  return take(t, &t->call->answer, data, size * n, t->opts->max_body);
}

static size_t on_head(char *data, size_t size, size_t n, void *arg) {
  struct rl_http_try *t = arg;
  return take(t, &t->call->head, data, size * n, HEAD_MAX);
}

/* ---- setting it up ---- */

static void set_tls(struct rl_http_try *t) {
  const struct rl_http_opts *o = t->opts;
  if (o->ca) {
    curl_easy_setopt(t->easy, CURLOPT_CAINFO, o->ca);
    curl_easy_setopt(t->easy, CURLOPT_CAPATH, NULL); /* only these */
  }
  if (!o->certificate) return;
  curl_easy_setopt(t->easy, CURLOPT_SSLCERT, o->certificate);
  curl_easy_setopt(t->easy, CURLOPT_SSLKEY, o->key ? o->key : o->certificate);
}

static void set_credentials(struct rl_http_try *t) {
  const struct rl_http_opts *o = t->opts;
  if (o->token) {
    curl_easy_setopt(t->easy, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    curl_easy_setopt(t->easy, CURLOPT_XOAUTH2_BEARER, o->token);
  } else if (o->user) {
    curl_easy_setopt(t->easy, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
    curl_easy_setopt(t->easy, CURLOPT_USERNAME, o->user);
    curl_easy_setopt(t->easy, CURLOPT_PASSWORD, o->password ? o->password : "");
  }
}

static void set_protocols(struct rl_http_try *t) {
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(t->easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(t->easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
  curl_easy_setopt(t->easy, CURLOPT_FOLLOWLOCATION, 0L);
  if (rl_http_is_loopback(t->call->url)) curl_easy_setopt(t->easy, CURLOPT_PROXY, "");
}

static long ms(double seconds) { return seconds < 1e6 ? (long)ceil(seconds * 1000) : 1000000000L; }

static void set_limits(struct rl_http_try *t) {
  double whole = t->call->timeout > 0 ? t->call->timeout : t->opts->timeout;
  curl_easy_setopt(t->easy, CURLOPT_NOSIGNAL, 1L); /* other threads run */
  curl_easy_setopt(t->easy, CURLOPT_CONNECTTIMEOUT_MS, ms(t->opts->connect));
  curl_easy_setopt(t->easy, CURLOPT_TIMEOUT_MS, ms(whole));
  curl_easy_setopt(t->easy, CURLOPT_TCP_KEEPALIVE, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
  curl_easy_setopt(t->easy, CURLOPT_QUICK_EXIT, 1L); /* a name that is still looked up holds nobody back */
#endif
}

static void set_headers(struct rl_http_try *t) {
  /* No waiting for "100 Continue": servers of models do not know it, and bodies are not that large. */
  t->headers = curl_slist_append(NULL, "Expect:");
  for (size_t i = 0; i < t->call->n_headers; i++)
    t->headers = curl_slist_append(t->headers, t->call->headers[i]);
  curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers);
  curl_easy_setopt(t->easy, CURLOPT_USERAGENT, "rille/" RL_VERSION);
}

static void set_body(struct rl_http_try *t) {
  if (t->call->body.data) {
    curl_easy_setopt(t->easy, CURLOPT_POST, 1L);
    curl_easy_setopt(t->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)t->call->body.len);
    curl_easy_setopt(t->easy, CURLOPT_POSTFIELDS, t->call->body.data);
  }
  curl_easy_setopt(t->easy, CURLOPT_CUSTOMREQUEST, t->call->method);
}

static void clear_answer(struct rl_http_call *call) {
  call->code = call->status = 0;
  call->retry_after = 0;
  call->err = (struct rl_err){0};
  rl_buf_clear(&call->head);
  rl_buf_clear(&call->answer);
}

void rl_http_try_begin(struct rl_http_try *t, const struct rl_http_opts *opts, struct rl_http_call *call) {
  t->call = call;
  t->opts = opts;
  t->too_long = false;
  t->said[0] = '\0';
  clear_answer(call);
  if (!t->easy) t->easy = curl_easy_init();
  curl_easy_reset(t->easy); /* connections stay */
  curl_easy_setopt(t->easy, CURLOPT_URL, call->url);
  curl_easy_setopt(t->easy, CURLOPT_ERRORBUFFER, t->said);
  curl_easy_setopt(t->easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(t->easy, CURLOPT_WRITEDATA, t);
  curl_easy_setopt(t->easy, CURLOPT_HEADERFUNCTION, on_head);
  curl_easy_setopt(t->easy, CURLOPT_HEADERDATA, t);
  curl_easy_setopt(t->easy, CURLOPT_PRIVATE, t);
  set_protocols(t);
  set_limits(t);
  set_tls(t);
  set_credentials(t);
  set_headers(t);
  set_body(t);
}

void rl_http_try_free(struct rl_http_try *t) {
  curl_slist_free_all(t->headers);
  if (t->easy) curl_easy_cleanup(t->easy);
  rl_free(t);
}

/* ---- what its end means ---- */

static int class_of(CURLcode result) {
  switch (result) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return RL_ETRANSIENT;
    case CURLE_URL_MALFORMAT:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE: return RL_EUSAGE;
    default: return RL_EFAIL;
  }
}

static void fail_unanswered(struct rl_http_try *t, CURLcode result) {
  struct rl_http_call *c = t->call;
  const char *why = t->said[0] ? t->said : curl_easy_strerror(result);
  bool head = c->head.len + CURL_MAX_HTTP_HEADER > HEAD_MAX && c->answer.len == 0;
  if (t->too_long && !head)
    c->code = rl_fail(&c->err, RL_EFAIL, "%s %s: the answer is larger than %zu bytes", c->method, c->url,
                      t->opts->max_body);
  else if (t->too_long)
    c->code = rl_fail(&c->err, RL_EFAIL, "%s %s: the answer's head is larger than %d bytes", c->method,
                      c->url, HEAD_MAX);
  else
    c->code = rl_fail(&c->err, class_of(result), "%s %s: %s", c->method, c->url, why);
}

/* The first line of the last answer's head, without the version: "404 Not Found". */
static struct rl_bytes reason(const struct rl_http_call *c) {
  const char *text = rl_buf_text(&c->head), *line = text;
  for (const char *p = text; (p = strstr(p, "HTTP/")); p++)
    if (p == text || p[-1] == '\n') line = p;
  line += strcspn(line, " \r\n");
  line += strspn(line, " ");
  return rl_bytes(line, strcspn(line, "\r\n"));
}

/* What a body says first, as one line. */
static void put_said(struct rl_buf *out, const struct rl_buf *body) {
  size_t len = body->len < SAID_MAX ? body->len : SAID_MAX;
  for (size_t i = 0; i < len;) {
    size_t n = rl_utf8_step(rl_bytes(body->data + i, body->len - i));
    bool plain = n > 1 || (n == 1 && (unsigned char)body->data[i] >= ' ' && body->data[i] != 0x7f);
    if (plain)
      rl_buf_put(out, body->data + i, n);
    else
      rl_buf_putc(out, n == 0 ? '?' : ' ');
    i += n ? n : 1;
  }
  if (body->len > len) rl_buf_puts(out, "…");
}

/* 502: a proxy says it where what stands behind it is down. */
static int class_of_status(int status) {
  return status == 429 || (status >= 502 && status <= 504) ? RL_ETRANSIENT : RL_EFAIL;
}

static void fail_answered(struct rl_http_call *c) {
  struct rl_buf said = RL_BUF_INIT;
  struct rl_bytes why = reason(c), to = rl_http_header(c, "Location");
  if (c->status < 400 && to.data) {
    rl_buf_puts(&said, "a redirect, which is not followed, to ");
    struct rl_buf place = RL_BUF_INIT;
    rl_buf_put(&place, to.data, to.len);
    put_said(&said, &place);
    rl_buf_free(&place);
  } else {
    put_said(&said, &c->answer);
  }
  c->code = rl_fail(&c->err, class_of_status(c->status), "%s %s: %.*s%s%s", c->method, c->url,
                    (int)(why.len < SAID_MAX ? why.len : SAID_MAX), why.data, said.len ? ": " : "",
                    rl_buf_text(&said));
  rl_buf_free(&said);
}

/* Seconds only: a date there is rare, and backing off is right without it. */
static double retry_after(const struct rl_http_call *c) {
  double seconds = 0;
  struct rl_bytes text = rl_http_header(c, "Retry-After");
  if (!text.data || text.len > 16) return 0;
  char *copy = rl_strndup(text.data, text.len);
  bool good = rl_parse_double(copy, &seconds) && seconds > 0 && seconds < 86400;
  rl_free(copy);
  return good ? seconds : 0;
}

void rl_http_try_end(struct rl_http_try *t, CURLcode result) {
  long status = 0;
  struct rl_http_call *c = t->call;
  curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
  c->status = (int)status;
  c->retry_after = retry_after(c);
  if (result != CURLE_OK)
    fail_unanswered(t, result);
  else if (status < 200 || status > 299)
    fail_answered(c);
  curl_slist_free_all(t->headers);
  t->headers = NULL;
}

/* ---- what the caller reads ---- */

void rl_http_call_free(struct rl_http_call *call) {
  rl_buf_free(&call->head);
  rl_buf_free(&call->answer);
}

static struct rl_bytes trim(const char *text, size_t len) {
  while (len && (*text == ' ' || *text == '\t')) text++, len--;
  while (len && (text[len - 1] == ' ' || text[len - 1] == '\t' || text[len - 1] == '\r')) len--;
  return rl_bytes(text, len);
}

struct rl_bytes rl_http_header(const struct rl_http_call *call, const char *name) {
  size_t len = strlen(name);
  for (const char *line = rl_buf_text(&call->head); *line;) {
    size_t n = strcspn(line, "\n");
    if (n > len && line[len] == ':' && strncasecmp(line, name, len) == 0)
      return trim(line + len + 1, n - len - 1);
    line += n + (line[n] == '\n');
  }
  return rl_bytes(NULL, 0);
}
