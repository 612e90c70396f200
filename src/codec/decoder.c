#include "codec/decoder.h"

#include "base/mem.h"
#include "base/str.h"
#include "codec/coerce.h"
#include "codec/format.h"
#include "codec/meta.h"

static const struct rl_format *const formats[] = {&rl_format_json, &rl_format_raw};
static const char *const format_names[] = {"json", "raw"};
enum { N_FORMATS = sizeof formats / sizeof *formats };

static const struct rl_fields no_fields = RL_FIELDS_INIT;

struct rl_decoder {
  const struct rl_format *format;
  void *self; /* the format's */
  struct rl_decoder_opts opts;
  struct rl_cell *row;   /* of the message being decoded: cells reach the columns only when all are right */
  struct rl_arena spare; /* of messages that are decoded without columns, only to be checked */
};

static const struct rl_format *find_format(const char *name, struct rl_err *err) {
  for (size_t i = 0; i < N_FORMATS; i++)
    if (strcmp(name, formats[i]->name) == 0) return formats[i];
  const char *nearest = rl_nearest(name, format_names, N_FORMATS);
  rl_fail(err, RL_EUSAGE, "decode '%s': no such format%s%s%s; there are json and raw", name,
          nearest ? " (did you mean " : "", nearest ? nearest : "", nearest ? "?)" : "");
  return NULL;
}

int rl_decoder_new(struct rl_decoder **out, const char *format_name, const struct rl_decoder_opts *opts,
                   struct rl_err *err) {
  const struct rl_format *format = find_format(format_name, err);
  if (!format) return RL_EUSAGE;
  struct rl_decoder *d = rl_zalloc(sizeof *d);
  d->format = format;
  d->opts = *opts;
  if (!d->opts.fields) d->opts.fields = &no_fields;
  int code = format->open(&d->self, &d->opts, err);
  if (code != 0) {
    rl_free(d);
    return code;
  }
  d->row = rl_zalloc(d->opts.fields->n * sizeof *d->row);
  rl_arena_init(&d->spare);
  *out = d;
  return 0;
}

void rl_decoder_free(struct rl_decoder *d) {
  if (!d) return;
  d->format->close(d->self);
  rl_arena_free(&d->spare);
  rl_free(d->row);
  rl_free(d);
}

/* All meta fields are filled, also when one is wrong: then the first error counts. */
static int fill_meta(const struct rl_decoder *d, const struct rl_msg *msg, struct rl_err *err) {
  int code = 0;
  for (size_t f = 0; f < d->opts.fields->n; f++) {
    const struct rl_field *field = &d->opts.fields->at[f];
    if (field->meta == RL_META_NONE) continue;
    struct rl_err *first = code == 0 ? err : NULL;
    int bad = rl_meta_cell(field, msg, &d->row[f], first);
    if (bad != 0) d->row[f] = (struct rl_cell){.tag = RL_MISSING};
    if (bad == 0) bad = rl_coerce_required(field, &d->row[f], first);
    if (code == 0) code = bad;
  }
  return code;
}

static int fill_values(const struct rl_decoder *d, const struct rl_msg *msg, struct rl_arena *arena,
                       struct rl_err *err) {
  int code = d->format->row(d->self, msg, arena, d->row, err);
  for (size_t f = 0; code == 0 && f < d->opts.fields->n; f++) {
    const struct rl_field *field = &d->opts.fields->at[f];
    if (field->meta != RL_META_NONE) continue;
    code = rl_coerce(field, &d->row[f], err);
    if (code == 0) code = rl_coerce_required(field, &d->row[f], err);
  }
  return code;
}

static void store(const struct rl_decoder *d, struct rl_columns *c, size_t row, bool values) {
  for (size_t f = 0; f < d->opts.fields->n; f++)
    if (values || d->opts.fields->at[f].meta != RL_META_NONE) c->col[f][row] = d->row[f];
}

int rl_decoder_row(struct rl_decoder *d, const struct rl_msg *msg, struct rl_columns *c, struct rl_err *err) {
  if (!c) rl_arena_reset(&d->spare);
  int code = fill_meta(d, msg, err);
  bool tombstone = !msg->value.data;
  if (!tombstone && code == 0) code = fill_values(d, msg, c ? &c->arena : &d->spare, err);
  if (c) store(d, c, rl_columns_add_row(c), code == 0 && !tombstone);
  return code;
}

void rl_decoder_suggest(struct rl_decoder *d, const struct rl_msg *msg, const struct rl_field *field,
                        struct rl_buf *out) {
  if (!d->format->suggest || field->meta != RL_META_NONE || !msg->value.data) return;
  d->format->suggest(d->self, msg, field, out);
}
