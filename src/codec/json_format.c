/* "json": how the decoder reads JSON values, and with `rows` the elements of their arrays. */
#include "base/mem.h"
#include "codec/format.h"
#include "codec/json_array.h"
#include "codec/json_select.h"
#include "codec/json_suggest.h"

struct json_format {
  struct rl_json_select *select;
  size_t max_depth;
  struct rl_json_array *array; /* with rows */
  struct rl_json *whole;       /* of elements; made when the first is asked for */
  struct rl_arena *arena;      /* of the message being read */
};

static void close_json(void *self) {
  struct json_format *f = self;
  rl_json_array_free(f->array);
  rl_json_select_free(f->select);
  rl_json_free(f->whole);
  rl_free(f);
}

static int open_json(void **self, const struct rl_decoder_opts *opts, struct rl_err *err) {
  struct json_format *f = rl_zalloc(sizeof *f);
  struct rl_json_select_opts select = {opts->strict, opts->max_depth, true};
  f->select = rl_json_select_new(opts->fields, &select);
  f->max_depth = opts->max_depth;
  int code = opts->rows ? rl_json_array_new(&f->array, opts->rows, f->select, err) : 0;
  if (code == 0)
    *self = f;
  else
    close_json(f);
  return code;
}

static int row_json(void *self, const struct rl_msg *msg, struct rl_arena *arena, struct rl_cell *row,
                    struct rl_err *err) {
  struct json_format *f = self;
  return rl_json_select_row(f->select, msg->value, arena, row, err);
}

/* ---- rows ---- */

static int begin_json(void *self, const struct rl_msg *msg, struct rl_arena *arena, struct rl_err *err) {
  struct json_format *f = self;
  f->arena = arena;
  return rl_json_array_begin(f->array, msg->value, err);
}

static int next_json(void *self, struct rl_cell *row, struct rl_err *err) {
  struct json_format *f = self;
  return rl_json_array_next(f->array, f->arena, row, err);
}

static int tape_json(void *self, struct rl_tape *tape, struct rl_err *err) {
  struct json_format *f = self;
  struct rl_bytes text;
  int code = rl_json_array_next_text(f->array, &text, err);
  if (code != 1) return code;
  if (!f->whole) f->whole = rl_json_new();
  code = rl_json_tape(f->whole, text, f->max_depth, tape, err);
  return code == 0 ? 1 : code;
}

/* With rows the first element stands for all. */
static void suggest_json(void *self, const struct rl_msg *msg, const struct rl_field *field,
                         struct rl_buf *out) {
  struct json_format *f = self;
  struct rl_bytes document = msg->value;
  if (f->array && (rl_json_array_begin(f->array, msg->value, NULL) != 0 ||
                   rl_json_array_next_text(f->array, &document, NULL) != 1))
    return;
  rl_json_suggest(document, f->max_depth, field, out);
}

const struct rl_format rl_format_json = {"json", open_json, close_json, row_json, suggest_json, NULL};
const struct rl_format_rows rl_json_rows = {begin_json, next_json, tape_json, NULL};
