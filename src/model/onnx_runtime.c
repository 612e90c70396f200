#include "model/onnx_runtime.h"

#include <dlfcn.h>
#include <pthread.h>

#include "base/log.h"
#include "base/mem.h"

/* The library stays; the environment and the watcher are there while models are. */
static struct {
  pthread_mutex_t mu;
  const struct rl_ort_api *api;
  struct OrtEnv *env;
  size_t users;
} runtime = {.mu = PTHREAD_MUTEX_INITIALIZER};

int rl_onnx_check(const struct rl_ort_api *api, struct OrtStatus *status, struct rl_err *err) {
  if (!status) return 0;
  int rc = rl_fail(err, RL_EFAIL, "%s", api->GetErrorMessage(status));
  api->ReleaseStatus(status);
  return rc;
}

/* What the runtime warns of is for those who ask for more; its errors come back with the calls that had them.
 */
static void on_log(void *arg, unsigned level, const char *category, const char *id, const char *place,
                   const char *text) {
  (void)arg, (void)level, (void)category, (void)id, (void)place;
  rl_log(RL_DEBUG, "onnxruntime: %s", text);
}

static int too_old(const char *path, const char *version, struct rl_err *err) {
  return rl_fail(err, RL_EUSAGE, "%s is ONNX Runtime %s: 1.%d or later is wanted (`make onnxruntime`)", path,
                 version, RL_ORT_VERSION);
}

static int find_api(void *library, const char *path, struct rl_err *err) {
  const struct rl_ort_base *(*get_base)(void);
  *(void **)&get_base = dlsym(library, "OrtGetApiBase");
  if (!get_base) return rl_fail(err, RL_EUSAGE, "%s is no ONNX Runtime: it has no OrtGetApiBase", path);
  const struct rl_ort_base *base = get_base();
  runtime.api = base->GetApi(RL_ORT_VERSION);
  if (!runtime.api) return too_old(path, base->GetVersionString(), err);
  rl_log(RL_DEBUG, "onnxruntime: %s, version %s", path, base->GetVersionString());
  return 0;
}

static int load(struct rl_err *err) {
  char *path = NULL;
  void *library = rl_onnx_load(&path, err);
  if (!library) return RL_EUSAGE;
  int rc = find_api(library, path, err);
  rl_free(path);
  return rc;
}

/* Sessions share what they compute in: else each would keep as much as its largest run took, for ever. */
static int share_arena(const struct rl_ort_api *api, struct rl_err *err) {
  struct OrtMemoryInfo *info = NULL;
  int rc = rl_onnx_check(api, api->CreateCpuMemoryInfo(RL_ORT_ARENA, RL_ORT_MEM_DEFAULT, &info), err);
  if (rc) return rc;
  rc = rl_onnx_check(api, api->CreateAndRegisterAllocator(runtime.env, info, NULL), err);
  api->ReleaseMemoryInfo(info);
  return rc;
}

static int begin(struct rl_err *err) {
  int rc = runtime.api ? 0 : load(err);
  if (rc) return rc;
  const struct rl_ort_api *api = runtime.api;
  rc = rl_onnx_check(api, api->CreateEnvWithCustomLogger(on_log, NULL, RL_ORT_WARNING, "rille", &runtime.env),
                     err);
  if (rc) return rc;
  rc = share_arena(api, err);
  if (!rc) rc = rl_onnx_watch_start(err);
  if (rc) api->ReleaseEnv(runtime.env);
  return rc;
}

int rl_onnx_acquire(struct rl_onnx *out, struct rl_err *err) {
  pthread_mutex_lock(&runtime.mu);
  int rc = runtime.users ? 0 : begin(err);
  if (!rc) runtime.users++;
  *out = (struct rl_onnx){runtime.api, runtime.env};
  pthread_mutex_unlock(&runtime.mu);
  return rc;
}

void rl_onnx_release(void) {
  pthread_mutex_lock(&runtime.mu);
  if (--runtime.users == 0) {
    rl_onnx_watch_stop();
    runtime.api->ReleaseEnv(runtime.env);
  }
  pthread_mutex_unlock(&runtime.mu);
}
