/* Rows of JSON: the elements of an array, in one pass over the document. */
#include "codec_support.h"

static bool open_array(struct codec *c, const char *path, const char *list, bool strict) {
  *c = (struct codec){0};
  struct rl_decoder_opts opts = {.fields = &c->fields, .rows = path, .strict = strict};
  if (*list && rl_fields_parse(&c->fields, list, &c->err) != 0) return false;
  if (rl_decoder_new(&c->decoder, "json", &opts, &c->err) != 0) return false;
  c->columns = rl_columns_new(&c->fields);
  return true;
}

static void put_rows(struct rl_buf *out, const struct codec *c, size_t n) {
  for (size_t row = 0; row < n; row++) {
    if (row > 0) rl_buf_puts(out, "; ");
    for (size_t f = 0; f < c->fields.n; f++) {
      if (f > 0) rl_buf_puts(out, ", ");
      put_cell(out, &c->columns->col[f][row]);
    }
  }
}

static int decode(struct codec *c, const char *text, size_t len, size_t *n) {
  static const struct rl_msg_ops ops = {codec_no_header, NULL};
  free(c->payload);
  c->payload = malloc(len ? len : 1);
  memcpy(c->payload, text, len);
  struct rl_msg msg = {.topic = "t", .value = rl_bytes(c->payload, len), .ops = &ops};
  return rl_decoder_rows(c->decoder, &msg, c->columns, n, &c->err);
}

/* All rows of a document, "; " between them. */
static const char *rows_as(const char *path, const char *list, const char *text, bool strict) {
  static char out[4096];
  struct codec c;
  struct rl_buf rows = RL_BUF_INIT;
  size_t n = 0;
  int code = open_array(&c, path, list, strict) ? decode(&c, text, strlen(text), &n) : c.err.code;
  if (code == 0) put_rows(&rows, &c, n);
  snprintf(out, sizeof out, "%s%s", code ? "error: " : "", code ? c.err.text : rl_buf_text(&rows));
  rl_buf_free(&rows);
  codec_close(&c);
  return out;
}

#define CHECK_ROWS(path, list, text, want) CHECK_STR(rows_as(path, list, text, false), want)

TEST(elements_of_an_array_are_rows) {
  CHECK_ROWS("[*]", "a,b", "[{\"a\":1,\"b\":\"x\"},{\"b\":\"\\u0041\"},{\"a\":null}]",
             "1, \"x\"; missing, \"A\"; null, missing");
  CHECK_ROWS("[*]", "a", " [ {\"a\":[1]} ] ", "json [1]");
  CHECK_ROWS("[*]", "a", "[]", "");
  CHECK_ROWS("[*]", "a", " [ ] ", "");
  CHECK_ROWS("[*]", "a", "[{},{}]", "missing; missing");
  CHECK_ROWS("[*]", "x=c.d[1]", "[{\"c\":{\"d\":[1,2]}},{\"c\":{\"d\":[3]}}]", "2; missing");
  CHECK_ROWS("[*]", "x=[0],y=[-1]", "[[1,2,3],[4]]", "1, 3; 4, 4");
}

TEST(a_field_may_be_a_list_in_each_element) {
  CHECK_ROWS("x[*]", "m=p[*].m", "{\"x\":[{\"p\":[{\"m\":1},{}]},{},{\"p\":[{\"m\":2}]}]}",
             "[1 missing]; missing; [2]");
}

TEST(of_a_key_that_comes_twice_the_last_counts_in_each_row) {
  CHECK_ROWS("[*]", "a", "[{\"a\":1,\"a\":2},{\"b\":1},{\"a\":3}]", "2; missing; 3");
}

TEST(the_array_may_be_in_the_document) {
  CHECK_ROWS("alerts[*]", "a", "{\"n\":2,\"alerts\":[{\"a\":1},{\"a\":2}],\"more\":{\"a\":[3]}}", "1; 2");
  CHECK_ROWS("alerts[*]", "a", "{\"alerts\":[]}", "");
  CHECK_ROWS("x.y[*]", "a", "{\"y\":[{\"a\":0}],\"x\":{\"z\":0,\"y\":[{\"a\":1}],\"w\":1},\"v\":2}", "1");
  CHECK_ROWS("\"a.b\".\"c[*]\"[*]", "a", "{\"a.b\":{\"c[*]\":[{\"a\":1}]}}", "1");
  CHECK_ROWS("alerts[*]", "a", "{\"\\u0061lerts\":[{\"a\":1}]}", "1"); /* keys are matched unescaped */
}

TEST(a_document_without_that_array_is_an_error) {
  CHECK_ROWS("[*]", "a", "{\"a\":1}", "error: rows = \"[*]\": expected an array, found an object at byte 0");
  CHECK_ROWS("[*]", "a", " null", "error: rows = \"[*]\": expected an array, found null at byte 1");
  CHECK_ROWS("x[*]", "a", "{\"x\":null}", "error: rows = \"x[*]\": expected an array, found null at byte 5");
  CHECK_ROWS("x[*]", "a", "{\"y\":[]}", "error: rows = \"x[*]\": there is no \"x\" in the object at byte 0");
  CHECK_ROWS("x[*]", "a", "{}", "error: rows = \"x[*]\": there is no \"x\" in the object at byte 0");
  CHECK_ROWS("x.y[*]", "a", "{\"x\":[1]}",
             "error: rows = \"x.y[*]\": expected an object on the way there, found an array at byte 5");
  CHECK_ROWS("x[*]", "a", "{\"x\":[{\"a\":1}],\"y\":0,\"x\":[]}",
             "error: rows = \"x[*]\": the key \"x\" comes again at byte 21");
}

TEST(an_element_that_is_no_sample_is_an_error_of_the_document) {
  CHECK_ROWS("[*]", "a", "[{\"a\":1},5]",
             "error: expected an object with the fields asked for, found a number at byte 9");
  CHECK_ROWS("[*]", "a", "[null]",
             "error: expected an object with the fields asked for, found null at byte 1");
  CHECK_ROWS("[*]", "a:i64", "[{\"a\":1},{\"a\":\"x\"}]",
             "error: record 2: field 'a' (a): expected i64, found the text \"x\"");
  CHECK_ROWS("[*]", "a:i64", "[{\"a\":\"x\"}]",
             "error: record 1: field 'a' (a): expected i64, found the text \"x\"");
  CHECK_ROWS("[*]", "", "[5,null,\"x\",[],{}]", "; ; ; ; "); /* nothing is read of them */
}

TEST(s9_1_the_document_is_checked_to_its_end) {
  static const char *const damaged[] = {
      "[{\"a\":1}",
      "[{\"a\":1},",
      "[{\"a\":1},]",
      "[{\"a\":1}]]",
      "[{\"a\":1}] x",
      "[{\"a\":1}{}]",
      "[,]",
      "[{\"a\":1}}",
      "[{\"a\":1},{]",
      "[{\"b\":}]",
      "[{\"a\" 1}]",
      "[",
      "",
      "[{\"a\":1}] []",
      "[{\"a\":1},{\"b\":[1,]}]",
  };
  for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
    CHECK_HAS(rows_as("[*]", "a", damaged[i], false), "error: ");
  static const char *const around[] = {
      "{\"x\":[{\"a\":1}]",          "{\"x\":[{\"a\":1}]}}",       "{\"x\":[{\"a\":1}],}",
      "{\"x\":[{\"a\":1}] \"y\":1}", "{\"x\":[{\"a\":1}],\"y\":}", "{\"x\":[{\"a\":1}]]",
      "{\"w\":[1,],\"x\":[]}",       "{\"x\":[],\"y\":{]}",        "{\"x\":[],\"\\q\":1}",
  };
  for (size_t i = 0; i < sizeof around / sizeof *around; i++)
    CHECK_HAS(rows_as("x[*]", "a", around[i], false), "error: ");
}

TEST(strict_checks_what_is_skipped_in_and_around_the_elements) {
  static const char *const loose[] = {"{\"x\":[{\"a\":1,\"b\":1.2.3}]}", "{\"v\":1.2.3,\"x\":[{\"a\":1}]}",
                                      "{\"x\":[{\"a\":1}],\"y\":1.2.3}"};
  for (size_t i = 0; i < 3; i++) {
    CHECK_ROWS("x[*]", "a", loose[i], "1");
    CHECK_HAS(rows_as("x[*]", "a", loose[i], true), "error: not JSON");
  }
}

TEST(paths_that_lead_to_no_array) {
  static const char *const wrong[] = {"",        "*",      "[]",      "[0]",    "alerts", "alerts[*].x",
                                      "a[0][*]", "[*][*]", "a..b[*]", "@key[*]"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    CHECK_HAS(rows_as(wrong[i], "a", "[]", false), "will not do: expected [*]");
}

TEST(depth_counts_from_the_documents_root) {
  struct codec c = {0};
  size_t n;
  struct rl_decoder_opts opts = {.fields = &c.fields, .rows = "x[*]", .max_depth = 3};
  rl_fields_parse(&c.fields, "a", NULL);
  CHECK_INT(rl_decoder_new(&c.decoder, "json", &opts, NULL), 0);
  c.columns = rl_columns_new(&c.fields);
  static const char fits[] = "{\"x\":[{\"a\":1}],\"y\":[[1]]}", deep[] = "{\"x\":[{\"a\":[1]}]}";
  for (int i = 0; i < 3; i++) CHECK_INT(decode(&c, fits, strlen(fits), &n), 0);
  CHECK_INT(decode(&c, deep, strlen(deep), &n), RL_EHANDLER);
  CHECK_HAS(c.err.text, "nested deeper than 3");
  codec_close(&c);
}

/* Whole elements, in any order; what is behind the last is an error. */
TEST(an_element_is_read_whole_by_its_number) {
  static const struct rl_msg_ops ops = {codec_no_header, NULL};
  struct codec c;
  struct rl_tape tape = RL_TAPE_INIT;
  struct rl_msg msg = {
      .topic = "t", .value = rl_bytes_str("{\"x\":[{\"a\":1},[2,3] , \"t\\n\",4]}"), .ops = &ops};
  open_array(&c, "x[*]", "", false);
  static const uint32_t tags[] = {RL_OBJECT, RL_ARRAY, RL_TEXT, RL_INT};
  static const size_t order[] = {0, 1, 2, 3, 2, 0, 3};
  for (size_t i = 0; i < 7; i++) {
    CHECK_INT(rl_decoder_tape(c.decoder, &msg, order[i], &tape, &c.err), 0);
    CHECK_INT(tape.at[0].tag, tags[order[i]]);
  }
  CHECK_INT(rl_decoder_tape(c.decoder, &msg, 4, &tape, &c.err), RL_EHANDLER);
  CHECK_STR(c.err.text, "record 5 of a message of 4");
  CHECK_INT(rl_decoder_tape(c.decoder, &msg, 9, &tape, &c.err), RL_EHANDLER);
  CHECK_STR(c.err.text, "record 10 of a message of 4");
  CHECK_INT(tape.n, 0);
  rl_tape_free(&tape);
  codec_close(&c);
}

TEST(the_nearest_path_of_an_element_is_suggested) {
  struct codec c;
  struct rl_buf out = RL_BUF_INIT;
  struct rl_msg msg = {.topic = "t", .value = rl_bytes_str("{\"x\":[{\"c\":{\"mag\":1}}]}")};
  open_array(&c, "x[*]", "mag", false);
  rl_decoder_suggest(c.decoder, &msg, &c.fields.at[0], &out);
  CHECK_STR(rl_buf_text(&out), "c.mag");
  msg.value = rl_bytes_str("{\"x\":[]}");
  rl_buf_clear(&out);
  rl_decoder_suggest(c.decoder, &msg, &c.fields.at[0], &out);
  CHECK_INT(out.len, 0);
  rl_buf_free(&out);
  codec_close(&c);
}

/* Each prefix of a document, and each with one byte gone, is refused or gives rows; none is read past its
 * end.
 */
TEST(s9_1_cut_anywhere_it_is_no_document) {
  static const char whole[] =
      "{\"k\\u0041\":{\"x\":1},\"x\":[{\"a\":\"q\\\"\",\"b\":[{}]},{\"a\":-1.5e3},{}],\"y\":[true,null]}";
  struct codec c;
  size_t n;
  open_array(&c, "x[*]", "a,b", false);
  for (size_t len = 0; len < sizeof whole - 1; len++) {
    CHECK_INT(decode(&c, whole, len, &n), RL_EHANDLER);
    CHECK_INT(n, 1);
  }
  CHECK_INT(decode(&c, whole, sizeof whole - 1, &n), 0);
  CHECK_INT(n, 3);
  for (size_t gone = 0; gone < sizeof whole - 1; gone++) {
    char text[sizeof whole];
    memcpy(text, whole, gone);
    memcpy(text + gone, whole + gone + 1, sizeof whole - 1 - gone);
    size_t before = c.columns->rows;
    int code = decode(&c, text, sizeof whole - 2, &n);
    CHECK_INT(c.columns->rows, before + n);
    CHECK(code == 0 || n == 1);
  }
  codec_close(&c);
}
