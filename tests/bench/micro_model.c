/* micro_model: what rille.model costs over the bare runtime, on tensors that are ready. No broker.
 *
 *   micro_model FILE.onnx [SECONDS] [ROWS] [THREADS]
 *
 * Calls alternate: one of ONNX Runtime's own Run on the same buffers, then one of m{ ... } in Lua. Zeros go
 * in: what they are does not change the work of these networks. Prints rows a second of both, by the best and
 * by the median call, and their ratio. THREADS: 1 if not said; 0: the cores this process may use. */
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/cores.h"
#include "base/mem.h"
#include "lua/rille_open.h"
#include "lua/tensor.h"
#include "model/onnx_runtime.h"

enum { CALLS_MAX = 100000, INPUTS_MAX = 8 };

static void die(const char *what) {
  fprintf(stderr, "micro_model: %s\n", what);
  exit(1);
}

/* ---- the bare runtime ---- */

struct bare {
  struct rl_onnx onnx;
  struct OrtSession *session;
  struct OrtValue *inputs[INPUTS_MAX];
  const char *names[INPUTS_MAX], *output;
  size_t n;
};

static void check(const struct rl_ort_api *api, struct OrtStatus *status) {
  struct rl_err err;
  if (rl_onnx_check(api, status, &err)) die(err.text);
}

static void open_bare(struct bare *b, const char *path, int threads) {
  struct rl_err err;
  struct OrtSessionOptions *options;
  if (rl_onnx_acquire(&b->onnx, &err)) die(err.text);
  const struct rl_ort_api *api = b->onnx.api;
  check(api, api->CreateSessionOptions(&options));
  check(api, api->SetIntraOpNumThreads(options, threads));
  check(api, api->AddSessionConfigEntry(options, "session.intra_op.allow_spinning", "0"));
  check(api, api->SetSessionGraphOptimizationLevel(options, RL_ORT_ALL_OPTIMIZED));
  check(api, api->CreateSession(b->onnx.env, path, options, &b->session));
  api->ReleaseSessionOptions(options);
}

static void add_input(struct bare *b, const char *name, const struct rl_tensor *t) {
  const struct rl_ort_api *api = b->onnx.api;
  struct OrtMemoryInfo *memory;
  if (b->n == INPUTS_MAX) die("too many inputs");
  check(api, api->CreateCpuMemoryInfo(RL_ORT_ARENA, RL_ORT_MEM_DEFAULT, &memory));
  check(api, api->CreateTensorWithDataAsOrtValue(memory, t->data, rl_tensor_count(t) * sizeof(float),
                                                 t->shape, (size_t)t->rank, RL_ORT_FLOAT, &b->inputs[b->n]));
  api->ReleaseMemoryInfo(memory);
  b->names[b->n++] = name;
}

static void run_bare(const struct bare *b) {
  const struct rl_ort_api *api = b->onnx.api;
  struct OrtValue *output = NULL;
  check(api, api->Run(b->session, NULL, b->names, (const struct OrtValue *const *)b->inputs, b->n, &b->output,
                      1, &output));
  api->ReleaseValue(output);
}

/* ---- rille ---- */

static const char code[] =
    "local path, rows, threads = ...\n"
    "model, inputs = rille.model(path, { threads = threads }), {}\n"
    "for _, port in ipairs(model.inputs) do\n"
    "  local shape = table.move(port.shape, 1, #port.shape, 1, {})\n"
    "  for i = 1, #shape do if shape[i] < 0 then shape[i] = i == 1 and rows or 1 end end\n"
    "  inputs[port.name] = rille.tensor.zeros(shape)\n"
    "end\n"
    "output = model.outputs[1].name\n"
    "function run() return model(inputs) end";

static lua_State *open_lua(const char *path, int rows, int threads) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  luaL_requiref(L, "rille", rl_lua_open_rille, 1);
  lua_settop(L, 0);
  if (luaL_loadstring(L, code)) die(lua_tostring(L, -1));
  lua_pushstring(L, path);
  lua_pushinteger(L, rows);
  lua_pushinteger(L, threads);
  if (lua_pcall(L, 3, 0, 0)) die(luaL_tolstring(L, -1, NULL));
  return L;
}

static void run_lua(lua_State *L) {
  lua_getglobal(L, "run");
  if (lua_pcall(L, 0, 0, 0)) die(luaL_tolstring(L, -1, NULL));
}

/* The same buffers: the state keeps them. */
static void share_inputs(lua_State *L, struct bare *b) {
  lua_getglobal(L, "inputs");
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
    add_input(b, lua_tostring(L, -2), rl_lua_test_tensor(L, -1));
  lua_getglobal(L, "output");
  b->output = lua_tostring(L, -1);
}

/* ---- times ---- */

static int by_size(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static double rate(const int64_t *sorted, size_t at, int rows) {
  return (double)rows * 1e9 / (double)sorted[at];
}

static void report(int64_t *bare, int64_t *lua, size_t n, int rows) {
  qsort(bare, n, sizeof *bare, by_size);
  qsort(lua, n, sizeof *lua, by_size);
  static const char *const names[] = {"best", "median"};
  for (int i = 0; i < 2; i++) {
    size_t at = i ? n / 2 : 0;
    printf("%s of %zu calls of %d rows: bare=%.1f rille=%.1f rows/s, ratio=%.3f\n", names[i], n, rows,
           rate(bare, at, rows), rate(lua, at, rows), (double)bare[at] / (double)lua[at]);
  }
}

int main(int argc, char **argv) {
  struct bare b = {.n = 0};
  if (argc < 2) die("which model?");
  double seconds = argc > 2 ? atof(argv[2]) : 10;
  int rows = argc > 3 ? atoi(argv[3]) : 39;
  int threads = argc > 4 ? atoi(argv[4]) : 1;
  if (threads == 0) threads = rl_cores();
  lua_State *L = open_lua(argv[1], rows, threads);
  open_bare(&b, argv[1], threads);
  share_inputs(L, &b);
  int64_t *bare = rl_alloc(CALLS_MAX * sizeof *bare), *lua = rl_alloc(CALLS_MAX * sizeof *lua);
  size_t n = 0;
  run_bare(&b);
  run_lua(L);
  for (int64_t end = rl_now() + rl_seconds(seconds); n < 3 || (rl_now() < end && n < CALLS_MAX); n++) {
    int64_t begin = rl_now();
    run_bare(&b);
    int64_t between = rl_now();
    run_lua(L);
    bare[n] = between - begin;
    lua[n] = rl_now() - between;
  }
  report(bare, lua, n, rows);
  return 0;
}
