/* ONNX Runtime as a backend: small models made here, run in this process. */
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "model/model.h"
#include "onnx_made.h"

#define SHAPE(...) (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), ((const int64_t[]){__VA_ARGS__})

static char path[] = "/tmp/rille-onnx-XXXXXX/m.onnx";

__attribute__((constructor)) static void make_folder(void) {
  *strrchr(path, '/') = '\0';
  if (!mkdtemp(path)) abort();
  path[strlen(path)] = '/';
}

__attribute__((destructor)) static void drop_folder(void) {
  unlink(path);
  *strrchr(path, '/') = '\0';
  rmdir(path);
}

static int open_model(struct rl_model **m, struct rl_model_opts opts, struct rl_err *err) {
  return rl_model_open(m, path, &opts, NULL, NULL, err);
}

static struct rl_model *opened(struct rl_model_opts opts) {
  struct rl_err err;
  struct rl_model *m;
  if (open_model(&m, opts, &err)) UNIT_FAIL("%s", err.text);
  return m;
}

static const struct rl_model_opts plain;

/* ---- the library: these come first, before one is loaded ---- */

static char named[4096]; /* what RILLE_ONNXRUNTIME was */

static void expect_no_library(const char *value, const char *part) {
  struct rl_err err;
  struct rl_model *m;
  setenv("RILLE_ONNXRUNTIME", value, 1);
  CHECK_INT(open_model(&m, plain, &err), RL_EUSAGE);
  CHECK_HAS(err.text, part);
}

TEST(a_library_that_cannot_be_used_is_refused_in_words) {
  const char *was = getenv("RILLE_ONNXRUNTIME");
  snprintf(named, sizeof named, "%s", was ? was : "");
  made_sum(path);
  expect_no_library("libonnxruntime.so",
                    "RILLE_ONNXRUNTIME is libonnxruntime.so: an absolute path is wanted");
  expect_no_library("./libonnxruntime.so", "an absolute path is wanted");
  expect_no_library("/nowhere/libonnxruntime.so",
                    "RILLE_ONNXRUNTIME: /nowhere/libonnxruntime.so: cannot open");
  Dl_info libc;
  CHECK(dladdr(stdout, &libc));
  expect_no_library(libc.dli_fname, " is no ONNX Runtime: it has no OrtGetApiBase");
  setenv("RILLE_ONNXRUNTIME", named, 1);
}

static int have; /* 1: there is a runtime, -1: there is none */

static bool has_runtime(void) {
  struct rl_err err;
  struct rl_model *m;
  if (have) return have > 0;
  made_sum(path);
  int rc = open_model(&m, plain, &err);
  if (rc && !strstr(err.text, "there is no ONNX Runtime")) UNIT_FAIL("%s", err.text);
  have = rc ? -1 : 1;
  if (!rc) rl_model_close(m);
  return have > 0;
}

#define NEEDS_RUNTIME \
  if (!has_runtime()) UNIT_SKIP("no ONNX Runtime: make onnxruntime, or RILLE_ONNXRUNTIME")

/* ---- opening ---- */

TEST(files_that_are_no_model_are_refused) {
  NEEDS_RUNTIME;
  struct rl_err err;
  struct rl_model *m;
  unlink(path);
  CHECK_INT(open_model(&m, plain, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "m.onnx: cannot read the file: No such file or directory");
  FILE *f = fopen(path, "w");
  fputs("no model", f);
  fclose(f);
  CHECK_INT(open_model(&m, plain, &err), RL_EFAIL);
  CHECK_HAS(err.text, "m.onnx: ");
  made_identity(path, MADE_HALF, SHAPE(-1, 3));
  CHECK_INT(open_model(&m, plain, &err), RL_EFAIL);
  CHECK_HAS(err.text, "the input 'x' is float16, which rille has no tensors of");
}

TEST(it_says_what_it_takes_and_gives) {
  NEEDS_RUNTIME;
  char text[RL_PORT_TEXT];
  made_sum(path);
  struct rl_model *m = opened(plain);
  CHECK_INT(rl_model_inputs(m)->n, 2);
  CHECK_STR(rl_model_port_text(text, &rl_model_inputs(m)->at[0]), "a float32 [?, 2]");
  CHECK_STR(rl_model_port_text(text, &rl_model_inputs(m)->at[1]), "b float32 [2]");
  CHECK_INT(rl_model_outputs(m)->n, 2);
  CHECK_STR(rl_model_port_text(text, &rl_model_outputs(m)->at[1]), "twice float32 [?, 2]");
  rl_model_close(m);
}

/* ---- runs ---- */

static struct rl_tensor zeros(enum rl_dtype dtype, int rank, const int64_t *shape) {
  struct rl_tensor t;
  struct rl_err err;
  if (rl_tensor_new(&t, dtype, rank, shape, NULL, &err)) UNIT_FAIL("%s", err.text);
  memset(t.data, 0, rl_tensor_count(&t) * rl_dtype_size(dtype));
  return t;
}

TEST(every_type_goes_in_and_comes_out_as_it_was) {
  NEEDS_RUNTIME;
  static const struct {
    int made;
    enum rl_dtype dtype;
  } types[] = {{MADE_FLOAT, RL_FLOAT32}, {MADE_DOUBLE, RL_FLOAT64}, {MADE_INT64, RL_INT64},
               {MADE_INT32, RL_INT32},   {MADE_UINT8, RL_UINT8},    {MADE_BOOL, RL_TRUTH}};
  for (size_t i = 0; i < 6; i++) {
    struct rl_err err;
    made_identity(path, types[i].made, SHAPE(-1, 3));
    struct rl_model *m = opened(plain);
    struct rl_model_value in = {"x", zeros(types[i].dtype, SHAPE(2, 3))};
    size_t bytes = rl_tensor_count(&in.t) * rl_dtype_size(types[i].dtype);
    for (size_t k = 0; k < bytes; k++) in.t.data[k] = (char)(types[i].dtype == RL_TRUTH ? k % 2 : k);
    struct rl_model_run run = {.inputs = &in, .n_inputs = 1};
    CHECK_INT(rl_model_run(m, &run, &err), 0);
    CHECK_INT(run.n_outputs, 1);
    CHECK_STR(run.outputs[0].name, "y");
    CHECK_INT(run.outputs[0].t.dtype, types[i].dtype);
    CHECK(rl_tensor_same_shape(&run.outputs[0].t, &in.t));
    CHECK(memcmp(run.outputs[0].t.data, in.t.data, bytes) == 0);
    rl_model_values_free(run.outputs, run.n_outputs);
    rl_tensor_free(&in.t);
    rl_model_close(m);
  }
}

static float *floats(const struct rl_tensor *t) { return (float *)(void *)t->data; }

/* a = 0, 1, 2 … + b = (10, 20). */
static void check_sum(struct rl_model *m, int64_t rows) {
  struct rl_err err;
  struct rl_model_value in[2] = {{"b", zeros(RL_FLOAT32, SHAPE(2))},
                                 {"a", zeros(RL_FLOAT32, SHAPE(rows, 2))}};
  floats(&in[0].t)[0] = 10;
  floats(&in[0].t)[1] = 20;
  for (int64_t i = 0; i < 2 * rows; i++) floats(&in[1].t)[i] = (float)i;
  struct rl_model_run run = {.inputs = in, .n_inputs = 2};
  if (rl_model_run(m, &run, &err)) UNIT_FAIL("%s", err.text);
  CHECK_INT(run.n_outputs, 2);
  for (int64_t i = 0; i < 2 * rows && run.n_outputs == 2; i++) {
    float want = (float)i + (i % 2 ? 20.0F : 10.0F);
    if (floats(&run.outputs[0].t)[i] != want || floats(&run.outputs[1].t)[i] != (float)(2 * i))
      UNIT_FAIL("element %d", (int)i);
  }
  rl_model_values_free(run.outputs, run.n_outputs);
  rl_tensor_free(&in[0].t);
  rl_tensor_free(&in[1].t);
}

TEST(names_find_their_inputs_and_batches_are_split) {
  NEEDS_RUNTIME;
  made_sum(path);
  for (int64_t batch = 0; batch < 5; batch++) {
    struct rl_model *m = opened((struct rl_model_opts){.batch = batch, .warmup = 2});
    check_sum(m, 7);
    check_sum(m, 0);
    rl_model_close(m);
  }
}

static void *run_many(void *arg) {
  for (int i = 0; i < 200; i++) check_sum(arg, 1 + i % 9);
  return NULL;
}

TEST(lanes_share_one_session_and_run_at_once) {
  NEEDS_RUNTIME;
  pthread_t threads[4];
  made_sum(path);
  struct rl_model *m = opened(plain), *same = opened(plain);
  CHECK(m == same);
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, run_many, i % 2 ? m : same);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  rl_model_close(m);
  rl_model_close(same);
}

static void *refuse(void *self, void *p, size_t old_size, size_t new_size) {
  (void)self, (void)p, (void)old_size, (void)new_size;
  return NULL;
}

TEST(outputs_count_with_the_callers_allocator) {
  NEEDS_RUNTIME;
  struct rl_err err;
  made_identity(path, MADE_FLOAT, SHAPE(-1, 3));
  struct rl_model *m = opened(plain);
  struct rl_model_value in = {"x", zeros(RL_FLOAT32, SHAPE(2, 3))};
  struct rl_tensor_alloc none = {refuse, NULL};
  struct rl_model_run run = {.inputs = &in, .n_inputs = 1, .alloc = &none};
  CHECK_INT(rl_model_run(m, &run, &err), RL_ENOMEM);
  CHECK(!run.outputs);
  rl_tensor_free(&in.t);
  rl_model_close(m);
}

/* ---- ends ---- */

#define FOREVER INT64_C(1000000000000)

static bool until(void *arg) { return !atomic_load((atomic_bool *)arg); }

struct ender {
  atomic_bool end, running;
};

static bool running_until(void *arg) {
  struct ender *e = arg;
  atomic_store(&e->running, true);
  return until(&e->end);
}

static void *end_it(void *arg) {
  struct ender *e = arg;
  while (!atomic_load(&e->running)) nanosleep(&(struct timespec){0, 1000000}, NULL);
  atomic_store(&e->end, true);
  return NULL;
}

TEST(s10_3_a_run_under_way_is_ended) {
  NEEDS_RUNTIME;
  struct ender e = {false, false};
  struct rl_err err;
  pthread_t thread;
  made_loop(path, FOREVER);
  struct rl_model *m = opened(plain);
  struct rl_model_value in = {NULL, zeros(RL_FLOAT32, SHAPE(1))};
  struct rl_model_run run = {.inputs = &in, .n_inputs = 1, .go_on = running_until, .arg = &e};
  pthread_create(&thread, NULL, end_it, &e);
  CHECK_INT(rl_model_run(m, &run, &err), RL_ETRANSIENT);
  CHECK_HAS(err.text, "the run was ended");
  pthread_join(thread, NULL);
  rl_tensor_free(&in.t);
  rl_model_close(m);
}

TEST(s4_1_a_time_out_in_process_is_the_weather) {
  NEEDS_RUNTIME;
  struct rl_err err;
  made_loop(path, FOREVER);
  struct rl_model *m = opened((struct rl_model_opts){.timeout = 0.1});
  struct rl_model_value in = {NULL, zeros(RL_FLOAT32, SHAPE(1))};
  struct rl_model_run run = {.inputs = &in, .n_inputs = 1};
  CHECK_INT(rl_model_run(m, &run, &err), RL_ETRANSIENT);
  CHECK_HAS(err.text, "the run took longer than its timeout (0.1 s)");
  rl_model_close(m);
  made_loop(path, 3); /* and what is quick is not ended */
  m = opened((struct rl_model_opts){.timeout = 60});
  CHECK_INT(rl_model_run(m, &run, &err), 0);
  CHECK(floats(&run.outputs[0].t)[0] == 3);
  rl_model_values_free(run.outputs, run.n_outputs);
  rl_tensor_free(&in.t);
  rl_model_close(m);
}

static int count_threads(void) {
  int n = 0;
  DIR *tasks = opendir("/proc/self/task");
  for (struct dirent *d = readdir(tasks); d; d = readdir(tasks)) n += d->d_name[0] != '.';
  closedir(tasks);
  return n;
}

/* A thread that was joined may stand in /proc a moment longer. */
static bool threads_become(int n) {
  for (int64_t end = rl_now() + 10 * RL_NS_PER_S; count_threads() != n && rl_now() < end;)
    nanosleep(&(struct timespec){0, 1000000}, NULL);
  return count_threads() == n;
}

TEST(no_thread_is_left_behind) {
  NEEDS_RUNTIME;
  int before = count_threads();
  made_sum(path);
  for (int i = 0; i < 2; i++) {
    struct rl_model *m = opened((struct rl_model_opts){.threads = 3});
    check_sum(m, 5);
    CHECK(count_threads() > before);
    rl_model_close(m);
    CHECK(threads_become(before));
  }
}
