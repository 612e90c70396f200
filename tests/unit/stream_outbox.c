#include "stream/outbox.h"

#include "stream/engine.h"
#include "unit.h"

static struct rl_out send_of(const char *topic, const char *value) {
  return (struct rl_out){
      .topic = topic, .value = rl_bytes_str(value), .partition = -1, .message = RL_NO_MESSAGE};
}

TEST(s5_1_what_is_staged_is_a_copy) {
  struct rl_outbox o;
  rl_outbox_init(&o, 0, 0);
  char topic[] = "out", value[] = "value", key[] = "key", name[] = "h", header[] = "v";
  struct rl_header headers[] = {{name, rl_bytes_str(header)}, {name, rl_bytes(NULL, 0)}};
  struct rl_out out = send_of(topic, value);
  out.key = rl_bytes_str(key);
  out.headers = headers;
  out.n_headers = 2;
  out.message = 7;
  CHECK_INT(rl_outbox_send(&o, &out, NULL), 0);
  topic[0] = value[0] = key[0] = name[0] = header[0] = '!';
  CHECK_INT(o.n, 1);
  CHECK_STR(o.at[0].topic, "out");
  CHECK(rl_bytes_eq(o.at[0].value, rl_bytes_str("value")));
  CHECK(rl_bytes_eq(o.at[0].key, rl_bytes_str("key")));
  CHECK_STR(o.at[0].headers[0].name, "h");
  CHECK(rl_bytes_eq(o.at[0].headers[0].value, rl_bytes_str("v")));
  CHECK(!o.at[0].headers[1].value.data);
  CHECK_INT(o.at[0].message, 7);
  CHECK_INT(o.at[0].kind, RL_OUT_SEND);
  rl_outbox_free(&o);
}

TEST(null_and_empty_stay_apart) {
  struct rl_outbox o;
  rl_outbox_init(&o, 0, 0);
  struct rl_out out = send_of("t", NULL);
  out.key = rl_bytes("", 0);
  rl_outbox_send(&o, &out, NULL);
  CHECK(!o.at[0].value.data);
  CHECK(o.at[0].key.data);
  CHECK_INT(o.at[0].key.len, 0);
  rl_outbox_free(&o);
}

TEST(outputs_keep_their_order_and_kinds) {
  struct rl_outbox o;
  rl_outbox_init(&o, 0, 0);
  struct rl_out out = send_of("a", "1");
  rl_outbox_send(&o, &out, NULL);
  rl_outbox_forward(&o, "b", 3, 100, -1, 0, NULL);
  rl_outbox_forward(&o, "b", 4, 100, 2, 77, NULL);
  rl_outbox_reject(&o, 5, "too red");
  CHECK_INT(o.n, 4);
  CHECK_INT(o.bytes, 201);
  CHECK_STR(o.at[1].topic, "b");
  CHECK_INT(o.at[1].partition, -1);
  CHECK_INT(o.at[2].kind, RL_OUT_FORWARD);
  CHECK_STR(o.at[2].topic, "b");
  CHECK_INT(o.at[2].message, 4);
  CHECK_INT(o.at[2].partition, 2);
  CHECK_INT(o.at[2].timestamp, 77);
  CHECK_INT(o.at[3].kind, RL_OUT_REJECT);
  CHECK_STR(o.at[3].reason, "too red");
  CHECK_INT(o.at[3].message, 5);
  rl_outbox_reset(&o);
  CHECK_INT(o.n, 0);
  CHECK_INT(o.bytes, 0);
  rl_outbox_forward(&o, "c", 0, 1, -1, 0, NULL);
  CHECK_STR(o.at[0].topic, "c");
  rl_outbox_free(&o);
}

TEST(s5_2_a_message_too_large_is_refused_where_it_is_sent) {
  struct rl_outbox o;
  struct rl_err err = {0};
  rl_outbox_init(&o, 0, 8);
  struct rl_out out = send_of("big", "123456789");
  CHECK_INT(rl_outbox_send(&o, &out, &err), RL_EHANDLER);
  CHECK_HAS(err.text, "\"big\"");
  CHECK_HAS(err.text, "9 bytes");
  CHECK_HAS(err.text, "message.max.bytes (8)");
  CHECK_INT(o.n, 0);
  CHECK_INT(o.bytes, 0);
  out.value = rl_bytes_str("12345678");
  CHECK_INT(rl_outbox_send(&o, &out, &err), 0);
  struct rl_header header = {"h", rl_bytes_str("")};
  out.headers = &header;
  out.n_headers = 1;
  CHECK_INT(rl_outbox_send(&o, &out, &err), RL_EHANDLER);
  out.topic = "file:/tmp/x";
  CHECK_INT(rl_outbox_send(&o, &out, &err), 0);
  out.topic = "-";
  CHECK_INT(rl_outbox_send(&o, &out, &err), 0);
  CHECK_INT(rl_outbox_forward(&o, "big", 0, 9, -1, 0, &err), 0);
  rl_outbox_free(&o);
}

TEST(limits_output_bounds_outputs_that_hold_nothing) {
  struct rl_outbox o;
  struct rl_err err = {0};
  int64_t limit = 1 << 20;
  rl_outbox_init(&o, (size_t)limit, 0);
  struct rl_out out = send_of("t", NULL);
  while (o.n < 100000 && rl_outbox_send(&o, &out, &err) == 0) continue;
  CHECK(o.n > 1000);
  CHECK(o.n * sizeof(struct rl_out) <= (size_t)limit);
  CHECK_HAS(err.text, "limits.output");
  CHECK_INT(rl_outbox_forward(&o, "t", 0, 0, -1, 0, &err), RL_EHANDLER);
  rl_outbox_free(&o);
}

TEST(limits_output_bounds_what_one_call_stages) {
  struct rl_outbox o;
  struct rl_err err = {0};
  rl_outbox_init(&o, 10, 0);
  struct rl_out out = send_of("t", "123456");
  CHECK_INT(rl_outbox_send(&o, &out, &err), 0);
  CHECK_INT(rl_outbox_send(&o, &out, &err), RL_EHANDLER);
  CHECK_HAS(err.text, "limits.output");
  CHECK_HAS(err.text, "\"t\"");
  CHECK_INT(rl_outbox_forward(&o, "t", 0, 5, -1, 0, &err), RL_EHANDLER);
  CHECK_INT(rl_outbox_forward(&o, "t", 0, SIZE_MAX, -1, 0, &err), RL_EHANDLER);
  CHECK_INT(o.n, 1);
  CHECK_INT(rl_outbox_forward(&o, "t", 0, 4, -1, 0, &err), 0);
  rl_outbox_reset(&o);
  CHECK_INT(rl_outbox_send(&o, &out, &err), 0);
  rl_outbox_free(&o);
  rl_outbox_free(&o);
}

TEST(a_failure_owns_its_texts) {
  struct rl_failure f = {0};
  char text[] = "a.lua:3: oh";
  rl_failure_set(&f, RL_BLAME_MESSAGE, text, "stack");
  text[0] = '!';
  CHECK_STR(f.error, "a.lua:3: oh");
  CHECK_STR(f.traceback, "stack");
  rl_failure_set(&f, RL_BLAME_SCRIPT, f.error, NULL);
  CHECK_STR(f.error, "a.lua:3: oh");
  CHECK(!f.traceback);
  CHECK_INT(f.blame, RL_BLAME_SCRIPT);
  rl_failure_set(&f, RL_BLAME_STOPPED, NULL, NULL);
  CHECK(f.error && *f.error);
  rl_failure_clear(&f);
  CHECK(!f.error);
  CHECK_INT(f.blame, RL_BLAME_NONE);
  rl_failure_clear(&f);
}

TEST(a_message_is_rejected_once_a_call) {
  struct rl_outbox o;
  rl_outbox_init(&o, 0, 0);
  for (int call = 0; call < 2; call++) {
    rl_outbox_reject(&o, 300, "first");
    rl_outbox_reject(&o, 2, "other");
    rl_outbox_reject(&o, 300, "second");
    CHECK_INT(o.n, 2);
    CHECK_STR(o.at[0].reason, "first");
    CHECK_INT(o.at[1].message, 2);
    rl_outbox_reset(&o);
  }
  rl_outbox_free(&o);
}
