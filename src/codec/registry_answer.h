/* One request to a registry, and its answer read. */
#ifndef RL_CODEC_REGISTRY_ANSWER_H
#define RL_CODEC_REGISTRY_ANSWER_H

#include "codec/json.h"
#include "codec/registry_impl.h"

/* Asking at one URL. */
struct rl_registry_line {
  struct rl_http *http;
  const char *url;
  bool proven; /* as in the place */
  struct rl_json *json;
  struct rl_tape tape; /* of the answer that is being read */
  struct rl_arena *arena;
  struct rl_err *err;
};

/* A subject's version, as references name it. */
struct rl_registry_ref {
  struct rl_bytes subject;
  int64_t version;
};

/* What was read of an answer; texts and references are in the arena. */
struct rl_registry_answer {
  enum rl_schema_kind kind;
  struct rl_bytes text;
  struct rl_registry_ref *refs;
  size_t n_refs;
};

/* The schema at a path of the registry's; RL_EHANDLER, RL_ETRANSIENT. */
int rl_registry_get_schema(struct rl_registry_line *line, const char *path, struct rl_registry_answer *out);

/* The same of an answer's body that is there. */
int rl_registry_read_schema(struct rl_registry_line *line, const char *path, const struct rl_buf *body,
                            struct rl_registry_answer *out);

/* GET, as rl_http_run; call->url is NULL again. */
int rl_registry_request(struct rl_http *http, const char *base, const char *path, struct rl_http_call *call,
                        struct rl_err *err);
/* What the answer of a registry that is there says of the schema; all else is the weather. */
bool rl_registry_is_verdict(int status);

#endif
