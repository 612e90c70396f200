/* The allocation-failure sweep: from the N-th allocation on every one fails, for each N, until all goes well.
 * Nothing may crash, leak a message, or pass for done what was not; and afterwards the state still works. */
#include <lauxlib.h>

#include "lua_made.h"

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
  if (grows && f->left == 0) {
    f->failed = true;
    return NULL;
  }
  if (grows && f->left > 0) f->left--;
  return f->inner(f->arg, p, old_size, new_size);
}

static const char *const everything =
    "local rille = require 'rille'\n"
    "local kept\n"
    "local function card(text) return text .. (' '):rep(80 - #text) end\n"
    "local head = card 'SIMPLE  = T' .. card 'BITPIX  = 8' .. card 'NAXIS   = 1' .. card 'NAXIS1  = 2' .. "
    "card "
    "'END'\n"
    "local image = head .. (' '):rep(2880 - #head) .. '\\1\\2'\n"
    "local zipped = "
    "'\\x1f\\x8b\\8\\0\\0\\0\\0\\0\\0\\3\\1\\1\\0\\254\\255x\\x83\\x16\\xdc\\x8c\\1\\0\\0\\0'\n"
    "return { fields = { 'id', mag = 'a.mag', any = 'a' }, dead_letter = 'd',\n"
    "  decode = function(m) return rille.json.decode(m.value) end,\n"
    "  handle = function(batch, out)\n"
    "    kept = batch\n"
    "    local sum = 0\n"
    "    for i, m in batch:messages() do\n"
    "      sum = sum + #m.value + #m.headers + (m.fields.mag or 0) + #tostring(m) + m:decode().a.mag\n"
    "    end\n"
    "    local rows, column = batch:rows(), batch.any\n"
    "    batch:map(function(m) return m.key end)\n"
    "    local bright = batch:where('mag < 18')\n"
    "    out:forward('bright', bright)\n"
    "    out:send('t', { rows = rows, n = sum }, { key = 'k', headers = { a = '1', b = '2' }, about = "
    "batch[1] })\n"
    "    out:send('t', rille.json.encode(rows[1]), { headers = { { name = 'x', value = 'y' } } })\n"
    "    if #bright > 0 then out:reject(bright[1], 'why') end\n"
    "    for v in coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) do sum = sum + v "
    "end\n"
    "    local t, complete = batch:tensor{ 'mag' }\n"
    "    local scored = batch:with{ score = t * 2, name = { 'a', 'b', 'c' } }:sort('score', 'desc')\n"
    "    for id, view in scored:where('score > 1'):group_by 'id' do sum = sum + #view end\n"
    "    sum = sum + #scored:select(t:column(1):gt(18)) + rille.tensor.stack{ t, t }:rows{ 2 }:sum()\n"
    "    sum = sum + rille.fits.image(image):sum() + #assert(rille.gunzip(zipped)) + #rille.gunzip(zipped)\n"
    "    local m, buffer = rille.mlp{ 1, 2, 1 }, rille.shuffle{ size = 0 }:add(t, { 0, 1, 1 })\n"
    "    for x, y in buffer:rest(2) do m:train(x, y) end\n"
    "    sum = sum + m:evaluate(t, { 0, 1, 1 }) + rille.metrics.auc():update(m(t), { 0, 1, 1 }):value()\n"
    "    pcall(error, rille.transient('x'))\n"
    "    if not pcall(function() return batch.nothing end) then error({ message = 'end of it' }) end\n"
    "  end,\n"
    "  assigned = function(parts) return #parts end }";

static const char *const values[] = {"{\"id\":\"x\",\"a\":{\"mag\":17.5}}",
                                     "{\"id\":\"y\",\"a\":{\"mag\":19}}",
                                     "{\"id\":\"z\",\"a\":{\"mag\":17,\"list\":[1,2,{}]}}"};

/* One round: decode, handle, hook, release. True: everything went as it should. */
static bool once(struct made_run *r, struct failing *f, long left) {
  struct rl_batch *b = made_batch(r);
  struct rl_tps parts = RL_TPS_INIT;
  rl_tps_add(&parts, "alerts", 1, 5);
  for (size_t i = 0; i < 3; i++) made_add(r, b, "k", values[i]);
  bool good = true;
  f->failed = false;
  f->left = left;
  for (size_t row = 0; row < b->n; row++) {
    rl_failure_clear(&r->why);
    good = r->e.decode(r->e.self, b, row, &r->why) == 0 && good;
  }
  int rc = made_handle(r, b);
  if (rc == 0) UNIT_FAIL("the handler cannot pass, with %ld allocations it did", left);
  bool reached = rc && strstr(r->why.error, "end of it");
  rl_failure_clear(&r->why);
  good = r->e.hook(r->e.self, RL_HOOK_ASSIGNED, &parts, NULL, NULL, &r->why) == 0 && good;
  made_settle(r, b);
  f->left = -1;
  CHECK_INT(made_live, 0);
  rl_tps_free(&parts);
  return good && reached;
}

TEST(every_allocation_may_fail) {
  struct made_run r;
  struct failing f = {.left = -1};
  CHECK_INT(made_open(&r, everything), 0);
  lua_State *L = r.L;
  f.inner = lua_getallocf(L, &f.arg);
  lua_setallocf(L, fail_from, &f);
  CHECK(once(&r, &f, -1));
  long n = 0;
  while (unit_failures == 0) {
    bool good = once(&r, &f, n);
    if (!f.failed) {
      CHECK(good);
      break;
    }
    CHECK(!good || f.failed);
    n += n < 400 ? 1 : 7;
  }
  CHECK(n > 100);
  CHECK(once(&r, &f, -1));
  lua_setallocf(L, f.inner, f.arg);
  made_close(&r);
}

TEST(a_state_that_cannot_be_made) {
  struct rl_script *script;
  struct rl_err err;
  for (int64_t memory = 1000; memory < 200000; memory += 997) {
    struct rl_script_opts opts = {
        .code =
            "local t = {} for i = 1, 100 do t[i] = { i } end\n"
            "return { handle = print, topics = { 'a', 'b' }, fields = { x = 'y', 'z' } }",
        .memory = memory};
    int rc = rl_script_open(&script, &opts, &err);
    if (rc) {
      CHECK(rc == RL_ENOMEM || rc == RL_EUSAGE);
      CHECK_HAS(err.text, "memory");
      continue;
    }
    struct rl_settings s;
    rl_settings_init(&s);
    rc = rl_script_settings(script, &s, &err);
    if (rc) CHECK_HAS(err.text, "memory");
    rl_settings_free(&s);
    rl_script_close(script);
  }
}
