/* What is wrong with an expression, shown: the line and a caret under the place. */
#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"
#include "lua/where_tree.h"

enum { BEFORE = 60, AFTER = 30 }; /* characters of the line shown on either side */

static bool starts_character(char c) { return ((unsigned char)c & 0xC0) != 0x80; }

static size_t line_start(struct rl_bytes text, size_t at) {
  while (at > 0 && text.data[at - 1] != '\n') at--;
  return at;
}

static size_t count_lines(struct rl_bytes text, size_t to) {
  size_t n = 1;
  for (size_t i = 0; i < to; i++) n += text.data[i] == '\n';
  return n;
}

static size_t count_characters(struct rl_bytes text, size_t from, size_t to) {
  size_t n = 0;
  for (size_t i = from; i < to; i++) n += starts_character(text.data[i]);
  return n;
}

/* The part of the line that is shown, and how far into it the place is. Control characters are shown as
 * blanks, so that the caret stands where it should. */
static void put_line(struct rl_buf *out, struct rl_bytes text, size_t at) {
  size_t start = line_start(text, at), end = at;
  if (at - start > BEFORE) start = at - BEFORE;
  while (start < at && !starts_character(text.data[start])) start++;
  while (end < text.len && text.data[end] != '\n' && end - at < AFTER) end++;
  while (end < text.len && !starts_character(text.data[end])) end++;
  rl_buf_puts(out, "\n  ");
  for (size_t i = start; i < end; i++)
    rl_buf_putc(out, (unsigned char)text.data[i] < 0x20 ? ' ' : text.data[i]);
  rl_buf_puts(out, "\n  ");
  for (size_t n = count_characters(text, start, at); n > 0; n--) rl_buf_putc(out, ' ');
  rl_buf_putc(out, '^');
}

int rl_where_fail(struct rl_err *err, struct rl_bytes text, size_t at, const char *fmt, ...) {
  char what[400];
  va_list args;
  va_start(args, fmt);
  vsnprintf(what, sizeof what, fmt, args);
  va_end(args);
  size_t line = count_lines(text, at);
  struct rl_buf out = RL_BUF_INIT;
  rl_buf_printf(&out, "where: %s at ", what);
  if (line > 1) rl_buf_printf(&out, "line %zu, ", line);
  rl_buf_printf(&out, "column %zu", 1 + count_characters(text, line_start(text, at), at));
  put_line(&out, text, at);
  rl_fail(err, RL_EUSAGE, "%s", out.data);
  rl_buf_free(&out);
  return RL_EUSAGE;
}
