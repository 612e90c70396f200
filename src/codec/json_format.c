/* "json": how the decoder reads JSON values. */
#include "base/mem.h"
#include "codec/format.h"
#include "codec/json_select.h"
#include "codec/json_suggest.h"

struct json_format {
  struct rl_json_select *select;
  size_t max_depth;
};

static int open_json(void **self, const struct rl_decoder_opts *opts, struct rl_err *err) {
  (void)err;
  struct json_format *f = rl_alloc(sizeof *f);
  struct rl_json_select_opts select = {opts->strict, opts->max_depth};
  f->select = rl_json_select_new(opts->fields, &select);
  f->max_depth = opts->max_depth;
  *self = f;
  return 0;
}

static void close_json(void *self) {
  struct json_format *f = self;
  rl_json_select_free(f->select);
  rl_free(f);
}

static int row_json(void *self, const struct rl_msg *msg, struct rl_arena *arena, struct rl_cell *row,
                    struct rl_err *err) {
  struct json_format *f = self;
  return rl_json_select_row(f->select, msg->value, arena, row, err);
}

static void suggest_json(void *self, const struct rl_msg *msg, const struct rl_field *field,
                         struct rl_buf *out) {
  struct json_format *f = self;
  rl_json_suggest(msg->value, f->max_depth, field, out);
}

const struct rl_format rl_format_json = {"json", open_json, close_json, row_json, suggest_json};
