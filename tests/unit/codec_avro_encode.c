/* Writing Avro: what the decoder reads back, what is refused and in which words. */
#include "codec/avro_encode.h"

#include "codec_avro_support.h"

#define RECORD(name, fields) "{\"type\":\"record\",\"name\":\"" name "\",\"fields\":[" fields "]}"
#define FIELD(name, type) "{\"name\":\"" name "\",\"type\":" type "}"
#define DEFAULT(name, type, value) "{\"name\":\"" name "\",\"type\":" type ",\"default\":" value "}"
#define ARRAY(items) "{\"type\":\"array\",\"items\":" items "}"
#define MAP(values) "{\"type\":\"map\",\"values\":" values "}"

/* The bytes of a JSON document under the schema; "" or what is wrong. */
static const char *encode_as(const char *schema, const char *document, struct rl_avro_encode_opts opts,
                             struct rl_buf *out) {
  static struct rl_err err;
  struct rl_json *json = rl_json_new();
  struct rl_tape tape = RL_TAPE_INIT;
  struct rl_avro_encoder *encoder = NULL;
  err = (struct rl_err){0};
  int code = rl_avro_encoder_new(&encoder, rl_bytes_str(schema), &err);
  if (code == 0) code = rl_json_tape(json, rl_bytes_str(document), 0, &tape, &err);
  if (code == 0) code = rl_avro_encode(encoder, tape.at, tape.n, &opts, out, &err);
  rl_avro_encoder_free(encoder);
  rl_tape_free(&tape);
  rl_json_free(json);
  return code ? err.text : "";
}

/* There and back, as a tape's text; or "error: …". */
static const char *round_as(const char *schema, const char *document, struct rl_avro_encode_opts opts) {
  static char text[8192];
  struct rl_buf bytes = RL_BUF_INIT;
  const char *wrong = encode_as(schema, document, opts, &bytes);
  struct rl_decoder_opts decode = avro_bare(schema);
  decode.avro.logical = opts.logical;
  rl_buf_puts(&bytes, "");
  if (*wrong)
    snprintf(text, sizeof text, "error: %s", wrong);
  else
    snprintf(text, sizeof text, "%s", avro_tape_as(decode, &bytes, 0));
  rl_buf_free(&bytes);
  return text;
}

static const char *round_trip(const char *schema, const char *document) {
  return round_as(schema, document, (struct rl_avro_encode_opts){0});
}

/* The first byte: a union's branch. */
static int branch_of(const char *schema, const char *document) {
  struct rl_buf bytes = RL_BUF_INIT;
  const char *wrong = encode_as(schema, document, (struct rl_avro_encode_opts){0}, &bytes);
  int branch = *wrong || bytes.len == 0 ? -1 : bytes.data[0] / 2;
  rl_buf_free(&bytes);
  return branch;
}

TEST(scalars_come_back) {
  CHECK_STR(round_trip("\"null\"", "null"), "null");
  CHECK_STR(round_trip("\"boolean\"", "true"), "true");
  CHECK_STR(round_trip("\"int\"", "-2147483648"), "-2147483648");
  CHECK_STR(round_trip("\"long\"", "2510000000000000003"), "2510000000000000003");
  CHECK_STR(round_trip("\"long\"", "-9223372036854775808"), "-9223372036854775808");
  CHECK_STR(round_trip("\"long\"", "9223372036854775807"), "9223372036854775807");
  CHECK_STR(round_trip("\"double\"", "0.1"), "0.1");
  CHECK_STR(round_trip("\"double\"", "-0.0"), "-0.0");
  CHECK_STR(round_trip("\"float\"", "0.5"), "0.5");
  CHECK_STR(round_trip("\"float\"", "0.1"), "0.10000000149011612");
  CHECK_STR(round_trip("\"string\"", "\"\\u00e4 \\u0000\""), "\"ä \\u0000\"");
  CHECK_STR(round_trip("\"bytes\"", "\"ab\""), "blob \"ab\"");
  CHECK_STR(round_trip("{\"type\":\"fixed\",\"name\":\"F\",\"size\":2}", "\"ab\""), "blob \"ab\"");
  CHECK_STR(round_trip("{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\",\"B\"]}", "\"B\""), "\"B\"");
}

TEST(numbers_are_not_rounded_to_another_kind) {
  CHECK_STR(round_trip("\"long\"", "5.0"), "5");
  CHECK_STR(round_trip("\"double\"", "5"), "5.0");
  CHECK_STR(round_trip("\"double\"", "9007199254740992"), "9007199254740992.0");
  CHECK_STR(round_trip("\"double\"", "9007199254740993"),
            "error: cannot be written as Avro: the integer 9007199254740993 where double is wanted");
  CHECK_STR(round_trip("\"long\"", "5.5"),
            "error: cannot be written as Avro: the number 5.5 where long is wanted");
  CHECK_STR(round_trip("\"long\"", "9223372036854775808"),
            "error: cannot be written as Avro: the number 9223372036854775808 where long is wanted");
  CHECK_STR(round_trip("\"long\"", "9223372036854775808.0"),
            "error: cannot be written as Avro: the number 9.223372036854776e+18 where long is wanted");
  CHECK_STR(round_trip("\"int\"", "2147483648"),
            "error: cannot be written as Avro: the integer 2147483648 where int is wanted");
  CHECK_STR(round_trip("\"float\"", "1e39"),
            "error: cannot be written as Avro: the number 1e+39 where float is wanted");
  CHECK_STR(round_trip("\"double\"", "1e400"),
            "error: cannot be written as Avro: the number 1e400 where double is wanted");
}

TEST(containers_come_back) {
  CHECK_STR(round_trip(ARRAY("\"long\""), "[1,-2,3]"), "array of 3 1 -2 3");
  CHECK_STR(round_trip(ARRAY("\"long\""), "[]"), "array of 0");
  CHECK_STR(round_trip(ARRAY("\"long\""), "{}"), "array of 0");
  CHECK_STR(round_trip(MAP("\"long\""), "{\"a\":1,\"\":2}"), "object of 2 \"a\" 1 \"\" 2");
  CHECK_STR(round_trip(RECORD("R", FIELD("a", "\"long\"") "," FIELD("b", ARRAY("\"string\""))),
                       "{\"b\":[\"x\"],\"a\":7}"),
            "object of 2 \"a\" 7 \"b\" array of 1 \"x\"");
}

TEST(empty_ones_come_back) {
  CHECK_STR(round_trip(RECORD("R", ""), "{}"), "object of 0");
  CHECK_STR(round_trip("\"string\"", "\"\""), "\"\"");
  CHECK_STR(round_trip("{\"type\":\"fixed\",\"name\":\"F\",\"size\":0}", "\"\""), "blob \"\"");
  const char *either = "[\"null\"," ARRAY("\"int\"") ",{\"type\":\"map\",\"values\":\"int\"}]";
  CHECK_STR(round_trip(either, "[]"), "array of 0");
  CHECK_STR(round_trip(either, "{}"), "object of 0");
  CHECK_STR(round_trip("[\"null\"," ARRAY("\"int\"") "]", "{}"), "array of 0");
}

TEST(recursive_records_come_back) {
  const char *list = RECORD("L", FIELD("v", "\"int\"") "," FIELD("next", "[\"null\",\"L\"]"));
  CHECK_STR(round_trip(list, "{\"v\":1,\"next\":{\"v\":2}}"),
            "object of 2 \"v\" 1 \"next\" object of 2 \"v\" 2 \"next\" null");
}

TEST(nesting_is_bounded) {
  const char *list = RECORD("L", FIELD("next", "[\"null\",\"L\"]"));
  struct rl_avro_encode_opts two = {.max_depth = 2};
  CHECK_STR(round_as(list, "{\"next\":{}}", two), "object of 1 \"next\" object of 1 \"next\" null");
  CHECK_STR(round_as(list, "{\"next\":{\"next\":{}}}", two),
            "error: cannot be written as Avro: next.next: nested deeper than 2");
}

TEST(missing_fields_take_their_defaults) {
  const char *schema = RECORD(
      "R",
      DEFAULT("a", "\"long\"", "5") "," DEFAULT("b", "[\"null\",\"string\"]", "null") "," FIELD(
          "c", "[\"string\",\"null\"]") "," DEFAULT("d", ARRAY("\"double\""),
                                                    "[1,2.5]") "," DEFAULT("e", "\"bytes\"", "\"\\u00ff\""));
  CHECK_STR(round_trip(schema, "{}"),
            "object of 5 \"a\" 5 \"b\" null \"c\" null \"d\" array of 2 1.0 2.5 \"e\" blob "
            "\"\xEF\xBF\xBD\"");
  CHECK_STR(round_trip(RECORD("R", FIELD("a", "\"long\"")), "{}"),
            "error: cannot be written as Avro: a: missing, and the schema has no default for it");
  CHECK_STR(
      round_trip(RECORD("R", DEFAULT("a", "\"long\"", "\"x\"")), "{}"),
      "error: cannot be written as Avro: a: missing, and the schema's default for it is none of its type");
  CHECK_STR(round_trip(RECORD("R", DEFAULT("a", "\"long\"", "5")), "{\"a\":null}"),
            "error: cannot be written as Avro: a: null where long is wanted");
}

TEST(errors_name_the_place_in_the_value) {
  const char *schema =
      RECORD("alert", FIELD("candidate", RECORD("cand", FIELD("magpsf", "\"double\""))) "," FIELD(
                          "prv", ARRAY("[\"null\",\"cand\"]")) "," FIELD("m", MAP("\"int\"")));
  CHECK_STR(round_trip(schema, "{\"candidate\":{\"magpsf\":\"17\"}}"),
            "error: cannot be written as Avro: candidate.magpsf: a text where double is wanted");
  CHECK_STR(round_trip(schema, "{\"candidate\":{\"magpsf\":1},\"prv\":[null,{\"magpsf\":true}]}"),
            "error: cannot be written as Avro: prv[2].magpsf: a boolean where double is wanted");
  CHECK_STR(round_trip(schema, "{\"candidate\":{\"magpsf\":1},\"prv\":[],\"m\":{\"x\":[]}}"),
            "error: cannot be written as Avro: m.x: a list where int is wanted");
  CHECK_STR(round_trip(schema, "{\"candidate\":{\"magpfs\":1}}"),
            "error: cannot be written as Avro: candidate.magpfs: record cand has no such field; did you mean "
            "'magpsf'? "
            "(drop_unknown leaves it out)");
  CHECK_STR(round_trip(schema, "[]"),
            "error: cannot be written as Avro: a list where record alert is wanted");
}

TEST(unknown_members_are_left_out_when_asked) {
  struct rl_avro_encode_opts opts = {.drop_unknown = true};
  CHECK_STR(round_as(RECORD("R", FIELD("a", "\"long\"")), "{\"x\":{\"y\":[1]},\"a\":1}", opts),
            "object of 1 \"a\" 1");
}

TEST(a_union_takes_the_branch_that_fits_best) {
  const char *numbers = "[\"null\",\"int\",\"long\",\"float\",\"double\"]";
  CHECK_INT(branch_of(numbers, "null"), 0);
  CHECK_INT(branch_of(numbers, "5"), 1);
  CHECK_INT(branch_of(numbers, "5000000000"), 2);
  CHECK_INT(branch_of(numbers, "0.5"), 3);
  CHECK_INT(branch_of(numbers, "0.1"), 4);
  CHECK_INT(branch_of("[\"double\",\"long\"]", "5"), 1);
  CHECK_INT(branch_of("[\"double\",\"string\"]", "5"), 0);
  CHECK_INT(branch_of("[\"long\",\"string\"]", "5.0"), 0);
  CHECK_INT(branch_of("[\"bytes\",\"string\"]", "\"x\""), 1);
  CHECK_INT(branch_of("[\"string\",{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"x\"]}]", "\"x\""), 0);
  CHECK_INT(branch_of("[{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"x\"]},\"string\"]", "\"x\""), 0);
  CHECK_INT(branch_of("[{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"x\"]},\"string\"]", "\"y\""), 1);
  CHECK_INT(branch_of("[{\"type\":\"fixed\",\"name\":\"F\",\"size\":2},\"bytes\"]", "\"abc\""), 1);
}

TEST(of_records_in_a_union_the_one_whose_members_fit) {
  const char *records = "[" MAP("\"long\"") "," RECORD("A", FIELD("x", "\"long\"")) "," RECORD(
      "B", FIELD("x", "\"string\"")) "," RECORD("C",
                                                FIELD("x", "\"long\"") "," DEFAULT("y", "\"int\"", "1")) "]";
  CHECK_INT(branch_of(records, "{\"x\":1}"), 1);
  CHECK_INT(branch_of(records, "{\"x\":\"t\"}"), 2);
  CHECK_INT(branch_of(records, "{\"x\":1,\"y\":2}"), 3);
  CHECK_INT(branch_of(records, "{\"z\":1}"), 0);
  CHECK_STR(
      round_trip(records, "{\"x\":true}"),
      "error: cannot be written as Avro: a table where union of map, record A, record B, record C is wanted");
}

TEST(a_union_without_a_fit_says_what_the_nearest_lacks) {
  CHECK_STR(round_trip("[\"null\"," RECORD("A", FIELD("x", "\"long\"")) "]", "{\"x\":\"t\"}"),
            "error: cannot be written as Avro: x: a text where long is wanted");
  CHECK_STR(round_trip("[\"null\",\"float\"]", "\"x\""),
            "error: cannot be written as Avro: a text where union of null, float is wanted");
  CHECK_STR(round_trip("[\"null\",\"int\"]", "3000000000"),
            "error: cannot be written as Avro: the integer 3000000000 where int is wanted");
}

/* A tape of a named branch. */
static const char *named(const char *schema, const char *branch, struct rl_cell value) {
  static char text[2048];
  struct rl_cell tape[] = {{.tag = RL_AVRO_BRANCH, .len = (uint32_t)strlen(branch), .s = branch}, value};
  struct rl_avro_encoder *encoder;
  struct rl_avro_encode_opts opts = {0};
  struct rl_buf out = RL_BUF_INIT;
  struct rl_err err = {0};
  if (rl_avro_encoder_new(&encoder, rl_bytes_str(schema), &err) != 0) abort();
  if (rl_avro_encode(encoder, tape, 2, &opts, &out, &err) != 0)
    snprintf(text, sizeof text, "error: %s", err.text);
  else
    snprintf(text, sizeof text, "%d: %s", out.data[0] / 2, avro_tape(schema, &out));
  rl_buf_free(&out);
  rl_avro_encoder_free(encoder);
  return text;
}

TEST(a_branch_can_be_named) {
  struct rl_cell five = {.tag = RL_INT, .i = 5}, text = {.tag = RL_TEXT, .len = 1, .s = "x"};
  CHECK_STR(named("[\"int\",\"long\",\"double\"]", "double", five), "2: 5.0");
  CHECK_STR(named("[\"int\",\"long\",\"double\"]", "long", five), "1: 5");
  const char *enums = "[\"string\",{\"type\":\"enum\",\"name\":\"a.b.E\",\"symbols\":[\"x\"]}]";
  CHECK_STR(named(enums, "E", text), "1: \"x\"");
  CHECK_STR(named(enums, "a.b.E", text), "1: \"x\"");
  CHECK_STR(named(enums, "string", text), "0: \"x\"");
  CHECK_STR(named(enums, "F", text),
            "error: cannot be written as Avro: no branch 'F' in the union of string, enum a.b.E");
  CHECK_STR(named("\"double\"", "long", five),
            "error: cannot be written as Avro: branch 'long' where double is wanted");
}

TEST(what_is_no_value_is_named) {
  struct rl_cell function = {.tag = RL_AVRO_FOREIGN, .len = 10, .s = "a function"};
  CHECK_STR(named("[\"int\",\"long\"]", "long", function),
            "error: cannot be written as Avro: a function where long is wanted");
}

TEST(texts_that_are_no_strings) {
  CHECK_STR(round_trip("{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\"]}", "\"B\""),
            "error: cannot be written as Avro: \"B\" is no symbol of enum E");
  CHECK_STR(round_trip("{\"type\":\"fixed\",\"name\":\"F\",\"size\":2}", "\"abc\""),
            "error: cannot be written as Avro: 3 bytes where fixed F has 2");
  struct rl_cell latin = {.tag = RL_TEXT, .len = 1, .s = "\xE4"};
  CHECK_STR(named("[\"bytes\",\"string\"]", "string", latin),
            "error: cannot be written as Avro: bytes that are no UTF-8 where string is wanted");
  CHECK_STR(named("[\"bytes\",\"string\"]", "bytes", latin), "0: blob \"\xEF\xBF\xBD\"");
}

#define DECIMAL(base) "{" base ",\"logicalType\":\"decimal\",\"precision\":30,\"scale\":2}"

TEST(decimals_and_uuids_as_text_when_asked) {
  struct rl_avro_encode_opts logical = {.logical = true};
  const char *decimal = DECIMAL("\"type\":\"bytes\"");
  static const char *const same[] = {
      "\"12.34\"", "\"-12.34\"", "\"0.00\"",  "\"-0.01\"",
      "\"1.28\"",  "\"-1.28\"",  "\"-1.29\"", "\"123456789012345678901234567.89\""};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    CHECK_STR(round_as(decimal, same[i], logical), same[i]);
  CHECK_STR(round_as(decimal, "7", logical), "\"7.00\"");
  CHECK_STR(round_as(decimal, "1234567890123456789012345678", logical),
            "\"1234567890123456789012345678.00\"");
  CHECK_STR(round_as(decimal, "\"1.500\"", logical), "\"1.50\"");
  CHECK_STR(round_as(decimal, "\"1.505\"", logical),
            "error: cannot be written as Avro: no decimal of 30 digits, 2 behind the point, as a text "
            "(\"12.50\") or an integer");
  CHECK_STR(round_as(decimal, "\"-\"", logical),
            "error: cannot be written as Avro: no decimal of 30 digits, 2 behind the point, as a text "
            "(\"12.50\") or an integer");
  const char *fixed = DECIMAL("\"type\":\"fixed\",\"name\":\"F\",\"size\":2");
  CHECK_STR(round_as(fixed, "\"-327.68\"", logical), "\"-327.68\"");
  CHECK_STR(round_as(fixed, "\"0.05\"", logical), "\"0.05\"");
  CHECK_STR(round_as(fixed, "\"327.68\"", logical),
            "error: cannot be written as Avro: no decimal of 30 digits, 2 behind the point, that fits its "
            "size, as a text "
            "(\"12.50\") or an "
            "integer");
  const char *uuid = "{\"type\":\"fixed\",\"name\":\"U\",\"size\":16,\"logicalType\":\"uuid\"}";
  CHECK_STR(round_as(uuid, "\"00112233-4455-6677-8899-aAbBcCdDeEfF\"", logical),
            "\"00112233-4455-6677-8899-aabbccddeeff\"");
  CHECK_STR(round_as(uuid, "\"00112233-4455-6677-8899-aabbccddeef\"", logical),
            "error: cannot be written as Avro: no UUID as a text");
}

TEST(a_decimal_has_no_more_digits_than_its_precision) {
  struct rl_avro_encode_opts logical = {.logical = true};
  static const char *const small =
      "{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":5,\"scale\":2}";
  static const char *const fits[][2] = {
      {"\"999.99\"", "\"999.99\""}, {"\"-999.99\"", "\"-999.99\""},  {"\"000012.30\"", "\"12.30\""},
      {"\"0.050000\"", "\"0.05\""}, {"\"00000000.01\"", "\"0.01\""}, {"0", "\"0.00\""},
      {"999", "\"999.00\""}};
  static const char *const over[] = {"\"1000.00\"", "\"1000\"", "1000", "-1000", "\"-1000.1\"", "123456"};
  for (size_t i = 0; i < sizeof fits / sizeof *fits; i++)
    CHECK_STR(round_as(small, fits[i][0], logical), fits[i][1]);
  for (size_t i = 0; i < sizeof over / sizeof *over; i++)
    CHECK_STR(
        round_as(small, over[i], logical),
        "error: cannot be written as Avro: no decimal of 5 digits, 2 behind the point, as a text (\"12.50\") "
        "or an integer");
}

TEST(frames_are_what_the_decoder_expects) {
  const char *schema = RECORD("R", FIELD("a", "\"long\""));
  struct rl_cell tape[] = {
      {.tag = RL_OBJECT, .len = 1}, {.tag = RL_TEXT, .len = 1, .s = "a"}, {.tag = RL_INT, .i = 7}};
  struct rl_avro_encode_opts opts = {0};
  struct rl_decoder_opts decode = {
      .avro = {.framing = RL_AVRO_SINGLE_OBJECT, .schema = rl_bytes_str(schema)}};
  struct rl_avro_encoder *encoder;
  struct rl_buf out = RL_BUF_INIT;
  CHECK_INT(rl_avro_encoder_new(&encoder, rl_bytes_str(schema), NULL), 0);
  rl_avro_put_single(encoder, &out);
  CHECK_INT(rl_avro_encode(encoder, tape, 3, &opts, &out, NULL), 0);
  CHECK_STR(avro_tape_as(decode, &out, 0), "object of 1 \"a\" 7");
  rl_buf_clear(&out);
  decode.avro.framing = RL_AVRO_CONFLUENT;
  rl_avro_put_confluent(0x01020304, &out);
  CHECK(memcmp(out.data, "\0\1\2\3\4", 5) == 0);
  CHECK_INT(rl_avro_encode(encoder, tape, 3, &opts, &out, NULL), 0);
  CHECK_STR(avro_tape_as(decode, &out, 0), "object of 1 \"a\" 7");
  rl_buf_free(&out);
  rl_avro_encoder_free(encoder);
}

static void check_container(enum rl_avro_codec codec, size_t n) {
  struct rl_avro_encoder *encoder;
  struct rl_avro_encode_opts opts = {0};
  struct rl_decoder_opts decode = {.avro = {.framing = RL_AVRO_CONTAINER}};
  struct rl_buf out = RL_BUF_INIT;
  struct rl_avro_file file;
  char want[32];
  CHECK_INT(rl_avro_encoder_new(&encoder, rl_bytes_str("\"long\""), NULL), 0);
  rl_avro_file_begin(&file, encoder, codec, &out);
  for (size_t i = 0; i < n; i++) {
    struct rl_cell cell = {.tag = RL_INT, .i = (int64_t)(i * 1000000007)};
    CHECK_INT(rl_avro_file_put(&file, &cell, 1, &opts, NULL), 0);
  }
  CHECK_INT(rl_avro_file_end(&file, NULL), 0);
  rl_avro_file_free(&file);
  for (size_t i = 0; i < n; i += n / 3 + 1) {
    snprintf(want, sizeof want, "%zu", i * 1000000007);
    CHECK_STR(avro_tape_as(decode, &out, i), want);
  }
  snprintf(want, sizeof want, "message of %zu", n);
  CHECK_HAS(avro_tape_as(decode, &out, n), want);
  rl_buf_free(&out);
  rl_avro_encoder_free(encoder);
}

TEST(containers_hold_any_number_in_every_codec) {
  for (int codec = RL_AVRO_CODEC_NULL; codec <= RL_AVRO_CODEC_SNAPPY; codec++) {
    check_container((enum rl_avro_codec)codec, 0);
    check_container((enum rl_avro_codec)codec, 1);
    check_container((enum rl_avro_codec)codec, 30000); /* several blocks */
  }
}

TEST(a_failure_leaves_the_output_as_it_was) {
  struct rl_buf out = RL_BUF_INIT;
  rl_buf_puts(&out, "before");
  CHECK_HAS(encode_as(ARRAY("\"long\""), "[1,2,\"x\"]", (struct rl_avro_encode_opts){0}, &out), "[3]");
  CHECK_INT(out.len, 6);
  rl_buf_free(&out);
}

TEST(a_schema_that_is_none_is_refused) {
  struct rl_avro_encoder *encoder;
  struct rl_err err = {0};
  CHECK_INT(rl_avro_encoder_new(&encoder, rl_bytes_str("{\"type\":\"recrod\"}"), &err), RL_EUSAGE);
  CHECK_HAS(err.text, "recrod");
}
