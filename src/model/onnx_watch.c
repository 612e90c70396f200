/* The thread that ends runs: all that are under way are in its list, and it looks at them every few
 * milliseconds. While runs come one after another it is not woken for each: only a rest ends its rounds. */
#include <string.h>

#include "base/clock.h"
#include "base/thread.h"
#include "model/onnx_runtime.h"

enum { ROUND_MS = 50, ROUNDS_OF_REST = 20 };

static struct {
  pthread_mutex_t mu;
  pthread_cond_t cv;
  struct rl_onnx_watch all; /* the list's head */
  pthread_t thread;
  bool resting, quit;
} watcher = {.mu = PTHREAD_MUTEX_INITIALIZER};

static void end_run(struct rl_onnx_watch *w, enum rl_onnx_end why) {
  w->end = why;
  struct OrtStatus *status = w->api->RunOptionsSetTerminate(w->options);
  if (status) w->api->ReleaseStatus(status);
}

static void look(struct rl_onnx_watch *w) {
  if (w->end != RL_ONNX_RUNS) return;
  if (w->go_on && !w->go_on(w->arg))
    end_run(w, RL_ONNX_STOPPED);
  else if (rl_now() >= w->deadline)
    end_run(w, RL_ONNX_LATE);
}

static void *watch(void *arg) {
  (void)arg;
  int empty = 0;
  pthread_mutex_lock(&watcher.mu);
  while (!watcher.quit) {
    struct rl_onnx_watch *w = watcher.all.next;
    empty = w == &watcher.all ? empty + 1 : 0;
    for (; w != &watcher.all; w = w->next) look(w);
    watcher.resting = empty > ROUNDS_OF_REST;
    rl_cond_wait_until(&watcher.cv, &watcher.mu,
                       watcher.resting ? RL_NEVER : rl_after(rl_now(), ROUND_MS * RL_NS_PER_MS));
    watcher.resting = false;
  }
  pthread_mutex_unlock(&watcher.mu);
  return NULL;
}

int rl_onnx_watch_start(struct rl_err *err) {
  watcher.all.prev = watcher.all.next = &watcher.all;
  watcher.quit = watcher.resting = false;
  rl_cond_init(&watcher.cv);
  int rc = rl_thread_start(&watcher.thread, "rille onnx time", watch, NULL);
  if (!rc) return 0;
  pthread_cond_destroy(&watcher.cv);
  return rl_fail(err, RL_EFAIL, "no thread for ONNX Runtime's deadlines: %s", strerror(rc));
}

void rl_onnx_watch_stop(void) {
  pthread_mutex_lock(&watcher.mu);
  watcher.quit = true;
  pthread_cond_signal(&watcher.cv);
  pthread_mutex_unlock(&watcher.mu);
  pthread_join(watcher.thread, NULL);
  pthread_cond_destroy(&watcher.cv);
}

void rl_onnx_watch_begin(struct rl_onnx_watch *w) {
  w->end = RL_ONNX_RUNS;
  pthread_mutex_lock(&watcher.mu);
  w->prev = &watcher.all;
  w->next = watcher.all.next;
  w->next->prev = w->prev->next = w;
  if (watcher.resting) pthread_cond_signal(&watcher.cv);
  pthread_mutex_unlock(&watcher.mu);
}

void rl_onnx_watch_end(struct rl_onnx_watch *w) {
  pthread_mutex_lock(&watcher.mu);
  w->prev->next = w->next;
  w->next->prev = w->prev;
  pthread_mutex_unlock(&watcher.mu);
}
