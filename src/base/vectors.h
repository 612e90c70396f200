/* Loops that compilers make vector instructions of: the Makefile compiles the files that have them for that.
 *
 * A function marked RL_VECTORS is compiled twice, for every x86-64 and for those with AVX2 (twice as wide);
 * which one runs is settled when the program is loaded. Both give the same bits: a multiplication and an
 * addition stay two, each rounded. Sanitizers do not stand code that runs that early. */
#ifndef RL_BASE_VECTORS_H
#define RL_BASE_VECTORS_H

#include <features.h> /* __GLIBC__ */

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define RL_VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define RL_VECTORS
#endif

#endif
