/* What a handler sends (S5.1, S5.2), as it stands in the outbox afterwards. */
#include "lua_made.h"

static struct made_run r;
static struct rl_batch *b;

static void run_over(const char *code, const char *v1, const char *v2) {
  if (made_open(&r, code)) UNIT_FAIL("%s", r.err.text);
  b = made_batch(&r);
  made_add(&r, b, "k1", v1);
  made_add(&r, b, "k2", v2);
  if (made_handle(&r, b)) UNIT_FAIL("%s\n%s", r.why.error, r.why.traceback ? r.why.traceback : "");
}

static void done(void) {
  made_settle(&r, b);
  made_close(&r);
}

static bool is(struct rl_bytes bytes, const char *text) { return rl_bytes_eq(bytes, rl_bytes_str(text)); }

TEST(send_kinds_of_values) {
  run_over(
      "local rille = require 'rille'\n"
      "return function(batch, out)\n"
      "  out:send('t', 'text')\n"
      "  out:send('t', { b = 1, a = { } , c = rille.json.array {} })\n"
      "  out:send('t', nil)\n"
      "  out:send('t', rille.null)\n"
      "  out:send('t', 10000.0)\n"
      "  out:send('t', true)\n"
      "end",
      "a", "b");
  CHECK_INT(r.box.n, 6);
  CHECK(is(r.box.at[0].value, "text") && !r.box.at[0].json);
  CHECK(is(r.box.at[1].value, "{\"a\":{},\"b\":1,\"c\":[]}") && r.box.at[1].json);
  CHECK(r.box.at[2].value.data == NULL && !r.box.at[2].json);
  CHECK(is(r.box.at[3].value, "null") && r.box.at[3].json);
  CHECK(is(r.box.at[4].value, "10000.0"));
  CHECK(is(r.box.at[5].value, "true"));
  CHECK(r.box.at[0].key.data == NULL && r.box.at[0].partition == -1 && r.box.at[0].timestamp == 0);
  CHECK_INT(r.box.at[0].message, RL_NO_MESSAGE);
  done();
}

TEST(send_options) {
  run_over(
      "return function(batch, out)\n"
      "  out:send('t', 'v', { key = '', partition = 7, timestamp = 1234, about = batch[2],\n"
      "    headers = { { name = 'x', value = '1' }, { name = 'x' }, { name = 'e', value = '' } } })\n"
      "  out:send('t', 'v', { headers = { b = 'B', a = require 'rille'.null } })\n"
      "  out:send('t', 'v', { headers = batch[1].headers, key = batch[1].key })\n"
      "end",
      "a", "b");
  struct rl_out *o = r.box.at;
  CHECK(o->key.data && o->key.len == 0);
  CHECK_INT(o->partition, 7);
  CHECK_INT(o->timestamp, 1234);
  CHECK_INT(o->message, 1);
  CHECK_INT(o->n_headers, 3);
  CHECK_STR(o->headers[0].name, "x");
  CHECK(is(o->headers[0].value, "1") && !o->headers[1].value.data && is(o->headers[2].value, ""));
  CHECK_INT(o[1].n_headers, 2);
  CHECK_STR(o[1].headers[0].name, "a");
  CHECK(!o[1].headers[0].value.data && is(o[1].headers[1].value, "B"));
  CHECK_INT(o[2].n_headers, 0);
  CHECK(is(o[2].key, "k1"));
  done();
}

TEST(forward_and_reject) {
  run_over(
      "return { fields = { 'm' }, handle = function(batch, out)\n"
      "  out:forward('bright', batch)\n"
      "  out:forward('bright', batch[2], { partition = 1, timestamp = 5 })\n"
      "  out:forward('-', batch:where('m > 1'))\n"
      "  out:reject(batch[1], 'too faint')\n"
      "end }",
      "{\"m\":1}", "{\"m\":2}");
  CHECK_INT(r.box.n, 5);
  CHECK_INT(r.box.at[0].kind, RL_OUT_FORWARD);
  CHECK_INT(r.box.at[0].message, 0);
  CHECK_INT(r.box.at[1].message, 1);
  CHECK_INT(r.box.at[2].partition, 1);
  CHECK_INT(r.box.at[2].timestamp, 5);
  CHECK_STR(r.box.at[3].topic, "-");
  CHECK_INT(r.box.at[3].message, 1);
  CHECK_INT(r.box.at[4].kind, RL_OUT_REJECT);
  CHECK_STR(r.box.at[4].reason, "too faint");
  done();
}

TEST(a_message_of_several_rows_is_forwarded_and_rejected_once) {
  run_over(
      "return { decode = 'csv', fields = { id = '[0]' }, handle = function(batch, out)\n"
      "  assert(#batch == 5 and batch[2].fields.id == 2 and batch[4].fields.id == 4)\n"
      "  out:forward('all', batch)\n"
      "  out:forward('some', batch:where('id == 2 or id == 3 or id == 5'))\n"
      "  out:forward('one', batch:where('id == 4'))\n"
      "  out:forward('twice', batch[1])\n"
      "  out:forward('twice', batch[2])\n"
      "  out:reject(batch[5], 'why')\n"
      "  out:reject(batch[4], 'why else')\n"
      "  out:send('t', 'v', { about = batch[3] })\n"
      "end }",
      "1\n2\n3\n", "4\n5\n");
  static const uint32_t messages[] = {0, 1, 0, 1, 1, 0, 0, 1, 0};
  CHECK_INT(r.box.n, 9);
  for (size_t i = 0; i < 9; i++) CHECK_INT(r.box.at[i].message, messages[i]);
  CHECK_STR(r.box.at[2].topic, "some");
  CHECK_STR(r.box.at[4].topic, "one");
  CHECK_STR(r.box.at[7].reason, "why");
  done();
}

#define OUT(what) "return function(batch, out) " what " end"

TEST(s4_6_misuse_of_out_is_the_scripts_failure) {
  const char *const cases[][2] = {
      {OUT("out:send(5, 'v')"), "topic must be a string"},
      {OUT("out:send('a b', 'v')"), "'a b' is no topic"},
      {OUT("out:send('', 'v')"), "is no topic"},
      {OUT("out:send('file:', 'v')"), "is no topic"},
      {OUT("out:send('t')"), "a value is missing"},
      {OUT("out:send('t', 'v', { kye = 'x' })"), "unknown option 'kye' (did you mean 'key'?)"},
      {OUT("out:send('t', 'v', 5)"), "options must be a table"},
      {OUT("out:send('t', 'v', { key = 5 })"), "key must be a string"},
      {OUT("out:send('t', 'v', { partition = 1.5 })"), "partition must be an integer"},
      {OUT("out:send('t', 'v', { partition = -1 })"), "no partition -1"},
      {OUT("out:send('t', 'v', { headers = { { value = 'x' } } })"), "name must be a string"},
      {OUT("out:send('t', 'v', { headers = { a = 5 } })"), "value of a header must be a string"},
      {OUT("out:send('t', 'v', { about = 5 })"), "a message is wanted"},
      {OUT("out:forward('t', 5)"), "a message or a batch is wanted, not number"},
      {OUT("out:forward('t', batch, { key = 'x' })"), "unknown option 'key'"},
      {OUT("out:reject(batch, 'x')"), "a message is wanted, not a batch"},
      {OUT("out:reject(batch[1])"), "reason must be a string"},
      {OUT("out.send('t', 'v')"), "out:send(...)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    made_fail(cases[i][0], VALUES("a"), RL_BLAME_SCRIPT, cases[i][1]);
}

TEST(what_cannot_be_encoded_is_the_messages_failure) {
  made_fail(OUT("out:send('t', { a = 0/0 })"), VALUES("a"), RL_BLAME_MESSAGE, "a");
  made_fail(OUT("out:send('t', { f = print })"), VALUES("a"), RL_BLAME_MESSAGE, "--code:1: out:send to 't'");
}

TEST(s5_2_too_large_is_raised_at_send) {
  made_fail(OUT("out:send('t', ('x'):rep(1000001))"), VALUES("a"), RL_BLAME_MESSAGE, "message.max.bytes");
}

TEST(s10_limits_output) {
  made_fail(
      "return { limits = { output = 1000 }, handle = function(batch, out)\n"
      "  for i = 1, 11 do out:send('t', ('x'):rep(100)) end end }",
      VALUES("a"), RL_BLAME_MESSAGE, "limits.output");
}

TEST(out_outside_of_its_call) {
  if (made_open(&r,
                "local kept\n"
                "return { handle = function(batch, out) kept = out; out:send('t', '1') end,\n"
                "  open = function() end,\n"
                "  assigned = function(parts) kept:send('t', '2') end,\n"
                "  every = { 1, function(out) out:send('t', '3'); out:forward('t', 5) end } }"))
    UNIT_FAIL("%s", r.err.text);
  b = made_batch(&r);
  made_add(&r, b, NULL, "a");
  CHECK_INT(made_handle(&r, b), 0);
  CHECK_INT(r.box.n, 1);
  struct rl_tps parts = RL_TPS_INIT;
  CHECK_INT(r.e.hook(r.e.self, RL_HOOK_ASSIGNED, &parts, NULL, NULL, &r.why), RL_EHANDLER);
  CHECK_HAS(r.why.error, "nothing can be sent now");
  CHECK_INT(r.why.blame, RL_BLAME_SCRIPT);
  CHECK_INT(r.e.hook(r.e.self, RL_HOOK_EVERY, NULL, NULL, &r.box, &r.why), RL_EHANDLER);
  CHECK_HAS(r.why.error, "a message or a batch is wanted");
  CHECK_INT(r.box.n, 2);
  done();
}
