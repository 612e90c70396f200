/* What the files of the Open Inference Protocol share: kserve.c (the backend), kserve_load.c (readiness and
 * what is declared), kserve_ask.c (a request), kserve_answer.c (an answer). */
#ifndef RL_MODEL_KSERVE_IMPL_H
#define RL_MODEL_KSERVE_IMPL_H

#include "model/serve.h"

struct rl_kserve {
  struct rl_served s; /* first: the protocol's functions are given it */
  bool binary;        /* the server lists binary_tensor_data */
};

/* Puts /v2/models/NAME[/versions/VERSION]. */
void rl_kserve_put_path(const struct rl_served *s, struct rl_buf *path);
/* What struct rl_protocol asks for. */
int rl_kserve_load(struct rl_asking *a, struct rl_err *err);
int rl_kserve_ready(struct rl_asking *a, struct rl_err *err);
int rl_kserve_put(struct rl_served *s, const struct rl_part *part, struct rl_request *request,
                  struct rl_err *err);
int rl_kserve_take(struct rl_join *join, const struct rl_part *part, struct rl_http_call *call,
                   struct rl_err *err);

#endif
