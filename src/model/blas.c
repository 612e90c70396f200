#include "model/blas.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
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

int rl_blas_sgemm(rl_sgemm **out, struct rl_err *err) {
  void *library = open_any();
  if (!library)
    return rl_fail(err, RL_EFAIL, "no OpenBLAS here: apt-get install libopenblas0-serial (make deps does)");
  use_one_thread(library);
  if (copy_symbol(library, "cblas_sgemm", out)) return 0;
  return rl_fail(err, RL_EFAIL, "the OpenBLAS here has no cblas_sgemm: apt-get install libopenblas0-serial");
}
