/* The client: lines that threads take and put back, and requests run together on one. */
#include "base/http.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/http_impl.h"
#include "base/log.h"
#include "base/mem.h"

enum { LOOK_MS = 100, LINES_KEPT = 8 };

/* What one rl_http_run at a time works with. */
struct line {
  struct line *next;
  CURLM *multi;
  struct rl_http_try **tries;
  size_t n_tries;
};

struct rl_http {
  struct rl_http_opts opts; /* its texts are owned */
  atomic_bool stopped;
  pthread_mutex_t mu;
  struct line *idle, *busy;
  size_t n_idle;
};

/* ---- life ---- */

static void start_curl(void) { curl_global_init(CURL_GLOBAL_DEFAULT); }

static char *copy(const char *text) { return text ? rl_strdup(text) : NULL; }

static void copy_opts(struct rl_http_opts *to, const struct rl_http_opts *from) {
  *to = *from;
  if (to->connect <= 0) to->connect = 10;
  if (to->timeout <= 0) to->timeout = 30;
  if (!to->max_body) to->max_body = (size_t)16 << 20;
  to->ca = copy(from->ca);
  to->certificate = copy(from->certificate);
  to->key = copy(from->key);
  to->user = copy(from->user);
  to->password = copy(from->password);
  to->token = copy(from->token);
}

/* Basic authentication travels as base64: that is the secret in another spelling. */
static void keep_secret(const struct rl_http_opts *opts) {
  if (opts->token) rl_log_secret(opts->token);
  if (opts->password) rl_log_secret(opts->password);
}

int rl_http_check_login(const char *name, const char *text, struct rl_err *err) {
  for (const char *p = text ? text : ""; *p; p++)
    if ((unsigned char)*p < ' ' || *p == 0x7f)
      return rl_fail(err, RL_EUSAGE, "%s holds a control character (a line's end, a tab): no log-in does",
                     name);
  return 0;
}

static int check_logins(const struct rl_http_opts *opts, struct rl_err *err) {
  int rc = rl_http_check_login("the token", opts->token, err);
  if (!rc) rc = rl_http_check_login("the user", opts->user, err);
  return rc ? rc : rl_http_check_login("the password", opts->password, err);
}

int rl_http_new(struct rl_http **out, const struct rl_http_opts *opts, struct rl_err *err) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (opts->token && opts->user)
    return rl_fail(err, RL_EUSAGE, "a user and a token: one of the two is how to log in");
  if (opts->key && !opts->certificate)
    return rl_fail(err, RL_EUSAGE, "a key (%s) without its certificate", opts->key);
  if (check_logins(opts, err)) return RL_EUSAGE;
  pthread_once(&once, start_curl);
  struct rl_http *http = rl_zalloc(sizeof *http);
  copy_opts(&http->opts, opts);
  keep_secret(&http->opts);
  pthread_mutex_init(&http->mu, NULL);
  *out = http;
  return 0;
}

static struct line *line_new(void) {
  struct line *line = rl_zalloc(sizeof *line);
  line->multi = curl_multi_init();
  return line;
}

static void line_free(struct line *line) {
  for (size_t i = 0; i < line->n_tries; i++) rl_http_try_free(line->tries[i]);
  curl_multi_cleanup(line->multi);
  rl_free(line->tries);
  rl_free(line);
}

void rl_http_free(struct rl_http *http) {
  if (!http) return;
  for (struct line *line = http->idle, *next; line; line = next) {
    next = line->next;
    line_free(line);
  }
  rl_free((char *)(uintptr_t)http->opts.ca);
  rl_free((char *)(uintptr_t)http->opts.certificate);
  rl_free((char *)(uintptr_t)http->opts.key);
  rl_free((char *)(uintptr_t)http->opts.user);
  rl_free((char *)(uintptr_t)http->opts.password);
  rl_free((char *)(uintptr_t)http->opts.token);
  pthread_mutex_destroy(&http->mu);
  rl_free(http);
}

/* ---- lines ---- */

static struct line *take_line(struct rl_http *http) {
  pthread_mutex_lock(&http->mu);
  struct line *line = http->idle;
  if (line) {
    http->idle = line->next;
    http->n_idle--;
  } else {
    line = line_new();
  }
  line->next = http->busy;
  http->busy = line;
  pthread_mutex_unlock(&http->mu);
  return line;
}

static void put_line(struct rl_http *http, struct line *line) {
  pthread_mutex_lock(&http->mu);
  struct line **at = &http->busy;
  while (*at != line) at = &(*at)->next;
  *at = line->next;
  bool keep = http->n_idle < LINES_KEPT;
  if (keep) {
    line->next = http->idle;
    http->idle = line;
    http->n_idle++;
  }
  pthread_mutex_unlock(&http->mu);
  if (!keep) line_free(line);
}

void rl_http_stop(struct rl_http *http) {
  atomic_store(&http->stopped, true);
  pthread_mutex_lock(&http->mu);
  for (struct line *line = http->busy; line; line = line->next) curl_multi_wakeup(line->multi);
  pthread_mutex_unlock(&http->mu);
}

/* ---- requests ---- */

static void begin(struct rl_http *http, struct line *line, struct rl_http_call *calls, size_t n) {
  size_t cap = line->n_tries;
  RL_GROW(line->tries, cap, n);
  for (; line->n_tries < n; line->n_tries++)
    line->tries[line->n_tries] = rl_zalloc(sizeof(struct rl_http_try));
  for (size_t i = 0; i < n; i++) {
    rl_http_try_begin(line->tries[i], &http->opts, &calls[i]);
    curl_multi_add_handle(line->multi, line->tries[i]->easy);
  }
}

static void take_ended(struct line *line) {
  int left;
  for (CURLMsg *m; (m = curl_multi_info_read(line->multi, &left));) {
    struct rl_http_try *t = NULL;
    CURLcode result = m->data.result;
    curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&t);
    curl_multi_remove_handle(line->multi, t->easy);
    rl_http_try_end(t, result);
    t->call = NULL;
  }
}

/* What is under way still is given up. */
static void break_off(struct line *line, size_t n, const char *why) {
  for (size_t i = 0; i < n; i++) {
    struct rl_http_try *t = line->tries[i];
    if (!t->call) continue;
    curl_multi_remove_handle(line->multi, t->easy);
    rl_http_try_end(t, CURLE_ABORTED_BY_CALLBACK);
    t->call->code = rl_fail(&t->call->err, RL_ETRANSIENT, "%s %s: %s", t->call->method, t->call->url, why);
    t->call = NULL;
  }
}

static bool goes_on(struct rl_http *http, bool (*go_on)(void *arg), void *arg) {
  return !atomic_load(&http->stopped) && (!go_on || go_on(arg));
}

static void perform(struct rl_http *http, struct line *line, size_t n, bool (*go_on)(void *arg), void *arg) {
  int running = (int)n;
  while (running > 0 && goes_on(http, go_on, arg)) {
    CURLMcode bad = curl_multi_perform(line->multi, &running);
    take_ended(line);
    if (!bad && running > 0) bad = curl_multi_poll(line->multi, NULL, 0, LOOK_MS, NULL);
    if (!bad) continue;
    break_off(line, n, curl_multi_strerror(bad));
    return;
  }
  break_off(line, n, "it was broken off");
}

int rl_http_run(struct rl_http *http, struct rl_http_call *calls, size_t n, bool (*go_on)(void *arg),
                void *arg, struct rl_err *err) {
  struct line *line = take_line(http);
  begin(http, line, calls, n);
  perform(http, line, n, go_on, arg);
  put_line(http, line);
  for (size_t i = 0; i < n; i++) {
    if (!calls[i].code) continue;
    if (err) *err = calls[i].err;
    return calls[i].code;
  }
  return 0;
}
