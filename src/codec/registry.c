/* What is known of a registry's schemas, and the helper thread that asks for the rest. */
#include "codec/registry.h"

#include <stdatomic.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/thread.h"
#include "codec/registry_impl.h"

enum { UNKNOWN_KEPT = 4096 };        /* ids that no schema has: a stream of made-up ones stays bounded */
static const double SHORTEST = 0.01; /* seconds between two tries, whatever the backoff */

enum state {
  ASKED,   /* there is no answer yet */
  KNOWN,   /* for ever */
  UNKNOWN, /* there is none: err says why, and `again` when it may be asked for again */
};

struct entry {
  uint32_t id;
  enum state state;
  bool wanted; /* of ASKED: somebody has come for it since the last try */
  bool told;   /* of UNKNOWN: somebody was told, as who asked must be, however late he comes */
  struct rl_registry_schema schema;
  char *why;
  int64_t again;
  struct rl_backoff backoff;
};

struct rl_registry {
  struct rl_schema_source source; /* first: what decoders hold */
  atomic_int owners;
  atomic_ullong news;
  double backoff, backoff_max;
  struct rl_registry_place place; /* the helper's; before the first look-up the checker's */

  pthread_mutex_t mu;
  pthread_cond_t cv; /* to the helper */
  struct entry **at; /* by id, ascending */
  size_t n, cap, n_unknown;
  uint32_t last; /* id that was asked for */
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

/* ---- entries; mu is held ---- */

static size_t place_of(const struct rl_registry *r, uint32_t id) {
  size_t low = 0, high = r->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (r->at[middle]->id < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void entry_free(struct entry *e) {
  if (e->state == KNOWN) rl_arena_free(&e->schema.arena);
  rl_free(e->why);
  rl_free(e);
}

static void forget(struct rl_registry *r, size_t i) {
  entry_free(r->at[i]);
  memmove(&r->at[i], &r->at[i + 1], (--r->n - i) * sizeof *r->at);
}

/* The one that may be asked for again first goes. */
static void make_room(struct rl_registry *r) {
  size_t first = r->n;
  if (r->n_unknown < UNKNOWN_KEPT) return;
  for (size_t i = 0; i < r->n; i++)
    if (r->at[i]->state == UNKNOWN && (first == r->n || r->at[i]->again < r->at[first]->again)) first = i;
  forget(r, first);
  r->n_unknown--;
}

static struct entry *entry_of(struct rl_registry *r, uint32_t id) {
  size_t i = place_of(r, id);
  if (i < r->n && r->at[i]->id == id) return r->at[i];
  make_room(r);
  i = place_of(r, id);
  struct entry *e = rl_zalloc(sizeof *e);
  *e = (struct entry){.id = id, .state = ASKED};
  rl_backoff_init(&e->backoff, r->backoff, r->backoff_max, id);
  RL_GROW(r->at, r->cap, r->n + 1);
  memmove(&r->at[i + 1], &r->at[i], (r->n++ - i) * sizeof *r->at);
  r->at[i] = e;
  return e;
}

/* ---- the helper ---- */

static void replace(char **at, const char *text) {
  char *copy = text ? rl_strdup(text) : NULL;
  rl_free(*at);
  *at = copy;
}

static void weather_is_bad(struct rl_registry *r, const struct rl_err *err) {
  int64_t now = rl_now();
  if (!r->down) {
    r->down_since = now;
    rl_log(RL_WARN, "schema registry: %s; trying again", err->text);
  }
  r->down = true;
  replace(&r->why, err->text);
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

static void settle(struct rl_registry *r, struct entry *e, int code, const struct rl_registry_schema *found,
                   const struct rl_err *err) {
  if (code == RL_ETRANSIENT) {
    weather_is_bad(r, err);
    return;
  }
  weather_is_good(r);
  e->state = code == 0 ? KNOWN : UNKNOWN;
  e->told = false;
  if (code == 0) {
    e->schema = *found;
    return;
  }
  replace(&e->why, err->text);
  e->again = rl_after(rl_now(), rl_backoff_next(&e->backoff));
  r->n_unknown++;
}

static void tell(struct rl_registry *r) {
  atomic_fetch_add(&r->news, 1);
  for (size_t i = 0; i < r->n_bells; i++) rl_wake_ring(r->bells[i]);
}

/* In turn, from behind the one that was asked for last: one that fails for ever must not keep others from
 * their turn. */
static struct entry *next_wanted(const struct rl_registry *r) {
  size_t from = r->last == UINT32_MAX ? 0 : place_of(r, r->last + 1);
  for (size_t i = 0; i < r->n; i++) {
    struct entry *e = r->at[(from + i) % r->n];
    if (e->state == ASKED && e->wanted) return e;
  }
  return NULL;
}

/* An entry that is ASKED is never forgotten: it may be held while mu is not. */
static void ask(struct rl_registry *r, struct entry *e) {
  struct rl_registry_schema found = {.text = {.n = 0}};
  struct rl_err err = {0};
  e->wanted = false;
  r->last = e->id;
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
    struct entry *e = next_wanted(r);
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

static int come_again(struct rl_registry *r, struct entry *e, struct rl_err *err) {
  e->wanted = true;
  if (start_helper(r, err)) return RL_ETRANSIENT;
  pthread_cond_signal(&r->cv);
  if (r->down) return rl_fail(err, RL_ETRANSIENT, "%s", r->why);
  return rl_fail(err, RL_ETRANSIENT, "schema %u: %s is asked for it", (unsigned)e->id, r->place.urls[0]);
}

static int look(struct rl_registry *r, struct entry *e, const struct rl_schema_text **out,
                struct rl_err *err) {
  if (e->state == UNKNOWN && (!e->told || rl_now() < e->again)) {
    e->told = true;
    return rl_fail(err, RL_EHANDLER, "%s", e->why);
  }
  if (e->state == UNKNOWN) {
    e->state = ASKED;
    r->n_unknown--;
  }
  if (e->state == ASKED) return come_again(r, e, err);
  *out = &e->schema.text;
  return 0;
}

static int get(struct rl_schema_source *self, uint32_t id, const struct rl_schema_text **out,
               struct rl_err *err) {
  struct rl_registry *r = (struct rl_registry *)self;
  pthread_mutex_lock(&r->mu);
  int code = look(r, entry_of(r, id), out, err);
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
  r->backoff = opts->backoff > SHORTEST ? opts->backoff : SHORTEST;
  r->backoff_max = opts->backoff_max > r->backoff ? opts->backoff_max : r->backoff;
  r->place = (struct rl_registry_place){.http = client, .n_urls = opts->n_urls};
  r->place.urls = rl_alloc(opts->n_urls * sizeof *r->place.urls);
  r->place.proven = rl_zalloc(opts->n_urls * sizeof *r->place.proven);
  for (size_t i = 0; i < opts->n_urls; i++) r->place.urls[i] = rl_strdup(opts->urls[i]);
  rl_backoff_init(&r->weather, r->backoff, r->backoff_max, (uint64_t)rl_now());
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
  for (size_t i = 0; i < r->n; i++) entry_free(r->at[i]);
  for (size_t i = 0; i < r->place.n_urls; i++) rl_free(r->place.urls[i]);
  rl_http_free(r->place.http);
  rl_free(r->place.urls);
  rl_free(r->place.proven);
  rl_free(r->at);
  rl_free(r->bells);
  rl_free(r->why);
  pthread_cond_destroy(&r->cv);
  pthread_mutex_destroy(&r->mu);
  rl_free(r);
}

int rl_registry_check(struct rl_registry *r, struct rl_err *err) { return rl_registry_probe(&r->place, err); }
