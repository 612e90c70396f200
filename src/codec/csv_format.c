/* "csv" and "tsv": how the decoder reads delimited texts. */
#include "base/mem.h"
#include "base/str.h"
#include "codec/csv_direct.h"
#include "codec/csv_value.h"
#include "codec/format.h"
#include "codec/path_put.h"

enum { HEADER_KEPT = 1 << 20 };

struct csv_format {
  const struct rl_decoder_opts *opts;
  const char *name; /* "csv" or "tsv", for errors */
  struct rl_csv csv;
  struct rl_csv_want *wants;
  size_t n_wants;
  struct rl_csv_direct direct;
  struct rl_buf header;   /* the header's bytes that the places are of */
  struct rl_bytes *names; /* of the message's columns; none: records have places only */
  size_t n_names, cap_names;
};

/* ---- opening ---- */

static const struct rl_step *step_of(const struct rl_field *field) { return &field->steps[0]; }

static int refuse_path(const struct csv_format *f, const struct rl_field *field, struct rl_err *err) {
  return rl_fail(
      err, RL_EUSAGE,
      "field '%s' (%s) cannot be read with decode = \"%s\": a path is a column's name or [0], [1] … there "
      "(a name that holds a dot or bracket is written in quotes)",
      field->name, field->path, f->name);
}

static int refuse_many(const struct csv_format *f, const struct rl_field *field, struct rl_err *err) {
  return rl_fail(
      err, RL_EUSAGE,
      "field '%s' (%s) cannot be read with decode = \"%s\": a cell there holds one value, so there is "
      "no %s",
      field->name, field->path, f->name, field->n_lists ? "[*]" : "shape");
}

static int no_column(const struct csv_format *f, const struct rl_field *field, struct rl_err *err) {
  const struct rl_csv_opts *csv = &f->opts->csv;
  const char *near = rl_nearest(step_of(field)->key, csv->columns, csv->n_columns);
  if (csv->n_columns == 0)
    return rl_fail(
        err, RL_EUSAGE,
        "field '%s' (%s): nothing names the columns: set header, or columns, or take them by place ([0])",
        field->name, field->path);
  struct rl_buf path = RL_BUF_INIT;
  if (near) rl_path_put_key(&path, rl_bytes_str(near));
  rl_fail(err, RL_EUSAGE, "field '%s' (%s): no column of that name%s%s%s", field->name, field->path,
          near ? " (did you mean " : "", rl_buf_text(&path), near ? "?)" : "");
  rl_buf_free(&path);
  return RL_EUSAGE;
}

static ssize_t find_name(const struct csv_format *f, const char *name) {
  for (size_t i = 0; i < f->n_names; i++)
    if (rl_bytes_eq(f->names[i], rl_bytes_str(name))) return (ssize_t)i;
  return RL_CSV_NOWHERE;
}

static bool reads_header(const struct csv_format *f) {
  return f->opts->csv.header && f->opts->csv.n_columns == 0;
}

static int check_field(const struct csv_format *f, const struct rl_field *field, struct rl_err *err) {
  if (field->meta != RL_META_NONE) return 0;
  if (rl_field_is_many(field)) return refuse_many(f, field, err);
  if (field->n_steps != 1) return refuse_path(f, field, err);
  if (!step_of(field)->key || reads_header(f)) return 0;
  return find_name(f, step_of(field)->key) == RL_CSV_NOWHERE ? no_column(f, field, err) : 0;
}

static void add_name(struct csv_format *f, struct rl_bytes name) {
  RL_GROW(f->names, f->cap_names, f->n_names + 1);
  f->names[f->n_names++] = name;
}

static void find_places(struct csv_format *f) {
  for (size_t i = 0; i < f->n_wants; i++) {
    const char *key = step_of(&f->opts->fields->at[f->wants[i].field])->key;
    if (key) f->wants[i].place = find_name(f, key);
  }
  rl_csv_direct_to(&f->direct, f->wants, f->n_wants);
}

static void list_wants(struct csv_format *f) {
  const struct rl_fields *fields = f->opts->fields;
  f->wants = rl_zalloc(fields->n * sizeof *f->wants);
  for (size_t i = 0; i < fields->n; i++) {
    if (fields->at[i].meta != RL_META_NONE) continue;
    ssize_t index = (ssize_t)step_of(&fields->at[i])->index;
    enum rl_type type = fields->at[i].type;
    f->wants[f->n_wants++] = (struct rl_csv_want){i, index, index < 0, rl_csv_wants_number(type), type};
  }
  find_places(f);
}

static int check_settings(const struct csv_format *f, struct rl_err *err) {
  char delimiter = f->csv.delimiter, comment = f->csv.comment;
  if (delimiter == '"' || delimiter == '\n' || delimiter == '\r')
    return rl_fail(err, RL_EUSAGE, "csv: a quote or line break cannot be the delimiter");
  if (comment && (comment == delimiter || comment == '"' || comment == '\n' || comment == '\r'))
    return rl_fail(err, RL_EUSAGE, "csv: the delimiter, a quote or a line break cannot begin a comment");
  return 0;
}

static void close_csv(void *self) {
  struct csv_format *f = self;
  rl_csv_free(&f->csv);
  rl_buf_free(&f->header);
  rl_csv_direct_free(&f->direct);
  rl_free(f->wants);
  rl_free(f->names);
  rl_free(f);
}

static int open_as(const char *name, char delimiter, void **self, const struct rl_decoder_opts *opts,
                   struct rl_err *err) {
  struct csv_format *f = rl_zalloc(sizeof *f);
  f->opts = opts;
  f->name = name;
  rl_csv_init(&f->csv, opts->csv.delimiter ? opts->csv.delimiter : delimiter, opts->csv.comment);
  for (size_t i = 0; i < opts->csv.n_columns; i++) add_name(f, rl_bytes_str(opts->csv.columns[i]));
  int code = check_settings(f, err);
  for (size_t i = 0; code == 0 && i < opts->fields->n; i++) code = check_field(f, &opts->fields->at[i], err);
  if (code != 0) {
    close_csv(f);
    return code;
  }
  list_wants(f);
  *self = f;
  return 0;
}

static int open_csv(void **self, const struct rl_decoder_opts *opts, struct rl_err *err) {
  return open_as("csv", ',', self, opts, err);
}

static int open_tsv(void **self, const struct rl_decoder_opts *opts, struct rl_err *err) {
  return open_as("tsv", '\t', self, opts, err);
}

/* ---- messages ---- */

/* What one large header took does not stay. */
static void trim(struct csv_format *f) {
  if (f->cap_names > RL_CSV_KEPT) {
    rl_free(f->names);
    f->names = NULL;
    f->cap_names = 0;
  }
  if (f->header.len > HEADER_KEPT) rl_buf_free(&f->header);
}

/* Which one a field means cannot be told; where a whole record is read the last counts, as in JSON. */
static int refuse_twice(struct csv_format *f, struct rl_err *err) {
  for (size_t i = 0; i < f->n_wants; i++) {
    const char *key = step_of(&f->opts->fields->at[f->wants[i].field])->key;
    ssize_t first = f->wants[i].place, last = (ssize_t)f->n_names - 1;
    if (!key || first < 0) continue;
    while (!rl_bytes_eq(f->names[last], f->names[first])) last--;
    if (first == last) continue;
    rl_buf_clear(&f->header); /* the next message's is looked at as well */
    return rl_fail(
        err, RL_EHANDLER,
        "CSV: the header names '%s' twice, in columns %zd and %zd: take one by its place, [%zd] or [%zd]",
        key, first + 1, last + 1, first, last);
  }
  return 0;
}

/* Mostly it is the header of the message before: then the places stand. Names point into the message, so they
 * are read anew all the same. */
static int use_header(struct csv_format *f, struct rl_err *err) {
  struct rl_bytes text = rl_bytes(f->csv.value.data + f->csv.start, f->csv.at - f->csv.start);
  f->n_names = 0;
  for (size_t i = 0; i < f->csv.n; i++) add_name(f, f->csv.cells[i].text);
  if (rl_bytes_eq(text, rl_buf_bytes(&f->header))) return 0;
  rl_buf_clear(&f->header);
  rl_buf_put(&f->header, text.data, text.len);
  find_places(f);
  return refuse_twice(f, err);
}

static int begin_csv(void *self, const struct rl_msg *msg, struct rl_arena *arena, struct rl_err *err) {
  struct csv_format *f = self;
  if (msg->value.len > UINT32_MAX)
    return rl_fail(err, RL_EHANDLER, "CSV of %zu bytes: more than 4 GiB cannot be read, at byte 0",
                   msg->value.len);
  rl_csv_start(&f->csv, msg->value, arena);
  if (!f->opts->csv.header) return 0;
  if (reads_header(f)) {
    f->n_names = 0;
    trim(f);
  }
  int code = rl_csv_next(&f->csv, err);
  if (code == 1) return reads_header(f) ? use_header(f, err) : 0;
  return code;
}

static int read_record(struct csv_format *f, struct rl_err *err) {
  int code = rl_csv_next(&f->csv, err);
  if (code != 1 || f->n_names == 0 || f->csv.n == f->n_names) return code;
  return rl_fail(err, RL_EHANDLER, "CSV: %zu cells, where there are %zu columns, in the record at byte %zu",
                 f->csv.n, f->n_names, f->csv.start);
}

static inline void take(const struct rl_csv *csv, const struct rl_csv_want *want, struct rl_cell *to) {
  ssize_t place = want->from_end ? want->place + (ssize_t)csv->n : want->place;
  if (place < 0 || (size_t)place >= csv->n)
    *to = (struct rl_cell){.tag = RL_MISSING};
  else if (!want->number || !rl_csv_quick_number(&csv->cells[place], to))
    *to = rl_csv_value(&csv->cells[place], want->type);
}

static int next_csv(void *self, struct rl_cell *row, struct rl_err *err) {
  struct csv_format *f = self;
  if (rl_csv_direct(&f->direct, &f->csv, f->n_names, row)) return 1;
  int code = read_record(f, err);
  if (code != 1) return code;
  for (const struct rl_csv_want *want = f->wants, *end = want + f->n_wants; want < end; want++)
    take(&f->csv, want, &row[want->field]);
  return 1;
}

/* Named, an object; else an array. An empty cell is null there. */
static int tape_csv(void *self, struct rl_tape *tape, struct rl_err *err) {
  struct csv_format *f = self;
  struct rl_arena *own = f->csv.arena;
  f->csv.arena = &tape->arena;
  int code = read_record(f, err);
  f->csv.arena = own;
  if (code != 1) return code;
  bool named = f->n_names > 0;
  RL_GROW(tape->at, tape->cap, 1 + 2 * f->csv.n);
  tape->at[tape->n++] = (struct rl_cell){.tag = named ? RL_OBJECT : RL_ARRAY, .len = (uint32_t)f->csv.n};
  for (size_t i = 0; i < f->csv.n; i++) {
    struct rl_cell cell;
    if (!rl_csv_quick_number(&f->csv.cells[i], &cell)) cell = rl_csv_value(&f->csv.cells[i], RL_AUTO);
    if (cell.tag == RL_MISSING) cell.tag = RL_NULL;
    if (named)
      tape->at[tape->n++] =
          (struct rl_cell){.tag = RL_TEXT, .len = (uint32_t)f->names[i].len, .s = f->names[i].data};
    tape->at[tape->n++] = cell;
  }
  return 1;
}

/* The caller's buffer may hold words already. */
static void put_path(struct rl_buf *out, const char *name) {
  struct rl_buf path = RL_BUF_INIT;
  rl_path_put_key(&path, rl_bytes_str(name));
  rl_buf_put(out, path.data, path.len);
  rl_buf_free(&path);
}

/* As C has them: a name that holds a NUL is none of those, and no path could say it. */
static const char **names_of(const struct csv_format *f, struct rl_arena *arena, size_t *n) {
  const char **names = rl_arena_alloc(arena, (f->n_names + 1) * sizeof *names);
  *n = 0;
  for (size_t i = 0; i < f->n_names; i++) {
    struct rl_bytes from = f->names[i];
    if (from.len == 0 || memchr(from.data, 0, from.len)) continue;
    char *name = rl_arena_alloc(arena, from.len + 1);
    memcpy(name, from.data, from.len);
    name[from.len] = 0;
    names[(*n)++] = name;
  }
  return names;
}

/* The header's name that is nearest; of columns that are set, the error at the start has said it. */
static void suggest_csv(void *self, const struct rl_msg *msg, const struct rl_field *field,
                        struct rl_buf *out) {
  struct csv_format *f = self;
  struct rl_arena arena;
  rl_arena_init(&arena);
  if (reads_header(f) && step_of(field)->key && begin_csv(f, msg, &arena, NULL) == 0) {
    size_t n;
    const char **names = names_of(f, &arena, &n);
    const char *near = rl_nearest(step_of(field)->key, names, n);
    if (near) put_path(out, near);
  }
  f->n_names = reads_header(f) ? 0 : f->n_names;
  rl_arena_free(&arena);
}

const struct rl_format rl_format_csv = {"csv", open_csv, close_csv, NULL, suggest_csv, NULL};
const struct rl_format rl_format_tsv = {"tsv", open_tsv, close_csv, NULL, suggest_csv, NULL};
const struct rl_format_rows rl_csv_rows = {begin_csv, next_csv, tape_csv, NULL};
