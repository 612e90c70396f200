#include "cli/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/stdout.h"

int rl_out_flush(struct rl_err *err) { return rl_stdout_flush(err); }

int rl_out_write(const struct rl_buf *text, struct rl_err *err) {
  errno = 0;
  if (text->len == 0 || fwrite(text->data, 1, text->len, stdout) == text->len) return 0;
  return rl_stdout_failed(err, errno);
}

void rl_table_init(struct rl_table *t, size_t columns) { *t = (struct rl_table){columns, NULL, 0, 0}; }

void rl_table_cell(struct rl_table *t, const char *fmt, ...) {
  char text[512];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  RL_GROW(t->cells, t->cap, t->n + 1);
  t->cells[t->n++] = rl_strdup(text);
}

void rl_table_offset(struct rl_table *t, int64_t offset) {
  if (offset >= 0)
    rl_table_cell(t, "%" PRId64, offset);
  else
    rl_table_cell(t, "-");
}

static int width_of(const struct rl_table *t, size_t column) {
  size_t width = 0;
  for (size_t i = column; i < t->n; i += t->columns) {
    size_t len = strlen(t->cells[i]);
    if (len > width) width = len;
  }
  return (int)width;
}

/* One line, without blanks at its end. */
static void put_row(struct rl_buf *out, const struct rl_table *t, size_t row) {
  for (size_t c = 0; c < t->columns; c++)
    rl_buf_printf(out, "%-*s  ", width_of(t, c), t->cells[row * t->columns + c]);
  while (out->data[out->len - 1] == ' ') out->len--;
  rl_buf_putc(out, '\n');
}

int rl_table_print(struct rl_table *t, struct rl_err *err) {
  struct rl_buf out = RL_BUF_INIT;
  for (size_t row = 0; row < t->n / t->columns; row++) put_row(&out, t, row);
  int rc = rl_out_write(&out, err);
  rl_buf_free(&out);
  rl_table_free(t);
  return rc;
}

void rl_table_free(struct rl_table *t) {
  for (size_t i = 0; i < t->n; i++) rl_free(t->cells[i]);
  rl_free(t->cells);
  rl_table_init(t, t->columns);
}
