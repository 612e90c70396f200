/* The registry that decoders share, and the helper thread that asks for what is not known yet. */
#include "codec/registry.h"

#include <stdatomic.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/thread.h"
#include "codec/registry_impl.h"
#include "codec/registry_known.h"

static const double SHORTEST = 0.01; /* seconds between two tries, whatever the backoff */

struct rl_registry {
  struct rl_schema_source source; /* first: what decoders hold */
  atomic_int owners;
  atomic_ullong news;
  struct rl_registry_place place; /* the helper's; before the first look-up the checker's */

  pthread_mutex_t mu;
  pthread_cond_t cv; /* to the helper */
  struct rl_registry_known known;
  const struct rl_wake **bells;
  size_t n_bells, cap_bells;
  pthread_t helper;
  bool has_helper, quit;
  /* the weather, which all ids share */
  bool down;
  char *why;
  int64_t down_since, again;
  struct rl_backoff weather;
};

/* ---- the helper ---- */

static void weather_is_bad(struct rl_registry *r, const struct rl_err *err) {
  int64_t now = rl_now();
  if (!r->down) {
    r->down_since = now;
    rl_log(RL_WARN, "schema registry: %s; trying again", err->text);
  }
  r->down = true;
  rl_free(r->why);
  r->why = rl_strdup(err->text);
  r->again = rl_after(now, rl_backoff_next(&r->weather));
}

static void weather_is_good(struct rl_registry *r) {
  if (r->down)
    rl_log(RL_INFO, "schema registry: it answers again, after %lld s",
           (long long)((rl_now() - r->down_since) / RL_NS_PER_S));
  r->down = false;
  r->again = 0;
  rl_backoff_reset(&r->weather);
}

static void settle(struct rl_registry *r, struct rl_registry_entry *e, int code,
                   const struct rl_registry_schema *found, const struct rl_err *err) {
  if (code == RL_ETRANSIENT) {
    weather_is_bad(r, err);
    return;
  }
  weather_is_good(r);
  if (code == 0)
    rl_registry_found(e, found);
  else
    rl_registry_found_none(&r->known, e, err->text);
}

static void tell(struct rl_registry *r) {
  atomic_fetch_add(&r->news, 1);
  for (size_t i = 0; i < r->n_bells; i++) rl_wake_ring(r->bells[i]);
}

/* An entry that is ASKED is never forgotten: it may be held while mu is not. */
static void ask(struct rl_registry *r, struct rl_registry_entry *e) {
  struct rl_registry_schema found = {.text = {.n = 0}};
  struct rl_err err = {0};
  e->wanted = false;
  r->known.last = e->id;
  pthread_mutex_unlock(&r->mu);
  int code = rl_registry_ask(&r->place, e->id, &found, &err);
  pthread_mutex_lock(&r->mu);
  if (r->quit) {
    if (code == 0) rl_arena_free(&found.arena);
    return;
  }
  settle(r, e, code, &found, &err);
  tell(r);
}

static void *helper_main(void *arg) {
  struct rl_registry *r = arg;
  pthread_mutex_lock(&r->mu);
  while (!r->quit) {
    struct rl_registry_entry *e = rl_registry_next_wanted(&r->known);
    if (!e)
      pthread_cond_wait(&r->cv, &r->mu);
    else if (rl_now() < r->again)
      rl_cond_wait_until(&r->cv, &r->mu, r->again);
    else
      ask(r, e);
  }
  pthread_mutex_unlock(&r->mu);
  return NULL;
}

/* mu is held. */
static int start_helper(struct rl_registry *r, struct rl_err *err) {
  if (r->has_helper) return 0;
  int rc = rl_thread_start(&r->helper, "rille registry", helper_main, r);
  r->has_helper = rc == 0;
  return rc ? rl_fail(err, RL_ETRANSIENT, "schema registry: no thread: %s", strerror(rc)) : 0;
}

/* ---- the source ---- */

static int come_again(struct rl_registry *r, struct rl_registry_entry *e, struct rl_err *err) {
  e->wanted = true;
  if (start_helper(r, err)) return RL_ETRANSIENT;
  pthread_cond_signal(&r->cv);
  if (r->down) return rl_fail(err, RL_ETRANSIENT, "%s", r->why);
  return rl_fail(err, RL_ETRANSIENT, "schema %u: %s is asked for it", (unsigned)e->id, r->place.urls[0]);
}

static int look(struct rl_registry *r, struct rl_registry_entry *e, const struct rl_schema_text **out,
                struct rl_err *err) {
  const char *none = rl_registry_is_none(&r->known, e);
  if (none) return rl_fail(err, RL_EHANDLER, "%s", none);
  if (e->state == RL_REGISTRY_ASKED) return come_again(r, e, err);
  *out = &e->schema.text;
  return 0;
}

static int get(struct rl_schema_source *self, uint32_t id, const struct rl_schema_text **out,
               struct rl_err *err) {
  struct rl_registry *r = (struct rl_registry *)self;
  pthread_mutex_lock(&r->mu);
  int code = look(r, rl_registry_entry_of(&r->known, id), out, err);
  pthread_mutex_unlock(&r->mu);
  return code;
}

struct rl_schema_source *rl_registry_source(struct rl_registry *r) {
  return &r->source;
}

uint64_t rl_registry_news(struct rl_registry *r) { return atomic_load(&r->news); }

void rl_registry_listen(struct rl_registry *r, const struct rl_wake *bell) {
  pthread_mutex_lock(&r->mu);
  RL_GROW(r->bells, r->cap_bells, r->n_bells + 1);
  r->bells[r->n_bells++] = bell;
  pthread_mutex_unlock(&r->mu);
}

void rl_registry_unlisten(struct rl_registry *r, const struct rl_wake *bell) {
  pthread_mutex_lock(&r->mu);
  for (size_t i = r->n_bells; i-- > 0;)
    if (r->bells[i] == bell) r->bells[i] = r->bells[--r->n_bells];
  pthread_mutex_unlock(&r->mu);
}

/* ---- life ---- */

static int check_urls(const struct rl_registry_opts *opts, struct rl_err *err) {
  for (size_t i = 0; i < opts->n_urls; i++) {
    int code = rl_http_check_url(opts->urls[i], err);
    if (code != 0) return code;
  }
  return opts->n_urls ? 0 : rl_fail(err, RL_EUSAGE, "no URL");
}

static void init_shared(struct rl_registry *r) {
  pthread_mutex_init(&r->mu, NULL);
  rl_cond_init(&r->cv);
  atomic_init(&r->owners, 1);
  atomic_init(&r->news, 0);
}

int rl_registry_new(struct rl_registry **out, const struct rl_registry_opts *opts, struct rl_err *err) {
  struct rl_http_opts http = opts->http;
  struct rl_http *client;
  if (!http.max_body) http.max_body = RL_REGISTRY_ANSWER_MAX;
  if (check_urls(opts, err) || rl_http_new(&client, &http, err)) return RL_EUSAGE;
  struct rl_registry *r = rl_zalloc(sizeof *r);
  r->source.get = get;
  double backoff = opts->backoff > SHORTEST ? opts->backoff : SHORTEST;
  double backoff_max = opts->backoff_max > backoff ? opts->backoff_max : backoff;
  r->known = (struct rl_registry_known){.backoff = backoff, .backoff_max = backoff_max};
  r->place = (struct rl_registry_place){.http = client, .n_urls = opts->n_urls};
  r->place.urls = rl_alloc(opts->n_urls * sizeof *r->place.urls);
  r->place.proven = rl_zalloc(opts->n_urls * sizeof *r->place.proven);
  for (size_t i = 0; i < opts->n_urls; i++) r->place.urls[i] = rl_strdup(opts->urls[i]);
  rl_backoff_init(&r->weather, backoff, backoff_max, (uint64_t)rl_now());
  init_shared(r);
  *out = r;
  return 0;
}

struct rl_registry *rl_registry_ref(struct rl_registry *r) {
  if (r) atomic_fetch_add(&r->owners, 1);
  return r;
}

static void end_helper(struct rl_registry *r) {
  pthread_mutex_lock(&r->mu);
  r->quit = true;
  pthread_cond_signal(&r->cv);
  pthread_mutex_unlock(&r->mu);
  rl_http_stop(r->place.http);
  if (r->has_helper) pthread_join(r->helper, NULL);
}

void rl_registry_unref(struct rl_registry *r) {
  if (!r || atomic_fetch_sub(&r->owners, 1) > 1) return;
  end_helper(r);
  rl_registry_known_free(&r->known);
  for (size_t i = 0; i < r->place.n_urls; i++) rl_free(r->place.urls[i]);
  rl_http_free(r->place.http);
  rl_free(r->place.urls);
  rl_free(r->place.proven);
  rl_free(r->bells);
  rl_free(r->why);
  pthread_cond_destroy(&r->cv);
  pthread_mutex_destroy(&r->mu);
  rl_free(r);
}

int rl_registry_check(struct rl_registry *r, struct rl_err *err) { return rl_registry_probe(&r->place, err); }
