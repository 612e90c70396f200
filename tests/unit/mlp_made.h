/* For the tests of the dense network: networks that are made here. */
#ifndef MLP_MADE_H
#define MLP_MADE_H

#include "model/mlp.h"
#include "model/random.h"
#include "unit.h"

static inline struct rl_mlp_spec spec_of(int layers, const int64_t *sizes) {
  struct rl_mlp_spec spec = rl_mlp_defaults();
  spec.layers = layers;
  for (int i = 0; i <= layers; i++) spec.sizes[i] = sizes[i];
  return spec;
}

static inline struct rl_mlp made(const struct rl_mlp_spec *spec, uint64_t seed) {
  struct rl_mlp m;
  struct rl_err err = {0};
  if (rl_mlp_new(&m, spec, seed, NULL, &err)) UNIT_FAIL("%s", err.text);
  return m;
}

static const int64_t small[] = {3, 7, 4, 2};

#endif
