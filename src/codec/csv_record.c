#include "codec/csv_record.h"

#include "base/mem.h"
#include "codec/csv_scan.h"

enum { NUMBER_PAST = 8 }; /* bytes behind its text that the reader of a number may look at */

void rl_csv_init(struct rl_csv *csv, char delimiter, char comment) {
  csv->delimiter = delimiter;
  csv->comment = comment;
  csv->ends_numbers = !strchr("0123456789.+-eE", delimiter);
}

/* Back from where there is room for what a number's reader looks at, to what ends a number. */
static const char *find_sure(const struct rl_csv *csv) {
  const char *first = csv->value.data + csv->at, *at = csv->value.data + csv->value.len;
  if (!csv->ends_numbers || at - first < NUMBER_PAST) return first;
  for (at -= NUMBER_PAST; at > first; at--)
    if (*at == csv->delimiter || rl_csv_is_break(*at)) break;
  return at;
}

void rl_csv_start(struct rl_csv *csv, struct rl_bytes value, struct rl_arena *arena) {
  csv->value = value;
  csv->arena = arena;
  csv->at = value.len >= 3 && memcmp(value.data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  csv->n = 0;
  csv->sure = find_sure(csv);
  if (csv->cap <= RL_CSV_KEPT) return;
  rl_free(csv->cells);
  csv->cells = NULL;
  csv->cap = 0;
}

void rl_csv_free(struct rl_csv *csv) {
  rl_free(csv->cells);
  *csv = (struct rl_csv){0};
}

static bool at_end(const struct rl_csv *csv) { return csv->at == csv->value.len; }

static char here(const struct rl_csv *csv) { return csv->value.data[csv->at]; }

static bool ends_cell(const struct rl_csv *csv) {
  return at_end(csv) || here(csv) == csv->delimiter || rl_csv_is_break(here(csv));
}

/* A message of delimiters would take many times its size. */
static bool make_room(struct rl_csv *csv) {
  csv->over = csv->cap >= RL_CSV_CELLS;
  if (!csv->over) RL_GROW(csv->cells, csv->cap, csv->n + 1);
  return !csv->over;
}

static void add(struct rl_csv *csv, struct rl_csv_cell cell) {
  if (csv->n == csv->cap && !make_room(csv)) return;
  csv->cells[csv->n++] = cell;
}

/* A cell and those that follow it, up to one in quotes or the record's end. */
static void read_plain(struct rl_csv *csv) {
  const char *at = csv->value.data + csv->at, *end = csv->value.data + csv->value.len;
  const char delimiter = csv->delimiter;
  for (;; at++) {
    const char *past = rl_csv_plain_end(at, end, delimiter);
    add(csv, (struct rl_csv_cell){rl_bytes(at, (size_t)(past - at)), false, at < csv->sure});
    at = past;
    if (at == end || *at != delimiter || (at + 1 < end && at[1] == '"')) break;
  }
  csv->at = (size_t)(at - csv->value.data);
}

/* Two quotes stand for one. */
static struct rl_bytes halved(struct rl_arena *arena, struct rl_bytes raw) {
  char *out = rl_arena_alloc(arena, raw.len), *to = out;
  for (size_t i = 0; i < raw.len; i++) {
    *to++ = raw.data[i];
    if (raw.data[i] == '"') i++;
  }
  return rl_bytes(out, (size_t)(to - out));
}

int rl_csv_quoted(struct rl_csv *csv, struct rl_csv_cell *cell, struct rl_err *err) {
  size_t open = csv->at++, start = csv->at;
  bool doubled = false;
  for (;;) {
    const char *quote = memchr(csv->value.data + csv->at, '"', csv->value.len - csv->at);
    if (!quote)
      return rl_fail(err, RL_EHANDLER, "CSV: cut short: no end to the quoted cell that starts at byte %zu",
                     open);
    csv->at = (size_t)(quote - csv->value.data) + 1;
    if (at_end(csv) || here(csv) != '"') break;
    doubled = true;
    csv->at++;
  }
  struct rl_bytes raw = rl_bytes(csv->value.data + start, csv->at - 1 - start);
  if (!ends_cell(csv))
    return rl_fail(
        err, RL_EHANDLER,
        "CSV: text after the closing quote of a cell at byte %zu (a quote within one is written twice)",
        csv->at);
  *cell = (struct rl_csv_cell){.text = doubled ? halved(csv->arena, raw) : raw, .quoted = true};
  return 0;
}

/* LF, CRLF, or a lone CR. */
static void skip_break(struct rl_csv *csv) {
  if (at_end(csv)) return;
  char c = csv->value.data[csv->at++];
  if (c == '\r' && !at_end(csv) && here(csv) == '\n') csv->at++;
}

static void skip_line(struct rl_csv *csv) {
  while (!at_end(csv) && !rl_csv_is_break(here(csv))) csv->at++;
  skip_break(csv);
}

bool rl_csv_find(struct rl_csv *csv) {
  csv->n = 0;
  csv->over = false;
  while (!at_end(csv)) {
    csv->start = csv->at;
    if (rl_csv_is_break(here(csv)))
      skip_break(csv);
    else if (csv->comment && here(csv) == csv->comment)
      skip_line(csv);
    else
      return true;
  }
  return false;
}

void rl_csv_past(struct rl_csv *csv, const char *end) {
  csv->at = (size_t)(end - csv->value.data);
  skip_break(csv);
}

int rl_csv_next(struct rl_csv *csv, struct rl_err *err) {
  if (!rl_csv_find(csv)) return 0;
  for (;;) {
    if (!at_end(csv) && here(csv) == '"') {
      struct rl_csv_cell cell;
      int code = rl_csv_quoted(csv, &cell, err);
      if (code != 0) return code;
      add(csv, cell);
    } else {
      read_plain(csv);
    }
    if (at_end(csv) || here(csv) != csv->delimiter) break;
    csv->at++;
  }
  skip_break(csv);
  if (!csv->over) return 1;
  return rl_fail(err, RL_EHANDLER, "CSV: over %d cells in the record at byte %zu", RL_CSV_CELLS, csv->start);
}
