/* "raw": values stay bytes; fields read the message only. */
#include "codec/format.h"

static int open_raw(void **self, const struct rl_decoder_opts *opts, struct rl_err *err) {
  *self = NULL;
  for (size_t f = 0; f < opts->fields->n; f++) {
    const struct rl_field *field = &opts->fields->at[f];
    if (field->meta != RL_META_NONE) continue;
    return rl_fail(
        err, RL_EUSAGE,
        "field '%s' (%s) cannot be read with decode = \"raw\": decode = \"json\" reads it; raw has "
        "@key, @topic, @partition, @offset, @timestamp and @headers.NAME only",
        field->name, field->path);
  }
  return 0;
}

static void close_raw(void *self) { (void)self; }

static int row_raw(void *self, const struct rl_msg *msg, struct rl_arena *arena, struct rl_cell *row,
                   struct rl_err *err) {
  (void)self, (void)msg, (void)arena, (void)row, (void)err;
  return 0;
}

const struct rl_format rl_format_raw = {"raw", open_raw, close_raw, row_raw, NULL, NULL};
