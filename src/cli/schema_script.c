/* The outline as a handler, to be saved and run: every scalar is a field, what is large or a list is there as
 * a comment, and the names are what `where` and batch.NAME take as they are. */
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/schema.h"
#include "lua/batch.h"

struct script {
  struct rl_buf *out;
  struct rl_list names; /* that are taken */
  char *first,
      *number; /* names of the first id, else field, and of the first number: what the handler shows */
};

static void put_lua_string(struct rl_buf *out, struct rl_bytes text) {
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

/* ---- names ---- */

static bool is_reserved(const char *name) {
  static const char *const words[] = {"and",   "break", "do",       "else",  "elseif", "end",
                                      "false", "for",   "function", "goto",  "if",     "in",
                                      "local", "nil",   "not",      "or",    "repeat", "return",
                                      "then",  "true",  "until",    "while", "between"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(name, words[i]) == 0) return true;
  return rl_lua_batch_has(name);
}

static bool is_taken(const struct script *s, const char *name) {
  for (size_t i = 0; i < s->names.n; i++)
    if (strcmp(s->names.at[i], name) == 0) return true;
  return false;
}

static void put_identifier(struct rl_buf *out, struct rl_bytes key) {
  for (size_t i = 0; i < key.len; i++) {
    char c = key.data[i];
    bool digit = c >= '0' && c <= '9', letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (digit && out->len == 0) rl_buf_putc(out, '_');
    rl_buf_putc(out, digit || letter ? c : '_');
  }
}

static void put_long_name(struct rl_buf *out, const struct rl_outline_node *node) {
  if (!node->up) return;
  put_long_name(out, node->up);
  if (out->len > 0) rl_buf_putc(out, '_');
  put_identifier(out, node->name);
}

/* The last key; where that is taken the whole path; then with a number. */
static void choose_name(struct script *s, const struct rl_outline_node *node, struct rl_buf *name) {
  put_identifier(name, node->name);
  if (name->len == 0 || is_reserved(rl_buf_text(name))) rl_buf_putc(name, '_');
  if (is_taken(s, name->data)) {
    rl_buf_clear(name);
    put_long_name(name, node);
  }
  size_t len = name->len;
  for (int n = 2; is_taken(s, name->data); n++) {
    name->len = len;
    rl_buf_printf(name, "_%d", n);
  }
  rl_list_push(&s->names, name->data);
}

/* ---- fields ---- */

static void put_remark(struct rl_buf *out, const struct rl_outline_node *node) {
  struct rl_buf type = RL_BUF_INIT;
  rl_outline_put_type(&type, node);
  rl_buf_puts(out, " -- ");
  rl_put_visible(out, rl_buf_bytes(&type));
  if (node->sample) rl_buf_printf(out, ": %s", node->sample);
  rl_buf_putc(out, '\n');
  rl_buf_free(&type);
}

static bool has_word(const struct rl_outline_node *node, const char *word) {
  struct rl_buf type = RL_BUF_INIT;
  rl_outline_put_type(&type, node);
  bool has = strstr(rl_buf_text(&type), word) != NULL;
  rl_buf_free(&type);
  return has;
}

static bool is_number(const struct rl_outline_node *node) {
  return node->seen[RL_INT] || node->seen[RL_DOUBLE] || has_word(node, "double") || has_word(node, "float") ||
         has_word(node, "int") || has_word(node, "long");
}

/* Bytes and lists are what one seldom wants as columns: cutouts, histories. What stands in a record that no
 * value had would be warned of as a field that is nowhere. */
static bool is_aside(const struct rl_outline_node *node) {
  const struct rl_outline_node *root = node->up;
  while (root->up) root = root->up;
  if (root->of && !node->up->seen[RL_OBJECT]) return true;
  return node->seen[RL_ARRAY] || node->seen[RL_BLOB] || has_word(node, "array") || has_word(node, "bytes") ||
         has_word(node, "fixed") || has_word(node, "map");
}

/* What tells one message from another, mostly. */
static bool is_id(const char *name) {
  size_t len = strlen(name);
  return len >= 2 && strcasecmp(name + len - 2, "id") == 0;
}

static void remember(struct script *s, const struct rl_outline_node *node, const char *name) {
  bool better = s->first && !is_id(s->first) && is_id(name);
  if (better) rl_free(s->first);
  if (better || !s->first) s->first = rl_strdup(name);
  if (!s->number && is_number(node)) s->number = rl_strdup(name);
}

static void put_field(struct script *s, const struct rl_outline_node *node) {
  struct rl_buf name = RL_BUF_INIT, path = RL_BUF_INIT;
  bool aside = is_aside(node);
  rl_outline_put_path(&path, node);
  choose_name(s, node, &name);
  rl_buf_puts(s->out, aside ? "    -- " : "    ");
  if (!rl_bytes_eq(rl_buf_bytes(&name), node->name)) rl_buf_printf(s->out, "%s = ", name.data);
  put_lua_string(s->out, rl_buf_bytes(&path));
  rl_buf_putc(s->out, ',');
  put_remark(s->out, node);
  if (!aside) remember(s, node, name.data);
  rl_buf_free(&name);
  rl_buf_free(&path);
}

/* A member on the way from the root through members only. */
static bool is_reached(const struct rl_outline_node *node) {
  for (; node->up; node = node->up)
    if (!node->name.data) return false;
  return true;
}

static void put_fields(struct script *s, const struct rl_outline *outline) {
  rl_buf_puts(s->out, "  fields = {\n");
  for (const struct rl_outline_node *node = outline->root.first; node; node = rl_outline_next(node)) {
    bool list = node->first && !node->first->name.data;
    if (node->name.data && is_reached(node) && (!node->first || list)) put_field(s, node);
  }
  rl_buf_puts(s->out, "  },\n");
}

/* ---- the rest ---- */

static void put_setting(struct rl_buf *out, const char *name, const char *value) {
  rl_buf_printf(out, "  %s = ", name);
  put_lua_string(out, rl_bytes_str(value));
  rl_buf_puts(out, ",\n");
}

static void put_csv(struct rl_buf *out, const struct rl_settings *s) {
  rl_buf_puts(out, "  csv = { ");
  if (s->csv_header) rl_buf_puts(out, "header = true, ");
  if (s->csv_columns.n) rl_buf_puts(out, "columns = { ");
  for (size_t i = 0; i < s->csv_columns.n; i++) {
    put_lua_string(out, rl_bytes_str(s->csv_columns.at[i]));
    rl_buf_puts(out, i + 1 < s->csv_columns.n ? ", " : " }, ");
  }
  if (s->csv_delimiter) {
    rl_buf_puts(out, "delimiter = ");
    put_lua_string(out, rl_bytes_str(s->csv_delimiter));
    rl_buf_puts(out, ", ");
  }
  rl_buf_puts(out, "},\n");
}

static void put_decoding(struct rl_buf *out, const struct rl_schema_view *view) {
  const struct rl_settings *s = view->settings;
  bool csv = s->csv_header || s->csv_columns.n || s->csv_delimiter;
  struct rl_buf registry = RL_BUF_INIT;
  bool schema = view->outline->values == 0; /* nothing but a schema: its values are elsewhere */
  if (!view->is_file) put_setting(out, "topics", view->source);
  if (view->is_file && !schema) put_setting(out, "input", view->source);
  if (view->is_file && !schema && view->whole) put_setting(out, "input_format", "whole");
  if (schema) rl_buf_puts(out, "  -- topics = \"TOPIC\",\n  decode = \"avro\",\n");
  if (strcmp(s->decode, "raw") != 0) put_setting(out, "decode", s->decode);
  if (s->schema) put_setting(out, "schema", s->schema);
  for (size_t i = 0; i < s->registry.n; i++)
    rl_buf_printf(&registry, "%s%s", i ? "," : "", s->registry.at[i]);
  if (registry.len) put_setting(out, "registry", registry.data);
  rl_buf_free(&registry);
  if (strcmp(s->framing, "auto") != 0) put_setting(out, "framing", s->framing);
  if (csv) put_csv(out, s);
}

static void put_handler(const struct script *s) {
  const char *first = s->first ? s->first : "value", *number = s->number ? s->number : first;
  bool one = strcmp(first, number) == 0;
  rl_buf_printf(s->out,
                "  handle = function(batch, out)\n"
                "    local kept = batch:where \"%s ~= nil\" -- any expression over the fields\n"
                "    for i = 1, #kept do print(kept.%s[i]%s%s%s) end\n"
                "    -- out:forward(\"TOPIC\", kept) -- sends what was kept on, byte for byte\n"
                "  end,\n}\n",
                number, first, one ? "" : ", kept.", one ? "" : number, one ? "" : "[i]");
}

void rl_schema_put_script(struct rl_buf *out, const struct rl_schema_view *view) {
  struct script s = {.out = out};
  rl_buf_puts(out, "-- The fields of ");
  rl_put_visible(out, rl_bytes_str(view->source));
  rl_buf_puts(out, ", by `rille schema`: keep those that you need, for only they are read.\nreturn {\n");
  put_decoding(out, view);
  put_fields(&s, view->outline);
  put_handler(&s);
  rl_list_free(&s.names);
  rl_free(s.first);
  rl_free(s.number);
}
