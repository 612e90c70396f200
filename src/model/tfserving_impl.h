/* What the files of TensorFlow Serving's REST protocol share: tfserving.c (the backend), tfserving_load.c
 * (readiness and what is declared), tfserving_ask.c (a request), tfserving_answer.c (an answer). */
#ifndef RL_MODEL_TFSERVING_IMPL_H
#define RL_MODEL_TFSERVING_IMPL_H

#include "model/serve.h"

struct rl_tfserving {
  struct rl_served s; /* first: the protocol's functions are given it */
  char *signature;    /* NULL: the server's default */
};

/* Puts /v1/models/NAME[/versions/VERSION|/labels/LABEL]: a version is all digits. */
void rl_tfserving_put_path(const struct rl_served *s, struct rl_buf *path);
/* What struct rl_protocol asks for. */
int rl_tfserving_load(struct rl_asking *a, struct rl_err *err);
int rl_tfserving_ready(struct rl_asking *a, struct rl_err *err);
int rl_tfserving_put(struct rl_served *s, const struct rl_part *part, struct rl_request *request,
                     struct rl_err *err);
int rl_tfserving_take(struct rl_join *join, const struct rl_part *part, struct rl_http_call *call,
                      struct rl_err *err);

#endif
