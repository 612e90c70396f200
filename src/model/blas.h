/* OpenBLAS, found when a network first needs it: its one routine that networks are made of.
 *
 * It is loaded, not linked: a program that trains nothing starts without it, and a machine that has none runs
 * all else. The build that makes no threads is taken where there is one; of another, the threads (made with
 * all signals blocked) stay idle, unless OPENBLAS_NUM_THREADS asks for them. The one without computes one
 * product at a time, whichever threads ask. */
#ifndef RL_MODEL_BLAS_H
#define RL_MODEL_BLAS_H

#include "base/err.h"

enum rl_blas_side { RL_AS_IT_IS = 111, RL_TRANSPOSED = 112 }; /* CBLAS's own numbers */

/* cblas_sgemm: c = alpha a b + beta c; c is m rows of n, the inner size is k. order: RL_ROWS. */
typedef void rl_sgemm(int order, int a_side, int b_side, int m, int n, int k, float alpha, const float *a,
                      int lda, const float *b, int ldb, float beta, float *c, int ldc);
enum { RL_ROWS = 101 };

/* Any thread. The library stays loaded. RL_EFAIL: there is none; the text says which package has it; or it
 * does not pass the check below. */
int rl_blas_sgemm(rl_sgemm **out, struct rl_err *err);
/* Old builds compute wrong sums on processors younger than they are: some products, held against plain loops.
 * RL_EFAIL. */
int rl_blas_check(rl_sgemm *sgemm, struct rl_err *err);

#endif
