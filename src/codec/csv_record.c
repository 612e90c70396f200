#include "codec/csv_record.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <stdint.h>

#include "base/mem.h"

enum { NUMBER_PAST = 8 }; /* bytes behind its text that the reader of a number may look at */

void rl_csv_init(struct rl_csv *csv, char delimiter, char comment) {
  csv->delimiter = delimiter;
  csv->comment = comment;
  csv->ends_numbers = !strchr("0123456789.+-eE", delimiter);
}

void rl_csv_start(struct rl_csv *csv, struct rl_bytes value, struct rl_arena *arena) {
  csv->value = value;
  csv->arena = arena;
  csv->at = value.len >= 3 && memcmp(value.data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  csv->n = 0;
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

static bool is_break(char c) { return c == '\n' || c == '\r'; }

static bool ends_cell(const struct rl_csv *csv) {
  return at_end(csv) || here(csv) == csv->delimiter || is_break(here(csv));
}

/* A message of delimiters would take many times its size. */
static bool make_room(struct rl_csv *csv) {
  csv->over = csv->cap >= RL_CSV_CELLS;
  if (!csv->over) RL_GROW(csv->cells, csv->cap, csv->n + 1);
  return !csv->over;
}

static void add(struct rl_csv *csv, struct rl_bytes text, bool quoted, bool roomy) {
  if (csv->n == csv->cap && !make_room(csv)) return;
  csv->cells[csv->n++] = (struct rl_csv_cell){text, quoted, roomy};
}

/* Sixteen bytes at once while so many are left: most cells end in the first. */
static inline const char *plain_end(const char *at, const char *end, char delimiter) {
#ifdef __SSE2__
  const __m128i d = _mm_set1_epi8(delimiter), lf = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r');
  for (; end - at >= 16; at += 16) {
    __m128i text = _mm_loadu_si128((const __m128i *)(const void *)at);
    __m128i breaks = _mm_or_si128(_mm_cmpeq_epi8(text, lf), _mm_cmpeq_epi8(text, cr));
    unsigned ends = (unsigned)_mm_movemask_epi8(_mm_or_si128(breaks, _mm_cmpeq_epi8(text, d)));
    if (ends) return at + __builtin_ctz(ends);
  }
#endif
  while (at < end && *at != delimiter && !is_break(*at)) at++;
  return at;
}

/* A cell and those that follow it, up to one in quotes or the record's end. */
static void read_plain(struct rl_csv *csv) {
  const char *at = csv->value.data + csv->at, *end = csv->value.data + csv->value.len;
  const char delimiter = csv->delimiter;
  const size_t room = csv->ends_numbers ? NUMBER_PAST : SIZE_MAX;
  for (;; at++) {
    const char *past = plain_end(at, end, delimiter);
    add(csv, rl_bytes(at, (size_t)(past - at)), false, (size_t)(end - past) >= room);
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

static int read_quoted(struct rl_csv *csv, struct rl_err *err) {
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
  add(csv, doubled ? halved(csv->arena, raw) : raw, true, false);
  return 0;
}

/* LF, CRLF, or a lone CR. */
static void skip_break(struct rl_csv *csv) {
  if (at_end(csv)) return;
  char c = csv->value.data[csv->at++];
  if (c == '\r' && !at_end(csv) && here(csv) == '\n') csv->at++;
}

static void skip_line(struct rl_csv *csv) {
  while (!at_end(csv) && !is_break(here(csv))) csv->at++;
  skip_break(csv);
}

/* To the first byte of a record; false: there is none. */
static bool find_record(struct rl_csv *csv) {
  while (!at_end(csv)) {
    if (is_break(here(csv)))
      skip_break(csv);
    else if (csv->comment && here(csv) == csv->comment)
      skip_line(csv);
    else
      return true;
  }
  return false;
}

int rl_csv_next(struct rl_csv *csv, struct rl_err *err) {
  csv->n = 0;
  csv->over = false;
  if (!find_record(csv)) return 0;
  csv->start = csv->at;
  for (;;) {
    if (!at_end(csv) && here(csv) == '"') {
      int code = read_quoted(csv, err);
      if (code != 0) return code;
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
