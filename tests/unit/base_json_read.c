/* The reader of servers' JSON. */
#include "base/json_read.h"

#include "unit.h"

static int open_text(struct rl_json_read *doc, struct rl_buf *body, const char *text, struct rl_err *err) {
  *body = (struct rl_buf)RL_BUF_INIT;
  rl_buf_puts(body, text);
  return rl_json_read_open(doc, body, err);
}

TEST(members_elements_and_kinds) {
  struct rl_json_read doc;
  struct rl_buf body, text = RL_BUF_INIT;
  int64_t i = 0;
  double d = 0;
  CHECK_INT(open_text(&doc, &body,
                      " { \"a\" : [1, -2.5 ,\t[3],{}, []],\"b\":{\"c\":\"x\\u00e9\\n\" , \"c\":\"y\"},"
                      "\"t\":true,\"f\":false,\"n\":null, \"\\u0061\": 7 } \n",
                      NULL),
            0);
  size_t b = rl_json_read_member(&doc, 0, "b");
  CHECK(rl_json_read_text(&doc, rl_json_read_member(&doc, b, "c"), &text));
  CHECK_STR(rl_buf_text(&text), "y");
  CHECK(rl_json_read_text(&doc, rl_json_read_first(&doc, b), &text));
  CHECK_STR(rl_buf_text(&text), "x\xc3\xa9\n");
  CHECK(rl_json_read_text(&doc, rl_json_read_key(rl_json_read_first(&doc, b)), &text));
  CHECK_STR(rl_buf_text(&text), "c");
  CHECK(rl_json_read_int(&doc, rl_json_read_member(&doc, 0, "a"), &i)); /* the last of its name, unescaped */
  CHECK_INT(i, 7);
  size_t a = rl_json_read_first(&doc, 0);
  CHECK_INT(rl_json_read_kind(&doc, a), RL_READ_ARRAY);
  CHECK_INT(rl_json_read_count(&doc, a), 5);
  size_t at = rl_json_read_first(&doc, a);
  CHECK(rl_json_read_int(&doc, at, &i));
  CHECK_INT(i, 1);
  at = rl_json_read_next(&doc, at);
  CHECK(!rl_json_read_int(&doc, at, &i));
  CHECK(rl_json_read_double(&doc, at, &d) && d == -2.5);
  at = rl_json_read_next(&doc, rl_json_read_next(&doc, at));
  CHECK_INT(rl_json_read_kind(&doc, at), RL_READ_OBJECT);
  CHECK_INT(rl_json_read_first(&doc, at), 0);
  at = rl_json_read_next(&doc, at);
  CHECK_INT(rl_json_read_count(&doc, at), 0);
  CHECK_INT(rl_json_read_next(&doc, at), 0);
  CHECK_INT(rl_json_read_kind(&doc, rl_json_read_member(&doc, 0, "t")), RL_READ_TRUE);
  CHECK_INT(rl_json_read_kind(&doc, rl_json_read_member(&doc, 0, "f")), RL_READ_FALSE);
  CHECK_INT(rl_json_read_kind(&doc, rl_json_read_member(&doc, 0, "n")), RL_READ_NULL);
  CHECK_INT(rl_json_read_member(&doc, 0, "none"), 0);
  CHECK_INT(rl_json_read_member(&doc, a, "a"), 0);
  rl_json_read_close(&doc);
  rl_buf_free(&body);
  rl_buf_free(&text);
}

TEST(scalars_are_documents) {
  static const char *const texts[] = {"1", " -0.0 ", "\"x\"", "true", "null", "NaN", "-Infinity", "[]", "{}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct rl_json_read doc;
    struct rl_buf body;
    struct rl_err err = {0};
    if (open_text(&doc, &body, texts[i], &err) != 0) UNIT_FAIL("%s: %s", texts[i], err.text);
    CHECK_INT(rl_json_read_next(&doc, 0), 0);
    rl_json_read_close(&doc);
    rl_buf_free(&body);
  }
}

TEST(what_is_no_json) {
  static const struct {
    const char *text, *why;
  } cases[] = {{"", "it is empty"},
               {"  \n", "it is empty"},
               {"<html>", "expected a value at byte 0"},
               {"{\"a\":1", "expected ',' or '}' at byte 6"},
               {"[1,2", "expected ',' or ']' at byte 4"},
               {"[1 2]", "expected ',' or ']' at byte 3"},
               {"[1,]", "expected a value at byte 3"},
               {"[,1]", "expected a value at byte 1"},
               {"{a:1}", "expected a key in quotes at byte 1"},
               {"{\"a\" 1}", "expected ':' after a key at byte 5"},
               {"{\"a\":}", "expected a value at byte 5"},
               {"[1]]", "expected nothing after it at byte 3"},
               {"1 2", "expected nothing after it at byte 2"},
               {"{\"a\":1}}", "expected nothing after it at byte 7"},
               {"[tru]", "expected a value at byte 1"},
               {"[truex]", "expected a value at byte 1"},
               {"[nan]", "expected a value at byte 1"},
               {"[+1]", "expected a value at byte 1"},
               {"[-]", "expected a value at byte 1"},
               {"[.5]", "expected a value at byte 1"},
               {"[\"a\"b]", "expected ',' or ']' at byte 4"},
               {"[\"a]", "a text in it has no end"},
               {"[\"\x01\"]", "a control character"},
               {"[\"\xff\"]", "it is not UTF-8"},
               {"]", "expected a value at byte 0"},
               {":", "expected a value at byte 0"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rl_json_read doc;
    struct rl_buf body;
    struct rl_err err = {0};
    if (open_text(&doc, &body, cases[i].text, &err) != RL_EFAIL) UNIT_FAIL("%s passes", cases[i].text);
    CHECK_HAS(err.text, cases[i].why);
    rl_buf_free(&body);
  }
}

TEST(nesting_is_bounded) {
  for (int over = 0; over < 2; over++) {
    struct rl_buf text = RL_BUF_INIT;
    struct rl_json_read doc;
    for (int i = 0; i < RL_JSON_READ_DEPTH + over; i++) rl_buf_putc(&text, '[');
    for (int i = 0; i < RL_JSON_READ_DEPTH + over; i++) rl_buf_putc(&text, ']');
    CHECK_INT(rl_json_read_open(&doc, &text, NULL), over ? RL_EFAIL : 0);
    if (!over) rl_json_read_close(&doc);
    rl_buf_free(&text);
  }
}

TEST(numbers_to_the_last_bit) {
  struct rl_json_read doc;
  struct rl_buf body;
  int64_t i;
  double d;
  float f;
  CHECK_INT(open_text(&doc, &body,
                      "[9223372036854775807,-9223372036854775808,9223372036854775808,0.1,1e400,1e39,1e-50,"
                      "NaN,Infinity,-Infinity,1.2.3,12x,16777217]",
                      NULL),
            0);
  size_t at = rl_json_read_first(&doc, 0);
  CHECK(rl_json_read_int(&doc, at, &i) && i == INT64_MAX);
  at = rl_json_read_next(&doc, at);
  CHECK(rl_json_read_int(&doc, at, &i) && i == INT64_MIN);
  at = rl_json_read_next(&doc, at);
  CHECK(!rl_json_read_int(&doc, at, &i));
  CHECK(rl_json_read_double(&doc, at, &d) && d == 9223372036854775808.0);
  at = rl_json_read_next(&doc, at);
  CHECK(rl_json_read_double(&doc, at, &d) && d == 0.1);
  CHECK(rl_json_read_float(&doc, at, &f) && f == 0.1F);
  at = rl_json_read_next(&doc, at);
  CHECK(!rl_json_read_double(&doc, at, &d) && !rl_json_read_float(&doc, at, &f));
  at = rl_json_read_next(&doc, at);
  CHECK(!rl_json_read_float(&doc, at, &f)); /* finite, and no float */
  at = rl_json_read_next(&doc, at);
  CHECK(rl_json_read_float(&doc, at, &f) && f == 0);
  at = rl_json_read_next(&doc, at);
  CHECK(rl_json_read_float(&doc, at, &f) && isnan(f));
  at = rl_json_read_next(&doc, at);
  CHECK(rl_json_read_double(&doc, at, &d) && d == HUGE_VAL && rl_json_read_float(&doc, at, &f) && isinf(f));
  at = rl_json_read_next(&doc, at);
  CHECK(rl_json_read_double(&doc, at, &d) && d == -HUGE_VAL);
  at = rl_json_read_next(&doc, at);
  CHECK(!rl_json_read_double(&doc, at, &d) && !rl_json_read_float(&doc, at, &f));
  at = rl_json_read_next(&doc, at);
  CHECK(!rl_json_read_int(&doc, at, &i) && !rl_json_read_double(&doc, at, &d));
  at = rl_json_read_next(&doc, at);
  CHECK(rl_json_read_float(&doc, at, &f) && f == 16777216.0F);
  rl_json_read_close(&doc);
  rl_buf_free(&body);
}

TEST(leaves_of_nested_arrays) {
  struct rl_json_read doc;
  struct rl_buf body;
  CHECK_INT(open_text(&doc, &body, "[[[1,2],[3]],[],[[4,5]]]", NULL), 0);
  CHECK_INT(rl_json_read_leaves(&doc, 0), 5);
  size_t end = rl_json_read_past(&doc, 0), n = 0;
  for (size_t at = 0; (at = rl_json_read_leaf(&doc, at, end)) < end; at++) {
    int64_t i = 0;
    CHECK(rl_json_read_int(&doc, at, &i));
    CHECK_INT(i, ++n);
  }
  rl_json_read_close(&doc);
  rl_buf_free(&body);
}

TEST(malformed_escapes_are_told_where_a_text_is_read) {
  struct rl_json_read doc;
  struct rl_buf body, text = RL_BUF_INIT;
  CHECK_INT(open_text(&doc, &body, "{\"a\":\"\\x\",\"\\ud800\":1}", NULL), 0);
  CHECK(!rl_json_read_text(&doc, rl_json_read_member(&doc, 0, "a"), &text));
  CHECK(!rl_json_read_text(&doc, 0, &text));
  CHECK_INT(rl_json_read_member(&doc, 0, "b"), 0);
  rl_json_read_close(&doc);
  rl_buf_free(&body);
  rl_buf_free(&text);
}

TEST(numbers_are_written_as_short_as_they_read_back) {
  static const struct {
    double value;
    const char *text;
  } cases[] = {{0.1, "0.1"}, {10000, "10000"}, {1e20, "1e+20"}, {-0.0, "-0"}, {5e-324, "5e-324"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[RL_NUMBER_TEXT + 1];
    text[rl_double_to(text, cases[i].value)] = '\0';
    CHECK_STR(text, cases[i].text);
  }
  char text[RL_NUMBER_TEXT + 1];
  text[rl_float_to(text, 0.1F)] = '\0';
  CHECK_STR(text, "0.1");
  text[rl_float_to(text, 16777216.0F)] = '\0';
  CHECK_STR(text, "16777216");
}
