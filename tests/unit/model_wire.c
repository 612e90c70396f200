/* Elements as servers send them. */
#include "model/wire.h"

#include "model/half.h"
#include "unit.h"

static struct rl_tensor tensor(enum rl_dtype dtype, int64_t n, const void *data) {
  struct rl_tensor t;
  if (rl_tensor_new(&t, dtype, 1, &n, NULL, NULL) != 0) UNIT_FAIL("no tensor");
  if (data) memcpy(t.data, data, (size_t)n * rl_dtype_size(dtype));
  return t;
}

TEST(halves_go_both_ways_and_back) {
  for (uint32_t h = 0; h < 0x10000; h++) {
    float f = rl_half_to_float((uint16_t)h);
    uint16_t back = rl_half_of_float(f);
    bool nan = (h & 0x7C00) == 0x7C00 && (h & 0x3FF);
    if (nan ? !isnan(f) || !isnan(rl_half_to_float(back)) : back != h)
      UNIT_FAIL("half %04x is %g and %04x", (unsigned)h, (double)f, back);
  }
}

/* Between any two neighbours: the middle goes to the even one, all else to the nearer. */
TEST(floats_are_rounded_to_the_nearest_half_ties_to_even) {
  for (uint32_t h = 0; h < 0x7BFF; h++) {
    float low = rl_half_to_float((uint16_t)h), high = rl_half_to_float((uint16_t)(h + 1));
    float middle = (low + high) / 2;
    uint16_t even = (uint16_t)(h + (h & 1));
    if (rl_half_of_float(middle) != even || rl_half_of_float(nextafterf(middle, 0)) != h ||
        rl_half_of_float(nextafterf(middle, 1e9F)) != h + 1 || rl_half_of_float(-middle) != (even | 0x8000))
      UNIT_FAIL("between half %04x and the next", (unsigned)h);
  }
  CHECK_INT(rl_half_of_float(65519.996F), 0x7BFF);
  CHECK_INT(rl_half_of_float(65520), 0x7C00);
  CHECK_INT(rl_half_of_float(-1e30F), 0xFC00);
  CHECK_INT(rl_half_of_float(1e-30F), 0);
}

/* Puts as JSON and as bytes, takes both again. */
static void round_trip(enum rl_wire wire, const struct rl_tensor *t) {
  struct rl_buf json = RL_BUF_INIT, bytes = RL_BUF_INIT;
  struct rl_json_read doc;
  struct rl_err err = {0};
  size_t n = rl_tensor_count(t), size = n * rl_dtype_size(t->dtype);
  struct rl_tensor a = tensor(t->dtype, (int64_t)n, NULL), b = tensor(t->dtype, (int64_t)n, NULL);
  rl_buf_putc(&json, '[');
  if (rl_wire_put_json(&json, wire, t, 0, n, RL_SPECIAL_BARE, &err) != 0) UNIT_FAIL("%s", err.text);
  rl_buf_putc(&json, ']');
  CHECK_INT(rl_json_read_open(&doc, &json, &err), 0);
  CHECK_INT(rl_wire_take_json(&doc, 0, &a, 0, n, &err), 0);
  CHECK_INT(rl_wire_put_binary(&bytes, wire, t, &err), 0);
  CHECK_INT(bytes.len, n * rl_wire_size(wire));
  CHECK_INT(rl_wire_take_binary(rl_buf_bytes(&bytes), wire, &b, &err), 0);
  if (memcmp(a.data, t->data, size) != 0) UNIT_FAIL("%s by JSON: %s", rl_wire_name(wire), json.data);
  if (memcmp(b.data, t->data, size) != 0) UNIT_FAIL("%s by bytes", rl_wire_name(wire));
  rl_json_read_close(&doc);
  rl_tensor_free(&a);
  rl_tensor_free(&b);
  rl_buf_free(&json);
  rl_buf_free(&bytes);
}

TEST(every_type_there_and_back) {
  const float floats[] = {0.1F, -0.0F, 1e-45F, 3.4028235e38F, 16777217.0F, INFINITY, -INFINITY};
  const float halves[] = {0.5F, -0.0F, 65504, 0x1p-24F, INFINITY, 2048};
  const double doubles[] = {0.1, 5e-324, 1.7976931348623157e308, -3};
  const int64_t longs[] = {INT64_MIN, INT64_MAX, 0, -1}, words[] = {0, UINT32_MAX}, wide[] = {0, INT64_MAX};
  const int32_t ints[] = {INT32_MIN, INT32_MAX}, shorts[] = {INT16_MIN, INT16_MAX}, chars[] = {-128, 127};
  const int32_t half_words[] = {0, UINT16_MAX};
  const unsigned char bytes[] = {0, 255, 7}, truths[] = {0, 1, 1};
  const struct {
    enum rl_wire wire;
    int64_t n;
    const void *data;
  } cases[] = {{RL_WIRE_FP32, 7, floats}, {RL_WIRE_FP16, 6, halves},       {RL_WIRE_FP64, 4, doubles},
               {RL_WIRE_INT64, 4, longs}, {RL_WIRE_UINT32, 2, words},      {RL_WIRE_UINT64, 2, wide},
               {RL_WIRE_INT32, 2, ints},  {RL_WIRE_INT16, 2, shorts},      {RL_WIRE_INT8, 2, chars},
               {RL_WIRE_UINT8, 3, bytes}, {RL_WIRE_UINT16, 2, half_words}, {RL_WIRE_BOOL, 3, truths}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rl_tensor t = tensor(rl_wire_dtype(cases[i].wire), cases[i].n, cases[i].data);
    round_trip(cases[i].wire, &t);
    rl_tensor_free(&t);
  }
}

static void refused(enum rl_wire wire, const void *data, const char *why) {
  struct rl_tensor t = tensor(rl_wire_dtype(wire), 1, data);
  struct rl_buf out = RL_BUF_INIT;
  struct rl_err err = {0};
  CHECK_INT(rl_wire_put_json(&out, wire, &t, 0, 1, RL_SPECIAL_NULL, &err), RL_EFAIL);
  CHECK_HAS(err.text, why);
  if (!strstr(why, "infinity")) {
    err = (struct rl_err){0};
    CHECK_INT(rl_wire_put_binary(&out, wire, &t, &err), RL_EFAIL);
    CHECK_HAS(err.text, why);
  }
  rl_buf_free(&out);
  rl_tensor_free(&t);
}

TEST(what_does_not_fit_is_not_sent) {
  refused(RL_WIRE_INT8, &(int32_t){128}, "INT8, which cannot hold 128");
  refused(RL_WIRE_INT16, &(int32_t){-40000}, "INT16, which cannot hold -40000");
  refused(RL_WIRE_UINT16, &(int32_t){-1}, "UINT16, which cannot hold -1");
  refused(RL_WIRE_UINT32, &(int64_t){INT64_C(1) << 32}, "UINT32, which cannot hold 4294967296");
  refused(RL_WIRE_UINT64, &(int64_t){-1}, "UINT64, which cannot hold -1");
  refused(RL_WIRE_FP16, &(float){70000}, "FP16, which cannot hold 70000");
  refused(RL_WIRE_FP32, &(float){INFINITY}, "infinity");
}

TEST(another_type_than_the_models_is_refused) {
  struct rl_tensor t = tensor(RL_FLOAT64, 1, &(double){1});
  struct rl_buf out = RL_BUF_INIT;
  struct rl_err err = {0};
  CHECK_INT(rl_wire_put_json(&out, RL_WIRE_FP32, &t, 0, 1, RL_SPECIAL_NULL, &err), RL_EFAIL);
  CHECK_HAS(err.text, "takes float32 here, not float64");
  CHECK_INT(rl_wire_put_binary(&out, RL_WIRE_INT32, &t, &err), RL_EFAIL);
  rl_buf_free(&out);
  rl_tensor_free(&t);
}

TEST(nan_is_null_or_a_bare_word) {
  const float values[] = {NAN, 1, -INFINITY};
  struct rl_tensor t = tensor(RL_FLOAT32, 3, values);
  struct rl_buf out = RL_BUF_INIT;
  CHECK_INT(rl_wire_put_json(&out, RL_WIRE_FP32, &t, 0, 2, RL_SPECIAL_NULL, NULL), 0);
  CHECK_STR(rl_buf_text(&out), "null,1");
  rl_buf_clear(&out);
  CHECK_INT(rl_wire_put_json(&out, RL_WIRE_FP32, &t, 0, 3, RL_SPECIAL_BARE, NULL), 0);
  CHECK_STR(rl_buf_text(&out), "NaN,1,-Infinity");
  rl_buf_free(&out);
  rl_tensor_free(&t);
}

static void not_taken(enum rl_dtype dtype, const char *json, const char *why) {
  struct rl_tensor t = tensor(dtype, 2, NULL);
  struct rl_buf body = RL_BUF_INIT;
  struct rl_json_read doc;
  struct rl_err err = {0};
  rl_buf_puts(&body, json);
  CHECK_INT(rl_json_read_open(&doc, &body, &err), 0);
  CHECK_INT(rl_wire_take_json(&doc, 0, &t, 0, 2, &err), RL_EFAIL);
  CHECK_HAS(err.text, why);
  rl_json_read_close(&doc);
  rl_buf_free(&body);
  rl_tensor_free(&t);
}

TEST(what_does_not_fit_is_not_taken) {
  not_taken(RL_FLOAT32, "[1]", "it holds 1 numbers, not the 2");
  not_taken(RL_FLOAT32, "[1,2,3]", "it holds 3 numbers, not the 2");
  not_taken(RL_FLOAT32, "[1,\"2\"]", "it holds a text, which is no float32");
  not_taken(RL_FLOAT32, "[1,true]", "it holds true, which is no float32");
  not_taken(RL_FLOAT64, "[1,1e999]", "it holds 1e999, which is no float64");
  not_taken(RL_FLOAT32, "[1,{\"b64\":\"eA==\"}]", "it holds an object, which is no float32");
  not_taken(RL_INT64, "[1,2.5]", "it holds 2.5, which is no int64");
  not_taken(RL_INT64, "[1,null]", "it holds null, which is no int64");
  not_taken(RL_INT32, "[1,2147483648]", "it holds 2147483648, which is no int32");
  not_taken(RL_UINT8, "[1,-1]", "it holds -1, which is no uint8");
  not_taken(RL_UINT8, "[1,NaN]", "it holds NaN, which is no uint8");
  not_taken(RL_TRUTH, "[true,2]", "it holds 2, which is no bool");
  struct rl_tensor t = tensor(RL_INT64, 1, NULL);
  struct rl_err err = {0};
  const uint64_t large = UINT64_MAX;
  CHECK_INT(rl_wire_take_binary(rl_bytes(&large, 8), RL_WIRE_UINT64, &t, &err), RL_EFAIL);
  CHECK_HAS(err.text, "element 0 of type UINT64 does not fit into int64");
  CHECK_INT(rl_wire_take_binary(rl_bytes(&large, 8), RL_WIRE_FP64, &t, &err), RL_EFAIL);
  CHECK_HAS(err.text, "came as FP64 where the model declares int64");
  rl_tensor_free(&t);
}
