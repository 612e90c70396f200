/* limits.time, limits.memory and stopping from outside (S10.3, seed systems D 14). */
#include <pthread.h>
#include <time.h>

#include <lauxlib.h>
#include <unistd.h>
#include "base/clock.h"

#include "lua/state.h"
#include "lua_made.h"

#define LIMITED "return { limits = { time = 0.1 }, handle = function(batch) "

static void cut_short(const char *code) {
  made_fail(code, VALUES("a"), RL_BLAME_MESSAGE, "took longer than limits.time");
}

TEST(d_14_a_loop_without_end) {
  struct made_run r;
  CHECK_INT(made_open(&r, LIMITED "local function spin()\nwhile true do end end spin() end }"), 0);
  for (int i = 0; i < 3; i++) { /* the limit is of each call, and leaves nothing behind */
    struct rl_batch *b = made_batch(&r);
    CHECK_INT(made_handle(&r, b), RL_EHANDLER);
    CHECK_HAS(r.why.error, "--code:2: the call took longer than limits.time (0.1 s)");
    CHECK_HAS(r.why.traceback, "--code:2: in ");
    made_settle(&r, b);
  }
  made_close(&r);
}

TEST(d_14_inside_of_coroutines) {
  cut_short(LIMITED "coroutine.wrap(function() while true do end end)() end }");
  cut_short(LIMITED
            "local co = coroutine.create(function() coroutine.wrap(function() while true do end end)() end)\n"
            "  while true do coroutine.resume(co) end end }");
  cut_short(LIMITED
            "local co = coroutine.wrap(function() while true do coroutine.yield() end end)\n"
            "  while true do co() end end }");
  cut_short(LIMITED
            "local co = coroutine.create(function() local x <close> = setmetatable({}, { __close = "
            "function() while true "
            "do end end }) coroutine.yield() end)\n"
            "  coroutine.resume(co) coroutine.close(co) end }");
}

TEST(s10_3_pcall_does_not_save_it) {
  cut_short(LIMITED "local function f() while true do end end while true do pcall(f) end end }");
  cut_short(LIMITED "while true do pcall(coroutine.wrap(function() while true do end end)) end end }");
  cut_short(LIMITED "while true do pcall(string.rep, 'x', 10) end end }");
  cut_short(LIMITED
            "local t = {} for i = 1, 200 do t[i] = i end\n"
            "  while true do pcall(table.sort, t, function(a, b) return a < b end) end end }");
}

TEST(a_limit_that_is_kept_leaves_no_trace) {
  struct made_run r;
  CHECK_INT(
      made_open(
          &r,
          "local co\nreturn { limits = { time = 0.3 }, handle = function(batch)\n"
          "  if #batch == 0 then co = coroutine.create(function() while true do coroutine.yield(1) end end)\n"
          "    coroutine.resume(co); while true do coroutine.resume(co) end end\n"
          "  for i = 1, 10 do assert(coroutine.resume(co)) end end }"),
      0);
  struct rl_batch *b = made_batch(&r);
  CHECK_INT(made_handle(&r, b), RL_EHANDLER);
  made_add(&r, b, NULL, "a");
  int rc = made_handle(&r, b); /* the coroutine may have died of the limit, but it must not raise it now */
  if (rc) CHECK_HAS(r.why.error, "dead coroutine");
  made_settle(&r, b);
  made_close(&r);
}

/* Does a signal cut calls short here? Else a call that does not come back to Lua cannot be found or woken. */
static bool has_signal(void) {
  struct rl_limits *limits = rl_limits_new(RL_LIMITS_SIGNAL);
  rl_limits_free(limits);
  return limits != NULL;
}

/* ---- from another thread ---- */

struct stopper {
  struct made_run *r;
  char where[200];
  int64_t wait;
};

static void sleep_ns(int64_t ns) {
  struct timespec t = {(time_t)(ns / RL_NS_PER_S), (long)(ns % RL_NS_PER_S)};
  nanosleep(&t, NULL);
}

static void *stop_it(void *arg) {
  struct stopper *s = arg;
  for (int i = 0; i < 200 && !s->r->e.where(s->r->e.self); i++) sleep_ns(5 * RL_NS_PER_MS);
  sleep_ns(s->wait);
  s->r->e.interrupt(s->r->e.self);
  return NULL;
}

TEST(interrupt_stops_the_call) {
  struct made_run r;
  static const char *const codes[] = {
      "return function() while true do pcall(function() while true do end end) end end",
      "return function() while true do coroutine.wrap(function() coroutine.yield() end)() end end"};
  for (int i = 0; i < 2; i++) {
    CHECK_INT(made_open(&r, codes[i]), 0);
    r.e.interrupt(r.e.self); /* nothing runs: nothing happens, now or later */
    struct stopper s = {.r = &r, .wait = 20 * RL_NS_PER_MS};
    pthread_t thread;
    struct rl_batch *b = made_batch(&r);
    pthread_create(&thread, NULL, stop_it, &s);
    CHECK_INT(made_handle(&r, b), RL_EHANDLER);
    CHECK_INT(r.why.blame, RL_BLAME_STOPPED);
    pthread_join(thread, NULL);
    made_settle(&r, b);
    made_close(&r);
  }
}

/* A pattern that backtracks does not come back to Lua: no hook can run, but it is known where it hangs. */
#define BACKTRACK "\nlocal s = ('a'):rep(%d)\ns:find(('.-'):rep(%d) .. 'b') end }"

static void *look_where(void *arg) {
  struct stopper *s = arg;
  for (int i = 0; i < 200; i++) {
    const char *where = s->r->e.where(s->r->e.self);
    if (where) snprintf(s->where, sizeof s->where, "%s", where);
    if (where && strchr(where, ':')) break;
    sleep_ns(10 * RL_NS_PER_MS);
  }
  return NULL;
}

TEST(d_14_a_pattern_that_backtracks_is_found) {
  struct made_run r;
  char code[300];
  if (!has_signal()) return;
  snprintf(code, sizeof code, LIMITED BACKTRACK, 70, 5);
  CHECK_INT(made_open(&r, code), 0);
  struct stopper s = {.r = &r};
  pthread_t thread;
  struct rl_batch *b = made_batch(&r);
  pthread_create(&thread, NULL, look_where, &s);
  CHECK_INT(made_handle(&r, b), RL_EHANDLER); /* as soon as it comes back */
  pthread_join(thread, NULL);
  CHECK_STR(s.where, "--code:3");
  CHECK(r.e.where(r.e.self) == NULL);
  made_settle(&r, b);
  made_close(&r);
}

TEST(a_blocking_read_is_interrupted) {
  struct made_run r;
  int fds[2];
  char code[200];
  if (!has_signal()) return;
  CHECK_INT(pipe(fds), 0);
  snprintf(code, sizeof code, LIMITED "local f = io.open('/dev/fd/%d') f:read() end }", fds[0]);
  CHECK_INT(made_open(&r, code), 0);
  struct rl_batch *b = made_batch(&r);
  CHECK_INT(made_handle(&r, b), RL_EHANDLER);
  CHECK_HAS(r.why.error, "took longer");
  made_settle(&r, b);
  made_close(&r);
  close(fds[0]);
  close(fds[1]);
}

/* ---- the fallback ---- */

static int p_run(lua_State *L) {
  lua_settop(L, 1);
  lua_call(L, 0, 0);
  return 0;
}

static enum rl_limits_end counted(const char *code, double seconds, int *status) {
  struct rl_lua_alloc alloc = {0};
  struct rl_limits *limits = rl_limits_new(RL_LIMITS_COUNT);
  lua_State *L = rl_lua_state_new(&alloc, limits);
  lua_pushcfunction(L, p_run);
  *status = luaL_loadstring(L, code);
  rl_limits_begin(limits, seconds, "test");
  *status = lua_pcall(L, 1, 0, 0);
  enum rl_limits_end end = rl_limits_end(limits);
  lua_close(L);
  rl_limits_free(limits);
  return end;
}

TEST(s10_3_a_count_hook_where_there_are_no_timers) {
  int status;
  CHECK_INT(counted("while true do end", 0.05, &status), RL_LIMITS_TIME);
  CHECK_INT(status, LUA_ERRRUN);
  CHECK_INT(counted("while true do pcall(function() while true do end end) end", 0.05, &status),
            RL_LIMITS_TIME);
  CHECK_INT(
      counted("coroutine.wrap(function() while true do pcall(function() while true do end end) end end)()",
              0.05, &status),
      RL_LIMITS_TIME);
  CHECK_INT(counted("for i = 1, 1e5 do end", 60, &status), RL_LIMITS_KEPT);
  CHECK_INT(status, LUA_OK);
}

/* ---- memory ---- */

TEST(d_14_memory) {
  struct made_run r;
  made_no_gc = true; /* filling 4 MiB with a collection at each step takes for ever */
  CHECK_INT(made_open(&r,
                      "local function fill(t) for i = 1, 1e9 do t[i] = { i } end end\n"
                      "return { limits = { memory = '4MiB' }, handle = function(batch)\n"
                      "  if #batch == 1 then return #('a'):rep(1e9) end\n"
                      "  pcall(string.rep, 'a', 1e9)\n"
                      "  if #batch == 2 then fill({}) end\n"
                      "  if #batch == 3 then coroutine.wrap(function() fill({}) end)() end end }"),
            0);
  struct rl_batch *b = made_batch(&r);
  static const char *const places[] = {"--code:3: ", "--code:1: ", "--code:1: "};
  static const char *const frames[] = {"in method 'rep'\n\t--code:3: in ",
                                       "in upvalue 'fill'\n\t--code:5: in ",
                                       "in upvalue 'fill'\n\t--code:6: in "};
  for (int i = 0; i < 3; i++) {
    made_add(&r, b, NULL, "a");
    CHECK_INT(made_handle(&r, b), RL_EHANDLER);
    CHECK_INT(r.why.blame, RL_BLAME_MESSAGE);
    CHECK_HAS(r.why.error, "limits.memory is 4194304 bytes");
    CHECK_HAS(r.why.error, places[i]);
    CHECK_HAS(r.why.traceback, "stack traceback:\n\t");
    CHECK_HAS(r.why.traceback, frames[i]);
  }
  made_add(&r, b, NULL, "a");
  CHECK_INT(made_handle(&r, b), 0); /* and goes on */
  made_settle(&r, b);
  made_close(&r);
  made_no_gc = false;
}

/* Eight values of 1 MiB each: they would not fit, and none is read. Then one is, then all. */
TEST(values_are_pulled_into_lua_only_when_read) {
  struct made_run r;
  char *large = malloc((1 << 20) + 1);
  memset(large, 'x', 1 << 20);
  large[1 << 20] = '\0';
  CHECK_INT(
      made_open(&r,
                "local n = 0\n"
                "return { limits = { memory = '3MiB' }, handle = function(batch)\n"
                "  n = n + 1\n"
                "  local sum = 0\n"
                "  for _, m in batch:messages() do sum = sum + m.offset + #m.key end\n"
                "  assert(sum == 828 + 8)\n"
                "  if n == 2 then assert(#batch[8].value == 1 << 20) end\n"
                "  if n == 3 then local all = {} for _, m in batch:messages() do all[#all + 1] = m.value end "
                "end end }"),
      0);
  struct rl_batch *b = made_batch(&r);
  for (int i = 0; i < 8; i++) made_add(&r, b, "k", large);
  CHECK_INT(made_handle(&r, b), 0);
  CHECK_INT(made_handle(&r, b), 0);
  CHECK_INT(made_handle(&r, b), RL_EHANDLER);
  CHECK_HAS(r.why.error, "--code:8: not enough memory");
  made_settle(&r, b);
  made_close(&r);
  free(large);
}

/* Little memory that is much text: what encodes it is bounded, too. */
TEST(promise_8_json_of_more_than_the_memory_is_refused) {
  static const char *const values[] = {"rille.tensor.zeros({ 1 << 26, 0 }, 'uint8')",
                                       "rille.tensor.zeros({ 1 << 40, 0 })",
                                       "rille.tensor.zeros({ 1000000 }, 'uint8')", "doubled"};
  struct made_run r;
  made_no_gc = true;
  CHECK_INT(
      made_open(&r,
                "local doubled = { 1 }\n"
                "for _ = 1, 40 do doubled = { doubled, doubled } end\n"
                "return { limits = { memory = '1900000' }, handle = function(batch, out)\n"
                "  local value = assert(load('local doubled = ...; return ' .. batch[1].value))(doubled)\n"
                "  local ok, why = pcall(rille.json.encode, value)\n"
                "  assert(not ok, 'encoded')\n"
                "  assert(why:find('more text than limits.memory allows, at', 1, true), why)\n"
                "  ok, why = pcall(out.send, out, '-', { x = value })\n"
                "  assert(not ok and why:find('more text than limits.memory allows, at', 1, true), why)\n"
                "end }"),
      0);
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    struct rl_batch *b = made_batch(&r);
    made_add(&r, b, NULL, values[i]);
    if (made_handle(&r, b)) UNIT_FAIL("%s: %s", values[i], r.why.error);
    made_settle(&r, b);
  }
  made_close(&r);
  made_no_gc = false;
}

/* The stack is what cannot grow: its frames are read or left alone, as the library allows. */
TEST(d_14_memory_that_recursion_takes) {
  struct made_run r;
  CHECK_INT(made_open(&r,
                      "local function down(n) return 1 + down(n + 1) end\n"
                      "return { limits = { memory = '1MiB' }, handle = function() down(1) end }"),
            0);
  struct rl_batch *b = made_batch(&r);
  for (int i = 0; i < 3; i++) {
    CHECK_INT(made_handle(&r, b), RL_EHANDLER);
    CHECK_HAS(r.why.error, "limits.memory is 1048576 bytes");
  }
  made_settle(&r, b);
  made_close(&r);
}

TEST(d_14_a_stack_that_grows_is_not_read_where_it_moves) {
  char block;
  CHECK(rl_refusal_readable(NULL, 100));
  CHECK(rl_refusal_readable(&block, (size_t)32 << 20)); /* more than a stack can have */
}

TEST(memory_is_counted) {
  struct rl_lua_alloc a = {.limit = 100};
  void *p = rl_lua_realloc(&a, NULL, 5, 60); /* 5: a kind of object, no size */
  CHECK_INT(a.used, 60);
  CHECK(rl_lua_realloc(&a, p, 60, 101) == NULL);
  CHECK(rl_lua_realloc(&a, NULL, 0, 41) == NULL);
  void *q = rl_lua_realloc(&a, NULL, 0, 40);
  CHECK(q != NULL);
  p = rl_lua_realloc(&a, p, 60, 10);
  CHECK_INT(a.used, 50);
  CHECK_INT(a.peak, 100);
  a.limit = 20;
  p = rl_lua_realloc(&a, p, 10, 5); /* shrinking never fails */
  CHECK(p != NULL);
  rl_lua_realloc(&a, p, 5, 0);
  rl_lua_realloc(&a, q, 40, 0);
  CHECK_INT(a.used, 0);
}
