/* Paths with [*]: a list a row, whatever stands around it. */
#include "codec/lists.h"
#include "codec_avro_support.h"

#define CHECK_SELECT(list, document, want) CHECK_STR(select_from(list, document), want)

static const char alert[] =
    "{\"id\":\"x\",\"prv\":[{\"mag\":17.5,\"fid\":1},{\"fid\":2},{\"mag\":null,\"fid\":1},{\"mag\":18}],"
    "\"z\":9}";

TEST(a_list_has_an_element_for_each_of_the_array) {
  CHECK_SELECT("prv[*].mag", alert, "[17.5 missing null 18]");
  CHECK_SELECT("prv[*].fid", alert, "[1 2 1 missing]");
  CHECK_SELECT("prv[*].nope", alert, "[missing missing missing missing]");
  CHECK_SELECT("p[*]", "{\"p\":[1,\"a\",null,true,[2],{}]}", "[1 \"a\" null true json [2] json {}]");
}

TEST(no_array_is_missing_and_an_empty_one_is_present) {
  CHECK_SELECT("p[*].m,x=p[*]", "{\"p\":[]}", "[], []");
  CHECK_SELECT("p[*].m,x=p[*]", "{\"p\":[ ]}", "[], []");
  CHECK_SELECT("p[*].m", "{\"p\":null}", "missing");
  CHECK_SELECT("p[*].m", "{\"p\":{\"m\":1}}", "missing");
  CHECK_SELECT("p[*].m", "{\"p\":\"x\"}", "missing");
  CHECK_SELECT("p[*].m", "{}", "missing");
  CHECK_SELECT("p[*].m", "{\"p\":[7]}", "[missing]");
}

TEST(lists_stand_beside_other_paths_through_the_same_array) {
  CHECK_SELECT("a=prv[0].mag,b=prv[*].mag,c=prv[-1].mag,d=prv[*].fid,z,id", alert,
               "17.5, [17.5 missing null 18], 18, [1 2 1 missing], 9, \"x\"");
  CHECK_SELECT("b=p[*].m,whole=p", "{\"p\":[{\"m\":1},{\"m\":2}]}", "[1 2], json [{\"m\":1},{\"m\":2}]");
  CHECK_SELECT("x=p[*],y=p[*].m,z=p[1]", "{\"p\":[{\"m\":1},{\"m\":2}]}",
               "[json {\"m\":1} json {\"m\":2}], [1 2], json {\"m\":2}");
  CHECK_SELECT("x=p[*].m,y=p[*].m", "{\"p\":[{\"m\":1}]}", "[1], [1]");
}

TEST(several_stars_are_lists_of_lists) {
  CHECK_SELECT("p[*].q[*].m", "{\"p\":[{\"q\":[{\"m\":1},{\"m\":2}]},{},{\"q\":[]},{\"q\":[{}]}]}",
               "[[1 2] missing [] [missing]]");
  CHECK_SELECT("x=p[*][*]", "{\"p\":[[1,2],[],3,[4]]}", "[[1 2] [] missing [4]]");
  CHECK_SELECT("x=p[*][*],y=p[*][0],z=p[0][*]", "{\"p\":[[1,2],[3]]}", "[[1 2] [3]], [1 3], [1 2]");
  CHECK_SELECT("x=[*].a,y=[*].b[*]", "[{\"a\":1,\"b\":[2]},{\"b\":[3,4]}]", "[1 missing], [[2] [3 4]]");
  CHECK_SELECT("x=p[*].q[*],y=p[*].r,z=p[*].q[*]", "{\"p\":[{\"q\":[1],\"r\":2},{\"r\":3}]}",
               "[[1] missing], [2 3], [[1] missing]");
}

TEST(of_keys_that_come_twice_the_last_counts_in_lists_too) {
  CHECK_SELECT("p[*].m", "{\"p\":[{\"m\":1},{\"m\":2}],\"p\":[{\"m\":3}]}", "[3]");
  CHECK_SELECT("p[*].m", "{\"p\":[{\"m\":1}],\"p\":5}", "missing");
  CHECK_SELECT("p[*].m", "{\"p\":[{\"m\":1,\"m\":2},{\"m\":3,\"m\":null}]}", "[2 null]");
  CHECK_SELECT("p[*].q[*]", "{\"p\":[{\"q\":[1],\"q\":[2,3]}]}", "[[2 3]]");
}

TEST(escapes_in_elements) {
  CHECK_SELECT("x=p[*].k,y=p[0].k,z=q", "{\"p\":[{\"\\u006b\":\"a\\nb\"},{\"k\":\"c\"}],\"q\":\"\\u0041\"}",
               "[\"a\\nb\" \"c\"], \"a\\nb\", \"A\"");
}

TEST(the_type_is_that_of_the_elements) {
  CHECK_SELECT("x=p[*]:f64", "{\"p\":[1,2.5,null]}", "[1.0 2.5 nan]");
  CHECK_SELECT("prv[*].mag:f32", alert, "[17.5 nan nan 18.0]");
  CHECK_SELECT("x=p[*]:i64", "{\"p\":[1,null]}", "[1 null]");
  CHECK_SELECT("x=p[*].m:i64", "{\"p\":[{}]}", "[missing]");
  CHECK_SELECT("x=p[*]:bytes", "{\"p\":[\"a\"]}", "[blob \"a\"]");
  CHECK_SELECT("x=p[*][*]:f64", "{\"p\":[[1,null],null,[2]]}", "[[1.0 nan] missing [2.0]]");
  CHECK_SELECT("x=p[*]:i64", "{\"p\":[1,2,\"a\"]}",
               "error: [2] of field 'x' (p[*]): expected i64, found the text \"a\"");
  CHECK_SELECT("x=p[*][*]:i64", "{\"p\":[[1],[2,3.5]]}",
               "error: [1][1] of field 'x' (p[*][*]): expected i64, found the number 3.5");
  CHECK_HAS(select_from("x=p[*]:f64", "{\"p\":[2510000000000000003]}"), "does not hold exactly");
}

TEST(the_default_name_of_a_list_is_the_last_key) {
  struct codec c;
  codec_open(&c, "prv[*].mag,q[*]");
  CHECK_STR(c.fields.at[0].name, "mag");
  CHECK_STR(c.fields.at[1].name, "q");
  codec_close(&c);
}

TEST(damage_in_an_element_is_told_with_its_place) {
  CHECK_HAS(select_from("p[*].m", "{\"p\":[{\"m\":1},{\"m\":1.2.3}]}"), "malformed number");
  CHECK_HAS(select_from("p[*].m", "{\"p\":[{\"m\":1},{\"m\":2}"), "cut short");
  CHECK_HAS(select_from("p[*].m", "{\"p\":[{\"m\":1},]}"), "expected a value");
  CHECK_SELECT("p[*].m", "{\"p\":[{\"m\":1,\"n\":1.2.3}]}", "[1]"); /* skipped: not looked at */
  CHECK_HAS(select_strictly("p[*].m", "{\"p\":[{\"m\":1,\"n\":1.2.3}]}"), "malformed number");
}

/* One message's many elements do not stay in memory, nor does the error of one too many. */
TEST(elements_are_bounded) {
  size_t n = RL_LIST_CELLS / 2 + 1;
  char *document = malloc(2 * n + 16), *at = document + sprintf(document, "{\"p\":[");
  for (size_t i = 0; i < n; i++, at += 2) memcpy(at, "1,", 2);
  strcpy(at - 1, "]}");
  CHECK_HAS(select_from("x=p[*],y=p[*].a", document),
            "JSON: over 1048576 elements for fields with [*] at byte");
  free(document);
}

/* ---- Avro ---- */

static struct rl_buf value;

static struct rl_buf *fresh(void) {
  rl_buf_clear(&value);
  rl_buf_puts(&value, "");
  return &value;
}

#define RECORD(name, fields) "{\"type\":\"record\",\"name\":\"" name "\",\"fields\":[" fields "]}"
#define FIELD(name, type) "{\"name\":\"" name "\",\"type\":" type "}"
#define ARRAY(items) "{\"type\":\"array\",\"items\":" items "}"

static const char prv[] = RECORD(
    "R", FIELD("a", "\"long\"") "," FIELD(
             "prv",
             "[\"null\"," ARRAY(RECORD("P", FIELD("mag", "[\"null\",\"double\"]") "," FIELD(
                                                "fids", ARRAY("\"int\"")))) "]") "," FIELD("z", "\"long\""));

static void put_ints(struct rl_buf *out, int n) {
  if (n > 0) put_long(out, n);
  for (int i = 1; i <= n; i++) put_long(out, i);
  put_long(out, 0);
}

static void put_prv(struct rl_buf *out) {
  put_long(out, 7);
  put_long(out, 1);
  put_long(out, 2);
  put_long(out, 1), put_double(out, 17.5), put_ints(out, 2);
  put_long(out, 0), put_ints(out, 0);
  put_long(out, -1), put_long(out, 10); /* a second block, with its size */
  put_long(out, 1), put_double(out, 18.5), put_ints(out, 0);
  put_long(out, 0);
  put_long(out, 9);
}

TEST(avro_lists) {
  put_prv(fresh());
  CHECK_STR(avro_row(prv, "prv[*].mag,z", &value), "[17.5 null 18.5], 9");
  CHECK_STR(avro_row(prv, "x=prv[*].fids[*],y=prv[*].fids[0],a", &value),
            "[[1 2] [] []], [1 missing missing], 7");
  CHECK_STR(avro_row(prv, "a=prv[0].mag,b=prv[*].mag,c=prv[-1].mag,d=prv[-1].fids[*],z", &value),
            "17.5, [17.5 null 18.5], 18.5, [], 9");
  CHECK_HAS(avro_row(prv, "prv,b=prv[*].mag", &value), "tree (array of 3 object of 2 ");
  CHECK_HAS(avro_row(prv, "prv,b=prv[*].mag", &value), "), [17.5 null 18.5]");
  CHECK_STR(avro_row(prv, "prv[*].mag:f64,x=prv[*].nope,y=a[*]", &value),
            "[17.5 nan 18.5], [missing missing missing], missing");
  CHECK_STR(avro_row(prv, "x=prv[*].fids[*]:f64", &value), "[[1.0 2.0] [] []]");
  CHECK_STR(avro_row(prv, "x=prv[*].fids[*]:str", &value),
            "error: [0][0] of field 'x' (prv[*].fids[*]): expected str, found the integer 1");
}

TEST(avro_null_instead_of_an_array_is_missing_and_an_empty_one_is_present) {
  put_long(fresh(), 7), put_long(&value, 0), put_long(&value, 9);
  CHECK_STR(avro_row(prv, "prv[*].mag,z", &value), "missing, 9");
  put_long(fresh(), 7), put_long(&value, 1), put_long(&value, 0), put_long(&value, 9);
  CHECK_STR(avro_row(prv, "prv[*].mag,x=prv[*].fids[*],z", &value), "[], [], 9");
}

TEST(avro_lists_of_elements_without_bytes_are_bounded) {
  static const char nulls[] = RECORD("R", FIELD("n", ARRAY("\"null\"")));
  put_long(fresh(), 3), put_long(&value, 0);
  CHECK_STR(avro_row(nulls, "n[*]", &value), "[null null null]");
  put_long(fresh(), 1 << 21), put_long(&value, 0);
  CHECK_HAS(avro_row(nulls, "n[*]", &value), "items that take no bytes");
}

/* The writer has no `prv`: what is wanted of it is the reader's default. */
TEST(avro_lists_of_a_readers_default) {
  static const char writer[] = RECORD("R", FIELD("a", "\"long\""));
  static const char reader[] = RECORD(
      "R", FIELD("a", "\"long\"") ",{\"name\":\"prv\",\"type\":" ARRAY(RECORD(
               "P", FIELD("m", "\"double\"") "," FIELD("q", ARRAY("\"int\"")))) ",\"default\":[{\"m\":1.5,\"q\":[1,2]},"
                                                                              "{\"m\":2.5,\"q\":[]}]}");
  struct rl_buf block = RL_BUF_INIT;
  put_long(&block, 7);
  put_header(fresh(), writer, NULL), put_block(&value, NULL, 1, &block);
  struct rl_decoder_opts opts = {.avro = {.schema = rl_bytes_str(reader)}};
  CHECK_STR(avro_row_as(opts, "a,prv[*].m,x=prv[*].q[*],y=prv[1].m,z=prv[*].q[0]", &value),
            "7, [1.5 2.5], [[1 2] []], 2.5, [1 missing]");
  rl_buf_free(&block);
}

/* ---- CSV ---- */

TEST(csv_has_no_lists) {
  struct codec c;
  CHECK(!codec_open_as(&c, "csv", "x=[*]", false, 0));
  CHECK_INT(c.err.code, RL_EUSAGE);
  CHECK_STR(
      c.err.text,
      "field 'x' ([*]) cannot be read with decode = \"csv\": a cell there holds one value, so there is no "
      "[*]");
  codec_close(&c);
}
