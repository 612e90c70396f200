#include "codec/csv_write.h"

#include "base/str.h"
#include "codec/csv_value.h"

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* Without quotes the decoder would make a number of it. */
static bool like_number(struct rl_bytes text) {
  struct rl_csv_cell cell = {.text = text};
  uint32_t tag = rl_csv_value(&cell, RL_AUTO).tag;
  return tag != RL_TEXT && tag != RL_BLOB;
}

static bool wants_quotes(struct rl_bytes text, char delimiter) {
  if (text.len == 0 || is_blank(text.data[0]) || is_blank(text.data[text.len - 1]) || like_number(text))
    return true;
  if (text.len >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0) return true;
  for (size_t i = 0; i < text.len; i++) {
    char c = text.data[i];
    if (c == delimiter || c == '"' || c == '\n' || c == '\r') return true;
  }
  return false;
}

static void put_text(struct rl_buf *out, struct rl_bytes text, char delimiter) {
  if (!wants_quotes(text, delimiter)) {
    rl_buf_put(out, text.data, text.len);
    return;
  }
  rl_buf_putc(out, '"');
  for (size_t i = 0; i < text.len; i++) {
    if (text.data[i] == '"') rl_buf_putc(out, '"');
    rl_buf_putc(out, text.data[i]);
  }
  rl_buf_putc(out, '"');
}

/* A delimiter may be what a number holds: a point, a sign, an e. */
static void put_number(struct rl_buf *out, size_t start, char delimiter) {
  size_t len = out->len - start;
  bool cut = memchr(out->data + start, delimiter, len) != NULL;
  if (!cut) return;
  rl_buf_reserve(out, 2);
  memmove(out->data + start + 1, out->data + start, len);
  out->data[start] = '"';
  out->len++;
  rl_buf_putc(out, '"');
}

bool rl_csv_put_cell(struct rl_buf *out, const struct rl_cell *cell, char delimiter, bool only) {
  size_t start = out->len;
  switch (cell->tag) {
    case RL_MISSING:
    case RL_NULL:
      if (only) rl_buf_puts(out, "\"\"");
      return true;
    case RL_TEXT:
    case RL_BLOB: put_text(out, rl_bytes(cell->s, cell->len), delimiter); return true;
    case RL_BOOL: rl_buf_puts(out, cell->i ? "true" : "false"); break;
    case RL_INT: rl_buf_printf(out, "%lld", (long long)cell->i); break;
    case RL_DOUBLE: rl_put_double(out, cell->d); break;
    case RL_BIG: rl_buf_put(out, cell->s, cell->len); break;
    default: return false;
  }
  put_number(out, start, delimiter);
  return true;
}
