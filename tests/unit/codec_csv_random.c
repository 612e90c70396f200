/* CSV made by chance: numbers are the same wherever in a message they stand, records are those that a plain
 * loop finds. Messages are exact allocations, so that ASan sees a read past their end. */
#include "codec_support.h"

enum { ROUNDS = 20000 };

static uint64_t seed;

static uint32_t chance(uint32_t n) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (uint32_t)((seed >> 20) % n);
}

/* Without the field's name. */
static const char *wrong(const char *text) {
  const char *expected = strstr(text, "expected");
  return expected ? expected : text;
}

/* The first fields of a message's rows, "; " between them, or what is wrong. */
static const char *fields_of(char delimiter, const char *list, size_t fields, struct rl_bytes text) {
  static char out[4][8192];
  static int next;
  static const struct rl_msg_ops ops = {codec_no_header, NULL};
  char *to = out[next++ % 4], *exact = malloc(text.len ? text.len : 1);
  struct codec c = {0};
  struct rl_decoder_opts opts = {.fields = &c.fields, .csv = {.delimiter = delimiter}};
  struct rl_buf rows = RL_BUF_INIT;
  size_t n = 0;
  memcpy(exact, text.data, text.len);
  struct rl_msg msg = {.topic = "t", .value = rl_bytes(exact, text.len), .ops = &ops};
  CHECK_INT(rl_fields_parse(&c.fields, list, &c.err), 0);
  CHECK_INT(rl_decoder_new(&c.decoder, "csv", &opts, &c.err), 0);
  c.columns = rl_columns_new(&c.fields);
  int code = rl_decoder_rows(c.decoder, &msg, c.columns, &n, &c.err);
  for (size_t row = 0; code == 0 && row < n; row++)
    for (size_t f = 0; f < fields; f++) {
      if (row + f > 0) rl_buf_puts(&rows, f ? ", " : "; ");
      put_cell(&rows, &c.columns->col[f][row]);
    }
  snprintf(to, sizeof *out, "%s", code ? wrong(c.err.text) : rl_buf_text(&rows));
  rl_buf_free(&rows);
  free(exact);
  codec_close(&c);
  return to;
}

static const char *rows_of(char delimiter, const char *list, struct rl_bytes text) {
  size_t fields = 1;
  for (const char *at = list; *at; at++) fields += *at == ',';
  return fields_of(delimiter, list, fields, text);
}

/* Mostly a number, or nearly one. */
static void put_number(struct rl_buf *out) {
  static const char *const odd[] = {"nan",
                                    "inf",
                                    "-Infinity",
                                    "007",
                                    "+5",
                                    ".5",
                                    "5.",
                                    "-",
                                    "1e",
                                    "1.e5",
                                    "1e400",
                                    "-1e-400",
                                    "18446744073709551615",
                                    "-9223372036854775808",
                                    "0x10",
                                    "1.2.3",
                                    " 5",
                                    "5 ",
                                    "\t1.5\t",
                                    "true",
                                    "",
                                    "9007199254740993",
                                    "--1",
                                    "1e+5"};
  if (chance(3) == 0) {
    rl_buf_puts(out, odd[chance(sizeof odd / sizeof *odd)]);
    return;
  }
  if (chance(2)) rl_buf_putc(out, '-');
  uint32_t whole = chance(4) ? 1 : chance(25), fraction = chance(4) ? 8 : chance(25);
  for (uint32_t i = 0; i < whole; i++)
    rl_buf_putc(out, (char)('0' + (i + 1 < whole || whole > 1 ? 1 : 0) + (int)chance(9)));
  if (fraction) rl_buf_putc(out, '.');
  for (uint32_t i = 0; i < fraction; i++) rl_buf_putc(out, (char)('0' + (int)chance(10)));
  if (chance(5) == 0) rl_buf_printf(out, "e%s%u", chance(2) ? "-" : "+", chance(320));
}

static const char *const types[] = {"f32", "f64", "i64", "auto", "any", "bool", "str", "bytes"};

static const char *type_by_chance(void) { return types[chance(sizeof types / sizeof *types)]; }

/* In the midst of a message a number is read where it stands, at its end from a copy. */
TEST(a_number_is_the_same_in_the_midst_and_at_the_end) {
  seed = 20261201;
  for (int round = 0; round < ROUNDS && unit_failures == 0; round++) {
    struct rl_buf number = RL_BUF_INIT, text = RL_BUF_INIT;
    char first[32], last[32];
    const char *type = type_by_chance();
    put_number(&number);
    rl_buf_put(&text, number.data, number.len);
    rl_buf_puts(&text, ",some more bytes,");
    rl_buf_put(&text, number.data, number.len);
    snprintf(first, sizeof first, "x=[0]:%s", type);
    snprintf(last, sizeof last, "x=[2]:%s", type);
    const char *one = rows_of(',', first, rl_buf_bytes(&text)),
               *two = rows_of(',', last, rl_buf_bytes(&text));
    if (strcmp(one, two) != 0) UNIT_FAIL("%s as %s: %s, %s", rl_buf_text(&number), type, one, two);
    rl_buf_free(&number);
    rl_buf_free(&text);
  }
}

/* A text, in quotes or not, a number or nothing. */
static void put_any(struct rl_buf *out) {
  static const char *const texts[] = {"",         "abc", "\"\"",   "\"a,b\"", "\"12\"", "\"x\"\"y\"",
                                      "\"1\n2\"", " ",   "\"a\"b", "#",       "\"open"};
  if (chance(3))
    put_number(out);
  else
    rl_buf_puts(out, texts[chance(chance(20) ? 8 : sizeof texts / sizeof *texts)]);
}

static void put_messages_text(struct rl_buf *out) {
  static const char *const breaks[] = {"\n", "\r\n", "\r", "\n\n"};
  for (uint32_t record = 0, records = chance(4); record <= records; record++) {
    if (record) rl_buf_puts(out, breaks[chance(4)]);
    for (uint32_t cell = 0, cells = chance(6); cell <= cells; cell++) {
      if (cell) rl_buf_putc(out, ',');
      put_any(out);
    }
  }
}

/* Fields by place are read without a list of cells between; one that counts from the end wants the list. */
TEST(rows_are_the_same_with_a_list_of_cells_and_without) {
  seed = 42;
  int read = 0;
  for (int round = 0; round < ROUNDS && unit_failures == 0; round++) {
    struct rl_buf text = RL_BUF_INIT;
    char direct[96], listed[128];
    put_messages_text(&text);
    snprintf(direct, sizeof direct, "x=[1]:%s,y=[0]:%s,z=[4]:%s", type_by_chance(), type_by_chance(),
             type_by_chance());
    snprintf(listed, sizeof listed, "%s,last=[-1]:bytes", direct);
    const char *one = fields_of(',', direct, 3, rl_buf_bytes(&text));
    const char *two = fields_of(',', listed, 3, rl_buf_bytes(&text));
    if (strcmp(one, two) != 0) UNIT_FAIL("%s, %s: %s, %s", rl_buf_text(&text), direct, one, two);
    read += strncmp(one, "expected", 8) != 0 && strncmp(one, "CSV:", 4) != 0;
    rl_buf_free(&text);
  }
  CHECK(read > ROUNDS / 4);
}

TEST(a_delimiter_that_numbers_hold_ends_them_all_the_same) {
  CHECK_STR(rows_of('5', "x=[0],y=[1],z=[2]:f64", rl_bytes_str("12577775777777777777")),
            "12, 7777, 777777777777.0");
  CHECK_STR(rows_of('.', "x=[0],y=[1]", rl_bytes_str("12.5.xxxxxxxxxxxx")), "12, 5");
  CHECK_STR(rows_of('e', "x=[0],y=[1]", rl_bytes_str("1.5e3exxxxxxxxxxxx")), "1.5, 3");
  CHECK_STR(rows_of('-', "x=[0],y=[1]", rl_bytes_str("1-3-xxxxxxxxxxxx")), "1, 3");
}

/* ---- records ---- */

static void put_cell_of(struct rl_buf *out, struct rl_bytes cell) {
  if (cell.len == 0) {
    rl_buf_puts(out, "missing");
    return;
  }
  rl_buf_puts(out, "blob ");
  rl_put_json_string(out, cell);
}

/* The cells at places 0, 1, 2 and the last of a record without quotes. */
static void put_record(struct rl_buf *out, struct rl_bytes record) {
  struct rl_bytes cells[80] = {{0}};
  size_t n = 0, start = 0;
  for (size_t i = 0; i <= record.len; i++) {
    if (i < record.len && record.data[i] != ',') continue;
    cells[n++] = rl_bytes(record.data + start, i - start);
    start = i + 1;
  }
  if (out->len > 0) rl_buf_puts(out, "; ");
  for (size_t i = 0; i < 3; i++) {
    put_cell_of(out, cells[i]);
    rl_buf_puts(out, ", ");
  }
  put_cell_of(out, cells[n - 1]);
}

static void put_records(struct rl_buf *out, struct rl_bytes text) {
  size_t start = 0;
  rl_buf_puts(out, "");
  for (size_t i = 0; i <= text.len; i++) {
    if (i < text.len && text.data[i] != '\n' && text.data[i] != '\r') continue;
    if (i > start) put_record(out, rl_bytes(text.data + start, i - start));
    start = i + 1;
  }
}

TEST(records_are_split_as_byte_by_byte) {
  static const char bytes[] = "aaaaaaaaaaaaaaaabbbbbbbbbb     \t;.0,,,,\n\r";
  seed = 7;
  for (int round = 0; round < ROUNDS && unit_failures == 0; round++) {
    char text[80];
    size_t len = chance(sizeof text);
    struct rl_buf want = RL_BUF_INIT;
    for (size_t i = 0; i < len; i++) text[i] = bytes[chance(sizeof bytes - 1)];
    put_records(&want, rl_bytes(text, len));
    CHECK_STR(rows_of(',', "a=[0]:bytes,b=[1]:bytes,c=[2]:bytes,d=[-1]:bytes", rl_bytes(text, len)),
              rl_buf_text(&want));
    rl_buf_free(&want);
  }
}
