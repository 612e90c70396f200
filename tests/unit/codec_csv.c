/* CSV and TSV: records by RFC 4180, values, columns by name and place. */
#include "codec/csv_record.h"
#include "codec_support.h"
#include "comma_locale.h"

static const char *const three[] = {"a", "b", "c"};

static bool open_csv(struct codec *c, const char *format, const char *list, struct rl_csv_opts csv) {
  *c = (struct codec){0};
  struct rl_decoder_opts opts = {.fields = &c->fields, .csv = csv};
  if (*list && rl_fields_parse(&c->fields, list, &c->err) != 0) return false;
  if (rl_decoder_new(&c->decoder, format, &opts, &c->err) != 0) return false;
  c->columns = rl_columns_new(&c->fields);
  return true;
}

/* All rows of a message, "; " between them. */
static const char *rows_as(const char *format, struct rl_csv_opts csv, const char *list, const char *text) {
  static const struct rl_msg_ops ops = {codec_no_header, NULL};
  static char out[4096];
  struct codec c;
  struct rl_buf rows = RL_BUF_INIT;
  size_t n = 0, len = strlen(text);
  char *exact = malloc(len ? len : 1);
  memcpy(exact, text, len);
  struct rl_msg msg = {.topic = "t", .value = rl_bytes(exact, len), .ops = &ops};
  int code =
      open_csv(&c, format, list, csv) ? rl_decoder_rows(c.decoder, &msg, c.columns, &n, &c.err) : c.err.code;
  for (size_t row = 0; code == 0 && row < n; row++) {
    if (row > 0) rl_buf_puts(&rows, "; ");
    for (size_t f = 0; f < c.fields.n; f++) {
      if (f > 0) rl_buf_puts(&rows, ", ");
      put_cell(&rows, &c.columns->col[f][row]);
    }
  }
  snprintf(out, sizeof out, "%s%s", code ? "error: " : "", code ? c.err.text : rl_buf_text(&rows));
  rl_buf_free(&rows);
  free(exact);
  codec_close(&c);
  return out;
}

static const struct rl_csv_opts named = {.columns = three, .n_columns = 3};

static const char *rows(const char *list, const char *text) { return rows_as("csv", named, list, text); }

TEST(records_and_line_ends) {
  CHECK_STR(rows("a,b,c", "1,x,2.5\n"), "1, \"x\", 2.5");
  CHECK_STR(rows("a,b,c", "1,x,2.5"), "1, \"x\", 2.5");
  CHECK_STR(rows("a,c", "1,x,2\r\n3,y,4\n5,z,6\r7,w,8"), "1, 2; 3, 4; 5, 6; 7, 8");
  CHECK_STR(rows("a", "\n\r\n1,2,3\n\n4,5,6\n\n"), "1; 4");
  CHECK_STR(rows("a",
                 "\xEF\xBB\xBF"
                 "1,2,3"),
            "1");
  CHECK_STR(rows("a", ""), "");
  CHECK_STR(rows("a", "\n"), "");
}

TEST(quotes) {
  CHECK_STR(rows("a,b,c", "\"x,y\",\"line\r\nbreak\",\"a \"\"quoted\"\" word\""),
            "\"x,y\", \"line\\r\\nbreak\", \"a \\\"quoted\\\" word\"");
  CHECK_STR(rows("a,b,c", "\"\"\"\",\"\",\"\"\"\"\"\"\n"), "\"\\\"\", \"\", \"\\\"\\\"\"");
  CHECK_STR(rows("a,b,c", "it\"s,\" x \", y \n"), "\"it\\\"s\", \" x \", \" y \"");
  CHECK_STR(rows("a,b,c", "\"5\",5,\"\"\n"), "\"5\", 5, \"\"");
}

TEST(quotes_that_are_damaged) {
  CHECK_STR(rows("a", "1,\"two"), "error: CSV: cut short: no end to the quoted cell that starts at byte 2");
  CHECK_STR(
      rows("a", "1,2,3\n\"x\"y,2,3"),
      "error: CSV: text after the closing quote of a cell at byte 9 (a quote within one is written twice)");
  CHECK_STR(rows("a", "1,2,\""), "error: CSV: cut short: no end to the quoted cell that starts at byte 4");
}

TEST(records_have_as_many_cells_as_there_are_columns) {
  CHECK_STR(rows("a", "1,2\n"), "error: CSV: 2 cells, where there are 3 columns, in the record at byte 0");
  CHECK_STR(rows("a", "1,2,3\n1,2,3,4\n"),
            "error: CSV: 4 cells, where there are 3 columns, in the record at byte 6");
  CHECK_STR(rows("a,b,c", ",,\n"), "missing, missing, missing");
  CHECK_STR(rows_as("csv", (struct rl_csv_opts){0}, "x=[0],y=[2],z=[-1]", "1,2\n3,4,5\n"),
            "1, missing, 2; 3, 5, 5");
}

TEST(numbers_of_auto_are_json_s) {
  CHECK_STR(rows("a,b,c", "007,+5,.5"), "\"007\", \"+5\", \".5\"");
  CHECK_STR(rows("a,b,c", "-0,1e5,1.000000000000000000e+00"), "0, 100000.0, 1.0");
  CHECK_STR(rows("a,b,c", "2510000000000000003,18446744073709551615,1e400"),
            "2510000000000000003, big 18446744073709551615, big 1e400");
  CHECK_STR(rows("a,b,c", " 5 ,5 x,0x10"), "5, \"5 x\", \"0x10\"");
  CHECK_STR(rows("a,b,c", "nan,true,1.2.3"), "\"nan\", \"true\", \"1.2.3\"");
  CHECK_STR(rows("a,b,c", "1,5,-"), "1, 5, \"-\"");
}

TEST(declared_numbers_are_read_generously) {
  CHECK_STR(rows("a:i64,b:f64,c:f64", "+007,.5,5."), "7, 0.5, 5.0");
  CHECK_STR(rows("a:f64,b:f64,c:f64", "NaN,-inf,+Infinity"), "nan, -inf, inf");
  CHECK_STR(rows("a:f32,b:f64,c:f64", "-.5e3, 1 ,\"0.1\""), "-500.0, 1.0, 0.1");
  CHECK_STR(rows("a:f64,b:i64,c:bool", ",\"\","), "missing, missing, missing");
  CHECK_STR(rows("a:i64", "5.0,2,3"), "error: record 1: field 'a' (a): expected i64, found the number 5.0");
  CHECK_STR(rows("a:f64", "x,2,3"), "error: record 1: field 'a' (a): expected f64, found the text \"x\"");
  CHECK_STR(rows("a:f64", ".,2,3"), "error: record 1: field 'a' (a): expected f64, found the text \".\"");
  CHECK_STR(rows("a:f64", "+,2,3"), "error: record 1: field 'a' (a): expected f64, found the text \"+\"");
  CHECK_STR(rows("a:f64", "1,2,3\ne5,2,3"),
            "error: record 2: field 'a' (a): expected f64, found the text \"e5\"");
  CHECK_HAS(rows("a:f64", "2510000000000000003,2,3"), "does not hold exactly");
  CHECK_HAS(rows("a:i64", "1e400,2,3"), "expected i64, found the number 1e400");
}

TEST(csv_s_numbers_do_not_depend_on_the_locale) {
  CHECK(comma_locale());
  CHECK_STR(rows("a,b,c", "0.5,1.25e1,1e300"), "0.5, 12.5, 1e+300");
  CHECK_STR(rows("a:f64,b:f32,c:f64", ".5,+1.5,-inf"), "0.5, 1.5, -inf");
  CHECK_STR(rows("a,b:str,c", "\"0,5\",\"0,5\",5"), "\"0,5\", \"0,5\", 5");
  CHECK_STR(rows("a:f64", "\"0,5\",2,3"),
            "error: record 1: field 'a' (a): expected f64, found the text \"0,5\"");
  CHECK_STR(rows_as("csv", (struct rl_csv_opts){.delimiter = ';', .columns = three, .n_columns = 3}, "a:f64",
                    "0,5;2;3"),
            "error: record 1: field 'a' (a): expected f64, found the text \"0,5\"");
  plain_locale();
}

TEST(booleans_texts_and_bytes) {
  CHECK_STR(rows("a:bool,b:bool,c:bool", "True,0,f"), "true, false, false");
  CHECK_STR(rows("a:bool", "2,,"), "error: record 1: field 'a' (a): expected bool, found the text \"2\"");
  CHECK_STR(rows("a:str,b:bytes,c:any", "007,5,5"), "\"007\", blob \"5\", 5");
  CHECK_STR(rows("a,b", "\xff,\xc3\xa4,"), "blob \"\xef\xbf\xbd\", \"\xc3\xa4\"");
  CHECK_HAS(rows("a:str", "\xff,,"), "which are no UTF-8");
}

TEST(a_long_number_is_a_text) {
  char text[2000];
  memset(text, '1', sizeof text);
  strcpy(text + 1990, ",2,3");
  CHECK_HAS(rows("a", text), "\"1111");
  CHECK_HAS(rows("a:f64", text), "expected f64, found the text");
  strcpy(text + 500, ",2,3");
  CHECK_HAS(rows("a:f64", text), "which a double does not hold");
  memset(text, '.', 500);
  text[0] = '1';
  CHECK_HAS(rows("a:f64", text), "expected f64, found the text");
}

TEST(a_header_names_the_columns_of_its_message) {
  static const struct rl_csv_opts header = {.header = true};
  CHECK_STR(rows_as("csv", header, "mag,id", "id,mag\n1,2.5\n2,3.5\n"), "2.5, 1; 3.5, 2");
  CHECK_STR(rows_as("csv", header, "x=\"a.b\",y=nowhere", "\"a.b\",c\r\n1,2"), "1, missing");
  CHECK_STR(rows_as("csv", header, "mag", "id,mag\n"), "");
  CHECK_STR(rows_as("csv", header, "mag", ""), "");
  CHECK_STR(rows_as("csv", header, "mag", "id,mag\n1\n"),
            "error: CSV: 1 cells, where there are 2 columns, in the record at byte 7");
  struct rl_csv_opts both = {.columns = three, .n_columns = 3, .header = true};
  CHECK_STR(rows_as("csv", both, "a,c", "x,y,z\n1,2,3\n"), "1, 3");
}

TEST(a_header_that_names_a_column_twice) {
  static const struct rl_csv_opts header = {.header = true};
  static const char what[] =
      "error: CSV: the header names 'a' twice, in columns 1 and 3: take one by its place, [0] or [2]";
  CHECK_STR(rows_as("csv", header, "a", "a,b,a\n1,2,3\n"), what);
  CHECK_STR(rows_as("csv", header, "b,a", "a,b,a\n"), what);
  CHECK_STR(rows_as("csv", header, "b,x=[0],y=[2],z=[-1]", "a,b,a\n1,2,3\n"), "2, 1, 3, 3");
  CHECK_STR(rows_as("csv", header, "a,c", "a,b,b\n1,2,3\n"), "1, missing");
}

TEST(each_message_that_names_a_column_twice_is_refused) {
  struct codec c;
  static const struct rl_msg_ops ops = {codec_no_header, NULL};
  static const char *const texts[] = {"a,b,a\n1,2,3", "a,b,a\n1,2,3", "a,b\n1,2", "a,b,a\n1,2,3"};
  static const int codes[] = {RL_EHANDLER, RL_EHANDLER, 0, RL_EHANDLER};
  CHECK(open_csv(&c, "csv", "a", (struct rl_csv_opts){.header = true}));
  for (size_t i = 0; i < 4; i++) {
    struct rl_msg msg = {.topic = "t", .value = rl_bytes_str(texts[i]), .ops = &ops};
    CHECK_INT(rl_decoder_row(c.decoder, &msg, c.columns, &c.err), codes[i]);
  }
  codec_close(&c);
}

TEST(headers_that_change) {
  struct codec c;
  static const struct rl_msg_ops ops = {codec_no_header, NULL};
  static const char *const texts[] = {"a,b\n1,2", "a,b\n1,2", "b,a\n1,2", "a\n1", "x\n9"};
  static const char *const wants[] = {"1", "1", "2", "1", "missing"};
  CHECK(open_csv(&c, "csv", "a", (struct rl_csv_opts){.header = true}));
  for (size_t i = 0; i < 5; i++) {
    struct rl_msg msg = {.topic = "t", .value = rl_bytes_str(texts[i]), .ops = &ops};
    CHECK_INT(rl_decoder_row(c.decoder, &msg, c.columns, &c.err), 0);
    CHECK_STR(codec_cells(&c), wants[i]);
  }
  codec_close(&c);
}

TEST(delimiters_and_comments) {
  CHECK_STR(rows_as("tsv", named, "a,b,c", "1\tx,y\t\"t\tab\"\n"), "1, \"x,y\", \"t\\tab\"");
  struct rl_csv_opts opts = named;
  opts.delimiter = ';';
  opts.comment = '#';
  CHECK_STR(rows_as("csv", opts, "a,b", "# no record\n1;2;3\n#\n4;#5;6"), "1, 2; 4, \"#5\"");
  CHECK_STR(rows_as("csv", opts, "a", "# all there is"), "");
  opts.delimiter = '"';
  CHECK_STR(rows_as("csv", opts, "a", ""), "error: csv: a quote or line break cannot be the delimiter");
  opts.delimiter = '#';
  CHECK_HAS(rows_as("csv", opts, "a", ""), "cannot begin a comment");
}

TEST(fields_that_cannot_be_had) {
  CHECK_STR(
      rows("x.y", ""),
      "error: field 'y' (x.y) cannot be read with decode = \"csv\": a path is a column's name or [0], [1] … "
      "there (a name that holds a dot or bracket is written in quotes)");
  CHECK_STR(rows_as("csv", named, "bb", ""),
            "error: field 'bb' (bb): no column of that name (did you mean b?)");
  CHECK_HAS(rows_as("csv", (struct rl_csv_opts){0}, "a", ""),
            "nothing names the columns: set header, or columns");
  CHECK_STR(rows("@key,a,@topic", "1,2,3"), "null, 1, \"t\"");
}

static void suggests(const char *list, struct rl_bytes value, const char *want) {
  struct codec c;
  struct rl_buf text = RL_BUF_INIT;
  static const struct rl_msg_ops ops = {codec_no_header, NULL};
  CHECK(open_csv(&c, "csv", list, (struct rl_csv_opts){.header = true}));
  struct rl_msg msg = {.topic = "t", .value = value, .ops = &ops};
  rl_decoder_suggest(c.decoder, &msg, &c.fields.at[0], &text);
  CHECK_STR(rl_buf_text(&text), want);
  rl_buf_free(&text);
  codec_close(&c);
}

TEST(the_nearest_column_is_suggested) {
  suggests("magpfs", rl_bytes_str("id,magpsf\n1,2\n"), "magpsf");
  suggests("magpfs", rl_bytes_str("id,mag:psf\n1,2\n"), "\"mag:psf\"");
  suggests("magpfs", rl_bytes("id,magpsf\0x\n1,2\n", 17), "");
}

TEST(of_set_columns_the_nearest_is_told_as_it_can_be_pasted) {
  static const char *const names[] = {"a:b", "c"};
  struct rl_csv_opts csv = {.columns = names, .n_columns = 2};
  CHECK_STR(rows_as("csv", csv, "x=\"a:c\"", "1,2"),
            "error: field 'x' (\"a:c\"): no column of that name (did you mean \"a:b\"?)");
}

static const char *tape(struct rl_csv_opts csv, const char *text, size_t record) {
  static char out[2048];
  static const struct rl_msg_ops ops = {codec_no_header, NULL};
  struct codec c;
  struct rl_tape tape = RL_TAPE_INIT;
  struct rl_buf cells = RL_BUF_INIT;
  struct rl_msg msg = {.topic = "t", .value = rl_bytes_str(text), .ops = &ops};
  CHECK(open_csv(&c, "csv", "", csv));
  int code = rl_decoder_tape(c.decoder, &msg, record, &tape, &c.err);
  for (size_t i = 0; i < tape.n; i++) {
    if (i > 0) rl_buf_putc(&cells, ' ');
    put_cell(&cells, &tape.at[i]);
  }
  snprintf(out, sizeof out, "%s%s", code ? "error: " : "", code ? c.err.text : rl_buf_text(&cells));
  rl_buf_free(&cells);
  rl_tape_free(&tape);
  codec_close(&c);
  return out;
}

TEST(whole_records) {
  CHECK_STR(tape(named, "1,x,\n4,5,6", 0), "object of 3 \"a\" 1 \"b\" \"x\" \"c\" null");
  CHECK_STR(tape(named, "1,x,\n4,5,6", 1), "object of 3 \"a\" 4 \"b\" 5 \"c\" 6");
  CHECK_STR(tape((struct rl_csv_opts){0}, "1,\"2\"", 0), "array of 2 1 \"2\"");
  CHECK_STR(tape((struct rl_csv_opts){.header = true}, "p,q\n1,2", 0), "object of 2 \"p\" 1 \"q\" 2");
  CHECK_STR(tape(named, "1,2,3", 1), "error: record 2 of a message of 1");
  CHECK_STR(tape(named, "1,2", 0), "error: CSV: 2 cells, where there are 3 columns, in the record at byte 0");
}

/* A value of n delimiters, which are n + 1 cells. */
static char *commas(size_t n) {
  char *text = malloc(n + 1);
  memset(text, ',', n);
  text[n] = 0;
  return text;
}

TEST(the_cells_of_a_record_are_bounded) {
  char *text = commas(RL_CSV_CELLS);
  CHECK_STR(rows_as("csv", (struct rl_csv_opts){0}, "x=[-1]", text + 1), "missing");
  CHECK_STR(rows_as("csv", (struct rl_csv_opts){0}, "x=[-1]", text),
            "error: CSV: over 1048576 cells in the record at byte 0");
  text[3] = '\n';
  CHECK_STR(rows_as("csv", (struct rl_csv_opts){0}, "x=[-1]", text), "missing; missing");
  text[3] = ',';
  CHECK_STR(rows_as("csv", (struct rl_csv_opts){.header = true}, "x", text + 1), "");
  CHECK_STR(rows_as("csv", (struct rl_csv_opts){.header = true}, "x", text),
            "error: CSV: over 1048576 cells in the record at byte 0");
  free(text);
}

TEST(what_a_wide_record_took_does_not_stay) {
  struct rl_csv csv = {.delimiter = ','};
  struct rl_arena arena;
  char *text = commas(RL_CSV_CELLS - 1);
  rl_arena_init(&arena);
  rl_csv_start(&csv, rl_bytes_str(text), &arena);
  CHECK_INT(rl_csv_next(&csv, NULL), 1);
  CHECK_INT(csv.n, RL_CSV_CELLS);
  rl_csv_start(&csv, rl_bytes_str("1,2"), &arena);
  CHECK_INT(csv.cap, 0);
  CHECK_INT(rl_csv_next(&csv, NULL), 1);
  CHECK_INT(csv.n, 2);
  size_t kept = csv.cap;
  rl_csv_start(&csv, rl_bytes_str("1"), &arena);
  CHECK_INT(csv.cap, kept);
  rl_csv_free(&csv);
  rl_arena_free(&arena);
  free(text);
}

TEST(s9_2_texts_point_into_the_payload) {
  struct codec c;
  CHECK(open_csv(&c, "csv", "a,b,c", named));
  CHECK_INT(codec_row(&c, "plain,\"quoted\",\"dou\"\"bled\""), 0);
  CHECK(c.columns->col[0][0].s == c.payload);
  CHECK(c.columns->col[1][0].s == c.payload + 7);
  CHECK(c.columns->col[2][0].s < c.payload || c.columns->col[2][0].s >= c.payload + 27);
  codec_close(&c);
}

TEST(d_9_a_tombstone_is_a_row_without_fields) {
  struct codec c;
  static const struct rl_msg_ops ops = {codec_no_header, NULL};
  struct rl_msg msg = {.topic = "t", .value = rl_bytes(NULL, 0), .ops = &ops};
  size_t n;
  CHECK(open_csv(&c, "csv", "a,@topic", named));
  CHECK_INT(rl_decoder_rows(c.decoder, &msg, c.columns, &n, &c.err), 0);
  CHECK_INT(n, 1);
  CHECK_STR(codec_cells(&c), "missing, \"t\"");
  codec_close(&c);
}
