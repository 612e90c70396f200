/* Rows: declared types, required fields, meta fields, tombstones, formats. */
#include "codec_support.h"

#define CHECK_SELECT(list, document, want) CHECK_STR(select_from(list, document), want)

TEST(auto_and_any_take_a_value_as_it_is) {
  static const char document[] =
      "{\"a\":[1,null,\"x\"],\"b\":{},\"c\":true,\"d\":\"x\",\"e\":null,\"f\":1.5}";
  static const char want[] = "json [1,null,\"x\"], json {}, true, \"x\", null, 1.5";
  CHECK_SELECT("a,b,c,d,e,f", document, want);
  CHECK_SELECT("a:any,b:any,c:any,d:any,e:any,f:any", document, want);
}

TEST(declared_types_take_what_is_theirs) {
  CHECK_SELECT("a:i64,b:f64,c:f32,d:bool,e:str,f:bytes",
               "{\"a\":5,\"b\":0.1,\"c\":0.1,\"d\":false,\"e\":\"x\",\"f\":\"y\"}",
               "5, 0.1, 0.10000000149011612, false, \"x\", blob \"y\"");
  CHECK_SELECT("b:f64,c:f32", "{\"b\":7,\"c\":-7}", "7.0, -7.0");
  CHECK_SELECT("b:f64", "{\"b\":9007199254740992}", "9007199254740992.0");
}

TEST(s8_1_missing_and_null_pass_any_type) {
  CHECK_SELECT("a:i64,b:f64,c:f32,d:bool,e:str,f:bytes",
               "{\"a\":null,\"b\":null,\"c\":null,\"d\":null,\"e\":null}",
               "null, null, null, null, null, missing");
}

TEST(a_wrong_type_names_field_expected_and_found) {
  CHECK_SELECT("rb=c.rb:f64", "{\"c\":{\"rb\":\"x\"}}",
               "error: field 'rb' (c.rb): expected f64, found the text \"x\"");
  CHECK_SELECT("a:i64", "{\"a\":5.0}", "error: field 'a' (a): expected i64, found the number 5.0");
  CHECK_SELECT("a:i64", "{\"a\":true}", "error: field 'a' (a): expected i64, found true");
  CHECK_SELECT("a:bool", "{\"a\":1}", "error: field 'a' (a): expected bool, found the integer 1");
  CHECK_SELECT("a:str", "{\"a\":[1]}", "error: field 'a' (a): expected str, found an array");
  CHECK_SELECT("a:bytes", "{\"a\":{}}", "error: field 'a' (a): expected bytes, found an object");
  CHECK_SELECT("a:f32", "{\"a\":false}", "error: field 'a' (a): expected f32, found false");
  CHECK_HAS(select_from("a:i64", "{\"a\":\"0123456789012345678901234567890123456789012345\"}"),
            "found the text \"0123456789012345678901234567890123456789\" …");
}

TEST(s9_3_as_f64_what_a_double_does_not_hold_is_an_error) {
  CHECK_HAS(select_from("a:f64", "{\"a\":18446744073709551615}"),
            "expected f64, found the number 18446744073709551615, which a double does not hold");
  CHECK_HAS(select_from("a:f64", "{\"a\":1e400}"), "found the number 1e400, which a double does not hold");
  CHECK_HAS(select_from("a:f32", "{\"a\":-1e400}"), "which a double does not hold");
  CHECK_HAS(select_from("a:f32", "{\"a\":1e300}"), "too large for single precision");
  CHECK_HAS(select_from("a:i64", "{\"a\":18446744073709551615}"), "expected i64, found the number 1844");
  CHECK_HAS(select_from("a:f64", "{\"a\":2510000000000000003}"),
            "found the integer 2510000000000000003, which a double does not hold exactly: declare it i64");
  CHECK_HAS(select_from("a:f64", "{\"a\":9223372036854775807}"), "does not hold exactly");
  CHECK_SELECT("a:f64", "{\"a\":-9223372036854775808}", "-9.223372036854776e+18");
}

static const char *required_as(const char *format, const char *path, const char *const *documents) {
  static char out[512];
  struct codec c = {0};
  int code = 0;
  CHECK_INT(rl_fields_add(&c.fields, "x", path, RL_AUTO, true, NULL), 0);
  struct rl_decoder_opts opts = {.fields = &c.fields, .csv.header = true};
  CHECK_INT(rl_decoder_new(&c.decoder, format, &opts, NULL), 0);
  c.columns = rl_columns_new(&c.fields);
  for (; *documents; documents++) code = codec_row(&c, *documents);
  snprintf(out, sizeof out, "%.400s", code ? c.err.text : codec_cells(&c));
  codec_close(&c);
  return out;
}

static const char *required(const char *path, const char *document) {
  return required_as("json", path, (const char *const[]){document, NULL});
}

TEST(a_required_field_is_there_and_not_null) {
  CHECK_STR(required("c.rb", "{\"c\":{\"rb\":1}}"), "1");
  CHECK_STR(required("c.rb", "{\"c\":{}}"), "required field 'x' (c.rb) is missing");
  CHECK_STR(required("c.rb", "{\"c\":{\"rb\":null}}"), "required field 'x' (c.rb) is null");
  CHECK_STR(required("c.rb", "{\"c\":{\"rb\":1},\"c\":{}}"), "required field 'x' (c.rb) is missing");
}

TEST(of_a_required_field_that_no_value_had_the_nearest_is_named) {
  CHECK_STR(required("c.rb", "{\"d\":{\"rb\":1}}"), "required field 'x' (c.rb) is missing: there is 'd.rb'");
  CHECK_STR(required("mag", "{\"mog\":1}"), "required field 'x' (mag) is missing: there is 'mog'");
  CHECK_STR(required("p[*].mag", "{\"q\":[{\"mag\":1}]}"),
            "required field 'x' (p[*].mag) is missing: there is 'q[*].mag'");
  CHECK_STR(required("p[*].mag", "{\"p\":null}"), "required field 'x' (p[*].mag) is missing");
  CHECK_STR(required("p[*].mag", "{\"p\":[]}"), "[]");
  static const char *const met[] = {"{\"mag\":1}", "{\"mog\":1}", NULL};
  CHECK_STR(required_as("json", "mag", met), "required field 'x' (mag) is missing");
  static const char *const null[] = {"{\"mag\":null}", "{\"mog\":1}", NULL};
  CHECK_STR(required_as("json", "mag", null), "required field 'x' (mag) is missing");
}

TEST(a_required_column_of_csv) {
  CHECK_STR(required_as("csv", "mag", (const char *const[]){"mag,b\n1,2\n", NULL}), "1");
  CHECK_STR(required_as("csv", "mag", (const char *const[]){"mag,b\n,2\n", NULL}),
            "required field 'x' (mag) is missing");
  CHECK_STR(required_as("csv", "mag", (const char *const[]){"mog,b\n1,2\n", NULL}),
            "required field 'x' (mag) is missing: there is 'mog'");
  CHECK_STR(required_as("csv", "[2]", (const char *const[]){"mag,b\n1,2\n", NULL}),
            "required field 'x' ([2]) is missing");
}

struct headed {
  struct rl_header at[4];
  size_t n;
};

static bool header_at(const struct rl_msg *msg, size_t i, struct rl_header *out) {
  const struct headed *headers = msg->handle;
  if (i >= headers->n) return false;
  *out = headers->at[i];
  return true;
}
static const struct rl_msg_ops headed_ops = {header_at, NULL};

static struct rl_msg make_message(struct headed *headers, const char *key, const char *value) {
  return (struct rl_msg){.topic = "alerts",
                         .partition = 3,
                         .offset = INT64_C(5000000000),
                         .timestamp = 1549661409000,
                         .key = rl_bytes_str(key),
                         .value = rl_bytes_str(value),
                         .handle = headers,
                         .ops = &headed_ops};
}

static const char *decode(const char *format, const char *list, const struct rl_msg *msg) {
  static char out[1024];
  struct codec c;
  if (!codec_open_as(&c, format, list, false, 0)) UNIT_FAIL("%s", c.err.text);
  int code = rl_decoder_row(c.decoder, msg, c.columns, &c.err);
  CHECK_INT(c.columns->rows, 1);
  snprintf(out, sizeof out, "%s%s%.400s", codec_cells(&c), code ? " | " : "", code ? c.err.text : "");
  codec_close(&c);
  return out;
}

TEST(meta_fields_are_read_from_the_message) {
  struct headed headers = {{{"h", rl_bytes_str("1")}, {"g", rl_bytes(NULL, 0)}, {"h", rl_bytes_str("2.5")}},
                           3};
  struct rl_msg msg = make_message(&headers, "k", "{\"a\":1}");
  static const char list[] = "@key,@topic,@partition,@offset,@timestamp,h=@headers.h,@headers.g,@headers.x,a";
  CHECK_STR(decode("json", list, &msg),
            "blob \"k\", \"alerts\", 3, 5000000000, 1549661409000, blob \"2.5\", null, missing, 1");
  msg.timestamp = -1;
  msg.key = rl_bytes(NULL, 0);
  CHECK_STR(decode("raw", "@key,@timestamp", &msg), "null, null");
  msg.key = rl_bytes("", 0);
  CHECK_STR(decode("raw", "@key", &msg), "blob \"\"");
}

TEST(bytes_of_the_message_are_read_as_the_declared_type) {
  struct headed headers = {{{"b", rl_bytes_str("true")}, {"big", rl_bytes_str("1e400")}}, 2};
  struct rl_msg msg = make_message(&headers, "1.000000000000000000e+00", "");
  CHECK_STR(decode("raw", "@key:f64,@headers.b:bool,t=@topic:str,o=@offset:f64", &msg),
            "1.0, true, \"alerts\", 5000000000.0");
  CHECK_STR(decode("raw", "@key:str", &msg), "\"1.000000000000000000e+00\"");
  CHECK_HAS(decode("raw", "@headers.big:f64", &msg), "found the number 1e400, which a double does not hold");
  CHECK_HAS(decode("raw", "@key:i64", &msg), "expected i64, found the number 1.0");
  msg.key = rl_bytes_str("-42");
  CHECK_STR(decode("raw", "@key:i64,x=@key:f32", &msg), "-42, -42.0");
  msg.key = rl_bytes_str("42 ");
  CHECK_STR(decode("raw", "@key:i64", &msg),
            "missing | field 'key' (@key): expected i64, found the bytes \"42 \"");
  msg.key = rl_bytes_str("");
  CHECK_HAS(decode("raw", "@key:i64", &msg), "found the bytes \"\"");
  msg.key = rl_bytes("\xff", 1);
  CHECK_HAS(decode("raw", "@key:str", &msg), "which are no UTF-8");
}

TEST(d_9_a_tombstone_is_a_row_without_fields) {
  struct headed headers = {.n = 0};
  struct rl_msg msg = make_message(&headers, "k", NULL);
  CHECK_STR(decode("json", "a,b=c.d:f64,@key", &msg), "missing, missing, blob \"k\"");
  struct codec c = {0};
  rl_fields_add(&c.fields, NULL, "a", RL_I64, true, NULL);
  struct rl_decoder_opts opts = {.fields = &c.fields, .strict = true};
  CHECK_INT(rl_decoder_new(&c.decoder, "json", &opts, NULL), 0);
  c.columns = rl_columns_new(&c.fields);
  CHECK_INT(rl_decoder_row(c.decoder, &msg, c.columns, &c.err), 0);
  CHECK_STR(codec_cells(&c), "missing");
  codec_close(&c);
}

TEST(a_row_with_an_error_has_its_meta_fields_only) {
  struct headed headers = {.n = 0};
  struct rl_msg msg = make_message(&headers, "k", "{\"a\":1,\"b\":\"x\"}");
  CHECK_STR(decode("json", "a,b:i64,@key", &msg),
            "missing, missing, blob \"k\" | field 'b' (b): expected i64, found the text \"x\"");
  msg.value = rl_bytes_str("{\"a\":1");
  CHECK_HAS(decode("json", "a,@offset", &msg), "missing, 5000000000 | not JSON: cut short");
  msg.value = rl_bytes_str("");
  CHECK_HAS(decode("json", "a,@offset", &msg), "missing, 5000000000 | empty value");
  msg.value = rl_bytes_str("{\"a\":1}");
  CHECK_HAS(decode("json", "a,@topic:i64,@offset", &msg),
            "missing, missing, 5000000000 | field 'topic' (@topic): expected i64");
}

TEST(rows_after_a_bad_one_are_as_good_as_ever) {
  struct codec c;
  codec_open(&c, "a,b");
  for (int i = 0; i < 100; i++) {
    CHECK_INT(codec_row(&c, i % 3 ? "{\"a\":1,\"b\":\"\\u0041\"}" : "{\"a\":[[[[1,"),
              i % 3 ? 0 : RL_EHANDLER);
    CHECK_STR(codec_cells(&c), i % 3 ? "1, \"A\"" : "missing, missing");
  }
  CHECK_INT(c.columns->rows, 100);
  CHECK_INT(c.columns->col[0][1].i, 1);
  codec_close(&c);
}

TEST(without_columns_a_value_is_only_checked) {
  struct rl_decoder *d;
  struct rl_decoder_opts opts = {.fields = NULL};
  struct headed headers = {.n = 0};
  struct rl_err err;
  CHECK_INT(rl_decoder_new(&d, "json", &opts, &err), 0);
  struct rl_msg msg = make_message(&headers, "k", "\"\\u0041\"");
  CHECK_INT(rl_decoder_row(d, &msg, NULL, &err), 0);
  msg.value = rl_bytes_str("{\"a\":1}}");
  CHECK_INT(rl_decoder_row(d, &msg, NULL, &err), RL_EHANDLER);
  CHECK_HAS(err.text, "at byte 7");
  rl_decoder_free(d);
  rl_decoder_free(NULL);
}

TEST(s9_2_texts_point_into_the_payload_or_the_arena) {
  struct codec c;
  codec_open(&c, "a,b,c,n");
  static const char text[] = "{\"a\":\"plain\",\"b\":\"esc\\u0061ped\",\"c\":[\"\\n\"],\"n\":1e999}";
  CHECK_INT(codec_row(&c, text), 0);
  const char *end = c.payload + sizeof text - 1;
  const struct rl_cell *a = c.columns->col[0], *b = c.columns->col[1], *j = c.columns->col[2],
                       *n = c.columns->col[3];
  CHECK(a->s == c.payload + 6);
  CHECK(b->s < c.payload || b->s >= end);
  CHECK_STR(codec_cells(&c), "\"plain\", \"escaped\", json [\"\\n\"], big 1e999");
  CHECK(j->s == (const char *)memchr(c.payload, '[', sizeof text - 1));
  CHECK(n->s == (const char *)memmem(c.payload, sizeof text - 1, "1e999", 5));
  codec_close(&c);
}

TEST(s9_2_cells_outlive_the_documents_that_come_after) {
  struct codec c;
  codec_open(&c, "a");
  char *payloads[50];
  for (int i = 0; i < 50; i++) {
    char document[5000];
    memset(document, ' ', sizeof document);
    int len = snprintf(document, sizeof document, "{\"a\":\"%s%d\"", i % 2 ? "" : "\\u0041", i);
    document[len] = ' ';
    document[100 * i + 40] = '}';
    CHECK_INT(codec_row_bytes(&c, document, (size_t)(100 * i + 41)), 0);
    payloads[i] = c.payload; /* stays alive, as a batch's messages do */
    c.payload = NULL;
  }
  for (int i = 0; i < 50; i++) {
    char want[16];
    int len = snprintf(want, sizeof want, "%s%d", i % 2 ? "" : "A", i);
    const struct rl_cell *cell = &c.columns->col[0][i];
    CHECK_INT(cell->len, len);
    CHECK(memcmp(cell->s, want, (size_t)len) == 0);
    free(payloads[i]);
  }
  codec_close(&c);
}

TEST(large_documents) {
  struct rl_buf document = RL_BUF_INIT;
  rl_buf_puts(&document, "{\"big\":[");
  for (int i = 0; i < 1000000; i++) rl_buf_puts(&document, i ? ",[12345]" : "[12345]");
  rl_buf_puts(&document, "],\"a\":7}");
  struct codec c;
  codec_open(&c, "a,x=big[-1][0]");
  for (int i = 0; i < 2; i++) {
    CHECK_INT(codec_row_bytes(&c, document.data, document.len), 0);
    CHECK_STR(codec_cells(&c), "7, 12345");
    CHECK_INT(codec_row(&c, "{\"a\":1}"), 0);
    CHECK_STR(codec_cells(&c), "1, missing");
  }
  codec_close(&c);
  rl_buf_free(&document);
}

static const char *whole(const char *format, const char *value, size_t record) {
  static char out[1100];
  struct codec c;
  struct rl_tape tape = RL_TAPE_INIT;
  struct headed headers = {.n = 0};
  struct rl_msg msg = make_message(&headers, "k", value);
  CHECK(codec_open_as(&c, format, "", false, 0));
  int code = rl_decoder_tape(c.decoder, &msg, record, &tape, &c.err);
  snprintf(out, sizeof out, "%s%.1000s", code ? "error: " : "", code ? c.err.text : "");
  if (code == 0) snprintf(out, sizeof out, "%zu cells, the first of tag %u", tape.n, tape.at[0].tag);
  rl_tape_free(&tape);
  codec_close(&c);
  return out;
}

TEST(whole_values_by_the_decoder) {
  CHECK_STR(whole("json", "[1,2]", 0), "3 cells, the first of tag 9");
  CHECK_STR(whole("raw", "[1,2]", 0), "3 cells, the first of tag 9");
  CHECK_HAS(whole("raw", "no JSON", 0), "error: not JSON");
  CHECK_STR(whole("json", NULL, 0), "error: a null value, which holds nothing to decode");
  CHECK_STR(whole("json", "1", 1), "error: record 2 of a message of 1");
}

TEST(a_message_of_one_record_is_one_row) {
  struct codec c;
  struct headed headers = {.n = 0};
  struct rl_msg msg = make_message(&headers, "k", "{\"a\":1}");
  size_t n = 9;
  codec_open(&c, "a");
  CHECK_INT(rl_decoder_rows(c.decoder, &msg, c.columns, &n, &c.err), 0);
  CHECK_INT(n, 1);
  CHECK_STR(codec_cells(&c), "1");
  msg.value = rl_bytes_str("{");
  CHECK_INT(rl_decoder_rows(c.decoder, &msg, c.columns, &n, &c.err), RL_EHANDLER);
  CHECK_INT(n, 1);
  CHECK_INT(c.columns->rows, 2);
  CHECK_INT(rl_decoder_rows(c.decoder, &msg, NULL, &n, &c.err), RL_EHANDLER);
  codec_close(&c);
}

/* A decoder of JSON arrays, whose columns may have 4 KiB. */
static void open_rows(struct codec *c, const char *list) {
  *c = (struct codec){0};
  struct rl_decoder_opts opts = {.fields = &c->fields, .rows = "[*]", .max_columns = 4096};
  CHECK_INT(rl_fields_parse(&c->fields, list, &c->err), 0);
  CHECK_INT(rl_decoder_new(&c->decoder, "json", &opts, &c->err), 0);
  c->columns = rl_columns_new(&c->fields);
}

static int rows_of(struct codec *c, const char *document, size_t *n) {
  struct headed headers = {.n = 0};
  struct rl_msg msg = make_message(&headers, "k", document);
  c->err = (struct rl_err){0};
  return rl_decoder_rows(c->decoder, &msg, c->columns, n, &c->err);
}

/* 4096 bytes are 64 rows of 4 cells. */
TEST(s4_2_a_message_whose_records_take_too_much_room_is_a_bad_one) {
  struct codec c;
  char document[256] = "[";
  size_t n;
  open_rows(&c, "a,b,c,k=@key");
  for (int i = 0; i < 64; i++) strcat(document, i ? ",{}" : "{}");
  strcat(document, "]");
  for (int i = 0; i < 3; i++) { /* what was there before does not count */
    CHECK_INT(rows_of(&c, document, &n), 0);
    CHECK_INT(n, 64);
  }
  strcpy(document + strlen(document) - 1, ",{}]");
  CHECK_INT(rows_of(&c, document, &n), RL_EHANDLER);
  CHECK_STR(
      c.err.text,
      "the columns of its first 65 records are over 4096 bytes: read fewer fields, or raise limits.columns");
  CHECK_INT(n, 1);
  CHECK_INT(c.columns->rows, 3 * 64 + 1);
  CHECK_STR(codec_cells(&c), "missing, missing, missing, blob \"k\"");
  codec_close(&c);
}

TEST(arrays_of_defaults_take_room_and_a_single_record_may) {
  struct codec c;
  size_t n;
  open_rows(&c, "x:f64:shape=512:default=0");
  CHECK_INT(rows_of(&c, "[{}]", &n), 0);
  CHECK_INT(rows_of(&c, "[{},{}]", &n), RL_EHANDLER);
  CHECK_HAS(c.err.text, "its first 2 records are over 4096 bytes");
  codec_close(&c);
}

TEST(formats_have_names) {
  struct codec c;
  CHECK(!codec_open_as(&c, "jsn", "", false, 0));
  CHECK_STR(c.err.text,
            "decode 'jsn': no such format (did you mean json?); there are json, avro, csv, tsv and raw");
  CHECK_INT(c.err.code, RL_EUSAGE);
  codec_close(&c);
  CHECK(!codec_open_as(&c, "xml", "", false, 0));
  CHECK_STR(c.err.text, "decode 'xml': no such format; there are json, avro, csv, tsv and raw");
  codec_close(&c);
}

TEST(raw_reads_no_field_of_the_value) {
  struct codec c;
  CHECK(!codec_open_as(&c, "raw", "@key,rb=candidate.rb", false, 0));
  CHECK_INT(c.err.code, RL_EUSAGE);
  CHECK_HAS(c.err.text, "field 'rb' (candidate.rb) cannot be read with decode = \"raw\"");
  codec_close(&c);
  struct headed headers = {.n = 0};
  struct rl_msg msg = make_message(&headers, "k", "no JSON");
  CHECK_STR(decode("raw", "@offset", &msg), "5000000000");
  CHECK_STR(decode("raw", "", &msg), "");
}

static const char *suggestion(const char *path, const char *document) {
  static char out[256];
  struct codec c;
  struct rl_buf text = RL_BUF_INIT;
  char list[128];
  snprintf(list, sizeof list, "x=%s", path);
  codec_open(&c, list);
  struct headed headers = {.n = 0};
  struct rl_msg msg = make_message(&headers, "k", document);
  rl_decoder_suggest(c.decoder, &msg, &c.fields.at[0], &text);
  snprintf(out, sizeof out, "%s", text.data ? text.data : "");
  rl_buf_free(&text);
  codec_close(&c);
  return out;
}

TEST(the_nearest_path_is_suggested) {
  static const char document[] =
      "{\"objectId\":\"x\",\"candidate\":{\"rb\":1,\"magpsf\":2},\"prv\":[{\"mag.x\":3}],\"d\":{\"e\":{\"e\":"
      "1}}}";
  CHECK_STR(suggestion("candidate.magpfs", document), "candidate.magpsf");
  CHECK_STR(suggestion("magpsf", document), "candidate.magpsf");
  CHECK_STR(suggestion("candidat.rb", document), "candidate.rb");
  CHECK_STR(suggestion("objectid", document), "objectId");
  CHECK_STR(suggestion("\"mag.x\"", document), "prv[0].\"mag.x\"");
  CHECK_STR(suggestion("prv[0].\"mag.y\"", document), "prv[0].\"mag.x\"");
  CHECK_STR(suggestion("f.e", document), "d.e");
  CHECK_STR(suggestion("prv.\"mag.x\"", document), "prv[*].\"mag.x\"");
  CHECK_STR(suggestion("x", "[{\"x\":1}]"), "[*].x");
  CHECK_STR(suggestion("a.b.c", "{\"a\":[{\"b\":[{\"c\":1}]}],\"c\":2}"), "a[*].b[*].c");
  CHECK_STR(suggestion("a.b.c", "{\"a\":[],\"c\":2}"), "c");
  CHECK_STR(suggestion("zzzzzzzz", document), "");
  CHECK_STR(suggestion("prv[7]", document), "");
  CHECK_STR(suggestion("abcdefgh", "{\"abcdefg\\u0000x\":1}"), "");
  CHECK_STR(suggestion("x", "{\"a\\u0000\":{\"x\":1},\"b\":{\"x\":1}}"), "b.x");
  CHECK_STR(suggestion("a", "{\"a"), "");
  CHECK_STR(suggestion("a", "5"), "");
  CHECK_STR(suggestion("a", NULL), "");
}
