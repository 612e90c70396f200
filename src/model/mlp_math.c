#include "model/mlp_math.h"

#include <math.h>
#include <string.h>

#include "base/vectors.h"

void rl_mlp_repeat(const float *restrict bias, size_t rows, size_t width, float *restrict z) {
  for (size_t i = 0; i < rows; i++, z += width) memcpy(z, bias, width * sizeof *z);
}

RL_VECTORS void rl_mlp_relu(float *z, size_t padded) {
  for (size_t i = 0; i < padded; i++) z[i] = z[i] < 0 ? 0 : z[i];
}

/* Four numbers that vector instructions of every machine take at once. */
typedef uint32_t four __attribute__((vector_size(16)));
typedef int32_t signed_four __attribute__((vector_size(16)));
typedef float float_four __attribute__((vector_size(16)));
enum { FOURS = RL_MLP_PAD / 4 };

static four roll(four x) {
  x ^= x << 13;
  x ^= x >> 17;
  return x ^ x << 5;
}

/* Compared as signed numbers, which vector instructions have; what is not let through is masked. */
static void drop_four(float *a, four rolled, int32_t least, float scale) {
  float_four x;
  signed_four bits, low = {least, least, least, least}, kept = (signed_four)rolled >= low;
  memcpy(&x, a, sizeof x);
  x *= (float_four){scale, scale, scale, scale};
  memcpy(&bits, &x, sizeof x);
  bits &= kept;
  memcpy(a, &bits, sizeof x);
}

void rl_mlp_drop(float *restrict a, size_t padded, double rate, struct rl_mlp_dice *restrict dice) {
  int32_t least = (int32_t)(rate * 0x1p32 - 0x1p31);
  float scale = (float)(1 / (1 - rate));
  four state[FOURS];
  memcpy(state, dice->at, sizeof state);
  for (size_t i = 0; i < padded; i += RL_MLP_PAD)
    for (size_t k = 0; k < FOURS; k++) {
      state[k] = roll(state[k]);
      drop_four(a + i + 4 * k, state[k], least, scale);
    }
  memcpy(dice->at, state, sizeof state);
}

RL_VECTORS void rl_mlp_unrelu(float *restrict d, const float *restrict a, size_t padded, float scale) {
  for (size_t i = 0; i < padded; i++) d[i] = a[i] > 0 ? d[i] * scale : 0;
}

RL_VECTORS void rl_mlp_sum_rows(const float *restrict d, size_t rows, size_t width, float *restrict sum) {
  for (size_t j = 0; j < width; j++) sum[j] = 0;
  for (size_t i = 0; i < rows; i++, d += width)
    for (size_t j = 0; j < width; j++) sum[j] += d[j];
}

/* The first moment of a weight that gets no gradient any more (its neuron never lights up) would fade into
 * numbers so small that processors take a hundred times as long over them. */
static float no_dust(float x) { return fabsf(x) < 1e-30f ? 0 : x; }

RL_VECTORS void rl_mlp_adam(const struct rl_mlp_adam *how, size_t padded, const float *restrict gradient,
                            float *restrict weight, float *restrict first, float *restrict second) {
  float rate = how->rate, beta1 = how->beta1, beta2 = how->beta2, epsilon = how->epsilon;
  for (size_t i = 0; i < padded; i++) {
    float g = gradient[i];
    float m = no_dust(first[i] * beta1 + g * (1 - beta1));
    float v = no_dust(second[i] * beta2 + g * g * (1 - beta2));
    first[i] = m;
    second[i] = v;
    weight[i] -= rate * m / (sqrtf(v) + epsilon);
  }
}
