/* Where a server is, what it declares, and the policy of asking it. */
#include "model/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

enum { IN_FLIGHT = 4, RETRIES = 3 };
static const int64_t slice = 50 * RL_NS_PER_MS; /* of a wait, between two looks at go_on */

/* ---- the URI ---- */

/* The front puts the URI before it. */
static int refuse(const char *what, struct rl_err *err) {
  return rl_fail(err, RL_EUSAGE, "%s; expected SCHEME://HOST:PORT/NAME or SCHEME://HOST:PORT/NAME/VERSION",
                 what);
}

/* host:port, a name, and what follows it. Escaped, a name would be one that no server has. */
static int split(struct rl_served *s, const char *uri, struct rl_err *err) {
  const char *colon = strstr(uri, "://");
  if (!colon || colon == uri) return refuse("it has no scheme", err);
  if (strchr(uri, '@')) return refuse("it has an '@': a user and password are options of their own", err);
  if (strpbrk(uri, "?#%")) return refuse("a server and a name have no '?', '#' or '%'", err);
  const char *host = colon + 3, *slash = strchr(host, '/');
  if (!slash || slash == host || !slash[1]) return refuse("it names no host or no model", err);
  struct rl_buf url = RL_BUF_INIT;
  rl_buf_puts(&url, colon[-1] == 's' ? "https://" : "http://");
  rl_buf_put(&url, host, (size_t)(slash - host));
  s->url = rl_buf_take(&url);
  const char *name = slash + 1, *end = name + strcspn(name, "/");
  s->name = rl_strndup(name, (size_t)(end - name));
  if (*end && end[1]) s->version = rl_strdup(end + 1);
  bool good = *s->name && !(s->version && strchr(s->version, '/'));
  return good ? 0 : refuse("its path is not of one or two parts", err);
}

static int read_uri(struct rl_served *s, const char *uri, struct rl_err *err) {
  int code = split(s, uri, err);
  return code ? code : rl_http_check_url(s->url, err);
}

/* Told before a server is waited for, which may be long. */
static int check_file(const char *uri, const char *name, const char *path, struct rl_err *err) {
  int scheme = (int)strcspn(uri, ":");
  if (!path) return 0;
  if (uri[scheme - 1] != 's')
    return rl_fail(err, RL_EUSAGE, "%s is for TLS, which %.*s:// is without: %.*ss:// has it", name, scheme,
                   uri, scheme, uri);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return rl_fail(err, RL_EUSAGE, "%s: cannot read %s: %s", name, path, strerror(errno));
  close(fd);
  return 0;
}

static int check_files(const char *uri, const struct rl_model_opts *opts, struct rl_err *err) {
  int code = check_file(uri, "ca", opts->ca, err);
  if (code == 0) code = check_file(uri, "certificate", opts->certificate, err);
  return code ? code : check_file(uri, "key", opts->key, err);
}

static int make_client(struct rl_served *s, const struct rl_model_opts *opts, struct rl_err *err) {
  const struct rl_http_opts http = {.timeout = s->timeout,
                                    .max_body = (size_t)64 << 20,
                                    .ca = opts->ca,
                                    .certificate = opts->certificate,
                                    .key = opts->key,
                                    .user = opts->user,
                                    .password = opts->password,
                                    .token = opts->token};
  return rl_http_new(&s->http, &http, err);
}

int rl_served_init(struct rl_served *s, const char *uri, const struct rl_model_opts *opts,
                   struct rl_err *err) {
  *s = (struct rl_served){.timeout = opts->timeout > 0 ? opts->timeout : 30,
                          .retries = opts->retries < 0 ? 0
                                     : opts->retries   ? opts->retries
                                                       : RETRIES,
                          .in_flight = opts->in_flight > 0 ? (size_t)opts->in_flight : IN_FLIGHT,
                          .batch = opts->batch};
  atomic_init(&s->seed, (unsigned long long)rl_now());
  pthread_mutex_init(&s->mu, NULL);
  int code = read_uri(s, uri, err);
  if (code == 0) code = check_files(uri, opts, err);
  if (code == 0) code = make_client(s, opts, err);
  if (code != 0) rl_served_done(s);
  return code;
}

static void free_ports(struct rl_served_ports *ports) {
  rl_model_ports_free(&ports->is);
  rl_free(ports->wire);
}

void rl_served_done(struct rl_served *s) {
  rl_http_free(s->http);
  rl_free(s->url);
  rl_free(s->name);
  rl_free(s->version);
  free_ports(&s->in);
  free_ports(&s->out);
  for (size_t i = 0; i < s->n_names; i++) rl_free(s->names[i]);
  rl_free(s->names);
  pthread_mutex_destroy(&s->mu);
}

/* ---- what is declared ---- */

struct rl_model_port *rl_served_add(struct rl_served_ports *ports, const char *name, enum rl_wire wire) {
  size_t n = ports->is.n;
  if (rl_served_find(ports, name) >= 0) return NULL;
  ports->is.at = rl_realloc(ports->is.at, (n + 1) * sizeof *ports->is.at);
  ports->wire = rl_realloc(ports->wire, (n + 1) * sizeof *ports->wire);
  ports->is.at[n] = (struct rl_model_port){.name = rl_strdup(name), .dtype = rl_wire_dtype(wire), .rank = -1};
  ports->wire[n] = wire;
  return &ports->is.at[ports->is.n++];
}

ssize_t rl_served_find(const struct rl_served_ports *ports, const char *name) {
  for (size_t i = 0; i < ports->is.n; i++)
    if (strcmp(ports->is.at[i].name, name) == 0) return (ssize_t)i;
  return -1;
}

void rl_served_copy(const struct rl_served_ports *ports, struct rl_model_ports *out) {
  *out = (struct rl_model_ports){.n = ports->is.n};
  if (out->n == 0) return;
  out->at = rl_alloc(out->n * sizeof *out->at);
  memcpy(out->at, ports->is.at, out->n * sizeof *out->at);
  for (size_t i = 0; i < out->n; i++) out->at[i].name = rl_strdup(ports->is.at[i].name);
}

/* ---- asking ---- */

void rl_asking_init(struct rl_asking *a, struct rl_served *s, bool (*go_on)(void *arg), void *arg) {
  *a = (struct rl_asking){.s = s,
                          .until = rl_after(rl_now(), rl_seconds(s->timeout)),
                          .left = s->retries,
                          .go_on = go_on,
                          .arg = arg};
  rl_backoff_init(&a->backoff, 0.1, 5, atomic_fetch_add(&s->seed, 1));
}

void rl_asking_renew(struct rl_asking *a) {
  a->left = a->s->retries;
  a->was_ready = false;
  rl_backoff_reset(&a->backoff);
}

static bool goes_on(const struct rl_asking *a) { return !a->go_on || a->go_on(a->arg); }

bool rl_asking_wait(struct rl_asking *a, int64_t ns) {
  int64_t until = rl_after(rl_now(), ns), now;
  if (until >= a->until) return false;
  while ((now = rl_now()) < until) {
    if (!goes_on(a)) return false;
    int64_t step = until - now < slice ? until - now : slice;
    nanosleep(&(struct timespec){.tv_nsec = (long)step}, NULL);
  }
  return goes_on(a);
}

/* Seconds that are left, for a call. */
static double left(const struct rl_asking *a) { return (double)(a->until - rl_now()) / 1e9; }

static int too_late(struct rl_asking *a, struct rl_http_call *calls, size_t n, struct rl_err *err) {
  for (size_t i = 0; i < n; i++)
    calls[i].code = rl_fail(&calls[i].err, RL_ETRANSIENT, "%s %s: the %g s of a run are over",
                            calls[i].method, calls[i].url, a->s->timeout);
  return rl_fail(err, RL_ETRANSIENT, "%s", calls[0].err.text);
}

static int run_once(struct rl_asking *a, struct rl_http_call *calls, size_t n, struct rl_err *err) {
  double seconds = left(a);
  if (seconds <= 0) return too_late(a, calls, n, err);
  for (size_t i = 0; i < n; i++) calls[i].timeout = seconds;
  return rl_http_run(a->s->http, calls, n, a->go_on, a->arg, err);
}

/* Calls that are asked (again), and where in the caller's row they stand. */
struct pending {
  struct rl_http_call *calls;
  size_t *from, n;
};

static void pending_init(struct pending *p, size_t n) {
  *p = (struct pending){rl_alloc(n * sizeof *p->calls), rl_alloc(n * sizeof *p->from), n};
  for (size_t i = 0; i < n; i++) p->from[i] = i;
}

static void pending_free(struct pending *p) {
  rl_free(p->calls);
  rl_free(p->from);
}

static int ask_pending(struct rl_asking *a, struct pending *p, struct rl_http_call *calls,
                       struct rl_err *err) {
  for (size_t i = 0; i < p->n; i++) p->calls[i] = calls[p->from[i]];
  int code = run_once(a, p->calls, p->n, err);
  for (size_t i = 0; i < p->n; i++) calls[p->from[i]] = p->calls[i];
  return code;
}

/* What a server says of a bad batch, and of a model that it has not loaded yet. */
static bool is_doubtful(const struct rl_http_call *call) {
  return call->status == 400 || call->status == 404 || call->status >= 500;
}

/* One look at the model's readiness, for all calls that failed together. */
struct look {
  bool done, before; /* before: it was ready when they were sent */
  int code;
  struct rl_err err;
};

static void look(struct rl_asking *a, struct look *l) {
  if (l->done) return;
  l->done = true;
  l->before = a->was_ready;
  l->code = a->ready(a, &l->err);
}

/* Whose fault the call's failure is, in its code: RL_ETRANSIENT for what is to be asked for again. */
static void blame(struct rl_asking *a, struct look *l, struct rl_http_call *call) {
  if (call->code == RL_ETRANSIENT) return;
  if (rl_served_verdict(call) == RL_VERDICT_REFUSED) call->code = RL_EUSAGE;
  if (call->code != RL_EFAIL || !a->ready || !is_doubtful(call)) return;
  look(a, l);
  if (l->code == 0 && l->before) return;
  call->code = l->code == RL_EUSAGE ? RL_EUSAGE : RL_ETRANSIENT;
  if (l->code == 0) return;
  struct rl_err said = call->err;
  rl_fail(&call->err, call->code, "%.600s; the model is not ready: %.300s", said.text, l->err.text);
}

/* Only those that failed as weather stay; a failure of another kind is the whole's. */
static int keep_weather(struct rl_asking *a, struct pending *p, struct rl_err *err) {
  size_t kept = 0;
  struct look l = {.done = false};
  for (size_t i = 0; i < p->n; i++) {
    struct rl_http_call *call = &p->calls[i];
    if (call->code == 0) continue;
    blame(a, &l, call);
    if (call->code != RL_ETRANSIENT) return rl_fail(err, call->code, "%s", call->err.text);
    p->calls[kept] = *call;
    p->from[kept++] = p->from[i];
  }
  p->n = kept;
  a->was_ready = l.done && l.code == 0;
  return 0;
}

static int64_t wait_for(struct rl_asking *a, const struct pending *p) {
  int64_t wait = rl_backoff_next(&a->backoff);
  for (size_t i = 0; i < p->n; i++)
    if (rl_seconds(p->calls[i].retry_after) > wait) wait = rl_seconds(p->calls[i].retry_after);
  return wait;
}

static int ask_until(struct rl_asking *a, struct pending *p, struct rl_http_call *calls, struct rl_err *err) {
  while (ask_pending(a, p, calls, err) != 0) {
    int code = keep_weather(a, p, err);
    if (code != 0) return code;
    if (a->was_ready) continue; /* by now: there is nothing to wait for */
    rl_fail(err, RL_ETRANSIENT, "%s", p->calls[0].err.text);
    if (a->left == 0 || !rl_asking_wait(a, wait_for(a, p))) return RL_ETRANSIENT;
    if (a->left > 0) a->left--;
  }
  return 0;
}

int rl_asking_run(struct rl_asking *a, struct rl_http_call *calls, size_t n, struct rl_err *err) {
  struct pending pending;
  pending_init(&pending, n);
  int code = ask_until(a, &pending, calls, err);
  pending_free(&pending);
  return code;
}

int rl_asking_get(struct rl_asking *a, const char *path, struct rl_http_call *call, struct rl_err *err) {
  static const char *const headers[] = {"Accept: application/json"};
  struct rl_buf url = RL_BUF_INIT;
  rl_http_put_url(&url, a->s->url, path);
  *call = (struct rl_http_call){.method = "GET", .url = url.data, .headers = headers, .n_headers = 1};
  int code = run_once(a, call, 1, err);
  rl_buf_free(&url);
  call->url = NULL;
  return code;
}
