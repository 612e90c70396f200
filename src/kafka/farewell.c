#include "kafka/farewell.h"

#include <librdkafka/rdkafka.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/thread.h"

#define LIMIT (2 * RL_NS_PER_S)

static atomic_int unended;

/* Shared by the caller and the thread that destroys. The caller joins the thread and frees it, or, when it no
 * longer waits, leaves both to the thread. */
struct farewell {
  rd_kafka_t *rk;
  int flags;
  void (*after)(void *arg);
  void *arg;
  pthread_mutex_t mu;
  pthread_cond_t cv;
  bool done, left; /* the handle is gone; the caller no longer waits */
};

static void end(struct farewell *f) {
  pthread_cond_destroy(&f->cv);
  pthread_mutex_destroy(&f->mu);
  rl_free(f);
}

static void *destroy(void *arg) {
  struct farewell *f = arg;
  rd_kafka_destroy_flags(f->rk, f->flags);
  f->after(f->arg);
  pthread_mutex_lock(&f->mu);
  f->done = true;
  bool left = f->left;
  pthread_cond_signal(&f->cv);
  pthread_mutex_unlock(&f->mu);
  if (left) {
    end(f);
    atomic_fetch_sub(&unended, 1);
  }
  return NULL;
}

static bool wait_for(struct farewell *f) {
  int64_t until = rl_now() + LIMIT;
  pthread_mutex_lock(&f->mu);
  while (!f->done && rl_now() < until) rl_cond_wait_until(&f->cv, &f->mu, until);
  bool done = f->done;
  f->left = !done;
  if (!done) atomic_fetch_add(&unended, 1);
  pthread_mutex_unlock(&f->mu);
  return done;
}

static struct farewell *begin(rd_kafka_t *rk, int flags, void (*after)(void *arg), void *arg) {
  struct farewell *f = rl_zalloc(sizeof *f);
  *f = (struct farewell){.rk = rk, .flags = flags, .after = after, .arg = arg};
  pthread_mutex_init(&f->mu, NULL);
  rl_cond_init(&f->cv);
  return f;
}

/* Without a thread to spare it is destroyed here, however long that takes. */
bool rl_farewell(rd_kafka_t *rk, int flags, void (*after)(void *arg), void *arg) {
  struct farewell *f = begin(rk, flags, after, arg);
  pthread_t thread;
  bool threaded = rl_thread_start(&thread, "rille farewell", destroy, f) == 0;
  if (!threaded) destroy(f);
  bool done = wait_for(f);
  if (threaded && done) pthread_join(thread, NULL); /* not even its stack outlives the handle */
  if (threaded && !done) pthread_detach(thread);
  if (done) end(f);
  return done;
}

int rl_farewells_unended(void) { return atomic_load(&unended); }
