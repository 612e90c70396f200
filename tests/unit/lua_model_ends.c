/* Runs of rille.model that end early, and what is held while they go on. */
#include <lualib.h>
#include <pthread.h>

#include "lua/rille_open.h"
#include "lua_model_made.h"

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

TEST(s10_3_limits_time_that_passes_while_a_model_warms_up_here_is_the_batchs) {
  static const char code[] =
      "return { limits = { time = 0.1 }, handle = function(batch)\n"
      "rille.model('fake:one', { warmup = 1 }) end }";
  reset();
  fake.hangs = true;
  made_fail(code, VALUES("a"), RL_BLAME_MESSAGE, "took longer than limits.time (0.1 s)");
  backend.served = true;
  made_fail(code, VALUES("a"), RL_BLAME_WEATHER, "limits.time (0.1 s), which a server let pass");
  backend.served = false;
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
