/* What a session of ONNX Runtime is set to, told by an interface made here: threads and spinning show in no
 * result. */
#include <sched.h>
#include <unistd.h>

#include "base/cores.h"
#include "model/model.h"
#include "model/onnx_runtime.h"
#include "unit.h"

/* Taken when the session is made: what is set later has no effect. */
static struct {
  int intra, inter, sessions;
  unsigned level;
  char entries[400]; /* "key=value;key=value;" */
} set, made;

static struct OrtStatus *const refused = (struct OrtStatus *)&set;

static struct OrtStatus *set_intra(struct OrtSessionOptions *o, int n) {
  (void)o;
  set.intra = n;
  return NULL;
}

static struct OrtStatus *set_inter(struct OrtSessionOptions *o, int n) {
  (void)o;
  set.inter = n;
  return NULL;
}

static struct OrtStatus *set_level(struct OrtSessionOptions *o, unsigned level) {
  (void)o;
  set.level = level;
  return NULL;
}

static struct OrtStatus *add_entry(struct OrtSessionOptions *o, const char *key, const char *value) {
  (void)o;
  size_t len = strlen(set.entries);
  snprintf(set.entries + len, sizeof set.entries - len, "%s=%s;", key, value);
  return NULL;
}

static struct OrtStatus *create_options(struct OrtSessionOptions **o) {
  memset(&set, 0, sizeof set);
  *o = NULL;
  return NULL;
}

static void release_options(struct OrtSessionOptions *o) { (void)o; }

/* No more is wanted of it. */
static struct OrtStatus *create_session(const struct OrtEnv *env, const char *path,
                                        const struct OrtSessionOptions *o, struct OrtSession **session) {
  (void)env, (void)path, (void)o, (void)session;
  made = set;
  made.sessions = 1;
  return refused;
}

static const struct rl_ort_api api = {.CreateSessionOptions = create_options,
                                      .SetIntraOpNumThreads = set_intra,
                                      .SetInterOpNumThreads = set_inter,
                                      .SetSessionGraphOptimizationLevel = set_level,
                                      .AddSessionConfigEntry = add_entry,
                                      .CreateSession = create_session,
                                      .ReleaseSessionOptions = release_options};

/* In place of the room's own: its file is not linked. */
int rl_onnx_acquire(struct rl_onnx *out, struct rl_err *err) {
  (void)err;
  *out = (struct rl_onnx){.api = &api};
  return 0;
}

void rl_onnx_release(void) {}

int rl_onnx_check(const struct rl_ort_api *of, struct OrtStatus *status, struct rl_err *err) {
  (void)of;
  return status ? rl_fail(err, RL_EFAIL, "no session here") : 0;
}

static void open_with(int threads) {
  struct rl_err err;
  struct rl_model *m;
  memset(&made, 0, sizeof made);
  CHECK_INT(
      rl_model_open(&m, "onnx:/dev/null", &(struct rl_model_opts){.threads = threads}, NULL, NULL, &err),
      RL_EFAIL);
  CHECK_HAS(err.text, "no session here");
  CHECK_INT(made.sessions, 1);
}

TEST(threads_are_as_many_as_the_cores_that_this_process_may_use) {
  cpu_set_t before, one;
  size_t first = 0;
  CHECK(!sched_getaffinity(0, sizeof before, &before));
  open_with(0);
  CHECK_INT(made.intra, rl_cores());
  CHECK_INT(made.inter, 1);
  while (!CPU_ISSET(first, &before)) first++;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  CHECK(!sched_setaffinity(0, sizeof one, &one));
  open_with(0);
  CHECK_INT(made.intra, 1);
  CHECK(!sched_setaffinity(0, sizeof before, &before));
}

TEST(threads_are_as_many_as_the_options_say) {
  open_with(3);
  CHECK_INT(made.intra, 3);
  CHECK_INT(made.inter, 1);
}

/* A thread that spins while it waits takes a core from the lanes. */
TEST(no_thread_spins_and_sessions_share_their_memory) {
  open_with(0);
  CHECK_HAS(made.entries, "session.intra_op.allow_spinning=0;");
  CHECK_HAS(made.entries, "session.inter_op.allow_spinning=0;");
  CHECK_HAS(made.entries, "session.use_env_allocators=1;");
  CHECK_INT(made.level, RL_ORT_ALL_OPTIMIZED);
}
