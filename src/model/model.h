/* Models: tensors in, tensors out, by name, whoever computes them.
 *
 * A model is opened from a URI and shared: asking for the same URI with the same options in another lane
 * gives the same model, counted. Runs may come from several threads at once. What a backend has to do stands
 * in struct rl_model_backend; splitting into calls of at most `batch` rows, joining their outputs, and
 * holding names, types and shapes against what the model declares is done here, once for all backends.
 *
 * Results: 0; RL_ETRANSIENT when the model is not to be had now (no connection, 429, 502 to 504, time-out, a
 * server that has not loaded it yet): the weather (S4.1), and when go_on said no: the caller knows why it
 * did; RL_ENOMEM; RL_EUSAGE for names that the model does not have, for options and URIs that cannot be, and
 * for what a server refuses whoever asks (a log-in, a certificate): whoever wrote them is to blame; RL_EFAIL
 * for all else, the batch's fault: types and shapes that the model does not take (both shapes are named), and
 * the model's own errors. Texts begin with the model's URI, which is put before what a backend says. */
#ifndef RL_MODEL_MODEL_H
#define RL_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/tensor.h"

/* What a model takes or gives. Sizes of -1 are free; the first axis is the rows' where it is free. Names and
 * arrays are from rl_alloc. */
struct rl_model_port {
  char *name;
  enum rl_dtype dtype; /* of the tensors here: a backend converts what it has to (float16 …) or refuses */
  int rank;            /* -1: not known */
  int64_t shape[RL_RANK_MAX];
};

struct rl_model_ports {
  size_t n; /* 0: not known (a server without metadata) */
  struct rl_model_port *at;
};

/* Zero is each one's default. Texts are copied. */
struct rl_model_opts {
  int64_t batch;  /* rows a call at most; 0: the backend's own number, if any */
  int threads;    /* of a runtime in process; 0: the cores this process may use */
  double timeout; /* seconds of a run, retries included; 0: 30 */
  int retries;    /* of a call that failed as weather, before the run fails as weather; -1: none, 0: 3 */
  int64_t warmup; /* rows of zeros to run once at the start; 0: none */
  int in_flight;  /* calls of a split run under way at once (servers); 0: 4 */
  const char *ca, *certificate, *key;  /* TLS, as base/http.h */
  const char *user, *password, *token; /* credentials: secrets, in no error and no log */
};

/* Of a run: name and elements. Inputs are borrowed, outputs are the caller's to free. */
struct rl_model_value {
  const char *name; /* of inputs NULL: the only one; of outputs: the model's, good until it is closed */
  struct rl_tensor t;
};

struct rl_model_run {
  const struct rl_model_value *inputs; /* compact */
  size_t n_inputs;
  struct rl_model_value *outputs; /* filled by the run: an array from rl_alloc; rl_model_values_free */
  size_t n_outputs;
  const struct rl_tensor_alloc *alloc; /* for the outputs; NULL: malloc's. Used on the caller's thread only */
  bool (*go_on)(void *arg);            /* asked at least every 100 ms from any thread; NULL: always yes */
  void *arg;
  int64_t began; /* set here, for backends: their time-out is the run's, of all its calls */
};

struct rl_model;

/* The model of a URI: `onnx:FILE` or a path ending in .onnx, kserve://, kserves://, tfserving://,
 * tfservings://. Waits for a server's readiness for opts->timeout, asking go_on (NULL: always yes). */
int rl_model_open(struct rl_model **out, const char *uri, const struct rl_model_opts *opts,
                  bool (*go_on)(void *arg), void *arg, struct rl_err *err);
struct rl_model *rl_model_share(struct rl_model *model); /* a count up; returns it */
void rl_model_close(struct rl_model *model);             /* a count down; the last one ends it */

const char *rl_model_uri(const struct rl_model *model);
bool rl_model_is_served(const struct rl_model *model); /* elsewhere: what takes long is not the batch */
bool rl_model_uri_is_served(const char *uri);          /* the same, of one that may not be open */
const struct rl_model_ports *rl_model_inputs(const struct rl_model *model);
const struct rl_model_ports *rl_model_outputs(const struct rl_model *model);

/* Inputs become the model's types where that loses nothing (whole numbers to wider ones, bool to any), and
 * float64 to float32, as that is all the model can take; other types are refused. A run of no rows asks
 * nobody: its outputs have no rows either (of a model that declares none: one output). Every output whose
 * outer dimension is free has as many rows as the inputs, or the run fails. On failure there are no outputs.
 */
int rl_model_run(struct rl_model *model, struct rl_model_run *run, struct rl_err *err);

/* Frees the tensors and the array. */
void rl_model_values_free(struct rl_model_value *values, size_t n);
void rl_model_ports_free(struct rl_model_ports *ports);
enum { RL_PORT_TEXT = 320 };
/* "features float32 [?, 25]"; returns text. */
const char *rl_model_port_text(char text[RL_PORT_TEXT], const struct rl_model_port *port);

/* ---- for backends ---- */

/* What opening takes, and where the ports go when they are known. */
struct rl_model_opening {
  const char *uri; /* whole */
  const struct rl_model_opts *opts;
  bool (*go_on)(void *arg);
  void *arg;
  struct rl_model_ports *inputs, *outputs;
};

/* One way to compute. */
struct rl_model_backend {
  const char *const *schemes; /* "kserve", "kserves", NULL */
  int (*open)(void **self, const struct rl_model_opening *o, struct rl_err *err); /* sets *self */
  /* Inputs fit the ports, are in their order and named (where they are known), and have at most opts->batch
   * rows, unless the backend splits by itself. Several threads at once. */
  int (*run)(void *self, struct rl_model_run *run, struct rl_err *err);
  void (*close)(void *self);
  bool splits; /* run splits by itself, to have several calls under way */
  bool served; /* by another process */
  /* Rows a call at most where opts->batch says nothing and every output has a row for each; 0: no limit. */
  int64_t batch;
};

extern const struct rl_model_backend rl_model_onnx, rl_model_kserve, rl_model_tfserving;

/* How many rows the inputs of a run have; -1: none of them has rows. */
int64_t rl_model_rows(const struct rl_model_ports *ports, const struct rl_model_value *inputs, size_t n);
/* The inputs of a call on `rows` rows from `first` on: views, to be forgotten. An input without rows goes
 * with each call whole. */
void rl_model_part(const struct rl_model_ports *ports, const struct rl_model_value *inputs, size_t n,
                   int64_t first, int64_t rows, struct rl_model_value *out);

/* What calls on parts of the rows gave becomes one. Zero it, and fill the first part. */
struct rl_model_join {
  int64_t rows; /* of all parts */
  const struct rl_tensor_alloc *alloc;

  struct rl_model_value *outputs; /* taken by whoever is done; else rl_model_values_free(outputs, n) */
  size_t n;
};
/* Copies a part's outputs, which stay the caller's, to their place, in any order of the parts. RL_EFAIL when
 * their outer dimension is not `rows`, or names, types or the other sizes are not the other parts'. */
int rl_model_join(struct rl_model_join *join, int64_t first, int64_t rows, const struct rl_model_value *part,
                  size_t n, struct rl_err *err);

#endif
