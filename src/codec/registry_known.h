/* What is known of a registry's ids. Whoever calls holds the registry's lock. */
#ifndef RL_CODEC_REGISTRY_KNOWN_H
#define RL_CODEC_REGISTRY_KNOWN_H

#include "base/backoff.h"
#include "codec/registry_impl.h"

enum rl_registry_state {
  RL_REGISTRY_ASKED,   /* there is no answer yet */
  RL_REGISTRY_KNOWN,   /* for ever */
  RL_REGISTRY_UNKNOWN, /* there is none: `why`, and `again` when it may be asked for again */
};

struct rl_registry_entry {
  uint32_t id;
  enum rl_registry_state state;
  bool wanted; /* of ASKED: somebody has come for it since the last try */
  bool told;   /* of UNKNOWN: somebody was told, as who asked must be, however late he comes */
  struct rl_registry_schema schema;
  char *why;
  int64_t again;
  struct rl_backoff backoff;
};

struct rl_registry_known {
  double backoff, backoff_max;   /* seconds, of ids that no schema has */
  struct rl_registry_entry **at; /* by id, ascending */
  size_t n, cap, n_unknown;
  uint32_t last; /* id that was asked for */
};

/* It is there, or comes as ASKED. One that is ASKED is never forgotten. */
struct rl_registry_entry *rl_registry_entry_of(struct rl_registry_known *k, uint32_t id);
/* The next one to be asked for; NULL: none. */
struct rl_registry_entry *rl_registry_next_wanted(const struct rl_registry_known *k);
void rl_registry_found(struct rl_registry_entry *e, const struct rl_registry_schema *schema); /* takes it */
void rl_registry_found_none(struct rl_registry_known *k, struct rl_registry_entry *e, const char *why);
/* Why there is no such schema. NULL: it is not known to be so, or that is to be asked again by now. */
const char *rl_registry_is_none(struct rl_registry_known *k, struct rl_registry_entry *e);
void rl_registry_known_free(struct rl_registry_known *k);

#endif
