#include "codec/csv_value.h"

#include <math.h>
#include <strings.h>

#include "base/json_index.h"
#include "base/str.h"

static struct rl_bytes trimmed(struct rl_bytes text) {
  while (text.len > 0 && (*text.data == ' ' || *text.data == '\t')) text.data++, text.len--;
  while (text.len > 0 && (text.data[text.len - 1] == ' ' || text.data[text.len - 1] == '\t')) text.len--;
  return text;
}

static struct rl_cell text_cell(struct rl_bytes text) {
  enum rl_tag tag = rl_utf8_valid(text) ? RL_TEXT : RL_BLOB;
  return (struct rl_cell){.tag = tag, .len = (uint32_t)text.len, .s = text.data};
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* JSON's numbers, whole. The parser wants eight bytes past the end, so the text is copied. */
static bool json_number(struct rl_bytes text, struct rl_cell *cell) {
  char padded[RL_CSV_NUMBER_MAX + 8];
  if (text.len == 0 || text.len > RL_CSV_NUMBER_MAX || !(is_digit(*text.data) || *text.data == '-'))
    return false;
  memcpy(padded, text.data, text.len);
  memset(padded + text.len, 0, 8);
  if (rl_json_number(padded, cell) != text.len) return false;
  if (cell->tag == RL_BIG) cell->s = text.data;
  return true;
}

/* "+5", "007", ".5", "5.", "-.5e3" as JSON writes them: sign, digits without leading zeros, a 0 where the
 * point lacks a digit. Returns the length; 0: no number, or too long. */
static size_t as_json(struct rl_bytes text, char out[RL_CSV_NUMBER_MAX + 8]) {
  const char *p = text.data, *end = p + text.len;
  size_t n = 0;
  if (text.len == 0 || text.len > RL_CSV_NUMBER_MAX - 4) return 0;
  if (*p == '-') out[n++] = '-';
  if (*p == '-' || *p == '+') p++;
  while (p + 1 < end && *p == '0' && is_digit(p[1])) p++;
  bool digits = p < end && is_digit(*p);
  if (!digits) {
    if (p + 1 >= end || *p != '.' || !is_digit(p[1])) return 0;
    out[n++] = '0';
  }
  for (bool point = false; p < end; p++) {
    out[n++] = *p;
    if (*p != '.') continue;
    if (point) return 0; /* so that no more than one digit is added */
    point = true;
    if (p + 1 == end || !is_digit(p[1])) out[n++] = '0';
  }
  return n;
}

static bool loose_number(struct rl_bytes text, struct rl_cell *cell) {
  char spelled[RL_CSV_NUMBER_MAX + 8] = {0};
  size_t n = as_json(text, spelled);
  if (n == 0 || rl_json_number(spelled, cell) != n) return false;
  if (cell->tag == RL_BIG) *cell = (struct rl_cell){.tag = RL_BIG, .len = (uint32_t)text.len, .s = text.data};
  return true;
}

static bool is_word(struct rl_bytes text, const char *word) {
  return text.len == strlen(word) && strncasecmp(text.data, word, text.len) == 0;
}

static bool special(struct rl_bytes text, struct rl_cell *cell) {
  double sign = 1;
  if (text.len > 0 && (*text.data == '-' || *text.data == '+')) {
    sign = *text.data == '-' ? -1 : 1;
    text = rl_bytes(text.data + 1, text.len - 1);
  }
  *cell = (struct rl_cell){.tag = RL_DOUBLE, .d = sign * (double)INFINITY};
  if (is_word(text, "inf") || is_word(text, "infinity")) return true;
  cell->d = (double)NAN;
  return is_word(text, "nan");
}

static bool boolean(struct rl_bytes text, struct rl_cell *cell) {
  static const char *const words[] = {"true", "false", "t",  "f",   "yes", "no",
                                      "y",    "n",     "on", "off", "1",   "0"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (!is_word(text, words[i])) continue;
    *cell = (struct rl_cell){.tag = RL_BOOL, .i = i % 2 == 0};
    return true;
  }
  return false;
}

/* Of a number with a fraction no integer is made: the type check says what was found. */
static bool declared(struct rl_bytes text, enum rl_type type, struct rl_cell *cell) {
  if (type == RL_BOOLEAN) return boolean(text, cell);
  if (json_number(text, cell) || loose_number(text, cell)) return true;
  return type != RL_I64 && special(text, cell);
}

struct rl_cell rl_csv_value(const struct rl_csv_cell *from, enum rl_type type) {
  struct rl_cell cell = {.tag = RL_MISSING};
  struct rl_bytes text = from->text, bare = trimmed(text);
  bool number = type == RL_I64 || type == RL_F64 || type == RL_F32 || type == RL_BOOLEAN;
  if (text.len == 0 && (number || !from->quoted)) return cell;
  if (number) return declared(bare, type, &cell) ? cell : text_cell(text);
  bool plain = (type == RL_AUTO || type == RL_ANY) && !from->quoted;
  return plain && json_number(bare, &cell) ? cell : text_cell(text);
}
