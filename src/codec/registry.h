/* A schema registry with Confluent's API (Apicurio, Karapace and Redpanda have it too) as a source of
 * schemas.
 *
 * `get` never blocks: an id that is not known yet is asked for on a helper thread, which starts with the
 * first look-up, and the caller is told to come again (RL_ETRANSIENT). When there is news the listeners'
 * bells ring. What an id means never changes, so it is asked for once and kept for as long as the registry
 * lives.
 *
 * Three kinds of answers:
 *   the schema      with all it refers to, up to 16 references deep and 256 in all
 *   there is none   RL_EHANDLER, the message's failure: a 404, another 4xx but those below, references that
 * go round, nest too deep or lead nowhere, a type that rille does not know. It is remembered, and asked for
 * again only after a wait that doubles each time, not once a message. the weather     RL_ETRANSIENT: no
 * connection, a time-out, 5xx, 429, a refused log-in (401, 403, 407), an answer that is not a registry's;
 * that is also a 404 without a registry's error_code while nothing else was ever found there (a wrong path).
 * Tried again for as long as somebody asks, with capped backoff and jitter that all ids share, the next URL
 * first when there are several.
 *
 * Any number of decoders, of any threads, share one. */
#ifndef RL_CODEC_REGISTRY_H
#define RL_CODEC_REGISTRY_H

#include "base/http.h"
#include "base/wake.h"
#include "codec/schema_source.h"

struct rl_registry;

struct rl_registry_opts {
  const char *const *urls; /* at least one; tried in turn */
  size_t n_urls;
  struct rl_http_opts http;
  double backoff, backoff_max; /* seconds */
};

/* Texts are copied. Says nothing to the registry yet. RL_EUSAGE: a URL or an option that will not do. */
int rl_registry_new(struct rl_registry **out, const struct rl_registry_opts *opts, struct rl_err *err);
struct rl_registry *rl_registry_ref(struct rl_registry *r); /* one more owner; NULL stays NULL */
void rl_registry_unref(struct rl_registry *r); /* the last one ends it, at once, whatever is under way */

struct rl_schema_source *rl_registry_source(struct rl_registry *r);

/* Rings the bell at each news, until it is taken off. */
void rl_registry_listen(struct rl_registry *r, const struct rl_wake *bell);
void rl_registry_unlisten(struct rl_registry *r, const struct rl_wake *bell);
/* Counts news: what was RL_ETRANSIENT is worth asking for again when it has changed since before. */
uint64_t rl_registry_news(struct rl_registry *r);

/* Before the first look-up: is it there, and does it let us in? Blocks for at most the time-outs. 0;
 * RL_ETRANSIENT: not now (err says why); RL_EUSAGE: a certificate or key file cannot be used; RL_EBROKER: the
 * log-in is refused, or its certificate is not trusted. */
int rl_registry_check(struct rl_registry *r, struct rl_err *err);

#endif
