/* How a handler fails (S4, seed systems D 15), and what becomes of print. */
#include <signal.h>
#include <unistd.h>

#include "lua_made.h"

TEST(d_15_raises_a_string) {
  struct made_run r;
  CHECK_INT(made_open(&r, "local function inner() error('bad mag') end\nreturn function() inner() end"), 0);
  struct rl_batch *b = made_batch(&r);
  made_add(&r, b, NULL, "a");
  CHECK_INT(made_handle(&r, b), RL_EHANDLER);
  CHECK_INT(r.why.blame, RL_BLAME_MESSAGE);
  CHECK_STR(r.why.error, "--code:1: bad mag");
  CHECK_HAS(r.why.traceback, "stack traceback:");
  CHECK_HAS(r.why.traceback, "--code:1: in ");
  CHECK_HAS(r.why.traceback, "--code:2: in ");
  made_settle(&r, b);
  made_close(&r);
}

TEST(d_15_raises_anything) {
  made_fail("return function() error({ message = 'from a table' }) end", VALUES("a"), RL_BLAME_MESSAGE,
            "--code:1: from a table");
  made_fail("return function() error(setmetatable({}, { __tostring = function() return 'as text' end })) end",
            VALUES("a"), RL_BLAME_MESSAGE, "--code:1: as text");
  made_fail("return function() error({}) end", VALUES("a"), RL_BLAME_MESSAGE,
            "a table value without a message");
  made_fail("return function() error(nil) end", VALUES("a"), RL_BLAME_MESSAGE,
            "--code:1: (the error is nil)");
  made_fail("return function() error(print) end", VALUES("a"), RL_BLAME_MESSAGE,
            "(the error is a function value)");
  made_fail("return function() error(5) end", VALUES("a"), RL_BLAME_MESSAGE, "5");
  made_fail("return function() error('two\\nlines', 0) end", VALUES("a"), RL_BLAME_MESSAGE, "two lines");
  made_fail("return function() error(setmetatable({}, { __tostring = function() error('worse') end })) end",
            VALUES("a"), RL_BLAME_MESSAGE, "worse");
  made_fail("return function() local x = nil; return x.y end", VALUES("a"), RL_BLAME_MESSAGE,
            "attempt to index a nil value");
}

TEST(d_15_yields) {
  made_fail("return function() coroutine.yield() end", VALUES("a"), RL_BLAME_MESSAGE,
            "--code:1: the handler yielded");
  made_pass(
      "return function(batch)\n"
      "  local seen = 0\n"
      "  for m in coroutine.wrap(function() for _, m in batch:messages() do coroutine.yield(m) end end) do\n"
      "    seen = seen + 1; assert(m == batch[seen]) end\n"
      "  assert(seen == 2)\n"
      "end",
      VALUES("a", "b"));
}

TEST(returns_nil_and_an_error) {
  made_fail("return function() return nil, 'no luck' end", VALUES("a"), RL_BLAME_MESSAGE, "no luck");
  made_fail("return function() return false, { message = 'no luck' } end", VALUES("a"), RL_BLAME_MESSAGE,
            "no luck");
  made_fail("return function() return nil, require 'rille'.transient('later') end", VALUES("a"),
            RL_BLAME_WEATHER, "later");
  made_pass("return function() return nil end", VALUES("a"));
  made_pass("return function() return nil, nil end", VALUES("a"));
  made_pass("return function() return true, 'fine' end", VALUES("a"));
}

TEST(s4_1_transient_is_the_weather) {
  made_fail("local rille = require 'rille'\nreturn function() error(rille.transient('model down')) end",
            VALUES("a"), RL_BLAME_WEATHER, "--code:2: model down");
  made_fail(
      "local down = require 'rille'.transient('down')\n"
      "return function() pcall(error, down); error(down) end",
      VALUES("a"), RL_BLAME_WEATHER, "down");
  made_pass(
      "local rille = require 'rille'\nreturn function()\n"
      "  local ok, err = pcall(error, rille.transient('down'))\n"
      "  assert(not ok and tostring(err) == 'down' and 'it is ' .. err == 'it is down') end",
      VALUES("a"));
}

TEST(s4_6_a_script_failure_keeps_its_lines) {
  struct made_run r;
  CHECK_INT(
      made_open(&r, "return { fields = { 'm' }, handle = function(batch) return batch:where('m <') end }"),
      0);
  struct rl_batch *b = made_batch(&r);
  made_add(&r, b, NULL, "{\"m\":1}");
  CHECK_INT(made_handle(&r, b), RL_EHANDLER);
  CHECK_INT(r.why.blame, RL_BLAME_SCRIPT);
  CHECK_HAS(r.why.error, "--code:1: ");
  CHECK_HAS(r.why.error, "\n"); /* the caret's line */
  made_settle(&r, b);
  made_close(&r);
}

TEST(an_error_inside_of_a_coroutine) {
  made_fail("return function()\n  coroutine.wrap(function() error('deep') end)()\nend", VALUES("a"),
            RL_BLAME_MESSAGE, "deep");
  made_pass(
      "return function()\n"
      "  local co = coroutine.create(function(a) local b = coroutine.yield(a + 1); error('x' .. b, 0) end)\n"
      "  local ok, v = coroutine.resume(co, 1); assert(ok and v == 2)\n"
      "  local ok, e = coroutine.resume(co, 'y'); assert(not ok and e == 'xy')\n"
      "  local ok, e = coroutine.resume(co); assert(not ok and e == 'cannot resume dead coroutine')\n"
      "  assert(coroutine.close(co) == false or true)\n"
      "  local closed = false\n"
      "  local co = coroutine.create(function() local x <close> = setmetatable({}, { __close = function() "
      "closed = true "
      "end }) coroutine.yield() end)\n"
      "  coroutine.resume(co); assert(coroutine.close(co) and closed)\n"
      "  local gen = coroutine.wrap(function() local x <close> = setmetatable({}, { __close = function() "
      "closed = 1 "
      "end }) error('in gen', 0) end)\n"
      "  local ok, e = pcall(gen); assert(not ok and e:find('in gen') and closed == 1)\n"
      "  assert(not pcall(coroutine.resume, 5) and not pcall(coroutine.wrap, 5) and not "
      "pcall(coroutine.close, 5))\n"
      "end",
      VALUES("a"));
}

TEST(promise_6_os_exit_is_refused) {
  made_fail("return function() os.exit(0) end", VALUES("a"), RL_BLAME_SCRIPT, "os.exit");
}

TEST(promise_8_text_chunks_only) {
  made_pass(
      "return function()\n"
      "  local code = string.dump(function() return 1 end)\n"
      "  local f, err = load(code); assert(not f and err:find('binary'), err)\n"
      "  local f, err = load(code, 'x', 'b'); assert(not f)\n"
      "  local f, err = load(code, 'x', 'bt'); assert(not f)\n"
      "  assert(load('return 1')() == 1 and load('return x', 'n', 't', { x = 5 })() == 5)\n"
      "  assert(not pcall(load('return print()', 'n', 't', nil)))\n"
      "  local name = os.tmpname()\n"
      "  local file = io.open(name, 'wb'); file:write(code); file:close()\n"
      "  assert(not loadfile(name) and not loadfile(name, 'b') and not pcall(dofile, name))\n"
      "  package.path = name\n"
      "  local ok, err = pcall(require, 'anything'); assert(not ok and err:find('binary'), err)\n"
      "  file = io.open(name, 'wb'); file:write('x = 5 return ..., x'); file:close()\n"
      "  local a, b = dofile(name); assert(a == nil and b == 5)\n"
      "  local env = {}; local f = loadfile(name, 't', env); f(); assert(env.x == 5)\n"
      "  assert(select(2, require('other')) == name)\n"
      "  os.remove(name)\n"
      "  assert(not loadfile(name) and not pcall(require, 'gone'))\n"
      "end",
      VALUES("a"));
}

/* The harness writes its own results to stdout: it is put back before anything is said. */
TEST(s5_3_a_closed_pipe_blames_no_message) {
  struct made_run r;
  int fds[2];
  CHECK_INT(made_open(&r, "return function() print('said') end"), 0);
  struct rl_batch *b = made_batch(&r);
  made_add(&r, b, NULL, "a");
  CHECK_INT(pipe(fds), 0);
  fflush(stdout);
  int saved = dup(STDOUT_FILENO);
  dup2(fds[1], STDOUT_FILENO);
  close(fds[0]);
  close(fds[1]);
  signal(SIGPIPE, SIG_IGN);
  int rc = made_handle(&r, b);
  dup2(saved, STDOUT_FILENO);
  close(saved);
  clearerr(stdout);
  signal(SIGPIPE, SIG_DFL);
  CHECK_INT(rc, RL_EPIPE);
  CHECK_INT(r.why.blame, RL_BLAME_SCRIPT);
  CHECK_HAS(r.why.error, "reader went away");
  CHECK_INT(made_handle(&r, b), 0);
  made_settle(&r, b);
  made_close(&r);
}

/* ---- decode = function ---- */

#define DECODE                                                                                               \
  "local cjson = require 'cjson'\n"                                                                          \
  "return { fields = { 'id', first = { path = 'list[0]', type = 'i64' }, last = 'list[-1]', all = 'list',\n" \
  "                    at = '@offset' },\n"                                                                  \
  "  decode = function(m)\n"                                                                                 \
  "    if m.value == 'raise' then error('not today') end\n"                                                  \
  "    if m.value == 'give' then return nil, 'given' end\n"                                                  \
  "    local t = cjson.decode(m.value); t.from = m; return t end,\n"

TEST(decode_by_the_script) {
  struct made_run r;
  CHECK_INT(made_open(&r, DECODE
                      "  handle = function(batch)\n"
                      "    assert(batch[1]:decode().id == 'x' and batch[1]:decode() == batch[1]:decode())\n"
                      "    assert(batch[1]:decode().from.offset == 100)\n"
                      "    assert(batch.id[1] == 'x' and batch.first[1] == 5 and batch.last[1] == 7)\n"
                      "    assert(batch.all[1][2] == 6 and batch.at[1] == 100 and batch.id[2] == 'z')\n"
                      "    assert(batch:rows()[2].last == nil)\n"
                      "  end }"),
            0);
  CHECK(r.e.decode != NULL);
  struct rl_batch *b = made_batch(&r);
  made_add(&r, b, NULL, "{\"id\":\"x\",\"list\":[5,6,7]}");
  made_add(&r, b, NULL, "raise");
  made_add(&r, b, NULL, "give");
  made_add(&r, b, NULL, "not json");
  made_add(&r, b, NULL, "{\"id\":\"y\",\"list\":[\"text\"]}");
  made_add(&r, b, NULL, "{\"id\":\"z\",\"list\":[]}");
  static const char *const errors[] = {NULL, "--code:5: not today", "given", "alid", "first", NULL};
  for (size_t row = 0; row < b->n; row++) {
    int rc = r.e.decode(r.e.self, b, row, &r.why);
    CHECK_INT(rc, errors[row] ? RL_EHANDLER : 0);
    if (errors[row]) CHECK_HAS(r.why.error, errors[row]);
    if (rc && !errors[row]) UNIT_FAIL("row %zu: %s", row, r.why.error);
    if (errors[row]) CHECK_INT(r.why.blame, RL_BLAME_MESSAGE);
    rl_failure_clear(&r.why);
  }
  struct rl_view view = {.batch = b, .rows = (uint32_t[]){0, 5}, .n = 2, .attempt = 1, .parts_of = 2};
  for (int attempt = 0; attempt < 2; attempt++)
    if (r.e.handle(r.e.self, &view, &r.box, &r.why)) UNIT_FAIL("%s", r.why.error);
  made_settle(&r, b);
  made_close(&r);
}

static bool is_first(const struct rl_msg *msg, void *arg) {
  (void)arg;
  return msg->offset == 100;
}

TEST(s2_1_what_was_decoded_stays_with_its_message) {
  struct made_run r;
  CHECK_INT(
      made_open(&r,
                "return { decode = function(m) return { v = m.value } end, handle = function(batch)\n"
                "  assert(#batch == 1 and batch[1]:decode().v == 'b' and batch:rows()[1].v == 'b') end }"),
      0);
  struct rl_batch *b = made_batch(&r);
  made_add(&r, b, NULL, "a");
  made_add(&r, b, NULL, "b");
  for (size_t row = 0; row < 2; row++) CHECK_INT(r.e.decode(r.e.self, b, row, &r.why), 0);
  CHECK_INT(rl_batch_strike(b, is_first, NULL), 1);
  CHECK_INT(made_handle(&r, b), 0);
  if (r.why.error) UNIT_FAIL("%s", r.why.error);
  made_settle(&r, b);
  made_close(&r);
}

/* ---- hooks ---- */

TEST(hooks) {
  struct made_run r;
  CHECK_INT(
      made_open(
          &r,
          "local log = require 'rille'.log\n"
          "return { handle = function() end, open = function() log.info('open') end,\n"
          "  assigned = function(parts) log.info('assigned', #parts, parts[1].topic, parts[1].partition,\n"
          "    parts[1].offset, parts[2].offset) end,\n"
          "  every = { 0.5, function(out) out:send('t', 'tick') end },\n"
          "  close = function(out, reason) out:send('t', reason) return nil, 'at last' end }"),
      0);
  CHECK(r.e.has_hook[RL_HOOK_OPEN] && r.e.has_hook[RL_HOOK_ASSIGNED] && !r.e.has_hook[RL_HOOK_REVOKED]);
  CHECK(r.e.every == 0.5);
  struct rl_tps parts = RL_TPS_INIT;
  rl_tps_add(&parts, "alerts", 2, RL_OFFSET_INVALID);
  rl_tps_add(&parts, "alerts", 3, 17);
  CHECK_INT(r.e.hook(r.e.self, RL_HOOK_OPEN, NULL, NULL, NULL, &r.why), 0);
  CHECK_INT(r.e.hook(r.e.self, RL_HOOK_ASSIGNED, &parts, NULL, NULL, &r.why), 0);
  CHECK_INT(r.e.hook(r.e.self, RL_HOOK_REVOKED, &parts, NULL, NULL, &r.why), 0);
  CHECK_INT(r.e.hook(r.e.self, RL_HOOK_EVERY, NULL, NULL, &r.box, &r.why), 0);
  CHECK_INT(r.e.hook(r.e.self, RL_HOOK_CLOSE, NULL, "stop", &r.box, &r.why), RL_EHANDLER);
  CHECK_STR(r.why.error, "at last");
  CHECK_INT(r.box.n, 2);
  CHECK(rl_bytes_eq(r.box.at[1].value, rl_bytes_str("stop")));
  CHECK_HAS(made_log, "open\n");
  CHECK_HAS(made_log, "alerts");
  rl_tps_free(&parts);
  made_close(&r);
}

TEST(warnings_and_finalizers_go_to_the_log) {
  struct made_run r;
  CHECK_INT(
      made_open(
          &r,
          "return function()\n  warn('careful, ', 'now')\n"
          "  setmetatable({}, { __gc = function() error('in a finalizer') end })\n  collectgarbage()\nend"),
      0);
  struct rl_batch *b = made_batch(&r);
  CHECK_INT(made_handle(&r, b), 0);
  CHECK_HAS(made_log, "careful, now");
  CHECK_HAS(made_log, "in a finalizer");
  made_settle(&r, b);
  made_close(&r);
}
