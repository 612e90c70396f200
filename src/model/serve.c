/* What a server declares, and the policy of asking it. */
#include "model/serve.h"

#include <time.h>

#include "base/clock.h"
#include "base/mem.h"

static const int64_t slice = 50 * RL_NS_PER_MS; /* of a wait, between two looks at go_on */

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
