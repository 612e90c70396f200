/* A value on one line of a terminal. */
#include "base/str.h"
#include "codec/outline.h"

enum { BYTES = 8 }; /* of bytes that are shown */

/* What moves a cursor, hides or turns text: C0, C1 and what sets the direction of writing. */
static bool is_hidden(const unsigned char *c, size_t n) {
  if (n == 1) return *c < 0x20 || *c == 0x7F;
  if (n == 2) return c[0] == 0xC2 && c[1] < 0xA0;
  if (n != 3 || c[0] != 0xE2) return false;
  return (c[1] == 0x80 && (c[2] >= 0xA8 || (c[2] >= 0x8B && c[2] <= 0x8F))) || (c[1] == 0x81 && c[2] >= 0xA0);
}

static void put_hidden(struct rl_buf *out, const unsigned char *c, size_t n) {
  static const char letters[] = "\n\r\t", names[] = "nrt";
  const char *known = n == 1 && *c ? strchr(letters, *c) : NULL;
  if (known)
    rl_buf_printf(out, "\\%c", names[known - letters]);
  else
    for (size_t i = 0; i < n; i++) rl_buf_printf(out, "\\x%02X", c[i]);
}

/* The character at the start of text; returns its length. */
static size_t put_character(struct rl_buf *out, struct rl_bytes text) {
  const unsigned char *c = (const unsigned char *)text.data;
  size_t n = rl_utf8_step(text), len = n ? n : 1;
  if (n == 0 || is_hidden(c, n))
    put_hidden(out, c, len);
  else
    rl_buf_put(out, c, n);
  return len;
}

void rl_put_visible(struct rl_buf *out, struct rl_bytes text) {
  for (size_t i = 0; i < text.len;) i += put_character(out, rl_bytes(text.data + i, text.len - i));
}

static void put_text(struct rl_buf *out, struct rl_bytes text) {
  size_t shown = 0, i = 0;
  rl_buf_putc(out, '"');
  for (; i < text.len && shown < RL_OUTLINE_SAMPLE; shown++) {
    if (text.data[i] == '"' || text.data[i] == '\\') rl_buf_putc(out, '\\');
    i += put_character(out, rl_bytes(text.data + i, text.len - i));
  }
  rl_buf_puts(out, i < text.len ? "…\"" : "\"");
}

static void put_bytes(struct rl_buf *out, struct rl_bytes bytes) {
  rl_buf_printf(out, "%zu byte%s", bytes.len, bytes.len == 1 ? "" : "s");
  for (size_t i = 0; i < bytes.len && i < BYTES; i++)
    rl_buf_printf(out, "%s%02x", i == 0 ? ": " : " ", (unsigned char)bytes.data[i]);
  if (bytes.len > BYTES) rl_buf_puts(out, " …");
}

void rl_outline_put_sample(struct rl_buf *out, const struct rl_cell *cell) {
  struct rl_bytes text = rl_bytes(cell->s, cell->len);
  switch (cell->tag) {
    case RL_BOOL: rl_buf_puts(out, cell->i ? "true" : "false"); break;
    case RL_INT: rl_buf_printf(out, "%lld", (long long)cell->i); break;
    case RL_DOUBLE: rl_put_double(out, cell->d); break;
    case RL_BIG:
      rl_buf_put(out, text.data, text.len < RL_OUTLINE_SAMPLE ? text.len : RL_OUTLINE_SAMPLE);
      break;
    case RL_TEXT: put_text(out, text); break;
    case RL_BLOB: put_bytes(out, text); break;
    case RL_ARRAY: rl_buf_printf(out, "%u item%s", cell->len, cell->len == 1 ? "" : "s"); break;
    case RL_OBJECT: rl_buf_printf(out, "%u member%s", cell->len, cell->len == 1 ? "" : "s"); break;
    default: rl_buf_puts(out, "null");
  }
}
