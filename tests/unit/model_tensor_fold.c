/* Folds over more than a piece, a line, a line of results: as a plain loop has them. */
#include <math.h>

#include "model/random.h"
#include "model/tensor_fold.h"
#include "unit.h"

enum { MOST = 600 };
static double x[MOST];
static const size_t sizes[] = {1, 7, 8, 9, 31, 32, 33, 64, 255, 256, 257, 288, 513, MOST};
#define EACH_SIZE(n) \
  for (size_t at_ = 0, n; at_ < sizeof sizes / sizeof *sizes && (n = sizes[at_], true); at_++)

static void fill(size_t n, uint64_t seed) {
  struct rl_random random = {seed};
  for (size_t i = 0; i < n; i++) x[i] = floor(rl_random_unit(&random) * 100) / 8;
}

static void fold_into(enum rl_fold which, size_t n, void *result) {
  struct rl_tensor in = {
      .data = (char *)x, .dtype = RL_FLOAT64, .rank = 1, .shape = {(int64_t)n}, .stride = {1}};
  struct rl_tensor out = {.data = result, .dtype = rl_tensor_fold_dtype(which, RL_FLOAT64)};
  struct rl_err err;
  if (rl_tensor_fold(which, &in, -1, &out, &err)) UNIT_FAIL("%s", err.text);
}

static double fold(enum rl_fold which, size_t n) {
  double result[1] = {-1};
  fold_into(which, n, result);
  return *result;
}

static int64_t place(size_t n) {
  int64_t result[1] = {-1};
  fold_into(RL_ARGMAX, n, result);
  return *result;
}

TEST(the_first_of_the_most_wherever_it_is) {
  EACH_SIZE(n) for (uint64_t seed = 0; seed < 20; seed++) {
    size_t most = 0, least = 0;
    fill(n, seed);
    for (size_t i = 0; i < n; i++) {
      if (x[i] > x[most]) most = i;
      if (x[i] < x[least]) least = i;
    }
    CHECK(fold(RL_MAX, n) == x[most]);
    CHECK(fold(RL_MIN, n) == x[least]);
    CHECK_INT(place(n), (int64_t)most + 1);
  }
}

TEST(a_nan_is_found_wherever_it_is) {
  EACH_SIZE(n) {
    fill(n, n);
    for (size_t i = 0; i < n; i++) {
      double was = x[i];
      x[i] = (double)NAN;
      CHECK(isnan(fold(RL_MAX, n)) && isnan(fold(RL_MIN, n)) && isnan(fold(RL_SUM, n)));
      CHECK_INT(place(n), 0);
      x[i] = was;
    }
  }
}

TEST(of_zeros_the_first_ones_sign_stays) {
  EACH_SIZE(n) for (size_t i = 0; i < n; i++) x[i] = i ? 0.0 : -0.0;
  EACH_SIZE(n) CHECK(signbit(fold(RL_MAX, n)) && signbit(fold(RL_MIN, n)));
}

/* Eighths: every order of adding them is exact. */
TEST(sums_have_each_element_once) {
  EACH_SIZE(n) {
    double sum = 0, squares = 0;
    fill(n, 3);
    for (size_t i = 0; i < n; i++) sum += x[i];
    for (size_t i = 0; i < n; i++) squares += (x[i] - sum / (double)n) * (x[i] - sum / (double)n);
    CHECK(fold(RL_SUM, n) == sum);
    CHECK(fold(RL_MEAN, n) == sum / (double)n);
    CHECK(fabs(fold(RL_STD, n) - sqrt(squares / (double)n)) < 1e-12);
  }
}

TEST(each_of_many_rows_has_its_result) {
  struct rl_tensor t = {
      .data = (char *)x, .dtype = RL_FLOAT64, .rank = 2, .shape = {MOST / 2, 2}, .stride = {2, 1}};
  struct rl_err err;
  double result[MOST / 2];
  struct rl_tensor out = {
      .data = (char *)result, .dtype = RL_FLOAT64, .rank = 1, .shape = {MOST / 2}, .stride = {1}};
  fill(MOST, 5);
  CHECK_INT(rl_tensor_fold(RL_SUM, &t, 1, &out, &err), 0);
  for (size_t i = 0; i < MOST / 2; i++) CHECK(result[i] == x[2 * i] + x[2 * i + 1]);
}
