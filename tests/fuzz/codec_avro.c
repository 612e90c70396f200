/* libFuzzer: the first byte chooses, the first line is a list of fields, the second a schema (or empty), the
 * rest a value: a container, or bare under the schema. Whatever it is, nothing may be read past its end
 * (ASan: the value is an exact allocation), and what is selected must be what the whole value has. */
#include "../unit/codec_reference.h"

enum { STRICT = 1, LOGICAL = 2, KEY = 4, SMALL = 8, DEPTH = 16 };

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
  size_t i = 0;
  for (size_t n = 0; n < field->n_steps; n++) {
    i = reference_step(tape, i, &field->steps[n]);
    if (i > 0) continue;
    if (cell->tag != RL_MISSING) fail("selected where the whole value has nothing", field->path);
    return;
  }
  if (!same(cell, tape, i)) fail("another value than the whole one has", field->path);
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
  char *value = malloc(len ? len : 1);
  memcpy(value, second + 1, len);
  if (parse_fields(&fields, data + 1, (size_t)(line - data - 1)))
    run(data[0], &fields, rl_bytes(line + 1, (size_t)(second - line - 1)), rl_bytes(value, len));
  free(value);
  rl_fields_free(&fields);
  return 0;
}
