/* The settings of the handler that `rille schema --script` writes: where its messages are and how they
 * decode. */
#include <string.h>

#include "base/mem.h"
#include "cli/schema.h"

void rl_schema_put_string(struct rl_buf *out, struct rl_bytes text) {
  rl_buf_putc(out, '"');
  for (size_t i = 0; i < text.len; i++) {
    unsigned char c = (unsigned char)text.data[i];
    if (c == '"' || c == '\\')
      rl_buf_printf(out, "\\%c", c);
    else if (c < 0x20 || c == 0x7F)
      rl_buf_printf(out, "\\%03d", c);
    else
      rl_buf_putc(out, (char)c);
  }
  rl_buf_putc(out, '"');
}

static void put_setting(struct rl_buf *out, const char *name, const char *value) {
  rl_buf_printf(out, "  %s = ", name);
  rl_schema_put_string(out, rl_bytes_str(value));
  rl_buf_puts(out, ",\n");
}

static void put_csv(struct rl_buf *out, const struct rl_settings *s) {
  const char *before = "  csv = { ";
  if (s->csv_header) rl_buf_printf(out, "%sheader = true", before), before = ", ";
  if (s->csv_columns.n) rl_buf_printf(out, "%scolumns = { ", before), before = ", ";
  for (size_t i = 0; i < s->csv_columns.n; i++) {
    rl_schema_put_string(out, rl_bytes_str(s->csv_columns.at[i]));
    rl_buf_puts(out, i + 1 < s->csv_columns.n ? ", " : " }");
  }
  if (s->csv_delimiter) {
    rl_buf_printf(out, "%sdelimiter = ", before);
    rl_schema_put_string(out, rl_bytes_str(s->csv_delimiter));
  }
  rl_buf_puts(out, " },\n");
}

void rl_schema_put_settings(struct rl_buf *out, const struct rl_schema_view *view) {
  const struct rl_settings *s = view->settings;
  bool csv = s->csv_header || s->csv_columns.n || s->csv_delimiter;
  struct rl_buf registry = RL_BUF_INIT;
  bool schema = view->outline->values == 0; /* nothing but a schema: its values are elsewhere */
  if (!view->is_file) put_setting(out, "topics", view->source);
  if (view->is_file && !schema) put_setting(out, "input", view->source);
  if (view->is_file && !schema && view->whole) put_setting(out, "input_format", "whole");
  if (schema) rl_buf_puts(out, "  -- topics = \"TOPIC\",\n  decode = \"avro\",\n");
  if (strcmp(s->decode, "raw") != 0) put_setting(out, "decode", s->decode);
  bool own = schema && strcmp(view->source, "-") != 0;
  if (own || s->schema) put_setting(out, "schema", own ? view->source : s->schema);
  if (schema) rl_buf_puts(out, "  -- framing = \"confluent\", -- where values begin with 00 and a number\n");
  for (size_t i = 0; i < s->registry.n; i++)
    rl_buf_printf(&registry, "%s%s", i ? "," : "", s->registry.at[i]);
  if (registry.len) put_setting(out, "registry", registry.data);
  rl_buf_free(&registry);
  if (strcmp(s->framing, "auto") != 0) put_setting(out, "framing", s->framing);
  if (csv) put_csv(out, s);
}
