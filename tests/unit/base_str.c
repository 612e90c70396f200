/* str: UTF-8, JSON strings, doubles, base64, nearest names, parsers; also under a locale with a comma. */
#include <float.h>
#include <inttypes.h>

#include "base/str.h"
#include "comma_locale.h"

static struct rl_buf out;

static const char *json(const char *data, size_t len) {
  rl_buf_clear(&out);
  rl_put_json_string(&out, rl_bytes(data, len));
  return out.data;
}
#define JSON(literal) json(literal, sizeof(literal) - 1)

static const char *put(double value) {
  rl_buf_clear(&out);
  rl_put_double(&out, value);
  return out.data;
}

static const char *put_float(float value) {
  rl_buf_clear(&out);
  rl_put_float(&out, value);
  return out.data;
}

TEST(bytes_are_found_in_bytes) {
  struct rl_bytes b = rl_bytes("ab\0aab.ab", 9);
  CHECK(rl_bytes_find(b, rl_bytes("aab", 3)) == b.data + 3);
  CHECK(rl_bytes_find(b, rl_bytes("ab", 2)) == b.data);
  CHECK(rl_bytes_find(b, rl_bytes("\0a", 2)) == b.data + 2);
  CHECK(rl_bytes_find(b, rl_bytes(".ab", 3)) == b.data + 6);
  CHECK(rl_bytes_find(b, rl_bytes("b.b", 3)) == NULL);
  CHECK(rl_bytes_find(b, rl_bytes("abc", 3)) == NULL);
  CHECK(rl_bytes_find(b, rl_bytes("", 0)) == b.data);
  CHECK(rl_bytes_find(rl_bytes("a", 1), rl_bytes("ab", 2)) == NULL);
  CHECK(rl_bytes_find(rl_bytes("", 0), rl_bytes("a", 1)) == NULL);
  CHECK(rl_bytes_find(rl_bytes(NULL, 0), rl_bytes("a", 1)) == NULL);
  CHECK(rl_bytes_last(b, 'a') == b.data + 7);
  CHECK(rl_bytes_last(b, '\0') == b.data + 2);
  CHECK(rl_bytes_last(b, 'x') == NULL);
  CHECK(rl_bytes_last(rl_bytes(NULL, 0), 'x') == NULL);
}

#define VALID(literal) rl_utf8_valid(rl_bytes(literal, sizeof(literal) - 1))

TEST(a_buffer_is_filled_up) {
  struct rl_buf buf = RL_BUF_INIT;
  rl_buf_fill(&buf, ' ', 0);
  CHECK_STR(rl_buf_text(&buf), "");
  rl_buf_puts(&buf, "ab");
  rl_buf_fill(&buf, '.', 3);
  CHECK_STR(rl_buf_text(&buf), "ab...");
  CHECK(buf.len == 5);
  rl_buf_free(&buf);
}

TEST(floats_as_short_as_read_back) {
  CHECK_STR(put_float(0.1f), "0.1");
  CHECK_STR(put_float(16777216.0f), "16777216.0");
  CHECK_STR(put_float(-0.0f), "-0.0");
  CHECK_STR(put_float(FLT_MAX), "3.4028235e+38");
  CHECK_STR(put_float(1e-40f), "1e-40");
  CHECK_STR(put_float(NAN), "nan");
  uint32_t bits = 1;
  for (int i = 0; i < 20000; i++, bits = bits * 1664525 + 1013904223) {
    float x;
    memcpy(&x, &bits, sizeof x);
    if (isfinite(x)) CHECK(strtof(put_float(x), NULL) == x);
  }
}

TEST(utf8_valid) {
  CHECK(VALID(""));
  CHECK(rl_utf8_valid(rl_bytes(NULL, 0)));
  CHECK(VALID("plain text of more than eight bytes"));
  CHECK(VALID("a\0b"));
  CHECK(VALID("\x7F\xC2\x80\xDF\xBF"));
  CHECK(VALID("\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF"));
  CHECK(VALID("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"));
  CHECK(VALID("eight by\xC3\xA9 and then some"));
}

TEST(utf8_invalid) {
  CHECK(!VALID("\x80"));
  CHECK(!VALID("\xC0\x80"));         /* overlong NUL */
  CHECK(!VALID("\xC1\xBF"));         /* overlong */
  CHECK(!VALID("\xE0\x9F\xBF"));     /* overlong */
  CHECK(!VALID("\xED\xA0\x80"));     /* a surrogate */
  CHECK(!VALID("\xF0\x8F\xBF\xBF")); /* overlong */
  CHECK(!VALID("\xF4\x90\x80\x80")); /* over U+10FFFF */
  CHECK(!VALID("\xF5\x80\x80\x80"));
  CHECK(!VALID("\xFF"));
  CHECK(!VALID("\xE2\x82")); /* cut */
  CHECK(!VALID("\xC3("));
  CHECK(!VALID("eight bytes and then\xFF"));
}

TEST(utf8_step_gives_a_characters_length) {
  CHECK_INT(rl_utf8_step(rl_bytes(NULL, 0)), 0);
  CHECK_INT(rl_utf8_step(rl_bytes("\0", 1)), 1);
  CHECK_INT(rl_utf8_step(rl_bytes_str("é")), 2);
  CHECK_INT(rl_utf8_step(rl_bytes_str("€x")), 3);
  CHECK_INT(rl_utf8_step(rl_bytes_str("😀")), 4);
  CHECK_INT(rl_utf8_step(rl_bytes("😀", 3)), 0);
}

TEST(json_strings) {
  CHECK_STR(JSON(""), "\"\"");
  CHECK_STR(json(NULL, 0), "null");
  CHECK_STR(JSON("plain"), "\"plain\"");
  CHECK_STR(JSON("\"\\/\b\f\n\r\t"), "\"\\\"\\\\/\\b\\f\\n\\r\\t\"");
  CHECK_STR(JSON("a\0b\x1f\x7f"), "\"a\\u0000b\\u001f\x7f\"");
  CHECK_STR(JSON("é€😀"), "\"é€😀\"");
}

TEST(d_13_invalid_utf8_still_gives_valid_json) {
  CHECK_STR(JSON("\xFF"), "\"\xEF\xBF\xBD\"");
  CHECK_STR(JSON("a\xC3"), "\"a\xEF\xBF\xBD\"");
  CHECK_STR(JSON("\xED\xA0\x80z"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz\"");
  char all[256];
  for (int i = 0; i < 256; i++) all[i] = (char)i;
  json(all, sizeof all);
  CHECK(rl_utf8_valid(rl_buf_bytes(&out)));
}

TEST(d_10_doubles_stay_readable_as_doubles) {
  CHECK_STR(put(10000), "10000.0");
  CHECK_STR(put(0), "0.0");
  CHECK_STR(put(-0.0), "-0.0");
  CHECK_STR(put(0.1), "0.1");
  CHECK_STR(put(-2.5), "-2.5");
  CHECK_STR(put(1e300), "1e+300");
  CHECK_STR(put(1e15), "1e+15");
  CHECK_STR(put(123456789012345680.0), "1.2345678901234568e+17");
  CHECK_STR(put(1.0 / 3), "0.3333333333333333");
  CHECK_STR(put(0.1 + 0.2), "0.30000000000000004");
  CHECK_STR(put(5e-324), "5e-324");
  CHECK_STR(put(DBL_MAX), "1.7976931348623157e+308");
  CHECK_STR(put(DBL_MIN), "2.2250738585072014e-308");
  CHECK_STR(put((double)INFINITY), "inf");
  CHECK_STR(put(-(double)INFINITY), "-inf");
  CHECK_STR(put((double)NAN), "nan");
}

static uint64_t random_bits(void) {
  static uint64_t state = 88172645463325252u;
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

TEST(every_double_comes_back) {
  for (int i = 0; i < 20000; i++) {
    uint64_t bits = random_bits(), back_bits;
    double value, back = 0;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) continue;
    CHECK(rl_parse_double(put(value), &back));
    memcpy(&back_bits, &back, sizeof back);
    if (bits != back_bits)
      UNIT_FAIL("%" PRIx64 " came back as %" PRIx64 " from %s", bits, back_bits, out.data);
  }
}

static const char *base64(const char *data, size_t len) {
  rl_buf_clear(&out);
  rl_put_base64(&out, rl_bytes(data, len));
  return rl_buf_bytes(&out).data;
}

TEST(base64_of_rfc_4648) {
  CHECK_STR(base64("", 0), "");
  CHECK_STR(base64("f", 1), "Zg==");
  CHECK_STR(base64("fo", 2), "Zm8=");
  CHECK_STR(base64("foo", 3), "Zm9v");
  CHECK_STR(base64("foobar", 6), "Zm9vYmFy");
  CHECK_STR(base64("\xFB\xFF\x00", 3), "+/8A");
}

TEST(base64_comes_back) {
  char data[256];
  for (int i = 0; i < 256; i++) data[i] = (char)(i * 7);
  for (size_t len = 0; len <= sizeof data; len++) {
    struct rl_buf back = RL_BUF_INIT;
    base64(data, len);
    CHECK(rl_get_base64(&back, rl_buf_bytes(&out)));
    CHECK(rl_bytes_eq(rl_buf_bytes(&back), rl_bytes(data, len)));
    rl_buf_free(&back);
  }
}

TEST(base64_refuses_what_is_none) {
  static const char *const bad[] = {"A",    "AB",   "ABC",      "A===",     "====", "AB=C",  "Zg=",
                                    "Zh==", "Zm9=", "Zm9v\nZg", "Zg==Zg==", "Zm-_", "Zm9v*", "=Zg="};
  struct rl_buf got = RL_BUF_INIT;
  rl_buf_puts(&got, "before");
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    if (rl_get_base64(&got, rl_bytes_str(bad[i]))) UNIT_FAIL("took %s", bad[i]);
    CHECK_STR(got.data, "before");
  }
  CHECK(!rl_get_base64(&got, rl_bytes("Zg\0=", 4)));
  rl_buf_free(&got);
}

TEST(nearest_is_what_was_meant) {
  static const char *const names[] = {"batch.size", "batch.timeout", "topics", "group", "candidate.magpsf"};
  size_t n = sizeof names / sizeof *names;
  CHECK_STR(rl_nearest("topcis", names, n), "topics");
  CHECK_STR(rl_nearest("topic", names, n), "topics");
  CHECK_STR(rl_nearest("BATCH_SIZE", names, n), "batch.size");
  CHECK_STR(rl_nearest("batch-tmeout", names, n), "batch.timeout");
  CHECK_STR(rl_nearest("magpsf", names, n), "candidate.magpsf");
  CHECK_STR(rl_nearest("magspf", names, n), "candidate.magpsf");
  CHECK_STR(rl_nearest("group", names, n), "group");
}

TEST(nearest_does_not_guess_wildly) {
  static const char *const names[] = {"topics", "id", "b"};
  char longest[300];
  memset(longest, 'x', sizeof longest - 1);
  longest[sizeof longest - 1] = '\0';
  const char *const long_names[] = {longest};
  CHECK(rl_nearest("zebra", names, 3) == NULL);
  CHECK(rl_nearest("a", names, 3) == NULL);
  CHECK(rl_nearest("", names, 3) == NULL);
  CHECK(rl_nearest("topics", names, 0) == NULL);
  CHECK(rl_nearest(longest, names, 3) == NULL);
  CHECK(rl_nearest("xxx", long_names, 1) == NULL);
}

TEST(nearest_takes_the_closest_and_of_equals_the_first) {
  static const char *const names[] = {"cat", "bat", "batch"};
  CHECK_STR(rl_nearest("batc", names, 3), "bat");
  CHECK_STR(rl_nearest("batch", names, 3), "batch");
  CHECK_STR(rl_nearest("hat", names, 3), "cat");
}

TEST(parse_i64) {
  int64_t v = 7;
  CHECK(rl_parse_i64("0", &v) && v == 0);
  CHECK(rl_parse_i64("-9223372036854775808", &v) && v == INT64_MIN);
  CHECK(rl_parse_i64("9223372036854775807", &v) && v == INT64_MAX);
  CHECK(rl_parse_i64("+12", &v) && v == 12);
  CHECK(rl_parse_i64("007", &v) && v == 7);
  static const char *const bad[] = {
      "",  " 1", "1 ",  "1.0", "0x10", "9223372036854775808", "-9223372036854775809", "--1",
      "+", "-",  "1e3", "abc", "12abc"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    v = 42;
    if (rl_parse_i64(bad[i], &v)) UNIT_FAIL("took \"%s\"", bad[i]);
    CHECK_INT(v, 42);
  }
}

TEST(parse_double) {
  double v = 7;
  CHECK(rl_parse_double("0.5", &v) && v == 0.5);
  CHECK(rl_parse_double("-1e-3", &v) && v == -1e-3);
  CHECK(rl_parse_double(".5", &v) && v == 0.5);
  CHECK(rl_parse_double("3", &v) && v == 3);
  CHECK(rl_parse_double("1e-400", &v) && v == 0);
  static const char *const bad[] = {"",       " 1",  "1 ", "0x10", "inf", "nan", "1e400",
                                    "-1e400", "1,5", ".",  "e5",   "1e",  "-",   "1.5.5"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    v = 42;
    if (rl_parse_double(bad[i], &v)) UNIT_FAIL("took \"%s\"", bad[i]);
    CHECK(v == 42);
  }
}

TEST(parse_bool) {
  bool v = false;
  CHECK(rl_parse_bool("true", &v) && v);
  CHECK(rl_parse_bool("No", &v) && !v);
  CHECK(rl_parse_bool("ON", &v) && v);
  CHECK(rl_parse_bool("off", &v) && !v);
  CHECK(rl_parse_bool("1", &v) && v);
  CHECK(rl_parse_bool("0", &v) && !v);
  CHECK(rl_parse_bool("yes", &v) && v);
  CHECK(rl_parse_bool("false", &v) && !v);
  CHECK(!rl_parse_bool("", &v));
  CHECK(!rl_parse_bool("2", &v));
  CHECK(!rl_parse_bool("truee", &v));
}

TEST(parse_size) {
  static const struct {
    const char *text;
    int64_t bytes;
  } good[] = {{"0", 0},
              {"1000", 1000},
              {"16MiB", 16 << 20},
              {"64kB", 64000},
              {"64 KiB", 65536},
              {"1.5GB", 1500000000},
              {"1gib", 1 << 30},
              {"2K", 2048},
              {"12B", 12},
              {"9223372036854775807", INT64_MAX},
              {"1TiB", INT64_C(1) << 40}};
  static const char *const bad[] = {
      "",       "MiB",    "-1",  "-0.5kB", "16XiB", "1e30", "9223372036854775808", "10000000TiB",
      "16MiB ", " 16MiB", "nan", "1kBB"};
  int64_t v = 0;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    if (!rl_parse_size(good[i].text, &v)) UNIT_FAIL("refused %s", good[i].text);
    CHECK_INT(v, good[i].bytes);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    v = 42;
    if (rl_parse_size(bad[i], &v)) UNIT_FAIL("took \"%s\"", bad[i]);
    CHECK_INT(v, 42);
  }
}

TEST(parse_seconds) {
  static const struct {
    const char *text;
    double seconds;
  } good[] = {{"0", 0},     {"0.5", 0.5},  {"500ms", 0.5}, {"5s", 5},          {"2m", 120},
              {"1h", 3600}, {"1d", 86400}, {"30 s", 30},   {"250us", 0.00025}, {"1.5min", 90}};
  static const char *const bad[] = {"",    "s",     "-1",     "-0",  "1x",  "inf",
                                    "nan", "1e400", "1e308d", "5s ", "5 5s"};
  double v = 0;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    if (!rl_parse_seconds(good[i].text, &v)) UNIT_FAIL("refused %s", good[i].text);
    if (v != good[i].seconds) UNIT_FAIL("%s is %g", good[i].text, v);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    v = 42;
    if (rl_parse_seconds(bad[i], &v)) UNIT_FAIL("took \"%s\"", bad[i]);
    CHECK(v == 42);
  }
}

TEST(numbers_do_not_depend_on_the_locale) {
  char here[16];
  double v = 0;
  CHECK(comma_locale());
  snprintf(here, sizeof here, "%.1f", 0.5);
  CHECK_STR(here, "0,5"); /* else this test shows nothing */
  CHECK_STR(put(0.5), "0.5");
  CHECK_STR(put(1e300), "1e+300");
  CHECK_STR(put(0.1 + 0.2), "0.30000000000000004");
  CHECK(rl_parse_double("0.5", &v) && v == 0.5);
  CHECK(!rl_parse_double("0,5", &v));
  CHECK(rl_parse_seconds("1.5m", &v) && v == 90);
  snprintf(here, sizeof here, "%.1f", 0.5);
  CHECK_STR(here, "0,5"); /* and the caller's locale stands as it was */
  plain_locale();
}
