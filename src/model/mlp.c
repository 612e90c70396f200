/* What a network is made of: its spec, its memory, its first weights. */
#include "model/mlp.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "model/random.h"

struct rl_mlp_spec rl_mlp_defaults(void) {
  return (struct rl_mlp_spec){.learning_rate = 0.001, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-7};
}

static int check_sizes(const struct rl_mlp_spec *spec, struct rl_err *err) {
  if (spec->layers < 1 || spec->layers > RL_MLP_LAYERS)
    return rl_fail(err, RL_EUSAGE, "a network has 2 to %d sizes, inputs first and outputs last",
                   RL_MLP_LAYERS + 1);
  for (int i = 0; i <= spec->layers; i++)
    if (spec->sizes[i] < 1 || spec->sizes[i] > RL_MLP_SIZE)
      return rl_fail(err, RL_EUSAGE, "no layer has the size %lld: 1 to %d", (long long)spec->sizes[i],
                     RL_MLP_SIZE);
  return 0;
}

static int check_share(const char *name, double value, struct rl_err *err) {
  if (value >= 0 && value < 1) return 0;
  return rl_fail(err, RL_EUSAGE, "%s is from 0 to below 1, not %g", name, rl_plain_nan(value));
}

/* Steps are computed in float32, where too small a value is 0 and too large a one infinite. */
static int check_positive(const char *name, double value, struct rl_err *err) {
  if (value >= (double)FLT_MIN && value <= (double)FLT_MAX) return 0;
  return rl_fail(err, RL_EUSAGE, "%s is above 0%s, not %g", name, value > 0 ? " and within float32" : "",
                 rl_plain_nan(value));
}

int rl_mlp_check(const struct rl_mlp_spec *spec, struct rl_err *err) {
  int rc = check_sizes(spec, err);
  for (int i = 0; !rc && i < spec->layers - 1; i++) rc = check_share("dropout", spec->dropout[i], err);
  if (!rc) rc = check_positive("learning_rate", spec->learning_rate, err);
  if (!rc) rc = check_share("beta1", spec->beta1, err);
  if (!rc) rc = check_share("beta2", spec->beta2, err);
  return rc ? rc : check_positive("epsilon", spec->epsilon, err);
}

struct rl_mlp_layer rl_mlp_layer(const struct rl_mlp_spec *spec, int i) {
  struct rl_mlp_layer layer = {0};
  for (int k = 0; k <= i; k++) {
    layer.weights = layer.biases + layer.out;
    if (k == spec->layers) break;
    layer.in = (size_t)spec->sizes[k];
    layer.out = (size_t)spec->sizes[k + 1];
    layer.biases = layer.weights + layer.in * layer.out;
  }
  return layer;
}

size_t rl_mlp_parameters(const struct rl_mlp_spec *spec) { return rl_mlp_layer(spec, spec->layers).weights; }

/* ---- making one ---- */

static int new_floats(struct rl_mlp *m, struct rl_tensor *t, size_t n, struct rl_err *err) {
  const int64_t shape[] = {(int64_t)n};
  int rc = rl_tensor_new(t, RL_FLOAT32, 1, shape, m->alloc.fn ? &m->alloc : NULL, err);
  if (!rc) memset(t->data, 0, n * sizeof(float));
  return rc;
}

static int new_all(struct rl_mlp *m, struct rl_err *err) {
  struct rl_tensor *const all[] = {&m->weights, &m->gradients, &m->first, &m->second};
  size_t n = rl_mlp_pad(rl_mlp_parameters(&m->spec));
  int rc = 0;
  for (int i = 0; !rc && i < 4; i++) rc = new_floats(m, all[i], n, err);
  return rc;
}

/* Glorot's: no wider than keeps the numbers' spread from layer to layer, forth and back. */
static void first_weights(struct rl_mlp *m, struct rl_random *random) {
  for (int i = 0; i < m->spec.layers; i++) {
    struct rl_mlp_layer layer = rl_mlp_layer(&m->spec, i);
    double limit = sqrt(6.0 / (double)(layer.in + layer.out));
    float *w = rl_mlp_floats(&m->weights) + layer.weights;
    for (size_t j = 0; j < layer.in * layer.out; j++)
      w[j] = (float)((2 * rl_random_unit(random) - 1) * limit);
  }
}

static void seed_dice(struct rl_mlp_dice *dice, struct rl_random *random) {
  for (int i = 0; i < RL_MLP_PAD; i++) dice->at[i] = (uint32_t)rl_random_next(random) | 1u;
}

int rl_mlp_new(struct rl_mlp *m, const struct rl_mlp_spec *spec, uint64_t seed,
               const struct rl_tensor_alloc *alloc, struct rl_err *err) {
  struct rl_random random = {seed};
  *m = (struct rl_mlp){.spec = *spec};
  if (alloc) m->alloc = *alloc;
  int rc = rl_mlp_check(spec, err);
  if (!rc) rc = rl_blas_sgemm(&m->sgemm, err);
  if (!rc) rc = new_all(m, err);
  if (rc) {
    rl_mlp_free(m);
    return rc;
  }
  seed_dice(&m->dice, &random);
  first_weights(m, &random);
  return 0;
}

void rl_mlp_free(struct rl_mlp *m) {
  rl_tensor_free(&m->weights);
  rl_tensor_free(&m->gradients);
  rl_tensor_free(&m->first);
  rl_tensor_free(&m->second);
  rl_tensor_free(&m->work);
  *m = (struct rl_mlp){0};
}
