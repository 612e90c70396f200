/* ONNX Runtime in this process: found when the first model is opened, loaded once, and never unloaded.
 *
 * Looked for: the file that RILLE_ONNXRUNTIME names (an absolute path; then nowhere else); libonnxruntime.so
 * beside the program or the Lua module, or in lib/rille beside their folder; where the system keeps
 * libraries. The working directory is never looked at: a file that happens to lie there must not become code.
 */
#ifndef RL_MODEL_ONNX_RUNTIME_H
#define RL_MODEL_ONNX_RUNTIME_H

#include <stdbool.h>

#include "base/err.h"
#include "model/onnx_api.h"

struct rl_onnx {
  const struct rl_ort_api *api;
  struct OrtEnv *env;
};

/* RL_EUSAGE when there is none, or an old one; says what to do. Each acquire is to be released; the last
 * release ends what runs in the background. */
int rl_onnx_acquire(struct rl_onnx *out, struct rl_err *err);
void rl_onnx_release(void);

/* 0, or RL_EFAIL with the status's text; releases it. */
int rl_onnx_check(const struct rl_ort_api *api, struct OrtStatus *status, struct rl_err *err);

/* The library: dlopen's handle, for ever. path: where it was found, rl_free. */
void *rl_onnx_load(char **path, struct rl_err *err);

/* ---- ending runs: a run cannot look at the clock itself ---- */

enum rl_onnx_end { RL_ONNX_RUNS, RL_ONNX_STOPPED, RL_ONNX_LATE };

struct rl_onnx_watch {
  const struct rl_ort_api *api;
  struct OrtRunOptions *options;
  bool (*go_on)(void *arg); /* NULL: always yes */
  void *arg;
  int64_t deadline;     /* RL_NEVER: none */
  enum rl_onnx_end end; /* read after the end */
  struct rl_onnx_watch *prev, *next;
};

/* Around a run, between acquire and release. */
void rl_onnx_watch_begin(struct rl_onnx_watch *watch);
void rl_onnx_watch_end(struct rl_onnx_watch *watch);

int rl_onnx_watch_start(struct rl_err *err); /* the runtime's, with the first model and the last */
void rl_onnx_watch_stop(void);

#endif
