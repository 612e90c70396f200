/* What the files of the registry share: registry.c (the helper thread), registry_known.c (what is known),
 * registry_ask.c (one schema, asked for) and registry_answer.c (one answer, read). */
#ifndef RL_CODEC_REGISTRY_IMPL_H
#define RL_CODEC_REGISTRY_IMPL_H

#include "base/arena.h"
#include "codec/registry.h"

enum {
  RL_REGISTRY_DEPTH = 16,           /* references of references */
  RL_REGISTRY_TEXTS = 256,          /* schemas that one is made of */
  RL_REGISTRY_ANSWER_MAX = 4 << 20, /* bytes of an answer */
};

/* Where a registry is asked, on the thread of whoever asks. */
struct rl_registry_place {
  struct rl_http *http;
  char **urls;
  size_t n_urls;
  bool *proven; /* by URL: something of a registry's was there. Until then a bare 404 may mean a wrong path */
  size_t at;    /* the one that answered last */
};

/* A schema as the source gives it out, with the memory it lives in. */
struct rl_registry_schema {
  struct rl_schema_text text;
  struct rl_arena arena;
};

/* Asks for a schema and all it refers to, at one URL after another while there is only weather. 0, and the
 * schema is filled; RL_EHANDLER, RL_ETRANSIENT. */
int rl_registry_ask(struct rl_registry_place *place, uint32_t id, struct rl_registry_schema *out,
                    struct rl_err *err);
/* As rl_registry_check. */
int rl_registry_probe(struct rl_registry_place *place, struct rl_err *err);

#endif
