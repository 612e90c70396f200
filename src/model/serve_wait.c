/* A server that is not ready yet, at the load of a model. */
#include "model/serve.h"

#include "base/clock.h"
#include "base/log.h"

enum rl_verdict rl_served_verdict(const struct rl_http_call *call) {
  switch (call->status) {
    case 401:
    case 403:
    case 407: return RL_VERDICT_REFUSED;
    case 404:
    case 405:
    case 501: return RL_VERDICT_ABSENT;
    default: break;
  }
  if (call->status >= 300 && call->status < 400) return RL_VERDICT_REFUSED;
  if (call->code == 0) return RL_VERDICT_GOOD;
  bool broken = call->status == 0 && call->code != RL_ETRANSIENT; /* a certificate, no HTTP at all */
  return broken ? RL_VERDICT_REFUSED : RL_VERDICT_WAIT;
}

static int64_t wait_of(struct rl_backoff *backoff, const struct rl_http_call *call) {
  int64_t wait = rl_backoff_next(backoff), asked = rl_seconds(call->retry_after);
  return asked > wait ? asked : wait;
}

static void say(const struct rl_asking *a, const struct rl_err *said) {
  rl_log(RL_INFO, "model %s at %s: waiting for it to be ready, %g s at most: %s", a->s->name, a->s->url,
         a->s->timeout, *said->text ? said->text : "it says that it is not");
}

/* What a server said tells more than that a request came too late. */
static void note(struct rl_err *said, const struct rl_http_call *call) {
  if (call->code != 0 && (call->status != 0 || !*said->text)) *said = call->err;
}

static int give_up(const struct rl_asking *a, const struct rl_err *said, struct rl_err *err) {
  return rl_fail(err, RL_ETRANSIENT, "it is not ready after %g s%s%s", a->s->timeout, *said->text ? ": " : "",
                 said->text);
}

int rl_served_wait(struct rl_asking *a, const char *path, enum rl_verdict (*judge)(struct rl_http_call *call),
                   struct rl_http_call *call, enum rl_verdict *verdict, struct rl_err *err) {
  struct rl_backoff backoff;
  struct rl_err said = {0};
  bool told = false;
  rl_backoff_init(&backoff, 0.05, 1, a->backoff.seed);
  for (;;) {
    rl_asking_get(a, path, call, NULL);
    *verdict = rl_served_verdict(call);
    if (*verdict == RL_VERDICT_GOOD && judge) *verdict = judge(call);
    if (*verdict == RL_VERDICT_REFUSED) return rl_fail(err, RL_EUSAGE, "%s", call->err.text);
    if (*verdict != RL_VERDICT_WAIT) return 0;
    note(&said, call);
    if (!told) say(a, &said);
    told = true;
    if (!rl_asking_wait(a, wait_of(&backoff, call))) return give_up(a, &said, err);
    rl_http_call_free(call);
  }
}

int rl_served_ready(struct rl_asking *a, const char *path,
                    enum rl_verdict (*judge)(struct rl_http_call *call), struct rl_err *err) {
  struct rl_http_call call;
  rl_asking_get(a, path, &call, NULL);
  enum rl_verdict verdict = rl_served_verdict(&call);
  if (verdict == RL_VERDICT_GOOD && judge) verdict = judge(&call);
  int code = verdict == RL_VERDICT_GOOD      ? 0
             : verdict == RL_VERDICT_REFUSED ? rl_fail(err, RL_EUSAGE, "%s", call.err.text)
                                             : rl_fail(err, RL_ETRANSIENT, "%s", call.err.text);
  rl_http_call_free(&call);
  return code;
}

bool rl_served_shape(const struct rl_json_read *doc, size_t array, int *rank, int64_t shape[RL_RANK_MAX]) {
  if (!array || rl_json_read_kind(doc, array) != RL_READ_ARRAY) return false;
  *rank = 0;
  for (size_t at = rl_json_read_first(doc, array); at; at = rl_json_read_next(doc, at)) {
    if (*rank == RL_RANK_MAX || !rl_json_read_int(doc, at, &shape[*rank])) return false;
    ++*rank;
  }
  return true;
}
