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
  const struct rl_outline_node *base; /* what fields begin at: the root, or the items that are rows */
  struct rl_list names;               /* that are taken */
  char *first,
      *number; /* names of the first id, else field, and of the first number: what the handler shows */
};

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

/* Items have no name of their own. */
static void put_long_name(const struct script *s, struct rl_buf *out, const struct rl_outline_node *node) {
  if (node == s->base || !node->up) return;
  put_long_name(s, out, node->up);
  if (!node->name.data) return;
  if (out->len > 0) rl_buf_putc(out, '_');
  put_identifier(out, node->name);
}

/* A key may be empty, or a word of Lua's. */
static void make_usable(struct rl_buf *name) {
  if (name->len == 0 || is_reserved(rl_buf_text(name))) rl_buf_putc(name, '_');
}

/* The last key; where that is taken the whole path; then with a number. */
static void choose_name(struct script *s, const struct rl_outline_node *node, struct rl_buf *name) {
  put_identifier(name, node->name);
  make_usable(name);
  if (is_taken(s, name->data)) {
    rl_buf_clear(name);
    put_long_name(s, name, node);
    make_usable(name);
  }
  size_t len = name->len;
  for (int n = 2; is_taken(s, name->data); n++) {
    name->len = len;
    rl_buf_printf(name, "_%d", n);
  }
  rl_list_push(&s->names, name->data);
}

/* ---- fields ---- */

/* Paths hold no NUL. */
static bool has_path(const struct rl_outline_node *node) {
  for (; node->up; node = node->up)
    if (node->name.data && memchr(node->name.data, 0, node->name.len)) return false;
  return true;
}

static void put_remark(struct rl_buf *out, const struct rl_outline_node *node) {
  struct rl_buf type = RL_BUF_INIT;
  rl_outline_put_type(&type, node);
  rl_buf_puts(out, " -- ");
  rl_put_visible(out, rl_buf_bytes(&type));
  if (node->sample) rl_buf_printf(out, ": %s", node->sample);
  rl_buf_puts(out, has_path(node) ? "\n" : " (no path can name a key that holds a NUL)\n");
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
 * value had would be warned of as a field that is nowhere, and what has no path is no field. */
static bool is_aside(const struct rl_outline_node *node) {
  const struct rl_outline_node *root = node->up;
  while (root->up) root = root->up;
  if ((root->of && !node->up->seen[RL_OBJECT]) || !has_path(node)) return true;
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

/* From where fields begin. */
static void put_path(const struct script *s, struct rl_buf *out, const struct rl_outline_node *node) {
  struct rl_buf base = RL_BUF_INIT, path = RL_BUF_INIT;
  rl_outline_put_path(&base, s->base);
  rl_outline_put_path(&path, node);
  size_t skip = base.len + (base.len < path.len && base.len > 0 && path.data[base.len] == '.');
  rl_buf_put(out, path.data + skip, path.len - skip);
  rl_buf_free(&base);
  rl_buf_free(&path);
}

static void put_field(struct script *s, const struct rl_outline_node *node, bool aside) {
  struct rl_buf name = RL_BUF_INIT, path = RL_BUF_INIT;
  put_path(s, &path, node);
  choose_name(s, node, &name);
  rl_buf_puts(s->out, aside ? "    -- " : "    ");
  if (!rl_bytes_eq(rl_buf_bytes(&name), node->name)) rl_buf_printf(s->out, "%s = ", name.data);
  rl_schema_put_string(s->out, rl_buf_bytes(&path));
  rl_buf_putc(s->out, ',');
  put_remark(s->out, node);
  if (!aside) remember(s, node, name.data);
  rl_buf_free(&name);
  rl_buf_free(&path);
}

/* On the way from the base through members only. */
static bool is_reached(const struct script *s, const struct rl_outline_node *node) {
  for (; node != s->base; node = node->up)
    if (!node->up || !node->name.data) return false;
  return true;
}

static bool is_list(const struct rl_outline_node *node) { return node->first && !node->first->name.data; }

static bool is_field(const struct script *s, const struct rl_outline_node *node) {
  return node != s->base && is_reached(s, node) && (!node->first || is_list(node));
}

/* The items of a list of objects; else NULL. */
static const struct rl_outline_node *records(const struct rl_outline_node *node) {
  bool map = is_list(node) && has_word(node, "map");
  return is_list(node) && !map && has_path(node) && node->first->first && node->first->first->name.data
             ? node->first
             : NULL;
}

/* A magnitude before a flux or another real number, and that before integers, which are ids and flags. */
static int curve_rank(const struct rl_outline_node *node) {
  bool mag = node->name.len >= 3 && memcmp(node->name.data, "mag", 3) == 0;
  if (node->first || !is_number(node)) return 0;
  if (mag) return 3;
  return node->seen[RL_DOUBLE] || has_word(node, "double") || has_word(node, "float") ? 2 : 1;
}

/* A number of a list of objects as a column of lists: a light curve. */
static void put_curve(struct script *s, const struct rl_outline_node *node) {
  const struct rl_outline_node *items = records(node), *best = NULL;
  for (const struct rl_outline_node *m = items ? items->first : NULL; m; m = m->next)
    if (curve_rank(m) > (best ? curve_rank(best) : 0)) best = m;
  if (best) put_field(s, best, true);
}

static void put_fields(struct script *s) {
  rl_buf_puts(s->out, "  fields = {\n");
  for (const struct rl_outline_node *node = s->base->first; node; node = rl_outline_next(node)) {
    if (!is_field(s, node)) continue;
    put_field(s, node, is_aside(node));
    put_curve(s, node);
  }
  rl_buf_puts(s->out, "  },\n");
}

/* ---- rows ---- */

/* Where nothing but lists is at the root, what there is to handle is the objects of one: of the only one. */
static const struct rl_outline_node *only_records(const struct script *s) {
  const struct rl_outline_node *found = NULL;
  if (is_list(s->base)) return records(s->base);
  for (const struct rl_outline_node *node = s->base->first; node; node = rl_outline_next(node)) {
    bool list = is_field(s, node) && records(node);
    if ((is_field(s, node) && !is_aside(node)) || (list && found)) return NULL;
    if (list) found = records(node);
  }
  return found;
}

static void put_rows(struct rl_buf *out, const struct rl_outline_node *items) {
  struct rl_buf path = RL_BUF_INIT;
  rl_outline_put_path(&path, items);
  rl_buf_puts(out, "  rows = ");
  rl_schema_put_string(out, rl_buf_bytes(&path));
  rl_buf_puts(out, ",\n");
  rl_buf_free(&path);
}

/* ---- the whole ---- */

/* A whole handler. base: the root, or the objects that are rows, where paths begin at each. */
static void put_table(struct rl_buf *out, const struct rl_schema_view *view,
                      const struct rl_outline_node *base) {
  struct script s = {.out = out, .base = base};
  rl_schema_put_settings(out, view);
  if (base->up) put_rows(out, base);
  put_fields(&s);
  rl_schema_put_handler(out, s.first, s.number, view->many || base->up);
  rl_list_free(&s.names);
  rl_free(s.first);
  rl_free(s.number);
}

/* ---- other rows ---- */

static void put_commented(struct rl_buf *out, struct rl_bytes text) {
  for (size_t at = 0, end; at < text.len; at = end + 1) {
    const char *stop = memchr(text.data + at, '\n', text.len - at);
    end = stop ? (size_t)(stop - text.data) : text.len;
    rl_buf_puts(out, "-- ");
    rl_buf_put(out, text.data + at, end - at);
    rl_buf_putc(out, '\n');
  }
}

/* Other settings, paths and a loop of their own: nothing of the handler above would do. */
static void put_other(struct rl_buf *out, const struct rl_schema_view *view,
                      const struct rl_outline_node *items) {
  struct rl_buf path = RL_BUF_INIT, table = RL_BUF_INIT;
  rl_outline_put_path(&path, items->up);
  rl_buf_puts(out, "\n-- Or each object of ");
  rl_put_visible(out, rl_buf_bytes(&path));
  rl_buf_puts(out, " as a row, where paths begin at it: uncomment what follows.\n");
  rl_buf_puts(&table, "handler = {\n");
  put_table(&table, view, items);
  put_commented(out, rl_buf_bytes(&table));
  rl_buf_free(&path);
  rl_buf_free(&table);
}

/* The list's objects, where they could be rows beside what the root has. */
static const struct rl_outline_node *other_rows(const struct script *s, const struct rl_outline_node *node) {
  return is_field(s, node) ? records(node) : NULL;
}

static bool has_others(const struct script *s) {
  for (const struct rl_outline_node *node = s->base->first; node; node = rl_outline_next(node))
    if (other_rows(s, node)) return true;
  return false;
}

static void put_others(const struct script *s, const struct rl_schema_view *view) {
  for (const struct rl_outline_node *node = s->base->first; node; node = rl_outline_next(node))
    if (other_rows(s, node)) put_other(s->out, view, other_rows(s, node));
  rl_buf_puts(s->out, "\nreturn handler\n");
}

/* Only of JSON can a list's elements be rows. */
void rl_schema_put_script(struct rl_buf *out, const struct rl_schema_view *view) {
  struct script s = {.out = out, .base = &view->outline->root};
  bool json = strcmp(view->settings->decode, "json") == 0;
  const struct rl_outline_node *only = json ? only_records(&s) : NULL;
  bool others = json && !only && has_others(&s);
  rl_buf_puts(out, "-- The fields of ");
  rl_put_visible(out, rl_bytes_str(view->source));
  rl_buf_puts(out, ", by `rille schema`: keep those that you need, for only they are read.\n");
  rl_buf_puts(out, others ? "local handler = {\n" : "return {\n");
  put_table(out, view, only ? only : s.base);
  if (others) put_others(&s, view);
}
