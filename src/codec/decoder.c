#include "codec/decoder.h"

#include "base/mem.h"
#include "base/str.h"
#include "codec/decoder_impl.h"
#include "codec/meta.h"
#include "codec/path_put.h"

static const struct known {
  const struct rl_format *format;
  const struct rl_format_rows *rows; /* NULL: a record a message */
} formats[] = {{&rl_format_json, NULL},
               {&rl_format_avro, &rl_avro_rows},
               {&rl_format_csv, &rl_csv_rows},
               {&rl_format_tsv, &rl_csv_rows},
               {&rl_format_raw, NULL}};
static const char *const format_names[] = {"json", "avro", "csv", "tsv", "raw"};
enum { N_FORMATS = sizeof formats / sizeof *formats };

static const struct rl_fields no_fields = RL_FIELDS_INIT;

static const struct known *find_format(const char *name, struct rl_err *err) {
  for (size_t i = 0; i < N_FORMATS; i++)
    if (strcmp(name, formats[i].format->name) == 0) return &formats[i];
  const char *nearest = rl_nearest(name, format_names, N_FORMATS);
  rl_fail(err, RL_EUSAGE, "decode '%s': no such format%s%s%s; there are json, avro, csv, tsv and raw", name,
          nearest ? " (did you mean " : "", nearest ? nearest : "", nearest ? "?)" : "");
  return NULL;
}

static void sort_fields(struct rl_decoder *d) {
  const struct rl_fields *fields = d->opts.fields;
  d->row = rl_zalloc(fields->n * sizeof *d->row);
  d->met = rl_zalloc(fields->n * sizeof *d->met);
  d->meta = rl_zalloc(fields->n * sizeof *d->meta);
  d->values = rl_zalloc(fields->n * sizeof *d->values);
  for (size_t f = 0; f < fields->n; f++)
    if (fields->at[f].meta == RL_META_NONE)
      d->values[d->n_values++] = (struct value){f, !rl_field_is_many(&fields->at[f]), fields->at[f].type};
    else
      d->meta[d->n_meta++] = f;
}

int rl_decoder_new(struct rl_decoder **out, const char *format_name, const struct rl_decoder_opts *opts,
                   struct rl_err *err) {
  const struct known *known = find_format(format_name, err);
  if (!known) return RL_EUSAGE;
  struct rl_decoder *d = rl_zalloc(sizeof *d);
  d->format = known->format;
  d->rows = opts->rows && known->format == &rl_format_json ? &rl_json_rows : known->rows;
  d->opts = *opts;
  if (!d->opts.fields) d->opts.fields = &no_fields;
  if (!d->opts.max_inflated) d->opts.max_inflated = RL_MAX_INFLATED;
  if (!d->opts.max_columns) d->opts.max_columns = RL_MAX_COLUMNS;
  int code = d->format->open(&d->self, &d->opts, err);
  if (code != 0) {
    rl_free(d);
    return code;
  }
  sort_fields(d);
  rl_arena_init(&d->spare);
  rl_arena_init(&d->whole);
  *out = d;
  return 0;
}

void rl_decoder_free(struct rl_decoder *d) {
  if (!d) return;
  d->format->close(d->self);
  rl_json_free(d->json);
  rl_arena_free(&d->spare);
  rl_arena_free(&d->whole);
  rl_buf_free(&d->scratch);
  rl_free(d->row);
  rl_free(d->met);
  rl_free(d->meta);
  rl_free(d->values);
  rl_free(d);
}

/* All meta fields are filled, also when one is wrong: then the first error counts. */
static int fill_meta(const struct rl_decoder *d, const struct rl_msg *msg, struct rl_err *err) {
  int code = 0;
  for (size_t i = 0; i < d->n_meta; i++) {
    size_t f = d->meta[i];
    const struct rl_field *field = &d->opts.fields->at[f];
    struct rl_err *first = code == 0 ? err : NULL;
    int bad = rl_meta_cell(field, msg, &d->row[f], &d->at_hand, first);
    if (bad != 0) d->row[f] = (struct rl_cell){.tag = RL_MISSING};
    if (bad == 0) bad = rl_coerce_required(field, &d->row[f], first);
    if (code == 0) code = bad;
  }
  return code;
}

/* Of a list one element is enough; an empty one says nothing. */
static enum met is_met(const struct rl_cell *cell) {
  if (cell->tag != RL_LIST) return cell->tag == RL_MISSING ? LACKED : MET;
  enum met most = NOT_ASKED;
  for (uint32_t i = 0; i < cell->len && most != MET; i++) {
    enum met element = is_met(&cell->list[i]);
    if (element > most) most = element;
  }
  return most;
}

static void note_met(struct rl_decoder *d, size_t field) {
  if (d->met[field] == MET) return;
  enum met now = is_met(&d->row[field]);
  if (now > d->met[field]) d->met[field] = now;
}

bool rl_decoder_met(const struct rl_decoder *d, size_t field) { return d->met[field] != LACKED; }

/* What was there once is spelled right. */
static int check_required(struct rl_decoder *d, size_t f, struct rl_err *err) {
  const struct rl_field *field = &d->opts.fields->at[f];
  int code = rl_coerce_required(field, &d->row[f], err);
  if (code != 0 && d->met[f] != MET) d->lacked = field;
  return code;
}

static int check_value(struct rl_decoder *d, size_t f, struct rl_err *err) {
  const struct rl_field *field = &d->opts.fields->at[f];
  note_met(d, f);
  int code = rl_coerce(field, &d->row[f], &d->at_hand, err);
  return code == 0 ? check_required(d, f, err) : code;
}

static int check_values(struct rl_decoder *d, struct rl_err *err) {
  int code = 0;
  for (const struct value *v = d->values, *end = v + d->n_values; code == 0 && v < end; v++) {
    if (v->single && rl_coerce_quick(v->type, &d->row[v->field]))
      d->met[v->field] = MET;
    else
      code = check_value(d, v->field, err);
  }
  return code;
}

/* values false: there are none, or they are not handed out. Of a decoder without fields the row is another's
 * to fill: a script that decodes by itself. */
static void store(const struct rl_decoder *d, struct rl_columns *c, bool values) {
  if (d->opts.fields->n == 0) {
    rl_columns_add_row(c);
    return;
  }
  for (size_t i = 0; !values && i < d->n_values; i++)
    d->row[d->values[i].field] = (struct rl_cell){.tag = RL_MISSING};
  rl_columns_put_row(c, d->row);
}

static bool may_be_several(const struct rl_decoder *d) {
  return !d->rows->several || d->rows->several(d->self);
}

/* Errors of the n-th row, counted as message.record is, say which where several may be; n 0: just one is
 * wanted.
 */
static int next_row(struct rl_decoder *d, size_t n, struct rl_err *err) {
  int code = d->rows->next(d->self, d->row, err);
  if (code != 1) return code;
  code = check_values(d, err);
  if (code != 0 && n > 0 && may_be_several(d)) rl_err_prefix(err, "record %zu: ", n);
  return code == 0 ? 1 : code;
}

/* One row into d->row, of a message that must hold just one. */
static int single_row(struct rl_decoder *d, const struct rl_msg *msg, struct rl_arena *arena,
                      struct rl_err *err) {
  if (!d->rows) {
    int code = d->format->row(d->self, msg, arena, d->row, err);
    return code == 0 ? check_values(d, err) : code;
  }
  int code = d->rows->begin(d->self, msg, arena, err);
  if (code == 0) code = next_row(d, 0, err);
  if (code == 0) return rl_fail(err, RL_EHANDLER, "a message without a record, where one was expected");
  if (code != 1) return code;
  code = d->rows->next(d->self, d->row, err);
  return code == 1 ? rl_fail(err, RL_EHANDLER, "several records in one message, where one was expected")
                   : code;
}

/* A row is as large as what it was read from, and what is declared; only many rows of next to nothing are
 * more.
 */
static int check_room(const struct rl_decoder *d, size_t n, size_t bytes, struct rl_err *err) {
  if (n < 2 || bytes <= d->opts.max_columns) return 0;
  return rl_fail(err, RL_EHANDLER,
                 "the columns of its first %zu records are over %zu bytes: read fewer fields, or raise "
                 "limits.columns",
                 n, d->opts.max_columns);
}

static int all_rows(struct rl_decoder *d, const struct rl_msg *msg, struct rl_columns *c,
                    struct rl_arena *arena, size_t *n, struct rl_err *err) {
  size_t before = c ? rl_columns_bytes(c) : arena->used;
  int code = d->rows->begin(d->self, msg, arena, err);
  for (*n = 0; code == 0;) {
    code = next_row(d, *n + 1, err);
    if (code != 1) return code;
    if (c) store(d, c, true);
    ++*n;
    code = check_room(d, *n, (c ? rl_columns_bytes(c) : arena->used) - before, err);
  }
  return code;
}

/* A required field is more often misspelled than missing. */
static void name_nearest(struct rl_decoder *d, const struct rl_msg *msg, struct rl_err *err) {
  const struct rl_field *field = d->lacked;
  struct rl_buf near = RL_BUF_INIT;
  d->lacked = NULL;
  if (!field || !err) return;
  rl_decoder_suggest(d, msg, field, &near);
  if (near.len) rl_fail(err, err->code, "%s: there is '%s'", err->text, near.data);
  rl_buf_free(&near);
}

static struct rl_arena *arena_for(struct rl_decoder *d, const struct rl_msg *msg, struct rl_columns *c) {
  if (!c) rl_arena_reset(&d->spare);
  d->at_hand = (struct rl_coerce){c ? &c->arena : &d->spare, msg->value, &d->scratch};
  return d->at_hand.arena;
}

int rl_decoder_row(struct rl_decoder *d, const struct rl_msg *msg, struct rl_columns *c, struct rl_err *err) {
  struct rl_arena *arena = arena_for(d, msg, c);
  d->taped = NULL;
  int code = fill_meta(d, msg, err);
  bool tombstone = !msg->value.data;
  if (!tombstone && code == 0) code = single_row(d, msg, arena, err);
  if (code != 0) name_nearest(d, msg, err);
  if (c && code != RL_ETRANSIENT) store(d, c, code == 0 && !tombstone);
  return code;
}

int rl_decoder_rows(struct rl_decoder *d, const struct rl_msg *msg, struct rl_columns *c, size_t *n,
                    struct rl_err *err) {
  *n = 1;
  if (!d->rows || !msg->value.data) return rl_decoder_row(d, msg, c, err);
  struct rl_arena *arena = arena_for(d, msg, c);
  size_t before = c ? c->rows : 0;
  d->taped = NULL;
  int code = fill_meta(d, msg, err);
  if (code == 0) code = all_rows(d, msg, c, arena, n, err);
  if (code == 0) return 0;
  name_nearest(d, msg, err);
  if (c) c->rows = before; /* what came before the damage is not handed out */
  *n = code == RL_ETRANSIENT ? 0 : 1;
  if (c && *n > 0) store(d, c, false);
  return code;
}

void rl_decoder_suggest(struct rl_decoder *d, const struct rl_msg *msg, const struct rl_field *field,
                        struct rl_buf *out) {
  d->taped = NULL;
  if (!d->format->suggest || field->meta != RL_META_NONE || !msg->value.data) return;
  size_t len = out->len;
  d->format->suggest(d->self, msg, field, out);
  if (out->len > len && strcmp(out->data + len, field->path) == 0) rl_path_cut(out, len);
}

bool rl_decoder_declares(struct rl_decoder *d, const struct rl_msg *msg, const struct rl_field *field) {
  d->taped = NULL;
  bool asked = d->format->declares && field->meta == RL_META_NONE && msg->value.data;
  return asked && d->format->declares(d->self, msg, field);
}
