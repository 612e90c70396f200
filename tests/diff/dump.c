/* dump   reads cases on its standard input, writes what rille's decoders make of each, a line of JSON a case
 *
 * A case is six runs of bytes, each after its length (32 bits, little-endian): format, options, fields,
 * schema, key, value. Options are words: framing=NAME, key (the key is there), logical, header,
 * delimiter=CHARACTER, columns=a,b,c, encode=CODEC; shape=TYPE,2x3,PATH adds a field. A line is
 * {"error": text} or {"records": [whole values], "rows": [[cells]]}. Values: null, true, 5, "text", [items];
 * {"d": "hexadecimal double"}, {"n": "a number too wide"}, {"b": "base64"}, {"o": [[key, value]]},
 * {"j": "JSON text"}, {"m": 1} for what is missing. Arrays of a shape are lists of all their elements.
 *
 * With encode=CODEC the values are written again, and a line is {"encoded": {"b": "base64"}}: of Avro a
 * container in that codec, of CSV the records. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "codec/avro_encode.h"
#include "codec/csv_write.h"
#include "codec/decoder.h"

enum { FORMAT, OPTIONS, FIELDS, SCHEMA, KEY, VALUE, PARTS };

struct test_case {
  char *part[PARTS];
  size_t len[PARTS];
};

static bool read_part(char **part, size_t *len) {
  unsigned char size[4];
  if (fread(size, 1, 4, stdin) != 4) return false;
  *len = (size_t)size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16 | (size_t)size[3] << 24;
  *part = rl_alloc(*len + 1);
  (*part)[*len] = 0;
  return fread(*part, 1, *len, stdin) == *len;
}

static bool read_case(struct test_case *c) {
  for (int i = 0; i < PARTS; i++)
    if (!read_part(&c->part[i], &c->len[i])) return false;
  return true;
}

static void free_case(struct test_case *c) {
  for (int i = 0; i < PARTS; i++) rl_free(c->part[i]);
}

/* ---- cells ---- */

static const struct rl_cell *put_value(struct rl_buf *out, const struct rl_cell *cell);

static void put_named(struct rl_buf *out, const char *name, struct rl_bytes text) {
  rl_buf_printf(out, "{\"%s\":", name);
  rl_put_json_string(out, text);
  rl_buf_putc(out, '}');
}

static void put_blob(struct rl_buf *out, struct rl_bytes bytes) {
  rl_buf_puts(out, "{\"b\":\"");
  rl_put_base64(out, bytes);
  rl_buf_puts(out, "\"}");
}

static const struct rl_cell *put_items(struct rl_buf *out, const struct rl_cell *cell) {
  bool object = cell->tag == RL_OBJECT;
  uint32_t n = cell->len;
  rl_buf_puts(out, object ? "{\"o\":[" : "[");
  cell++;
  for (uint32_t i = 0; i < n; i++) {
    if (i > 0) rl_buf_putc(out, ',');
    if (object) rl_buf_putc(out, '[');
    cell = put_value(out, cell);
    if (!object) continue;
    rl_buf_putc(out, ',');
    cell = put_value(out, cell);
    rl_buf_putc(out, ']');
  }
  rl_buf_puts(out, object ? "]}" : "]");
  return cell;
}

static void put_list(struct rl_buf *out, const struct rl_cell *cell) {
  rl_buf_putc(out, '[');
  for (uint32_t i = 0; i < cell->len; i++) {
    if (i > 0) rl_buf_putc(out, ',');
    put_value(out, &cell->list[i]);
  }
  rl_buf_putc(out, ']');
}

static struct rl_cell element_of(const struct rl_shaped *shaped, uint32_t i) {
  switch (shaped->type) {
    case RL_F32: return (struct rl_cell){.tag = RL_DOUBLE, .d = (double)((const float *)shaped->data)[i]};
    case RL_F64: return (struct rl_cell){.tag = RL_DOUBLE, .d = ((const double *)shaped->data)[i]};
    default: return (struct rl_cell){.tag = RL_INT, .i = ((const int64_t *)shaped->data)[i]};
  }
}

static void put_shaped(struct rl_buf *out, const struct rl_shaped *shaped) {
  for (uint32_t i = 0; i < shaped->shape->count; i++) {
    struct rl_cell cell = element_of(shaped, i);
    rl_buf_putc(out, i > 0 ? ',' : '[');
    put_value(out, &cell);
  }
  rl_buf_putc(out, ']');
}

/* Returns the cell after the value. */
static const struct rl_cell *put_value(struct rl_buf *out, const struct rl_cell *cell) {
  struct rl_bytes text = rl_bytes(cell->s, cell->len);
  switch (cell->tag) {
    case RL_MISSING: rl_buf_puts(out, "{\"m\":1}"); break;
    case RL_NULL: rl_buf_puts(out, "null"); break;
    case RL_BOOL: rl_buf_puts(out, cell->i ? "true" : "false"); break;
    case RL_INT: rl_buf_printf(out, "%lld", (long long)cell->i); break;
    case RL_DOUBLE: rl_buf_printf(out, "{\"d\":\"%a\"}", cell->d); break;
    case RL_BIG: put_named(out, "n", text); break;
    case RL_TEXT: rl_put_json_string(out, text); break;
    case RL_BLOB: put_blob(out, text); break;
    case RL_JSON: put_named(out, "j", text); break;
    case RL_TREE: put_items(out, cell->tree); break;
    case RL_LIST: put_list(out, cell); break;
    case RL_SHAPED: put_shaped(out, cell->shaped); break;
    default: return put_items(out, cell);
  }
  return cell + 1;
}

/* ---- a case ---- */

static const char *split(char *list, const char **names, size_t *n) {
  for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) names[(*n)++] = name;
  return list;
}

static void read_option(struct rl_decoder_opts *opts, char *word, const char **names) {
  if (strncmp(word, "framing=", 8) == 0 && rl_avro_framing_parse(word + 8, &opts->avro.framing, NULL) != 0)
    abort();
  if (strcmp(word, "logical") == 0) opts->avro.logical = true;
  if (strcmp(word, "header") == 0) opts->csv.header = true;
  if (strncmp(word, "delimiter=", 10) == 0) opts->csv.delimiter = word[10];
  if (strncmp(word, "columns=", 8) == 0) split(word + 8, names, &opts->csv.n_columns);
}

static bool no_header(const struct rl_msg *msg, size_t i, struct rl_header *out) {
  (void)msg, (void)i, (void)out;
  return false;
}

static void put_rows(struct rl_buf *out, const struct rl_columns *c) {
  for (size_t row = 0; row < c->rows; row++) {
    rl_buf_puts(out, row ? ",[" : "[");
    for (size_t f = 0; f < c->fields->n; f++) {
      if (f > 0) rl_buf_putc(out, ',');
      put_value(out, &c->col[f][row]);
    }
    rl_buf_putc(out, ']');
  }
}

static int decode(struct rl_decoder *d, const struct rl_msg *msg, struct rl_columns *c, struct rl_buf *out,
                  struct rl_err *err) {
  struct rl_tape tape = RL_TAPE_INIT;
  size_t n;
  int code = rl_decoder_rows(d, msg, c, &n, err);
  rl_buf_puts(out, "{\"records\":[");
  for (size_t i = 0; code == 0 && i < n; i++) {
    code = rl_decoder_tape(d, msg, i, &tape, err);
    if (i > 0) rl_buf_putc(out, ',');
    if (code == 0) put_value(out, tape.at);
  }
  rl_buf_puts(out, "],\"rows\":[");
  put_rows(out, c);
  rl_buf_puts(out, "]}");
  rl_tape_free(&tape);
  return code;
}

/* ---- writing again ---- */

static int write_avro(struct rl_decoder *d, const struct rl_msg *msg, struct rl_bytes schema,
                      const char *codec_name, size_t n, struct rl_buf *out, struct rl_err *err) {
  struct rl_avro_encode_opts plain = {0};
  struct rl_tape tape = RL_TAPE_INIT;
  struct rl_avro_encoder *encoder = NULL;
  struct rl_avro_file file = {0};
  enum rl_avro_codec codec;
  if (rl_avro_is_container(msg->value) && rl_avro_container_schema(msg->value, &schema, err) != 0)
    return err->code;
  int code = rl_avro_codec_find(rl_bytes_str(codec_name), &codec, err);
  if (code == 0) code = rl_avro_encoder_new(&encoder, schema, err);
  if (code == 0) rl_avro_file_begin(&file, encoder, codec, out);
  for (size_t i = 0; code == 0 && i < n; i++) {
    code = rl_decoder_tape(d, msg, i, &tape, err);
    if (code == 0) code = rl_avro_file_put(&file, tape.at, tape.n, &plain, err);
  }
  if (code == 0) code = rl_avro_file_end(&file, err);
  rl_avro_file_free(&file);
  rl_avro_encoder_free(encoder);
  rl_tape_free(&tape);
  return code;
}

static int write_csv(struct rl_decoder *d, const struct rl_msg *msg, char delimiter, size_t n,
                     struct rl_buf *out, struct rl_err *err) {
  struct rl_tape tape = RL_TAPE_INIT;
  int code = 0;
  for (size_t i = 0; code == 0 && i < n; i++) {
    code = rl_decoder_tape(d, msg, i, &tape, err);
    for (size_t k = 1; code == 0 && k < tape.n; k++) {
      if (k > 1) rl_buf_putc(out, delimiter);
      if (!rl_csv_put_cell(out, &tape.at[k], delimiter, tape.n == 2)) abort();
    }
    rl_buf_putc(out, '\n');
  }
  rl_tape_free(&tape);
  return code;
}

static int encode(struct rl_decoder *d, const struct rl_msg *msg, const struct test_case *c,
                  const struct rl_decoder_opts *opts, const char *codec, struct rl_buf *out,
                  struct rl_err *err) {
  struct rl_buf bytes = RL_BUF_INIT;
  bool tab = strcmp(c->part[FORMAT], "tsv") == 0;
  char delimiter = opts->csv.delimiter ? opts->csv.delimiter : tab ? '\t' : ',';
  size_t n;
  int code = rl_decoder_rows(d, msg, NULL, &n, err);
  if (code == 0 && strcmp(c->part[FORMAT], "avro") == 0)
    code = write_avro(d, msg, rl_bytes(c->part[SCHEMA], c->len[SCHEMA]), codec, n, &bytes, err);
  else if (code == 0)
    code = write_csv(d, msg, delimiter, n, &bytes, err);
  rl_buf_puts(out, "{\"encoded\":");
  put_blob(out, rl_buf_bytes(&bytes));
  rl_buf_putc(out, '}');
  rl_buf_free(&bytes);
  return code;
}

static int run_case(const struct test_case *c, const struct rl_fields *fields, struct rl_buf *out,
                    struct rl_err *err) {
  static const struct rl_msg_ops ops = {no_header, NULL};
  const char *names[256];
  struct rl_decoder_opts opts = {.fields = fields, .csv.columns = names};
  struct rl_msg msg = {.topic = "t", .value = rl_bytes(c->part[VALUE], c->len[VALUE]), .ops = &ops};
  struct rl_decoder *d;
  char *rest = NULL;
  const char *codec = NULL;
  if (c->len[KEY]) msg.key = rl_bytes(c->part[KEY], c->len[KEY]);
  if (c->len[SCHEMA]) opts.avro.schema = rl_bytes(c->part[SCHEMA], c->len[SCHEMA]);
  /* split uses strtok: the words are cut by strtok_r */
  for (char *word = strtok_r(c->part[OPTIONS], " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
    read_option(&opts, word, names);
    if (strncmp(word, "encode=", 7) == 0) codec = word + 7;
  }
  int code = rl_decoder_new(&d, c->part[FORMAT], &opts, err);
  if (code != 0) return code;
  struct rl_columns *columns = rl_columns_new(fields);
  code = codec ? encode(d, &msg, c, &opts, codec, out, err) : decode(d, &msg, columns, out, err);
  rl_columns_free(columns);
  rl_decoder_free(d);
  return code;
}

/* "f64,2x3,a.b" */
static int add_shape(struct rl_fields *fields, const char *text, struct rl_err *err) {
  struct rl_field_spec spec = {0};
  const char *comma = strchr(text, ','), *path = comma ? strchr(comma + 1, ',') : NULL;
  char type[8] = {0}, name[16];
  if (!path || comma - text > 7) return rl_fail(err, RL_EUSAGE, "shape=%s", text);
  memcpy(type, text, (size_t)(comma - text));
  if (rl_type_parse(type, &spec.type) != 0) return rl_fail(err, RL_EUSAGE, "shape=%s", text);
  for (const char *at = comma; at < path && spec.shape.n < RL_SHAPE_DIMS;) {
    char *end;
    spec.shape.at[spec.shape.n++] = (uint32_t)strtoul(at + 1, &end, 10);
    at = end;
  }
  snprintf(name, sizeof name, "s%zu", fields->n);
  return rl_fields_add_spec(fields, name, path + 1, &spec, err);
}

static int add_shapes(struct rl_fields *fields, const char *options, struct rl_err *err) {
  char *words = rl_strdup(options), *rest = NULL;
  int code = 0;
  for (char *word = strtok_r(words, " ", &rest); word && code == 0; word = strtok_r(NULL, " ", &rest))
    if (strncmp(word, "shape=", 6) == 0) code = add_shape(fields, word + 6, err);
  rl_free(words);
  return code;
}

static void answer(const struct test_case *c) {
  struct rl_fields fields = RL_FIELDS_INIT;
  struct rl_buf out = RL_BUF_INIT;
  struct rl_err err = {0};
  int code = c->len[FIELDS] ? rl_fields_parse(&fields, c->part[FIELDS], &err) : 0;
  if (code == 0) code = add_shapes(&fields, c->part[OPTIONS], &err);
  if (code == 0) code = run_case(c, &fields, &out, &err);
  if (code != 0) {
    rl_buf_clear(&out);
    put_named(&out, "error", rl_bytes_str(err.text));
  }
  puts(out.data);
  rl_buf_free(&out);
  rl_fields_free(&fields);
}

int main(void) {
  struct test_case c = {0};
  while (read_case(&c)) {
    answer(&c);
    free_case(&c);
    c = (struct test_case){0};
  }
  return 0;
}
