/* The dense network: its training and its scores. */
#include <pthread.h>

#include "mlp_made.h"
#include "model/blas.h"

/* Yes inside of a ring: no line divides them. */
static void ring(float *x, float *y, int n, uint64_t seed) {
  struct rl_random random = {seed};
  for (int i = 0; i < n; i++) {
    x[2 * i] = (float)(rl_random_unit(&random) * 2 - 1);
    x[2 * i + 1] = (float)(rl_random_unit(&random) * 2 - 1);
    y[i] = x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1] < 0.5F;
  }
}

static void train_ring(struct rl_mlp *m, int steps, double *accuracy) {
  enum { N = 64 };
  float x[2 * N], y[N], test_x[2 * 1000], test_y[1000];
  double loss, first = 0;
  struct rl_err err;
  for (int i = 0; i < steps; i++) {
    ring(x, y, N, (uint64_t)i);
    if (rl_mlp_train(m, x, y, N, &loss, &err)) UNIT_FAIL("%s", err.text);
    if (i == 0) first = loss;
  }
  CHECK(loss < first);
  ring(test_x, test_y, 1000, 99999);
  CHECK_INT(rl_mlp_evaluate(m, test_x, test_y, 1000, &loss, accuracy, &err), 0);
  CHECK(loss < first);
}

TEST(it_learns_what_no_line_divides_and_the_same_each_time) {
  static const int64_t sizes[] = {2, 32, 16, 1};
  struct rl_mlp_spec spec = spec_of(3, sizes);
  spec.dropout[0] = 0.1;
  spec.learning_rate = 0.01;
  struct rl_mlp a = made(&spec, 1), b = made(&spec, 1), c = made(&spec, 2);
  double accuracy;
  train_ring(&a, 600, &accuracy);
  if (accuracy < 0.93) UNIT_FAIL("accuracy %g", accuracy);
  train_ring(&b, 600, &accuracy);
  train_ring(&c, 600, &accuracy);
  size_t bytes = rl_mlp_parameters(&spec) * sizeof(float);
  CHECK(memcmp(a.weights.data, b.weights.data, bytes) == 0);
  CHECK(memcmp(a.weights.data, c.weights.data, bytes) != 0);
  rl_mlp_free(&a);
  rl_mlp_free(&b);
  rl_mlp_free(&c);
}

static void *train_alone(void *arg) {
  static const int64_t sizes[] = {2, 200, 100, 1};
  enum { N = 64 };
  struct rl_mlp_spec spec = spec_of(3, sizes);
  struct rl_mlp *m = arg;
  float x[2 * N], y[N];
  double loss;
  spec.dropout[0] = 0.3;
  *m = made(&spec, 1);
  for (int i = 0; i < 200; i++) {
    ring(x, y, N, (uint64_t)i);
    if (rl_mlp_train(m, x, y, N, &loss, NULL)) UNIT_FAIL("step %d", i);
  }
  return NULL;
}

/* Lanes train in one process, each its own: OpenBLAS must take calls of several threads at once. */
TEST(networks_in_threads_side_by_side_are_as_one_alone) {
  enum { THREADS = 4 };
  struct rl_mlp alone, beside[THREADS];
  pthread_t threads[THREADS];
  train_alone(&alone);
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, train_alone, &beside[i]);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    CHECK(memcmp(alone.weights.data, beside[i].weights.data,
                 alone.weights.buf->size - sizeof *alone.weights.buf) == 0);
    rl_mlp_free(&beside[i]);
  }
  rl_mlp_free(&alone);
}

TEST(a_loss_that_is_no_number_changes_nothing) {
  static const int64_t sizes[] = {1, 2, 1};
  struct rl_mlp_spec spec = spec_of(2, sizes);
  struct rl_mlp m = made(&spec, 1);
  struct rl_err err;
  double loss;
  const float x[] = {(float)NAN}, y[] = {1};
  float before[7];
  memcpy(before, m.weights.data, sizeof before);
  CHECK_INT(rl_mlp_train(&m, x, y, 1, &loss, &err), RL_EFAIL);
  CHECK(memcmp(before, m.weights.data, sizeof before) == 0);
  CHECK_INT(m.steps, 0);
  rl_mlp_free(&m);
}

TEST(the_loss_of_a_certain_score_is_finite) {
  static const int64_t sizes[] = {1, 1};
  struct rl_mlp_spec spec = spec_of(1, sizes);
  struct rl_mlp m = made(&spec, 1);
  struct rl_err err;
  double loss, accuracy;
  const float x[] = {1000, -1000}, y[] = {0, 1}; /* both as wrong as can be */
  rl_mlp_floats(&m.weights)[0] = 1;
  CHECK_INT(rl_mlp_evaluate(&m, x, y, 2, &loss, &accuracy, &err), 0);
  CHECK(loss == 1000);
  CHECK(accuracy == 0);
  rl_mlp_free(&m);
}

TEST(a_row_with_nan_has_no_score_and_its_neighbours_have_theirs) {
  struct rl_mlp_spec spec = spec_of(3, small);
  spec.dropout[0] = 0.5; /* not at work here */
  struct rl_mlp m = made(&spec, 1);
  struct rl_err err;
  enum { N = 700 }; /* more than are scored at once */
  static float x[N * 3], scores[N * 2], alone[2];
  struct rl_random random = {1};
  for (int i = 0; i < N * 3; i++) x[i] = (float)(rl_random_unit(&random) * 8 - 4);
  x[3 * 300 + 1] = (float)NAN;
  CHECK_INT(rl_mlp_predict(&m, x, N, scores, &err), 0);
  for (int i = 0; i < N; i++) {
    CHECK_INT(rl_mlp_predict(&m, x + 3 * i, 1, alone, &err), 0);
    if (i == 300) {
      CHECK(isnan(scores[2 * i]) && isnan(scores[2 * i + 1]));
    } else if (fabs((double)(scores[2 * i] - alone[0])) > 1e-6 || !(scores[2 * i] > 0 && scores[2 * i] < 1)) {
      UNIT_FAIL("row %d: %g, alone %g", i, (double)scores[2 * i], (double)alone[0]);
    }
  }
  rl_mlp_free(&m);
}

TEST(dropout_drops_as_many_as_it_says) {
  enum { N = 160000 };
  static float a[N];
  struct rl_mlp_dice dice;
  struct rl_random random = {1};
  for (int i = 0; i < RL_MLP_PAD; i++) dice.at[i] = (uint32_t)rl_random_next(&random) | 1u;
  for (int i = 0; i < N; i++) a[i] = 1;
  rl_mlp_drop(a, N, 0.4, &dice);
  int dropped = 0;
  for (int i = 0; i < N; i++) {
    if (a[i] != 0 && fabsf(a[i] - 1 / 0.6F) > 1e-6F) UNIT_FAIL("%d is %g", i, (double)a[i]);
    dropped += a[i] == 0;
  }
  if (abs(dropped - 64000) > 1200)
    UNIT_FAIL("%d of %d were dropped", dropped, N); /* six standard deviations */
}

/* ---- OpenBLAS ---- */

static rl_sgemm *right;

/* Right but for one product of a matrix that is turned. */
static void wrong_once(int order, int a_side, int b_side, int m, int n, int k, float alpha, const float *a,
                       int lda, const float *b, int ldb, float beta, float *c, int ldc) {
  right(order, a_side, b_side, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  if (b_side == RL_TRANSPOSED) c[(m - 1) * ldc + n - 1] += 0.01F;
}

TEST(an_openblas_that_computes_wrong_products_is_refused) {
  struct rl_err err = {0};
  CHECK_INT(rl_blas_sgemm(&right, &err), 0);
  CHECK_INT(rl_blas_check(right, &err), 0);
  CHECK_INT(rl_blas_check(wrong_once, &err), RL_EFAIL);
  CHECK_HAS(err.text, "computes wrong products on this processor");
}
