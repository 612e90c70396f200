/* What the codec room's tests share: one document through a decoder, cells as short texts. */
#ifndef RL_UNIT_CODEC_SUPPORT_H
#define RL_UNIT_CODEC_SUPPORT_H

#include "base/mem.h"
#include "base/str.h"
#include "codec/decoder.h"
#include "codec/json.h"
#include "unit.h"

static inline void put_shaped(struct rl_buf *out, const struct rl_shaped *shaped) {
  rl_buf_puts(out, rl_type_name((enum rl_type)shaped->type));
  for (uint32_t i = 0; i < shaped->shape->n; i++)
    rl_buf_printf(out, "%s%u", i ? "x" : " ", shaped->shape->at[i]);
  for (uint32_t i = 0; i < shaped->shape->count; i++) {
    rl_buf_puts(out, i ? " " : " (");
    switch (shaped->type) {
      case RL_F32: rl_put_double(out, (double)((const float *)shaped->data)[i]); break;
      case RL_F64: rl_put_double(out, ((const double *)shaped->data)[i]); break;
      case RL_I64: rl_buf_printf(out, "%lld", (long long)((const int64_t *)shaped->data)[i]); break;
      default: rl_buf_puts(out, ((const uint8_t *)shaped->data)[i] ? "true" : "false");
    }
  }
  rl_buf_putc(out, ')');
}

static inline void put_cell(struct rl_buf *out, const struct rl_cell *cell);

static inline void put_list(struct rl_buf *out, const struct rl_cell *cell) {
  rl_buf_putc(out, '[');
  for (uint32_t i = 0; i < cell->len; i++) {
    if (i > 0) rl_buf_putc(out, ' ');
    put_cell(out, &cell->list[i]);
  }
  rl_buf_putc(out, ']');
}

/* A cell as text: missing, null, true, 5, 0.5, big 1e400, "text", blob "bytes", json [1], a list [1 missing],
 * an array of a shape f32 1x2 (0.5 1.5). */
static inline void put_cell(struct rl_buf *out, const struct rl_cell *cell) {
  struct rl_bytes text = rl_bytes(cell->s, cell->len);
  switch (cell->tag) {
    case RL_MISSING: rl_buf_puts(out, "missing"); break;
    case RL_NULL: rl_buf_puts(out, "null"); break;
    case RL_BOOL: rl_buf_puts(out, cell->i ? "true" : "false"); break;
    case RL_INT: rl_buf_printf(out, "%lld", (long long)cell->i); break;
    case RL_DOUBLE: rl_put_double(out, cell->d); break;
    case RL_BIG: rl_buf_printf(out, "big %.*s", (int)cell->len, cell->s); break;
    case RL_TEXT: rl_put_json_string(out, text); break;
    case RL_BLOB: rl_buf_puts(out, "blob "), rl_put_json_string(out, text); break;
    case RL_JSON: rl_buf_printf(out, "json %.*s", (int)cell->len, cell->s); break;
    case RL_ARRAY: rl_buf_printf(out, "array of %u", cell->len); break;
    case RL_OBJECT: rl_buf_printf(out, "object of %u", cell->len); break;
    case RL_TREE:
      rl_buf_puts(out, "tree (");
      for (uint32_t i = 0; i < cell->len; i++) {
        if (i > 0) rl_buf_putc(out, ' ');
        put_cell(out, &cell->tree[i]);
      }
      rl_buf_putc(out, ')');
      break;
    case RL_LIST: put_list(out, cell); break;
    case RL_SHAPED: put_shaped(out, cell->shaped); break;
    default: rl_buf_printf(out, "tag %u", cell->tag);
  }
}

/* A decoder of a list of fields and the columns of the rows it decoded. */
struct codec {
  struct rl_fields fields;
  struct rl_decoder *decoder;
  struct rl_columns *columns;
  struct rl_err err;
  char *payload; /* of the last row: an exact allocation, so that ASan sees a read past its end */
  struct rl_buf text;
};

static inline bool codec_open_as(struct codec *c, const char *format, const char *list, bool strict,
                                 size_t max_depth) {
  *c = (struct codec){0};
  struct rl_decoder_opts opts = {.fields = &c->fields, .strict = strict, .max_depth = max_depth};
  if (*list && rl_fields_parse(&c->fields, list, &c->err) != 0) return false;
  if (rl_decoder_new(&c->decoder, format, &opts, &c->err) != 0) return false;
  c->columns = rl_columns_new(&c->fields);
  return true;
}

static inline void codec_open(struct codec *c, const char *list) {
  if (!codec_open_as(c, "json", list, false, 0)) UNIT_FAIL("%s: %s", list, c->err.text);
}

static inline bool codec_no_header(const struct rl_msg *msg, size_t i, struct rl_header *out) {
  (void)msg, (void)i, (void)out;
  return false;
}

static inline int codec_row_bytes(struct codec *c, const char *data, size_t len) {
  static const struct rl_msg_ops ops = {codec_no_header, NULL};
  if (!c->decoder) return c->err.code;
  free(c->payload);
  c->payload = malloc(len ? len : 1);
  memcpy(c->payload, data, len);
  struct rl_msg msg = {.topic = "t", .value = rl_bytes(c->payload, len), .ops = &ops};
  c->err = (struct rl_err){0};
  return rl_decoder_row(c->decoder, &msg, c->columns, &c->err);
}

static inline int codec_row(struct codec *c, const char *document) {
  return codec_row_bytes(c, document, strlen(document));
}

/* The cells of the last row, ", " between them. */
static inline const char *codec_cells(struct codec *c) {
  rl_buf_clear(&c->text);
  rl_buf_puts(&c->text, "");
  for (size_t f = 0; f < c->fields.n; f++) {
    if (f > 0) rl_buf_puts(&c->text, ", ");
    put_cell(&c->text, &c->columns->col[f][c->columns->rows - 1]);
  }
  return c->text.data;
}

static inline void codec_close(struct codec *c) {
  rl_decoder_free(c->decoder);
  rl_columns_free(c->columns);
  rl_fields_free(&c->fields);
  rl_buf_free(&c->text);
  free(c->payload);
}

/* The fields of one document, or "error: …". The text is good until the next call. */
static inline const char *select_from(const char *list, const char *document) {
  static char out[4096];
  struct codec c;
  codec_open(&c, list);
  int code = codec_row(&c, document);
  if (code != 0)
    snprintf(out, sizeof out, "error: %s", c.err.text);
  else
    snprintf(out, sizeof out, "%s", codec_cells(&c));
  codec_close(&c);
  return out;
}

/* The same with strict. */
static inline const char *select_strictly(const char *list, const char *document) {
  static char out[4096];
  struct codec c;
  codec_open_as(&c, "json", list, true, 0);
  int code = codec_row(&c, document);
  snprintf(out, sizeof out, "%s%s", code ? "error: " : "", code ? c.err.text : codec_cells(&c));
  codec_close(&c);
  return out;
}

/* A document's tape, " " between the cells, or "error: …". */
static inline const char *tape_of_bytes(const char *data, size_t len, size_t max_depth) {
  static char out[4096];
  struct rl_json *json = rl_json_new();
  struct rl_tape tape = RL_TAPE_INIT;
  struct rl_buf text = RL_BUF_INIT;
  struct rl_err err = {0};
  char *payload = malloc(len ? len : 1);
  memcpy(payload, data, len);
  int code = rl_json_tape(json, rl_bytes(payload, len), max_depth, &tape, &err);
  free(payload); /* a tape keeps nothing of it */
  for (size_t i = 0; i < tape.n; i++) {
    if (i > 0) rl_buf_putc(&text, ' ');
    put_cell(&text, &tape.at[i]);
  }
  snprintf(out, sizeof out, "%s%s", code ? "error: " : "", code ? err.text : text.data ? text.data : "");
  rl_buf_free(&text);
  rl_tape_free(&tape);
  rl_json_free(json);
  return out;
}

static inline const char *tape_of(const char *document) {
  return tape_of_bytes(document, strlen(document), 0);
}

#endif
