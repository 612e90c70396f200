/* libFuzzer: the first byte chooses settings and types, the rest is a text. Nothing may be read past its end
 * (ASan: it is an exact allocation), and cells that were read as texts, written again, are read the same. */
#include "../unit/codec_reference.h"

enum { HEADER = 1, COMMENT = 2, TAB = 4, NAMED = 8 };

static void put_quoted(struct rl_buf *out, const struct rl_cell *cell) {
  if (cell->tag == RL_MISSING) return;
  rl_buf_putc(out, '"');
  for (uint32_t i = 0; i < cell->len; i++) {
    if (cell->s[i] == '"') rl_buf_putc(out, '"');
    rl_buf_putc(out, cell->s[i]);
  }
  rl_buf_putc(out, '"');
}

static size_t read_rows(struct rl_decoder *d, struct rl_bytes text, struct rl_columns *c, bool *fine) {
  static const struct rl_msg_ops ops = {reference_no_header, NULL};
  struct rl_msg msg = {.topic = "t", .value = text, .ops = &ops};
  struct rl_err err = {0};
  size_t n;
  *fine = rl_decoder_rows(d, &msg, c, &n, &err) == 0;
  if (c->rows != n || (!*fine && !*err.text)) abort();
  return n;
}

/* Two columns of bytes, so that nothing is lost. */
static void check_again(struct rl_bytes text) {
  static const char *const names[] = {"a", "b"};
  struct rl_fields fields = RL_FIELDS_INIT;
  rl_fields_parse(&fields, "a:bytes,b:bytes", NULL);
  struct rl_decoder_opts opts = {.fields = &fields, .csv = {.columns = names, .n_columns = 2}};
  struct rl_decoder *d;
  if (rl_decoder_new(&d, "csv", &opts, NULL) != 0) abort();
  struct rl_columns *c = rl_columns_new(&fields), *again = rl_columns_new(&fields);
  struct rl_buf written = RL_BUF_INIT;
  bool fine;
  size_t n = read_rows(d, text, c, &fine);
  for (size_t row = 0; fine && row < n; row++) {
    put_quoted(&written, &c->col[0][row]);
    rl_buf_putc(&written, ',');
    put_quoted(&written, &c->col[1][row]);
    rl_buf_puts(&written, "\r\n");
  }
  if (fine && n > 0) {
    bool same;
    if (read_rows(d, rl_buf_bytes(&written), again, &same) != n || !same) abort();
    for (size_t f = 0; f < 2; f++)
      for (size_t row = 0; row < n; row++) {
        const struct rl_cell *one = &c->col[f][row], *two = &again->col[f][row];
        if (one->tag != two->tag || one->len != two->len ||
            (one->len && memcmp(one->s, two->s, one->len) != 0))
          abort();
      }
  }
  rl_buf_free(&written);
  rl_columns_free(c);
  rl_columns_free(again);
  rl_decoder_free(d);
  rl_fields_free(&fields);
}

static void check_types(uint8_t how, struct rl_bytes text) {
  static const char *const lists[] = {"x=[0],y=[1],z=[-1]", "x=[0]:f64,y=[1]:i64", "x=[0]:f32,y=[-2]:bool",
                                      "x=[0]:str,y=a"};
  static const char *const names[] = {"a", "b", "c"};
  struct rl_fields fields = RL_FIELDS_INIT;
  struct rl_decoder_opts opts = {.fields = &fields};
  struct rl_decoder *d;
  opts.csv.header = how & HEADER;
  opts.csv.comment = how & COMMENT ? '#' : 0;
  opts.csv.columns = names;
  opts.csv.n_columns = how & NAMED ? 3 : 0;
  rl_fields_parse(&fields, lists[how >> 4 & 3], NULL);
  if (rl_decoder_new(&d, how & TAB ? "tsv" : "csv", &opts, NULL) == 0) {
    struct rl_columns *c = rl_columns_new(&fields);
    bool fine;
    for (int i = 0; i < 2; i++, rl_columns_reset(c)) read_rows(d, text, c, &fine);
    rl_columns_free(c);
    rl_decoder_free(d);
  }
  rl_fields_free(&fields);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  char *text = malloc(size > 1 ? size - 1 : 1);
  memcpy(text, data + 1, size - 1);
  check_types(data[0], rl_bytes(text, size - 1));
  check_again(rl_bytes(text, size - 1));
  free(text);
  return 0;
}
