#include "codec/csv_direct.h"

#include "base/mem.h"
#include "codec/csv_scan.h"
#include "codec/csv_value.h"

enum { FAR = 4096 }; /* places further on are not worth a table */

static bool takes(const struct rl_csv_direct *d, const struct rl_csv_want *want) {
  if (want->from_end) return false;
  return want->place < FAR && (want->place < 0 || !d->at[want->place]);
}

void rl_csv_direct_to(struct rl_csv_direct *d, const struct rl_csv_want *wants, size_t n) {
  if (d->at)
    memset(d->at, 0, d->n * sizeof *d->at);
  else if (n > 0)
    d->at = rl_zalloc(FAR * sizeof *d->at);
  d->wants = wants;
  d->n_wants = n;
  d->n = 0;
  d->on = true;
  d->nowhere = false;
  for (size_t i = 0; i < n && d->on; i++) {
    d->on = takes(d, &wants[i]);
    if (wants[i].place < 0) d->nowhere = true;
    if (!d->on || wants[i].place < 0) continue;
    d->at[wants[i].place] = &wants[i];
    if ((size_t)wants[i].place >= d->n) d->n = (size_t)wants[i].place + 1;
  }
}

void rl_csv_direct_free(struct rl_csv_direct *d) {
  rl_free(d->at);
  *d = (struct rl_csv_direct){0};
}

/* A cell without quotes, to what ends it. */
static inline const char *take_plain(const struct rl_csv *csv, const struct rl_csv_want *want, const char *at,
                                     struct rl_cell *to) {
  if (want->number && at < csv->sure) {
    size_t len = rl_csv_number_at(at, to);
    if (len - 1 < RL_CSV_NUMBER_MAX && (at[len] == csv->delimiter || rl_csv_is_break(at[len])))
      return at + len;
  }
  const char *past = rl_csv_plain_end(at, csv->value.data + csv->value.len, csv->delimiter);
  *to = rl_csv_value(&(struct rl_csv_cell){.text = rl_bytes(at, (size_t)(past - at))}, want->type);
  return past;
}

/* The same of one in quotes; NULL: it is damaged. */
static const char *take_quoted(struct rl_csv *csv, const struct rl_csv_want *want, const char *at,
                               struct rl_cell *to) {
  struct rl_csv_cell cell;
  csv->at = (size_t)(at - csv->value.data);
  if (rl_csv_quoted(csv, &cell, NULL) != 0) return NULL;
  if (want) *to = rl_csv_value(&cell, want->type);
  return csv->value.data + csv->at;
}

static inline const char *take(const struct rl_csv_direct *d, struct rl_csv *csv, size_t place,
                               const char *at, struct rl_cell *row) {
  const char *end = csv->value.data + csv->value.len;
  const struct rl_csv_want *want = place < d->n ? d->at[place] : NULL;
  struct rl_cell *to = want ? &row[want->field] : NULL;
  if (at < end && *at == '"') return take_quoted(csv, want, at, to);
  return want ? take_plain(csv, want, at, to) : rl_csv_plain_end(at, end, csv->delimiter);
}

/* To the record's end; NULL: it is damaged. */
static const char *take_all(const struct rl_csv_direct *d, struct rl_csv *csv, struct rl_cell *row,
                            size_t *cells) {
  const char *at = csv->value.data + csv->at, *end = csv->value.data + csv->value.len;
  for (size_t place = 0;;) {
    at = take(d, csv, place++, at, row);
    *cells = place;
    if (!at || at == end || *at != csv->delimiter) return at;
    at++;
  }
}

/* What the record has no cell for. */
static void miss(const struct rl_csv_direct *d, size_t cells, struct rl_cell *row) {
  for (size_t i = 0; i < d->n_wants; i++)
    if (d->wants[i].place < 0 || (size_t)d->wants[i].place >= cells)
      row[d->wants[i].field] = (struct rl_cell){.tag = RL_MISSING};
}

bool rl_csv_direct(const struct rl_csv_direct *d, struct rl_csv *csv, size_t cells, struct rl_cell *row) {
  size_t n;
  if (!d->on || !rl_csv_find(csv)) return false;
  const char *past = take_all(d, csv, row, &n);
  csv->at = csv->start;
  if (!past || n > RL_CSV_CELLS || (cells && n != cells)) return false;
  if (n < d->n || d->nowhere) miss(d, n, row);
  rl_csv_past(csv, past);
  return true;
}
