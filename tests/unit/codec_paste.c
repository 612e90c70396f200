/* Paths as an outline prints them, pasted into a list of fields: whatever the keys are, they read what they
 * were printed for. */
#include "codec/outline.h"

#include "codec_avro_support.h"

/* Each but the last ones is read as something else, or cut, where it is not in quotes. */
static const char *const odd[] = {"x:f64",
                                  "t:str",
                                  "c:bool",
                                  "dc:st",
                                  "a:i64:b",
                                  "k:",
                                  "i:j",
                                  ":",
                                  "w:",
                                  "v:required",
                                  "w:default=3",
                                  "z:shape=2",
                                  "y:bytes=big",
                                  "a,b",
                                  ",",
                                  "=",
                                  "a=b",
                                  "=a",
                                  " a",
                                  "a ",
                                  " ",
                                  "\t",
                                  "\n",
                                  "a\r\nb",
                                  "\x1B[2J",
                                  "\x7F",
                                  "\x01",
                                  "\xC2\x85",
                                  "\xE2\x80\xAEx",
                                  "@key",
                                  "@",
                                  "@headers.x",
                                  "a.b",
                                  ".",
                                  "[0]",
                                  "[*]",
                                  "]",
                                  "\"",
                                  "a\"b",
                                  "a\"",
                                  "\"a\"",
                                  "\"a\":f64",
                                  "x\":f64,\"y",
                                  "\\",
                                  "a\\",
                                  "\\\"",
                                  "\\n",
                                  "\\x41",
                                  "\n\\x41",
                                  "\x1B\\",
                                  ("\x1B"
                                   "41"),
                                  "\\\n",
                                  "a b",
                                  "\xC3\xA9",
                                  "a-b",
                                  "end"};
enum { N_ODD = sizeof odd / sizeof *odd };

/* One message and how it is read. */
struct value {
  const char *format;
  struct rl_decoder_opts opts;
  struct rl_buf bytes;
};

static const struct rl_msg_ops ops = {codec_no_header, NULL};

static void outline(const struct value *v, struct rl_outline *o) {
  struct rl_decoder *d;
  struct rl_decoder_opts opts = v->opts;
  struct rl_tape tape = RL_TAPE_INIT;
  struct rl_err err = {0};
  struct rl_msg msg = {.topic = "t", .value = rl_buf_bytes(&v->bytes), .ops = &ops};
  rl_outline_init(o);
  if (rl_decoder_new(&d, v->format, &opts, &err) || rl_decoder_tape(d, &msg, 0, &tape, &err))
    UNIT_FAIL("%s: %s", v->format, err.text);
  rl_outline_add(o, &tape);
  rl_tape_free(&tape);
  rl_decoder_free(d);
}

/* The fields of the list, as text, or "error: …"; the first one's name. */
static const char *read_list(const struct value *v, const char *list, struct rl_buf *name) {
  static char out[2048];
  struct codec c = {0};
  struct rl_decoder_opts opts = v->opts;
  opts.fields = &c.fields;
  rl_buf_clear(name);
  int code = rl_fields_parse(&c.fields, list, &c.err);
  if (!code) code = rl_decoder_new(&c.decoder, v->format, &opts, &c.err);
  if (!code) c.columns = rl_columns_new(&c.fields);
  if (!code) code = codec_row_bytes(&c, v->bytes.data, v->bytes.len);
  if (!code) rl_buf_puts(name, c.fields.at[0].name);
  snprintf(out, sizeof out, "%s%s", code ? "error: " : "", code ? c.err.text : codec_cells(&c));
  codec_close(&c);
  return out;
}

static void check_leaf(const struct value *v, const struct rl_outline_node *node) {
  struct rl_buf path = RL_BUF_INIT, list = RL_BUF_INIT, want = RL_BUF_INIT, name = RL_BUF_INIT,
                shown = RL_BUF_INIT;
  rl_outline_put_path(&path, node);
  rl_put_visible(&shown, rl_buf_bytes(&path));
  CHECK_STR(rl_buf_text(&shown), rl_buf_text(&path)); /* the table shows it as it is */
  rl_buf_printf(&list, "x=%s:i64, y = %s ,z=no_such_key:default=7", path.data, path.data);
  rl_buf_printf(&want, "%s, %s, 7", node->sample, node->sample);
  CHECK_STR(read_list(v, list.data, &name), want.data);
  if (node->name.len) {
    CHECK_STR(read_list(v, path.data, &name), node->sample);
    CHECK(rl_bytes_eq(rl_buf_bytes(&name), node->name));
  }
  rl_buf_free(&path), rl_buf_free(&list), rl_buf_free(&want), rl_buf_free(&name), rl_buf_free(&shown);
}

/* Returns how many leaves there were. */
static size_t check_paths(const struct value *v) {
  struct rl_outline o;
  size_t n = 0;
  outline(v, &o);
  for (const struct rl_outline_node *node = rl_outline_next(&o.root); node; node = rl_outline_next(node))
    if (!node->first) check_leaf(v, node), n++;
  rl_outline_free(&o);
  return n;
}

static void put_member(struct rl_buf *out, const char *key, int value) {
  rl_put_json_string(out, rl_bytes_str(key));
  rl_buf_printf(out, ":%d,", value);
}

TEST(of_json) {
  struct value v = {.format = "json"};
  rl_buf_puts(&v.bytes, "{");
  for (int i = 0; i < N_ODD; i++) {
    put_member(&v.bytes, odd[i], i);
    rl_buf_printf(&v.bytes, "\"in %d\":{", i);
    rl_put_json_string(&v.bytes, rl_bytes_str(odd[i]));
    rl_buf_puts(&v.bytes, ":{");
    put_member(&v.bytes, odd[N_ODD - 1 - i], 100 + i);
    put_member(&v.bytes, "", 200 + i);
    rl_buf_printf(&v.bytes, "\"x\":%d}},", 300 + i);
  }
  rl_buf_puts(&v.bytes, "\"\":-1}");
  CHECK_INT(check_paths(&v), 4 * N_ODD + 1);
  rl_buf_free(&v.bytes);
}

static void put_cell_of(struct rl_buf *out, const char *text) {
  rl_buf_putc(out, '"');
  for (; *text; text++) rl_buf_puts(out, (char[]){*text, *text == '"' ? '"' : 0, 0});
  rl_buf_putc(out, '"');
}

/* Names there are any bytes. */
TEST(of_csv) {
  struct value v = {.format = "csv", .opts.csv.header = true};
  for (int i = 0; i < N_ODD; i++) put_cell_of(&v.bytes, odd[i]), rl_buf_putc(&v.bytes, ',');
  rl_buf_puts(&v.bytes, "\"\",\"\xFF\xC3\"\n");
  for (int i = 0; i < N_ODD + 2; i++) rl_buf_printf(&v.bytes, i ? ",%d" : "%d", i);
  CHECK_INT(check_paths(&v), N_ODD + 2);
  rl_buf_free(&v.bytes);
}

TEST(of_an_avro_map) {
  struct value v = {.format = "avro", .opts = avro_bare("{\"type\":\"map\",\"values\":\"long\"}")};
  put_long(&v.bytes, N_ODD + 1);
  for (int i = 0; i < N_ODD; i++) put_text(&v.bytes, odd[i]), put_long(&v.bytes, i);
  put_text(&v.bytes, ""), put_long(&v.bytes, 77);
  put_long(&v.bytes, 0);
  CHECK_INT(check_paths(&v), N_ODD + 1);
  rl_buf_free(&v.bytes);
}

TEST(of_keys_at_random) {
  static const char letters[] = ".[]*\",:==@\\xn0A1fi64 \t\n\x1B\x7F";
  struct value v = {.format = "json"};
  unsigned seed = 5;
  rl_buf_puts(&v.bytes, "{");
  for (int i = 0; i < 900; i++) {
    char key[8] = {0};
    for (int k = 0, len = rand_r(&seed) % 7; k < len; k++)
      key[k] = letters[(size_t)rand_r(&seed) % (sizeof letters - 1)];
    put_member(&v.bytes, key, 0); /* keys come twice */
  }
  rl_buf_puts(&v.bytes, "\"x\":0}");
  CHECK(check_paths(&v) > 500);
  rl_buf_free(&v.bytes);
}

/* Keys are C strings here. */
TEST(a_nul_has_no_path_and_that_is_said) {
  struct value v = {.format = "json"};
  struct rl_outline o;
  struct rl_buf path = RL_BUF_INIT, name = RL_BUF_INIT;
  rl_buf_puts(&v.bytes, "{\"a\\u0000b\":1,\"a\":2}");
  outline(&v, &o);
  rl_outline_put_path(&path, o.root.first);
  CHECK_STR(path.data, "\"a\\x00b\"");
  CHECK_STR(read_list(&v, path.data, &name),
            "error: field path '\"a\\x00b\"': a key that holds a NUL cannot be named in a path");
  rl_outline_free(&o);
  rl_buf_free(&path), rl_buf_free(&name), rl_buf_free(&v.bytes);
}
