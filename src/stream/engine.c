#include "stream/engine.h"

#include "base/mem.h"

void rl_failure_set(struct rl_failure *f, enum rl_blame blame, const char *error, const char *traceback) {
  /* Copied before the old texts go: they may be what is passed. */
  char *new_error = rl_strdup(error ? error : "(no error text)");
  char *new_traceback = traceback ? rl_strdup(traceback) : NULL;
  rl_failure_clear(f);
  f->blame = blame;
  f->error = new_error;
  f->traceback = new_traceback;
}

void rl_failure_clear(struct rl_failure *f) {
  rl_free(f->error);
  rl_free(f->traceback);
  *f = (struct rl_failure){.blame = RL_BLAME_NONE};
}
