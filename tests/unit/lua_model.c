/* rille.model as a script sees it, over a backend made here: whom failures blame, what ends a run, what is
 * held. */
#include "lua/model.h"

#include <lauxlib.h>
#include <lualib.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "lua/rille_open.h"
#include "lua_made.h"
#include "model/model_impl.h"

/* "fake:NAME" takes x [?, 2] float32; "fake:two" gives double and half, others double alone. */
static struct {
  int opens, closes;
  int open_fails, run_fails;
  int lacks_memory; /* as many runs fail for lack of it: the collector goes round */
  bool hangs;       /* a run ends only when it is told to */
  atomic_bool running;
  lua_State *interrupts; /* a run that hangs sets a hook there */
  struct rl_model_opts opts;
  char secret[64];
} fake;

static void add_port(struct rl_model_ports *ports, const char *name) {
  ports->at = rl_realloc(ports->at, (ports->n + 1) * sizeof *ports->at);
  ports->at[ports->n++] = (struct rl_model_port){rl_strdup(name), RL_FLOAT32, 2, {-1, 2}};
}

static int fake_open(void **self, const char *uri, const struct rl_model_opts *opts,
                     struct rl_model_ports *inputs, struct rl_model_ports *outputs, bool (*go_on)(void *arg),
                     void *arg, struct rl_err *err) {
  (void)go_on, (void)arg;
  if (fake.open_fails) return rl_fail(err, fake.open_fails, "no answer");
  fake.opens++;
  fake.opts = *opts;
  snprintf(fake.secret, sizeof fake.secret, "%s",
           opts->token      ? opts->token
           : opts->password ? opts->password
                            : "");
  add_port(inputs, "x");
  add_port(outputs, "double");
  if (strcmp(uri, "fake:two") == 0) add_port(outputs, "half");
  *self = outputs;
  return 0;
}

static void interrupt(lua_State *L, lua_Debug *ar) {
  (void)ar;
  lua_sethook(L, NULL, 0, 0);
  luaL_error(L, "interrupted!");
}

static void hang(const struct rl_model_run *run) {
  atomic_store(&fake.running, true);
  if (fake.interrupts) lua_sethook(fake.interrupts, interrupt, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE, 1);
  if (!run->go_on) UNIT_FAIL("a run that nothing ends");
  while (run->go_on(run->arg)) nanosleep(&(struct timespec){0, 5000000}, NULL);
}

static int fake_run(void *self, struct rl_model_run *run, struct rl_err *err) {
  const struct rl_model_ports *outputs = self;
  if (fake.hangs) {
    hang(run);
    return rl_fail(err, RL_ETRANSIENT, "ended");
  }
  if (fake.run_fails) return rl_fail(err, fake.run_fails, "it broke");
  if (fake.lacks_memory && fake.lacks_memory--) return rl_fail(err, RL_ENOMEM, "no memory");
  const struct rl_tensor *x = &run->inputs[0].t;
  run->outputs = rl_zalloc(outputs->n * sizeof *run->outputs);
  run->n_outputs = outputs->n;
  for (size_t i = 0; i < outputs->n; i++) {
    run->outputs[i].name = outputs->at[i].name;
    int rc = rl_tensor_new(&run->outputs[i].t, RL_FLOAT32, x->rank, x->shape, run->alloc, err);
    if (rc) return rc;
    for (size_t k = 0; k < rl_tensor_count(x); k++)
      ((float *)(void *)run->outputs[i].t.data)[k] =
          ((const float *)(const void *)x->data)[k] * (i ? 0.5F : 2.0F);
  }
  return 0;
}

static void fake_close(void *self) {
  (void)self;
  fake.closes++;
}

static const char *const schemes[] = {"fake", NULL};
static struct rl_model_backend backend = {
    .schemes = schemes, .open = fake_open, .run = fake_run, .close = fake_close};
/* In place of the room's own: its file is not linked. */
const struct rl_model_backend *const rl_model_backends[] = {&backend, NULL};

static void reset(void) {
  memset(&fake, 0, sizeof fake);
  unsetenv("RILLE_MODEL_USER");
  unsetenv("RILLE_MODEL_PASSWORD");
  unsetenv("RILLE_MODEL_PASSWORD_FILE");
  unsetenv("RILLE_MODEL_TOKEN");
  unsetenv("RILLE_MODEL_TOKEN_FILE");
}

#define HANDLE(code) "return function(batch)\n" code "\nend"
#define X "local x = rille.tensor({{1, 2}, {3, 4}}, 'float32')\n"

TEST(a_model_is_called_as_a_function) {
  reset();
  made_pass(HANDLE("local m = rille.model 'fake:one'\n" X "local y = m(x)\n"
                   "assert(tostring(y) == 'tensor float32 [2, 2]: 2 4 6 8', tostring(y))\n"
                   "assert(tostring(m{ x = x }) == tostring(y))\n"
                   "assert(tostring(m(x:rows{2})) == 'tensor float32 [1, 2]: 6 8')\n"
                   "local both = rille.model 'fake:two' { x = x }\n"
                   "assert(tostring(both.double) == tostring(y))\n"
                   "assert(tostring(both.half) == 'tensor float32 [2, 2]: 0.5 1 1.5 2')\n"
                   "local n = 0 for _ in pairs(both) do n = n + 1 end assert(n == 2)"),
            VALUES("a"));
  CHECK_INT(fake.opens, 2);
  CHECK_INT(fake.closes, 2);
}

TEST(a_view_is_made_compact_and_float64_becomes_float32) {
  reset();
  made_pass(HANDLE("local m = rille.model 'fake:one'\n"
                   "local wide = rille.tensor({{1, 2, 9}, {3, 4, 9}}, 'float64')\n"
                   "local y = m(rille.tensor.stack({ wide:column(1), wide:column(2) }, -1))\n"
                   "assert(tostring(y) == 'tensor float32 [2, 2]: 2 4 6 8', tostring(y))\n"
                   "local turned = rille.tensor.stack{ rille.tensor({1, 3}, 'float32'), rille.tensor({2, 4}, "
                   "'float32') }\n"
                   "local columns = rille.tensor.stack({ turned[1], turned[2] }, 2)\n"
                   "assert(tostring(m{ x = columns }) == tostring(y))"),
            VALUES("a"));
}

TEST(it_says_what_it_takes_and_gives) {
  reset();
  made_pass(HANDLE("local m <close> = rille.model 'fake:two'\n"
                   "assert(#m.inputs == 1 and #m.outputs == 2)\n"
                   "local i = m.inputs[1]\n"
                   "assert(i.name == 'x' and i.dtype == 'float32' and #i.shape == 2 and i.shape[1] == -1 and "
                   "i.shape[2] == 2)\n"
                   "assert(m.outputs[2].name == 'half' and m.uri == 'fake:two')\n"
                   "assert(type(getmetatable(m)) == 'string')\n"
                   "local text = tostring(m)\n"
                   "assert(text == 'model fake:two (x float32 [?, 2]) -> (double float32 [?, 2], half "
                   "float32 [?, 2])', text)"),
            VALUES("a"));
}

TEST(a_closed_model_is_closed_again_and_still_says_what_it_was) {
  reset();
  made_pass(HANDLE("local m <close> = rille.model 'fake:two'\n"
                   "m:close()\n"
                   "assert(select('#', m:close()) == 0)\n"
                   "assert(m.uri == 'fake:two' and m.inputs[1].name == 'x' and #m.outputs == 2)\n"
                   "assert(tostring(m) == 'model (closed)')"),
            VALUES("a"));
  CHECK_INT(fake.closes, 1);
}

TEST(options_reach_the_backend) {
  reset();
  made_pass(
      HANDLE("rille.model('fake:one', { batch = 7, threads = 2, timeout = 1.5, retries = 0, warmup = 3,\n"
             "  in_flight = 9, user = 'me', password = 'xyzzy-1' })"),
      VALUES("a"));
  CHECK_INT(fake.opts.batch, 7);
  CHECK_INT(fake.opts.threads, 2);
  CHECK(fake.opts.timeout == 1.5);
  CHECK_INT(fake.opts.retries, -1);
  CHECK_INT(fake.opts.in_flight, 9);
  CHECK_STR(fake.secret, "xyzzy-1");
}

TEST(s4_1_a_model_that_is_not_there_is_the_weather) {
  reset();
  fake.run_fails = RL_ETRANSIENT;
  made_fail(HANDLE("rille.model 'fake:one'(rille.tensor({{1, 2}}, 'float32'))"), VALUES("a"),
            RL_BLAME_WEATHER, "--code:2: fake:one: it broke");
  reset();
  fake.open_fails = RL_ETRANSIENT;
  made_fail(HANDLE("rille.model 'fake:one'"), VALUES("a"), RL_BLAME_WEATHER, "fake:one: no answer");
}

TEST(s4_2_the_models_own_errors_and_shapes_are_the_batchs) {
  reset();
  made_fail(HANDLE("rille.model 'fake:one'(rille.tensor({{1, 2, 3}}, 'float32'))"), VALUES("a"),
            RL_BLAME_MESSAGE, "takes x float32 [?, 2], and the tensor's shape is [1, 3]");
  made_fail(HANDLE("rille.model 'fake:one'(rille.tensor{{1, 2}})"), VALUES("a"), RL_BLAME_MESSAGE,
            "the tensor int64: t:to(\"float32\") converts it");
  fake.run_fails = RL_EFAIL;
  made_fail(HANDLE("rille.model 'fake:one'(rille.tensor({{1, 2}}, 'float32'))"), VALUES("a"),
            RL_BLAME_MESSAGE, "it broke");
}

TEST(s4_6_misuse_is_the_scripts_failure) {
  static const struct {
    const char *code, *part;
  } cases[] = {
      {"rille.model()", "rille.model: the URI must be a string, not nil"},
      {"rille.model 'susy.onx'", "\"susy.onx\" is no model"},
      {"rille.model('fake:one', { thread = 1 })", "unknown option 'thread' (did you mean 'threads'?)"},
      {"rille.model('fake:one', { batch = 0 })", "batch is a whole number from 1"},
      {"rille.model('fake:one', { batch = 1.5 })", "rille.model: the batch must be an integer, not 1.5"},
      {"rille.model('fake:one', { threads = 1e300 })", "the threads must be an integer, not 1e+300"},
      {"rille.model('fake:one', { batch = '2' })", "the batch must be an integer, not string"},
      {"rille.model('fake:one', { timeout = 0 })", "timeout is a number of seconds above 0"},
      {"rille.model('fake:one', { user = 'a', token = 'b' })", "two ways to log in"},
      {"rille.model('fake:one', { password = 'b' })", "password without user"},
      {"rille.model('fake:one', { key = 'b' })", "key without certificate"},
      {"rille.model 'fake:one'()", "model: one argument is wanted, not 0"},
      {"rille.model 'fake:one'(5)", "model: the input must be a tensor, not number"},
      {"rille.model 'fake:one'(rille.tensor{1}, 5)", "model: one argument is wanted, not 2"},
      {"rille.model 'fake:one'(rille.tensor{1}, rille.tensor{true})",
       "model: one argument is wanted, not 2: batch:tensor gives the complete rows beside the tensor"},
      {"rille.model 'fake:one'{ x = 5 }", "model: the input 'x' must be a tensor, not number"},
      {"rille.model 'fake:one'{ 1 }", "a table of them by name"},
      {"rille.model 'fake:one'{ y = rille.tensor{1} }", "the model has no input 'y': it takes x"},
      {"rille.model 'fake:one'{}", "the input 'x' is missing"},
      {"rille.model 'fake:one'.input", "a model has no 'input' (did you mean 'inputs'?)"},
      {"(function() local m = rille.model 'fake:one' m:close() m(1) end)()", "the model is closed"},
      {"(function() local m = rille.model 'fake:one' m:close() return m.input end)()",
       "a model has no 'input' (did you mean 'inputs'?)"},
      {"rille.model 'fake:one'.close(5)", "model:close: it is no model but a number"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char code[300];
    reset();
    snprintf(code, sizeof code, "return function(batch) local _ = %s end", cases[i].code);
    made_fail(code, VALUES("x"), RL_BLAME_SCRIPT, cases[i].part);
    CHECK_INT(fake.opens, fake.closes);
  }
  reset();
  fake.open_fails = RL_EFAIL; /* a file that cannot be used: no message is to blame */
  made_fail(HANDLE("rille.model 'fake:one'"), VALUES("a"), RL_BLAME_SCRIPT, "fake:one: no answer");
}

TEST(promise_7_a_missing_model_is_told_at_load) {
  struct made_run r;
  static const int codes[] = {RL_EFAIL, RL_ETRANSIENT, RL_EUSAGE};
  for (int i = 0; i < 3; i++) {
    reset();
    fake.open_fails = codes[i];
    CHECK_INT(made_open(&r, "local m = rille.model 'fake:one'\nreturn function() end"), RL_EUSAGE);
    CHECK_HAS(r.err.text, "--code:1: fake:one: no answer");
    made_close(&r);
  }
}

/* ---- ends ---- */

TEST(s10_3_limits_time_ends_a_run) {
  reset();
  fake.hangs = true;
  made_fail(
      "return { limits = { time = 0.1 }, handle = function(batch)\n"
      "local m = rille.model 'fake:one'\n"
      "while true do pcall(m, rille.tensor({{1, 2}}, 'float32')) end end }",
      VALUES("a"), RL_BLAME_MESSAGE, "took longer than limits.time (0.1 s)");
}

/* A server that hangs, and a `timeout` above limits.time: no message is dead-lettered for it. */
TEST(s4_1_limits_time_that_passes_at_a_server_is_the_weather) {
  reset();
  fake.hangs = backend.served = true;
  made_fail(
      "return { limits = { time = 0.1 }, handle = function(batch)\n"
      "rille.model 'fake:one'(rille.tensor({{1, 2}}, 'float32')) end }",
      VALUES("a"), RL_BLAME_WEATHER,
      "--code:2: the call took longer than limits.time (0.1 s), which a server");
  made_fail(
      "return { limits = { time = 0.1 }, handle = function(batch)\n"
      "local m = rille.model 'fake:one'\n"
      "while true do pcall(m, rille.tensor({{1, 2}}, 'float32')) end end }",
      VALUES("a"), RL_BLAME_WEATHER, "took longer than limits.time (0.1 s)");
  made_fail(
      "return { limits = { time = 0.1 }, handle = function(batch)\n"
      "pcall(rille.model 'fake:one', rille.tensor({{1, 2}}, 'float32')) end }",
      VALUES("a"), RL_BLAME_WEATHER, "took longer than limits.time (0.1 s)");
  fake.hangs = false;
  made_fail(
      "return { limits = { time = 0.1 }, handle = function(batch)\n"
      "rille.model 'fake:one'(rille.tensor({{1, 2}}, 'float32'))\n"
      "while true do end end }",
      VALUES("a"), RL_BLAME_MESSAGE, "took longer than limits.time (0.1 s)");
  backend.served = false;
}

/* lua5.4 sets such a hook from its signal handler, in the middle of a call that hangs. */
TEST(s11_ctrl_c_in_the_library_form_ends_a_wait_for_a_server) {
  static const char *const calls[] = {"m(x)", "coroutine.wrap(function() m(x) end)()"};
  reset();
  fake.hangs = backend.served = true;
  for (size_t i = 0; i < 2; i++) {
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    luaL_requiref(L, "rille", rl_lua_open_rille, 1);
    lua_settop(L, 0);
    char code[200];
    snprintf(code, sizeof code,
             "local m <close>, x = rille.model 'fake:one', rille.tensor({{1, 2}}, 'float32')\n%s", calls[i]);
    fake.interrupts = L;
    CHECK_INT(luaL_loadstring(L, code), LUA_OK);
    CHECK_INT(lua_pcall(L, 0, 0, 0), LUA_ERRRUN);
    CHECK_HAS(luaL_tolstring(L, -1, NULL), "interrupted!");
    lua_close(L);
  }
  fake.interrupts = NULL;
  backend.served = false;
}

static void *stop_it(void *arg) {
  struct made_run *r = arg;
  while (!atomic_load(&fake.running)) nanosleep(&(struct timespec){0, 2000000}, NULL);
  r->e.interrupt(r->e.self);
  return NULL;
}

TEST(s10_3_a_stop_of_the_lane_ends_a_run) {
  struct made_run r;
  pthread_t thread;
  reset();
  fake.hangs = true;
  CHECK_INT(made_open(&r,
                      "local m = rille.model 'fake:one'\n"
                      "return function() m(rille.tensor({{1, 2}}, 'float32')) end"),
            0);
  struct rl_batch *b = made_batch(&r);
  made_add(&r, b, "k", "a");
  pthread_create(&thread, NULL, stop_it, &r);
  CHECK_INT(made_handle(&r, b), RL_EHANDLER);
  CHECK_INT(r.why.blame, RL_BLAME_STOPPED);
  pthread_join(thread, NULL);
  made_settle(&r, b);
  made_close(&r);
}

/* ---- finalizers, which run wherever memory is asked for ---- */

TEST(a_finalizer_that_closes_the_model_does_so_when_the_call_is_done) {
  reset();
  fake.lacks_memory = 1;
  made_pass(HANDLE("local m = rille.model 'fake:two'\n" X "local closed\n"
                   "setmetatable({}, { __gc = function() closed = true m:close() end })\n"
                   "collectgarbage 'stop'\n"
                   "local y = m(x)\n"
                   "collectgarbage 'restart'\n"
                   "assert(closed and tostring(m) == 'model (closed)', tostring(m))\n"
                   "assert(y.double[2][2] == 8 and y.half[1][1] == 0.5)"),
            VALUES("a"));
  CHECK_INT(fake.opens, 1);
  CHECK_INT(fake.closes, 1);
}

/* Wherever in a call, or in the making of the text, the finalizer happens to come. */
TEST(a_finalizer_that_closes_the_model_may_come_at_any_place) {
  reset();
  made_pass(
      HANDLE("local inside, hits = false, 0\n" X "collectgarbage('incremental', 0, 400)\n"
             "for i = 1, 2000 do\n"
             "  local m = rille.model 'fake:two'\n"
             "  setmetatable({}, { __gc = function() if inside then hits = hits + 1 end m:close() end })\n"
             "  inside = true\n"
             "  local ok, y = pcall(i % 2 == 0 and m or tostring, i % 2 == 0 and x or m)\n"
             "  inside = false\n"
             "  if ok and i % 2 == 0 then assert(y.double[2][2] == 8 and y.half[1][1] == 0.5) end\n"
             "  if ok and i % 2 == 1 then assert(y:find '^model fake:two %(x f' or y == 'model (closed)', y) "
             "end\n"
             "  assert(ok or tostring(y):find 'the model is closed', y)\n"
             "end\n"
             "assert(hits > 100, hits)"),
      VALUES("a"));
  CHECK_INT(fake.opens, fake.closes);
}

TEST(a_finalizer_that_adds_inputs_adds_them_to_the_next_call) {
  reset();
  made_pass(
      HANDLE("local m, inside, hits = rille.model 'fake:one', false, 0\n" X
             "collectgarbage('incremental', 0, 400)\n"
             "for i = 1, 500 do\n"
             "  local t = { x = x }\n"
             "  setmetatable({}, { __gc = function()\n"
             "    if inside then hits = hits + 1 end\n"
             "    for k = 1, 400 do t['k' .. k] = x end\n"
             "  end })\n"
             "  inside = true\n"
             "  local ok, y = pcall(m, t)\n"
             "  inside = false\n"
             "  assert(ok and y[2][2] == 8 or tostring(y):find(\"the model has no input 'k\", 1, true), y)\n"
             "end\n"
             "assert(hits > 50, hits)"),
      VALUES("a"));
  CHECK_INT(fake.opens, fake.closes);
}

/* ---- memory ---- */

TEST(outputs_count_against_limits_memory) {
  reset();
  made_no_gc = true;
  made_fail(
      "return { limits = { memory = '8MiB' }, handle = function(batch)\n"
      "local m, kept = rille.model 'fake:one', {}\n"
      "local x = rille.tensor.zeros{ 100000, 2 }\n"
      "for i = 1, 100 do kept[i] = m(x) end end }",
      VALUES("a"), RL_BLAME_MESSAGE, "not enough memory");
  made_pass(
      "return { limits = { memory = '8MiB' }, handle = function(batch)\n"
      "local m = rille.model 'fake:one'\n"
      "local x = rille.tensor.zeros{ 100000, 2 }\n"
      "for i = 1, 100 do m(x) end end }",
      VALUES("a"));
  made_no_gc = false;
}

/* Stands before the state's own allocator. */
struct failing {
  lua_Alloc inner;
  void *arg;
  long left; /* allocations that still succeed; < 0: all do */
  bool failed;
};

static void *fail_from(void *ud, void *p, size_t old_size, size_t new_size) {
  struct failing *f = ud;
  bool grows = new_size && (!p || new_size > old_size);
  f->failed = f->failed || (grows && f->left == 0);
  if (grows && f->left == 0) return NULL;
  if (grows && f->left > 0) f->left--;
  return f->inner(f->arg, p, old_size, new_size);
}

/* What is open is closed by the collector, whatever failed. */
TEST(every_allocation_may_fail_and_nothing_stays_open) {
  struct made_run r;
  struct failing f = {.left = -1};
  long n = 0;
  reset();
  CHECK_INT(made_open(&r, HANDLE("local m = rille.model('fake:two', { batch = 1 })\n" X "local y = m(x)\n"
                                 "assert(m{ x = x }.half[2][2] == 2 and y.double[1][1] == 2)\n"
                                 "return #tostring(m) + #m.inputs + #rille.model 'fake:one'(x)")),
            0);
  f.inner = lua_getallocf(r.L, &f.arg);
  lua_setallocf(r.L, fail_from, &f);
  struct rl_batch *b = made_batch(&r);
  made_add(&r, b, "k", "a");
  for (int rc = -1; rc; n++) {
    f.failed = false;
    f.left = n;
    rc = made_handle(&r, b);
    f.left = -1;
    CHECK(f.failed == (rc != 0));
    if (rc) CHECK_HAS(r.why.error, "memory");
    lua_gc(r.L, LUA_GCCOLLECT);
    lua_gc(r.L, LUA_GCCOLLECT);
    CHECK_INT(fake.opens, fake.closes);
    if (unit_failures) break;
  }
  CHECK(n > 20);
  lua_setallocf(r.L, f.inner, f.arg);
  made_settle(&r, b);
  made_close(&r);
}

/* ---- credentials ---- */

static void write_file(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  fputs(text, f);
  fclose(f);
}

TEST(credentials_come_from_the_environment_and_are_told_to_nobody) {
  char path[] = "/tmp/rille-model-XXXXXX";
  close(mkstemp(path));
  write_file(path, "from-the-file\n");
  reset();
  setenv("RILLE_MODEL_TOKEN", "t0p-secret", 1);
  made_pass(HANDLE("rille.model 'fake:one'"), VALUES("a"));
  CHECK_STR(fake.secret, "t0p-secret");
  struct rl_err err;
  rl_fail(&err, RL_EFAIL, "it was t0p-secret");
  CHECK_STR(err.text, "it was ***");
  made_pass(HANDLE("rille.model('fake:one', { user = 'me', password = 'xyzzy-2' })"), VALUES("a"));
  CHECK_STR(fake.secret, "xyzzy-2"); /* the script's own way wins */
  CHECK(fake.opts.token == NULL);
  reset();
  setenv("RILLE_MODEL_TOKEN_FILE", path, 1);
  made_pass(HANDLE("rille.model 'fake:one'"), VALUES("a"));
  CHECK_STR(fake.secret, "from-the-file");
  reset();
  setenv("RILLE_MODEL_USER", "me", 1);
  setenv("RILLE_MODEL_PASSWORD_FILE", path, 1);
  made_pass(HANDLE("rille.model 'fake:one'"), VALUES("a"));
  CHECK_STR(fake.secret, "from-the-file");
  setenv("RILLE_MODEL_PASSWORD", "xyzzy-3", 1);
  made_fail(HANDLE("rille.model 'fake:one'"), VALUES("a"), RL_BLAME_SCRIPT, "leave one out");
  reset();
  setenv("RILLE_MODEL_PASSWORD", "xyzzy-4", 1);
  made_pass(HANDLE("rille.model 'fake:one'"), VALUES("a"));
  CHECK_HAS(made_log, "the environment has RILLE_MODEL_PASSWORD without RILLE_MODEL_USER");
  reset();
  setenv("RILLE_MODEL_TOKEN_FILE", "/nowhere/token", 1);
  made_fail(HANDLE("rille.model 'fake:one'"), VALUES("a"), RL_BLAME_SCRIPT,
            "RILLE_MODEL_TOKEN_FILE: cannot read /nowhere/token: No such file");
  write_file(path, "");
  setenv("RILLE_MODEL_TOKEN_FILE", path, 1);
  made_fail(HANDLE("rille.model 'fake:one'"), VALUES("a"), RL_BLAME_SCRIPT, "it is empty");
  reset();
  unlink(path);
}

/* A line's end in what is sent would begin a header of its own. */
TEST(control_characters_in_credentials_are_refused_and_not_repeated) {
  static const struct {
    const char *options, *name;
  } cases[] = {{"token = 'xyz\\nheader: y'", "rille.model: token holds"},
               {"token = 'xyz\\0y'", "rille.model: token holds a zero byte"},
               {"user = 'xyz\\127'", "rille.model: user holds"},
               {"user = 'me', password = 'xyz\\ty'", "rille.model: password holds"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char code[200];
    reset();
    snprintf(code, sizeof code, HANDLE("rille.model('fake:one', { %s })"), cases[i].options);
    made_fail(code, VALUES("a"), RL_BLAME_SCRIPT, cases[i].name);
    CHECK_INT(fake.opens, 0);
  }
}

static void refuse_variable(const char *name, const char *value) {
  struct made_run r;
  char part[100];
  snprintf(part, sizeof part, "rille.model: %s holds a control character", name);
  setenv(name, value, 1);
  CHECK_INT(made_open(&r, "local m = rille.model 'fake:one'\nreturn function() end"), RL_EUSAGE);
  CHECK_HAS(r.err.text, part);
  CHECK(!strstr(r.err.text, "xyz"));
  made_close(&r);
  unsetenv(name);
}

TEST(control_characters_in_the_environment_are_refused_by_the_variables_name) {
  char path[] = "/tmp/rille-model-XXXXXX";
  close(mkstemp(path));
  write_file(path, "xyz\ty\n");
  reset();
  refuse_variable("RILLE_MODEL_TOKEN", "xyz\nheader: y");
  refuse_variable("RILLE_MODEL_TOKEN", "xyz\r\n\r\nGET /");
  refuse_variable("RILLE_MODEL_USER", "xyz\n");
  setenv("RILLE_MODEL_USER", "me", 1);
  refuse_variable("RILLE_MODEL_PASSWORD", "xyz\x01");
  unsetenv("RILLE_MODEL_USER");
  setenv("RILLE_MODEL_TOKEN_FILE", path, 1);
  struct made_run r;
  CHECK_INT(made_open(&r, "local m = rille.model 'fake:one'\nreturn function() end"), RL_EUSAGE);
  CHECK_HAS(r.err.text, "RILLE_MODEL_TOKEN_FILE holds a control character");
  made_close(&r);
  reset();
  unlink(path);
}

TEST(a_secret_in_the_environment_ends_before_its_line_does) {
  reset();
  setenv("RILLE_MODEL_TOKEN", "t0p-secret\r\n\n", 1);
  made_pass(HANDLE("rille.model 'fake:one'"), VALUES("a"));
  CHECK_STR(fake.secret, "t0p-secret");
  reset();
  setenv("RILLE_MODEL_USER", "me", 1);
  setenv("RILLE_MODEL_PASSWORD", "with blanks \n", 1);
  made_pass(HANDLE("rille.model 'fake:one'"), VALUES("a"));
  CHECK_STR(fake.secret, "with blanks ");
  reset();
}
