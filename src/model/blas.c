#include "model/blas.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The builds without threads first, where Debian puts them; then whichever the system prefers. */
static const char *const names[] = {"/usr/lib/x86_64-linux-gnu/openblas-serial/libopenblas.so.0",
                                    "/usr/lib/aarch64-linux-gnu/openblas-serial/libopenblas.so.0",
                                    "libopenblas.so.0", "libopenblas.so"};

/* A build with threads makes them while it is loaded: they are to leave signals to the main thread. */
static void *open_quietly(const char *name) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return library;
}

static void *open_any(void) {
  void *library = NULL;
  for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++) library = open_quietly(names[i]);
  return library;
}

/* ISO C has no way from an object's address to a function's; POSIX promises that they are alike. */
static void *copy_symbol(void *library, const char *name, void *to) {
  void *at = dlsym(library, name);
  memcpy(to, &at, sizeof at);
  return at;
}

static void use_one_thread(void *library) {
  void (*set)(int threads);
  if (getenv("OPENBLAS_NUM_THREADS")) return;
  if (copy_symbol(library, "openblas_set_num_threads", &set)) set(1);
}

/* ---- is it right? ---- */

enum { M = 35, N = 27, K = 41 }; /* no multiples of what its routines take at once */

/* Of a matrix of so many rows and columns, which lies as it is, or turned. */
static double element(const float *a, int side, int i, int j, int rows, int columns) {
  return (double)(side == RL_AS_IT_IS ? a[i * columns + j] : a[j * rows + i]);
}

static bool is_right(const float *a, int a_side, const float *b, int b_side, const float *c) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int l = 0; l < K; l++) sum += element(a, a_side, i, l, M, K) * element(b, b_side, l, j, K, N);
      if (!(fabs(sum - (double)c[i * N + j]) < 1e-3)) return false;
    }
  return true;
}

static bool check_sides(rl_sgemm *sgemm, const float *a, int a_side, const float *b, int b_side) {
  float c[M * N];
  sgemm(RL_ROWS, a_side, b_side, M, N, K, 1, a, a_side == RL_AS_IT_IS ? K : M, b,
        b_side == RL_AS_IT_IS ? N : K, 0, c, N);
  return is_right(a, a_side, b, b_side, c);
}

int rl_blas_check(rl_sgemm *sgemm, struct rl_err *err) {
  float a[M * K], b[K * N];
  for (int i = 0; i < M * K; i++) a[i] = (float)(i * 37 % 101 - 50) / 50;
  for (int i = 0; i < K * N; i++) b[i] = (float)(i * 59 % 103 - 51) / 51;
  if (check_sides(sgemm, a, RL_AS_IT_IS, b, RL_AS_IT_IS) &&
      check_sides(sgemm, a, RL_TRANSPOSED, b, RL_AS_IT_IS) &&
      check_sides(sgemm, a, RL_AS_IT_IS, b, RL_TRANSPOSED))
    return 0;
  return rl_fail(
      err, RL_EFAIL,
      "the OpenBLAS here computes wrong products on this processor: install a newer one, or name an "
      "older processor in the environment, as in OPENBLAS_CORETYPE=Haswell");
}

/* ---- several threads ---- */

static pthread_mutex_t one_product = PTHREAD_MUTEX_INITIALIZER;
static rl_sgemm *bare; /* under one_product */

/* The build without threads has no locks either: its work space is whoever's asks, so that two products at
 * once are both wrong. CBLAS's signature. NOLINTNEXTLINE(readability-function-size) */
static void guarded(int order, int a_side, int b_side, int m, int n, int k, float alpha, const float *a,
                    int lda, const float *b, int ldb, float beta, float *c, int ldc) {
  pthread_mutex_lock(&one_product);
  bare(order, a_side, b_side, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  pthread_mutex_unlock(&one_product);
}

/* Of a library that does not say, the worse is held true. */
static rl_sgemm *for_threads(void *library, rl_sgemm *sgemm) {
  int (*parallel)(void);
  if (copy_symbol(library, "openblas_get_parallel", &parallel) && parallel() != 0) return sgemm;
  pthread_mutex_lock(&one_product);
  bare = sgemm;
  pthread_mutex_unlock(&one_product);
  return guarded;
}

int rl_blas_sgemm(rl_sgemm **out, struct rl_err *err) {
  void *library = open_any();
  if (!library)
    return rl_fail(err, RL_EFAIL, "no OpenBLAS here: apt-get install libopenblas0-serial (make deps does)");
  use_one_thread(library);
  if (!copy_symbol(library, "cblas_sgemm", out))
    return rl_fail(err, RL_EFAIL,
                   "the OpenBLAS here has no cblas_sgemm: apt-get install libopenblas0-serial");
  *out = for_threads(library, *out);
  return rl_blas_check(*out, err);
}
