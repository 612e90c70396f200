/* libFuzzer: the first byte chooses, the first line is a list of fields, the second a schema (a digit: one of
 * those here; or empty), the rest a value: a container, bare under the schema, or the block of a container
 * that is made here. Whatever it is, nothing may be read past its end (ASan: the value is an exact
 * allocation), and what is selected must be what the whole value has; an array of a shape at the first
 * field's path, too. */
#include "../unit/codec_reference.h"

enum { STRICT = 1, LOGICAL = 2, KEY = 4, SMALL = 8, DEPTH = 16, WRAP = 32, CODEC = 64 };

#define RECORD(fields) "{\"type\":\"record\",\"name\":\"R\",\"fields\":[" fields "]}"
#define FIELD(name, type) "{\"name\":\"" name "\",\"type\":" type "}"
#define ARRAY(items) "{\"type\":\"array\",\"items\":" items "}"
#define MAP(values) "{\"type\":\"map\",\"values\":" values "}"
#define NEXT FIELD("n", "[\"null\",\"R\"]")

static const char *const schemas[] = {
    RECORD(FIELD("a", "\"long\"") "," FIELD("b", "[\"null\",\"float\",\"string\"]") "," FIELD(
        "c", ARRAY("\"bytes\"")) "," NEXT),
    MAP(ARRAY("[\"null\",\"double\",{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\",\"B\"]}," MAP(
        "\"int\"") "]")),
    RECORD(FIELD("a", "\"double\"") ",{\"name\":\"d\",\"type\":" ARRAY(
        "\"int\"") ",\"default\":[1,2]}," FIELD("c", ARRAY("\"string\"")) "," NEXT),
    ARRAY(ARRAY("\"null\"")),
    RECORD(FIELD("a", "{\"type\":\"fixed\",\"name\":\"F\",\"size\":3}") "," FIELD(
        "b",
        "{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":9,\"scale\":2}") "," FIELD("c",
                                                                                                  "\"boolean"
                                                                                                  "\""))};
enum { N_SCHEMAS = sizeof schemas / sizeof *schemas };

static struct rl_bytes schema_of(struct rl_bytes line) {
  unsigned digit = line.len == 1 ? (unsigned)(*line.data - '0') : N_SCHEMAS;
  return digit < N_SCHEMAS ? rl_bytes_str(schemas[digit]) : line;
}

static void put_length(struct rl_buf *out, size_t n) {
  for (n *= 2; n > 0x7F; n >>= 7) rl_buf_putc(out, (char)(n | 0x80));
  rl_buf_putc(out, (char)n);
}

static void put_part(struct rl_buf *out, struct rl_bytes part) {
  put_length(out, part.len);
  rl_buf_put(out, part.data, part.len);
}

/* A container of one block; the value's first byte says how many values, and in which codec. */
static char *wrap(uint8_t how, struct rl_bytes schema, struct rl_bytes value, size_t *len) {
  static const char sync[] = "0123456789abcdef";
  static const char *const codecs[] = {"deflate", "zstandard", "snappy"};
  struct rl_buf out = RL_BUF_INIT;
  unsigned first = value.len > 0 ? (unsigned char)*value.data : 0;
  rl_buf_put(&out, "Obj\1\4", 5);
  put_part(&out, rl_bytes_str("avro.schema")), put_part(&out, schema);
  put_part(&out, rl_bytes_str("avro.codec")),
      put_part(&out, rl_bytes_str(how & CODEC ? codecs[first % 3] : "null"));
  rl_buf_putc(&out, 0), rl_buf_put(&out, sync, 16);
  put_length(&out, first % 4);
  put_part(&out, value.len > 0 ? rl_bytes(value.data + 1, value.len - 1) : value);
  rl_buf_put(&out, sync, 16);
  *len = out.len;
  char *exact = malloc(out.len);
  memcpy(exact, out.data, out.len);
  rl_buf_free(&out);
  return exact;
}

static bool parse_fields(struct rl_fields *fields, const uint8_t *data, size_t len) {
  char *list = rl_strndup((const char *)data, len);
  bool fine = strlen(list) == len && len > 0 && rl_fields_parse(fields, list, NULL) == 0;
  for (size_t f = 0; fine && f < fields->n; f++)
    fine = fields->at[f].meta == RL_META_NONE && fields->at[f].type == RL_AUTO;
  rl_free(list);
  return fine;
}

static _Noreturn void fail(const char *what, const char *text) {
  fprintf(stderr, "%s: %s\n", what, text);
  abort();
}

/* NaN is not itself, and a TREE is a part of the tape. */
static bool same(const struct rl_cell *cell, const struct rl_tape *tape, size_t i) {
  if (cell->tag != RL_TREE)
    return cell->tag == RL_BLOB ? tape->at[i].tag == RL_BLOB : reference_same_cell(cell, &tape->at[i]);
  if (cell->len != reference_after(tape, i) - i) return false;
  for (uint32_t k = 0; k < cell->len; k++)
    if (!reference_same_cell(&cell->tree[k], &tape->at[i + k])) return false;
  return true;
}

static void check_field(const struct rl_field *field, const struct rl_cell *cell,
                        const struct rl_tape *tape) {
  reference_same_fn *how = cell->tag == RL_SHAPED ? reference_same_shape : same;
  if (cell->tag == RL_SHAPED && field->n_lists) return;
  if (!reference_path(field, 0, cell, tape, 0, how))
    fail("another value than the whole one has", field->path);
}

/* The tape reads all, so it may refuse what a selection skips; the other way round it may not. */
static void check_rows(struct rl_decoder *d, const struct rl_msg *msg, struct rl_columns *c) {
  struct rl_err err = {0}, tape_err = {0};
  size_t n = 0;
  int code = rl_decoder_rows(d, msg, c, &n, &err);
  if (c->rows != n) fail("rows are not counted right", err.text);
  if (code != 0 && (n != 1 || !*err.text)) fail("an error without its row or text", err.text);
  struct rl_tape tape = RL_TAPE_INIT;
  for (size_t row = 0; code == 0 && row < n && row < 3; row++) {
    if (rl_decoder_tape(d, msg, row, &tape, &tape_err) != 0) break;
    for (size_t f = 0; f < c->fields->n; f++) check_field(&c->fields->at[f], &c->col[f][row], &tape);
  }
  rl_tape_free(&tape);
}

static void run(uint8_t how, const struct rl_fields *fields, struct rl_bytes schema, struct rl_bytes value) {
  static const struct rl_msg_ops ops = {reference_no_header, NULL};
  struct rl_decoder_opts opts = {
      .fields = fields, .strict = how & STRICT, .max_inflated = how & SMALL ? 1000 : 1 << 20};
  struct rl_msg msg = {.topic = "t", .value = value, .ops = &ops};
  opts.max_depth = how & DEPTH ? 5 : 0;
  opts.avro.logical = how & LOGICAL;
  if (how & KEY)
    msg.key = schema;
  else if (schema.len > 0)
    opts.avro.schema = schema;
  struct rl_decoder *d;
  struct rl_err err;
  if (rl_decoder_new(&d, "avro", &opts, &err) != 0) return;
  struct rl_columns *c = rl_columns_new(fields);
  check_rows(d, &msg, c);
  struct rl_buf near = RL_BUF_INIT;
  if (fields->n > 0) rl_decoder_suggest(d, &msg, &fields->at[0], &near);
  rl_buf_free(&near);
  rl_columns_free(c);
  rl_decoder_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint8_t *end = data + size, *line = size > 1 ? memchr(data + 1, '\n', size - 1) : NULL;
  const uint8_t *second = line ? memchr(line + 1, '\n', (size_t)(end - line - 1)) : NULL;
  if (!second) return 0;
  struct rl_fields fields = RL_FIELDS_INIT;
  size_t len = (size_t)(end - second - 1);
  struct rl_bytes schema = schema_of(rl_bytes(line + 1, (size_t)(second - line - 1)));
  char *value = malloc(len ? len : 1);
  memcpy(value, second + 1, len);
  if (data[0] & WRAP) {
    char *wrapped = wrap(data[0], schema, rl_bytes(value, len), &len);
    free(value);
    value = wrapped;
    schema = rl_bytes("", 0);
  }
  if (parse_fields(&fields, data + 1, (size_t)(line - data - 1))) {
    struct rl_fields shaped = RL_FIELDS_INIT;
    run(data[0], &fields, schema, rl_bytes(value, len));
    if (reference_add_shape(&shaped, fields.at[0].path, (unsigned)len))
      run(data[0], &shaped, schema, rl_bytes(value, len));
    rl_fields_free(&shaped);
  }
  free(value);
  rl_fields_free(&fields);
  return 0;
}
