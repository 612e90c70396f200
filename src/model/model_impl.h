/* What the files of the models' front share. */
#ifndef RL_MODEL_MODEL_IMPL_H
#define RL_MODEL_MODEL_IMPL_H

#include "model/model.h"

/* All backends, NULL at the end. */
extern const struct rl_model_backend *const rl_model_backends[];

/* rl_model_open with other backends than those. */
int rl_model_open_among(struct rl_model **out, const struct rl_model_backend *const *backends,
                        const char *uri, const struct rl_model_opts *opts, bool (*go_on)(void *arg),
                        void *arg, struct rl_err *err);

/* ---- a URI (model_uri.c) ---- */

bool rl_model_has_scheme(const struct rl_model_backend *backend, const char *uri);
char *rl_model_whole_uri(const char *uri); /* a path that ends in .onnx stands for onnx:PATH */
int rl_model_unknown_uri(const char *uri, struct rl_err *err);
/* Puts the URI before what is said of an opening, without what may be a secret: no server's model whose URI
 * may hold one is opened. */
int rl_model_prefix_uri(const char *uri, struct rl_err *err);

/* ---- a run ---- */

/* The inputs as the model wants them: its names, order and types. out[i] is port i's, to be freed with
 * rl_model_clear; of a model whose inputs are not known, they are as they came. */
int rl_model_check(const struct rl_model_ports *ports, const struct rl_model_value *inputs, size_t n,
                   struct rl_model_value *out, struct rl_err *err);
void rl_model_clear(struct rl_model_value *values, size_t n); /* the tensors, not the array */

/* What a run of no rows gives. */
int rl_model_no_rows(const struct rl_model_ports *outputs, struct rl_model_run *run, struct rl_err *err);
/* Outer dimensions of a whole run's outputs. rows -1: there are none to check. */
int rl_model_check_outputs(const struct rl_model_ports *ports, const struct rl_model_run *run, int64_t rows,
                           struct rl_err *err);
/* Runs the backend on at most `batch` rows a call. */
int rl_model_run_split(const struct rl_model_backend *backend, void *self, const struct rl_model_ports *ports,
                       int64_t batch, int64_t rows, struct rl_model_run *run, struct rl_err *err);

#endif
