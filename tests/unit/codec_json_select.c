/* Fields selected from JSON documents: what is found, and what is refused (S9). */
#include "codec_support.h"

#define CHECK_SELECT(list, document, want) CHECK_STR(select_from(list, document), want)
#define CHECK_REFUSED(document, part)                 \
  do {                                                \
    CHECK_HAS(select_from("a", document), "error: "); \
    CHECK_HAS(select_from("a", document), part);      \
    CHECK_HAS(select_from("", document), part);       \
    CHECK_HAS(tape_of(document), part);               \
  } while (0)

TEST(fields_are_found_whatever_their_order) {
  const char *list = "candidate.rb,candidate.magpsf,objectId";
  const char *want = "0.5, 18.25, \"ZTF1\"";
  CHECK_SELECT(list, "{\"objectId\":\"ZTF1\",\"candidate\":{\"rb\":0.5,\"magpsf\":18.25}}", want);
  CHECK_SELECT(list, "{\"candidate\":{\"x\":{\"rb\":1},\"magpsf\":18.25,\"rb\":0.5},\"objectId\":\"ZTF1\"}",
               want);
  CHECK_SELECT(list,
               " { \"candidate\" : { \"rb\" : 0.5 , \"magpsf\"\n:\t18.25 } , \"objectId\" : \"ZTF1\" } \r\n",
               want);
}

TEST(what_is_not_there_is_missing) {
  CHECK_SELECT("a,b.c,d[0]", "{}", "missing, missing, missing");
  CHECK_SELECT("a,b.c,d[0]", "{\"a\":null,\"b\":{},\"d\":[]}", "null, missing, missing");
  CHECK_SELECT("b.c", "{\"b\":5}", "missing");
  CHECK_SELECT("b.c", "{\"b\":\"x\"}", "missing");
  CHECK_SELECT("b.c", "{\"b\":null}", "missing");
  CHECK_SELECT("b.c", "{\"b\":[{\"c\":1}]}", "missing");
  CHECK_SELECT("b[0]", "{\"b\":{\"0\":1}}", "missing");
}

TEST(one_field_may_be_the_beginning_of_another) {
  CHECK_SELECT("c,c.a,c.b[1]", "{\"c\": {\"a\":1, \"b\":[2,3]} }", "json {\"a\":1, \"b\":[2,3]}, 1, 3");
  CHECK_SELECT("c.a,c", "{\"c\":7}", "missing, 7");
  CHECK_SELECT("x=c,y=c,z=c", "{\"c\":7}", "7, 7, 7");
  CHECK_SELECT("x=c.a,y=c.a,c", "{\"c\":{\"a\":null}}", "null, null, json {\"a\":null}");
}

TEST(elements_are_counted_from_either_end) {
  CHECK_SELECT("x=p[0].m,y=p[-1].m,z=p[1].m", "{\"p\":[{\"m\":1},{\"m\":2},{\"m\":3}]}", "1, 3, 2");
  CHECK_SELECT("x=p[0],y=p[-1]", "{\"p\":[7]}", "7, 7");
  CHECK_SELECT("x=p[-2],y=p[1],z=p[-3]", "{\"p\":[7,8]}", "7, 8, missing");
  CHECK_SELECT("x=p[0].a.b,y=p[-1].a.c", "{\"p\":[{\"a\":{\"b\":1,\"c\":2}}]}", "1, 2");
  CHECK_SELECT("x=p[-1][-1],y=p[0][-2]", "{\"p\":[[1,2],[3,4]]}", "4, 1");
  CHECK_SELECT("x=[0].a,y=[-1].a", "[{\"a\":1},{\"a\":2}]", "1, 2");
  CHECK_SELECT("x=[-1]", " [ ] ", "missing");
  CHECK_SELECT("x=p[-9223372036854775807],y=p[9223372036854775806]", "{\"p\":[1]}", "missing, missing");
}

TEST(escapes_before_an_element_counted_from_the_end) {
  CHECK_SELECT("x=p[-1],y=p[0],z=p[-3].\"k\"", "{\"p\":[{\"\\u006b\":\"a\\nb\"},\"c\\td\",\"e\\\\\"]}",
               "\"e\\\\\", json {\"\\u006b\":\"a\\nb\"}, \"a\\nb\"");
  CHECK_SELECT("x=p[0],y=p[-1],z=q", "{\"p\":[\"\\u0041\"],\"q\":\"\\u0042\"}", "\"A\", \"A\", \"B\"");
}

TEST(keys_that_share_a_beginning_or_are_long_are_told_apart) {
  CHECK_SELECT("r,rb,rbversion,rbversion2",
               "{\"rbversion2\":4,\"rbversion\":3,\"rb\":2,\"r\":1,\"rbversion23\":5}", "1, 2, 3, 4");
  CHECK_SELECT("e=\"\"", "{\"a\":1,\"\":2}", "2");
}

TEST(many_fields_of_one_object) {
  struct rl_buf list = RL_BUF_INIT, document = RL_BUF_INIT, want = RL_BUF_INIT;
  for (int i = 0; i < 300; i++) {
    rl_buf_printf(&list, "%sf%d", i ? "," : "", 299 - i);
    rl_buf_printf(&document, "%s\"f%d\":%d", i ? "," : "{", i, i);
    rl_buf_printf(&want, "%s%d", i ? ", " : "", 299 - i);
  }
  rl_buf_putc(&document, '}');
  CHECK_SELECT(list.data, document.data, want.data);
  rl_buf_free(&list);
  rl_buf_free(&document);
  rl_buf_free(&want);
}

TEST(s9_1_keys_are_matched_unescaped) {
  CHECK_SELECT("a", "{\"\\u0061\":1}", "1");
  CHECK_SELECT("candidate.rb", "{\"c\\u0061ndidate\":{\"\\u0072\\u0062\":0.5}}", "0.5");
  CHECK_SELECT("\"a/b\"", "{\"a\\/b\":1}", "1");
  CHECK_SELECT("\"a\\\"b\"", "{\"a\\\"b\":1}", "1");
  CHECK_SELECT("\"a\\\"\"", "{\"a\\\"\":1,\"a\":2}", "1");
  CHECK_SELECT("a", "{\"a\\\\\":1,\"\\\"a\":3}", "missing");
  CHECK_SELECT("ä", "{\"\\u00e4\":1}", "1");
  CHECK_SELECT("ä", "{\"ä\":1}", "1");
  CHECK_SELECT("😀", "{\"\\ud83d\\ude00\":1}", "1");
  CHECK_HAS(select_from("a", "{\"\\x\":1}"), "malformed escape in a key");
  CHECK_HAS(select_from("a", "{\"\\ud800\":1}"), "malformed escape in a key");
}

TEST(s9_1_a_cut_document_is_refused) {
  CHECK_REFUSED("{\"a\":1,\"b\":{\"c\":2}", "cut short: expected ',' or '}', but the text ends at byte 18");
  CHECK_REFUSED("{\"a\":1,\"b\":{\"c\":2", "the text ends at byte 17");
  CHECK_REFUSED("{\"a\":1,\"b\":{\"c\":", "cut short: expected a value, but the text ends at byte 16");
  CHECK_REFUSED("{\"a\":1,\"b\":{\"c\"", "cut short: expected ':' after a key, but the text ends at byte 15");
  CHECK_REFUSED("{\"a\":1,\"b\":{\"c", "no end to the string that starts at byte 12");
  CHECK_REFUSED("{\"a\":1,\"b\":{", "the text ends at byte 12");
  CHECK_REFUSED("{\"a\":1,", "cut short: expected a key in quotes, but the text ends at byte 7");
  CHECK_REFUSED("{\"a\":1", "the text ends at byte 6");
  CHECK_REFUSED("{", "the text ends at byte 1");
  CHECK_REFUSED("{\"a\":1,\"b\":[1,[2]", "cut short: expected ',' or ']'");
  CHECK_REFUSED("{\"a\":1,\"b\":[", "cut short: expected a value");
  CHECK_REFUSED("{\"a\":1,\"b\":\"x\\\"}", "no end to the string that starts at byte 11");
}

TEST(s9_1_nonsense_among_what_is_skipped_is_refused) {
  CHECK_REFUSED("{\"a\":1,\"b\":tru e nonsense}", "not JSON: ");
  CHECK_REFUSED("{\"a\":1,\"b\":true nonsense}", "expected ',' or '}', found 'n' at byte 16");
  CHECK_REFUSED("{\"a\":1,\"b\":}", "expected a value, found '}' at byte 11");
  CHECK_REFUSED("{\"a\":1,\"b\":1 2}", "expected ',' or '}', found '2' at byte 13");
  CHECK_REFUSED("{\"a\":1,\"b\":\"x\" \"y\"}", "expected ',' or '}'");
  CHECK_REFUSED("{\"a\":1,\"b\":\"x\"y}", "expected ',' or '}'");
  CHECK_REFUSED("{\"a\":1,\"b\":{\"c\":[1 2]}}", "expected ',' or ']'");
  CHECK_REFUSED("{\"a\":1,\"b\":NaN}", "expected a value, found 'N' at byte 11");
  CHECK_REFUSED("{\"a\":1,\"b\":Infinity}", "expected a value");
  CHECK_REFUSED("{\"a\":1,\"b\":'x'}", "expected a value");
  CHECK_REFUSED("{\"a\":1,\"b\":+1}", "expected a value");
  CHECK_REFUSED("{\"a\":1,\"b\":.5}", "expected a value");
  CHECK_REFUSED("{\"a\":1,\"b\":\f1}", "expected a value, found byte 0x0C");
  CHECK_REFUSED("{\"a\":1/*x*/}", "");
}

TEST(s9_1_text_after_the_document_is_refused) {
  CHECK_REFUSED("{\"a\":1} {\"a\":2}", "expected the end after the document, found '{' at byte 8");
  CHECK_REFUSED("{\"a\":1}x", "expected the end after the document, found 'x' at byte 7");
  CHECK_REFUSED("{\"a\":1},", "expected the end");
  CHECK_REFUSED("{\"a\":1}\n{\"a\":2}\n", "expected the end");
  CHECK_SELECT("a", "{\"a\":1} \t\r\n ", "1");
}

TEST(s9_1_braces_balance) {
  CHECK_REFUSED("{\"a\":1}}}", "expected the end after the document, found '}' at byte 7");
  CHECK_REFUSED("{\"a\":1]", "expected ',' or '}', found ']' at byte 6");
  CHECK_REFUSED("{\"a\":1,\"b\":[1}}", "expected ',' or ']', found '}' at byte 13");
  CHECK_REFUSED("{\"a\":1,\"b\":{\"c\":1]}", "expected ',' or '}', found ']'");
  CHECK_REFUSED("{\"a\":1,\"b\":[[]}", "expected ',' or ']'");
  CHECK_REFUSED("{\"a\":1,\"b\":[}]}", "expected a value, found '}'");
  CHECK_REFUSED("{\"a\":1,\"b\":{]}", "expected a key in quotes, found ']'");
}

TEST(s9_1_commas_and_colons_stand_where_they_must) {
  CHECK_REFUSED("{\"a\" 1}", "expected ':' after a key, found '1' at byte 5");
  CHECK_REFUSED("{\"a\"1}", "expected ':' after a key");
  CHECK_REFUSED("{\"a\":1,\"b\" 2}", "expected ':' after a key, found '2' at byte 11");
  CHECK_REFUSED("{\"a\":1,\"b\"}", "expected ':' after a key, found '}'");
  CHECK_REFUSED("{\"a\":1,\"b\":{\"c\" 2}}", "expected ':' after a key");
  CHECK_REFUSED("{\"a\":1,\"b\"::2}", "expected a value, found ':'");
  CHECK_REFUSED("{\"a\":1,}", "expected a key in quotes, found '}' at byte 7");
  CHECK_REFUSED("{,\"a\":1}", "expected a key in quotes, found ','");
  CHECK_REFUSED("{\"a\":1,,\"b\":2}", "expected a key in quotes, found ','");
  CHECK_REFUSED("{\"a\":1 \"b\":2}", "expected ',' or '}'");
  CHECK_REFUSED("{\"a\":1,\"b\":[1,]}", "expected a value, found ']'");
  CHECK_REFUSED("{\"a\":1,\"b\":[,1]}", "expected a value, found ','");
  CHECK_REFUSED("{\"a\":1,\"b\":[1:2]}", "expected ',' or ']', found ':'");
  CHECK_REFUSED("{\"a\":1,\"b\":{\"c\":2,}}", "expected a key in quotes");
  CHECK_REFUSED("{a:1}", "expected a key in quotes, found 'a'");
  CHECK_REFUSED("{\"a\":1,2:3}", "expected a key in quotes, found '2'");
  CHECK_REFUSED("{\"a\":1,\"b\":{true:3}}", "expected a key in quotes");
  CHECK_REFUSED("{\"a\":1,[1]:3}", "expected a key in quotes");
}

/* Scalars that are asked for; where they are not see s9_1_skipped_scalars. */
TEST(s9_1_selected_scalars_are_checked) {
  static const char *const bad[] = {"1.2.3",
                                    "01",
                                    "-",
                                    "-01",
                                    "1.",
                                    "1.e5",
                                    "1e",
                                    "1e+",
                                    "0x10",
                                    "1a",
                                    "--1",
                                    "1-2",
                                    "-a",
                                    "1_000",
                                    "1.5f",
                                    "00",
                                    "tru",
                                    "true1",
                                    "nul",
                                    "nullx",
                                    "fals",
                                    "falsee",
                                    "t",
                                    "1e5.5",
                                    "-Infinity",
                                    "2\x1a",
                                    "2\f",
                                    "\"\\x\"",
                                    "\"\\u12g4\"",
                                    "\"\\u12\"",
                                    "\"\\ud800\"",
                                    "\"\\udc00\"",
                                    "\"\\ud800\\ud800\"",
                                    "\"\\ud800x\"",
                                    "\"\\ud800\\n\""};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char document[64];
    snprintf(document, sizeof document, "{\"b\":1,\"a\":%s}", bad[i]);
    CHECK_HAS(select_from("a", document), "error: not JSON: ");
    CHECK_HAS(tape_of(document), "error: not JSON: ");
    CHECK_HAS(select_strictly("b", document), "error: not JSON: ");
    snprintf(document, sizeof document, "{\"a\":[1,{\"x\":%s}]}", bad[i]);
    CHECK_HAS(select_from("a", document), "error: not JSON: ");
    CHECK_HAS(select_strictly("b", document), "error: not JSON: ");
    CHECK_HAS(tape_of(bad[i]), "error: not JSON: ");
  }
}

TEST(s9_1_skipped_scalars_are_checked_under_strict_only) {
  CHECK_SELECT("a", "{\"a\":1,\"b\":1.2.3}", "1");
  CHECK_STR(select_strictly("a", "{\"a\":1,\"b\":1.2.3}"),
            "error: not JSON: malformed number, found '1' at byte 11");
  CHECK_HAS(select_strictly("a", "{\"a\":1,\"b\":[{\"c\":tru}]}"), "expected a value");
  CHECK_HAS(select_strictly("a", "{\"a\":1,\"b\":\"\\q\"}"),
            "malformed escape in a string, found '\\' at byte 12");
  CHECK_HAS(select_strictly("a", "{\"a\":1,\"b\":{\"\\q\":1}}"), "malformed escape");
  CHECK_STR(select_strictly("a", "{\"a\":1,\"b\":{\"\\n\":[-1.5e3,true,false,null,\"\\u00e4\"]}}"), "1");
}

/* Of keys those are looked at that stand beside what is asked for: they could be it. */
TEST(s9_1_escapes_in_skipped_texts_and_keys_are_checked_under_strict_only) {
  static const char *const bad[] = {"\\q", "\\u00e", "\\u12g4", "\\ud800", "\\udc00", "\\ud800\\n"};
  static const char *const skipped[] = {"{\"a\":1,\"b\":\"%s\"}", "{\"b\":[\"%s\"],\"a\":1}",
                                        "{\"a\":1,\"b\":{\"%s\":1}}", "{\"b\":[{\"c\":{\"%s\":[]}}],\"a\":1}",
                                        "{\"a\":1,\"b\":{\"c\":\"%s\",\"d\":1}}"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char document[64];
    for (size_t k = 0; k < sizeof skipped / sizeof *skipped; k++) {
      snprintf(document, sizeof document, skipped[k], bad[i]);
      CHECK_STR(select_from("a", document), "1");
      CHECK_HAS(select_strictly("a", document), "error: not JSON: malformed escape in a ");
    }
    snprintf(document, sizeof document, "{\"%s\":2,\"a\":1}", bad[i]);
    CHECK_HAS(select_from("a", document), "error: not JSON: malformed escape in a key");
    CHECK_HAS(select_strictly("a", document), "error: not JSON: malformed escape in a key");
    snprintf(document, sizeof document, "{\"a\":{\"%s\":2}}", bad[i]);
    CHECK_HAS(select_from("a", document), "error: not JSON: malformed escape in a ");
  }
}

TEST(s9_1_text_must_be_utf8) {
  CHECK_REFUSED("{\"a\":\"\xff\"}", "not UTF-8 at byte 6");
  CHECK_REFUSED("Obj\1", "begins with Obj 01, as Avro's containers do: decode = \"avro\", at byte 0");
  CHECK_REFUSED("\x1F\x8B\b", "begins with 1F 8B, as gzip's files do: unpack it first, at byte 0");
  CHECK_REFUSED("{\"a\":1,\"b\":\"ab\xc3\"}", "not UTF-8 at byte 14");
  CHECK_REFUSED("{\"a\":1,\"b\":\"\xed\xa0\x80\"}", "not UTF-8 at byte 12");
  CHECK_REFUSED("{\"a\":1,\"\xc0\xaf\":2}", "not UTF-8 at byte 8");
  CHECK_REFUSED("{\"a\":1}\xfe", "at byte 7"); /* UTF-8 or not, nothing may stand there */
  CHECK_SELECT("a", "{\"a\":\"äß😀\"}", "\"äß😀\"");
}

TEST(s9_1_control_characters_are_refused_in_strings) {
  CHECK_REFUSED("{\"a\":1,\"b\":\"x\ny\"}", "a control character stands unescaped in a string at byte 13");
  CHECK_REFUSED("{\"a\":1,\"b\tc\":2}", "a control character stands unescaped in a string at byte 9");
}

TEST(nul_bytes_are_refused) {
  struct codec c;
  codec_open(&c, "a");
  CHECK_INT(codec_row_bytes(&c, "{\"a\":1}\0", 8), RL_EHANDLER);
  CHECK_HAS(c.err.text, "expected the end after the document, found byte 0x00 at byte 7");
  CHECK_INT(codec_row_bytes(&c, "{\"a\":\0001}", 8), RL_EHANDLER);
  CHECK_INT(codec_row_bytes(&c, "{\"a\":\"\0\"}", 9), RL_EHANDLER);
  CHECK_INT(codec_row_bytes(&c, "\0", 1), RL_EHANDLER);
  codec_close(&c);
}

TEST(d_9_an_empty_value_is_an_error_of_its_own) {
  CHECK_REFUSED("", "empty value");
  CHECK_REFUSED(" \n\t ", "nothing but blanks, at byte 4");
}

TEST(a_byte_order_mark_is_refused_by_name) {
  CHECK_REFUSED("\xEF\xBB\xBF{\"a\":1}", "byte-order mark (EF BB BF)");
}

TEST(a_root_that_is_no_object_is_no_sample) {
  CHECK_SELECT("a", "5", "error: expected an object with the fields asked for, found a number at byte 0");
  CHECK_SELECT(
      "a", "[{\"a\":1}]",
      "error: expected an object with the fields asked for, found an array at byte 0 (rows = \"[*]\" "
      "reads its elements)");
  CHECK_SELECT("a", " [1]", "error: expected an object with the fields asked for, found an array at byte 1");
  CHECK_SELECT("a", "\"x\"", "error: expected an object with the fields asked for, found a text at byte 0");
  CHECK_SELECT("a", "null", "error: expected an object with the fields asked for, found null at byte 0");
  CHECK_SELECT("a", "true", "error: expected an object with the fields asked for, found a boolean at byte 0");
  CHECK_SELECT("x=[0]", "{}",
               "error: expected an array with the fields asked for, found an object at byte 0");
  CHECK_HAS(select_from("a", "NaN"), "error: not JSON: expected a value, found 'N' at byte 0");
  CHECK_HAS(select_from("a", "[1"), "error: not JSON: cut short");
  CHECK_HAS(select_from("a", "1.2.3"), "error: not JSON: malformed number");
}

TEST(any_json_will_do_when_no_field_reads_the_value) {
  CHECK_SELECT("", "5", "");
  CHECK_SELECT("@topic", "[1]", "\"t\"");
  CHECK_SELECT("", "\"\\u0041\"", "");
  CHECK_HAS(select_from("", "nonsense"), "error: not JSON");
  CHECK_HAS(select_from("@topic", "{\"a\":}"), "error: not JSON");
}

TEST(of_a_key_that_comes_twice_the_last_counts) {
  CHECK_SELECT("a", "{\"a\":1,\"a\":2}", "2");
  CHECK_SELECT("a", "{\"a\":1,\"\\u0061\":2}", "2");
  CHECK_SELECT("a:f64", "{\"a\":\"x\",\"a\":2.5}", "2.5");
  CHECK_SELECT("c.a,c.b", "{\"c\":{\"a\":1},\"c\":{\"b\":2}}", "missing, 2");
  CHECK_SELECT("c.a,c.b", "{\"c\":{\"a\":1,\"b\":2},\"c\":5}", "missing, missing");
  CHECK_SELECT("c.a,c", "{\"c\":{\"a\":1},\"c\":null}", "missing, null");
  CHECK_SELECT("x=c[0],y=c[-1].d", "{\"c\":[1,{\"d\":2}],\"c\":[3]}", "3, missing");
  CHECK_STR(tape_of("{\"a\":1,\"a\":2}"), "object of 2 \"a\" 1 \"a\" 2");
}

static char *nested(size_t depth, const char *open, const char *inner, const char *close) {
  struct rl_buf out = RL_BUF_INIT;
  for (size_t i = 0; i < depth; i++) rl_buf_puts(&out, open);
  rl_buf_puts(&out, inner);
  for (size_t i = 0; i < depth; i++) rl_buf_puts(&out, close);
  return rl_buf_take(&out);
}

TEST(d_13_nesting_of_100000_is_an_error) {
  static const char *const open[] = {"[", "{\"a\":", "[{\"b\":"}, *const close[] = {"]", "}", "}]"};
  for (int i = 0; i < 3; i++) {
    char *document = nested(100000, open[i], "1", close[i]);
    CHECK_HAS(select_from("a.a", document), "JSON nested deeper than 1000 (limits.depth) at byte ");
    CHECK_HAS(select_from("x=[0].b", document), "JSON nested deeper than 1000 (limits.depth) at byte ");
    CHECK_HAS(tape_of(document), "JSON nested deeper than 1000");
    rl_free(document);
    document = nested(100000, open[i], "", "");
    CHECK_HAS(select_from("a", document), "JSON nested deeper than 1000");
    CHECK_HAS(tape_of(document), "JSON nested deeper than 1000");
    rl_free(document);
  }
}

TEST(s9_1_depth_is_counted_to_the_limit) {
  char *document = nested(1000, "[", "", "]"), *deeper = nested(1001, "[", "", "]");
  CHECK_SELECT("", document, "");
  CHECK_HAS(select_from("", deeper), "at byte 1000");
  CHECK_HAS(tape_of(document), "array of 1 array of 1");
  CHECK_HAS(tape_of(deeper), "at byte 1000");
  rl_free(document);
  rl_free(deeper);
  struct codec c;
  CHECK(codec_open_as(&c, "json", "a.b,c", false, 3));
  CHECK_INT(codec_row(&c, "{\"a\":{\"b\":[1]},\"c\":[[1],[2]]}"), 0);
  CHECK_STR(codec_cells(&c), "json [1], json [[1],[2]]");
  CHECK_INT(codec_row(&c, "{\"a\":{\"b\":[[1]]}}"), RL_EHANDLER);
  CHECK_HAS(c.err.text, "nested deeper than 3 (limits.depth) at byte 11");
  CHECK_INT(codec_row(&c, "{\"z\":{\"b\":[[1]]}}"), RL_EHANDLER);
  CHECK_INT(codec_row(&c, "{\"c\":[{},{},{}],\"a\":{}}"), 0);
  codec_close(&c);
}

TEST(a_million_levels_when_they_are_allowed) {
  struct codec c;
  codec_open_as(&c, "json", "a", false, 2000000);
  char *document = nested(1000000, "[", "", "]");
  struct rl_buf whole = RL_BUF_INIT;
  rl_buf_printf(&whole, "{\"a\":1,\"b\":%s}", document);
  CHECK_INT(codec_row(&c, whole.data), 0);
  CHECK_STR(codec_cells(&c), "1");
  rl_buf_free(&whole);
  rl_free(document);
  codec_close(&c);
}
