/* The outline as a table and as JSON. */
#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "cli/output.h"
#include "cli/schema.h"

enum { TYPE_MAX = 48 };

/* How many values there could have been. */
static uint64_t possible(const struct rl_outline_node *node) {
  return node->name.data && node->up ? node->up->seen[RL_OBJECT] : node->of;
}

/* Cut at a character. */
static void shorten(struct rl_buf *text) {
  if (text->len <= TYPE_MAX) return;
  text->len = TYPE_MAX;
  while (text->len > 0 && ((unsigned char)text->data[text->len] & 0xC0) == 0x80) text->len--;
  rl_buf_puts(text, "…");
}

/* A key may hold anything; a terminal must not get it. */
static void put_path(struct rl_buf *out, const struct rl_outline_node *node) {
  struct rl_buf path = RL_BUF_INIT, shown = RL_BUF_INIT;
  rl_outline_put_path(&path, node);
  rl_put_visible(&shown, rl_buf_bytes(&path));
  rl_buf_puts(out, rl_buf_text(&shown));
  rl_buf_free(&path);
  rl_buf_free(&shown);
}

static void add_row(struct rl_table *t, const struct rl_outline_node *node) {
  struct rl_buf path = RL_BUF_INIT, type = RL_BUF_INIT;
  put_path(&path, node);
  rl_outline_put_type(&type, node);
  shorten(&type);
  rl_table_cell(t, "%s", rl_buf_text(&path));
  rl_table_cell(t, "%s", rl_buf_text(&type));
  if (possible(node))
    rl_table_cell(t, "%" PRIu64 "/%" PRIu64, rl_outline_filled(node), possible(node));
  else
    rl_table_cell(t, "-");
  rl_table_cell(t, "%s", node->sample ? node->sample : "");
  rl_buf_free(&path);
  rl_buf_free(&type);
}

static void add_more(struct rl_table *t, const struct rl_outline_node *node) {
  struct rl_buf path = RL_BUF_INIT;
  put_path(&path, node);
  rl_table_cell(t, "%s%s…", rl_buf_text(&path), path.len ? "." : "");
  rl_table_cell(t, "over %d keys", RL_OUTLINE_CHILDREN);
  rl_table_cell(t, "-");
  rl_table_cell(t, "%s", "");
  rl_buf_free(&path);
}

int rl_schema_print(const struct rl_schema_view *view, struct rl_err *err) {
  static const char *const headings[] = {"PATH", "TYPE", "FILLED", "SAMPLE"};
  const struct rl_outline_node *root = &view->outline->root;
  struct rl_table t;
  rl_table_init(&t, 4);
  for (int i = 0; i < 4; i++) rl_table_cell(&t, "%s", headings[i]);
  /* a root that is a scalar has no path: its row says what it is */
  for (const struct rl_outline_node *node = root->first ? rl_outline_next(root) : root; node;
       node = rl_outline_next(node)) {
    add_row(&t, node);
    if (node->more) add_more(&t, node);
  }
  if (root->more) add_more(&t, root);
  return rl_table_print(&t, err);
}

static void put_member(struct rl_buf *out, const char *name, const struct rl_buf *text) {
  rl_buf_printf(out, "\"%s\":", name);
  rl_put_json_string(out, rl_buf_bytes(text));
}

static void put_node(struct rl_buf *out, const struct rl_outline_node *node) {
  struct rl_buf path = RL_BUF_INIT, type = RL_BUF_INIT;
  rl_outline_put_path(&path, node);
  rl_outline_put_type(&type, node);
  rl_buf_putc(out, '{');
  put_member(out, "path", &path);
  rl_buf_putc(out, ',');
  put_member(out, "type", &type);
  rl_buf_printf(out, ",\"filled\":%" PRIu64 ",\"of\":%" PRIu64 ",\"sample\":", rl_outline_filled(node),
                possible(node));
  rl_put_json_string(out, rl_bytes_str(node->sample));
  rl_buf_puts(out, "}\n");
  rl_buf_free(&path);
  rl_buf_free(&type);
}

void rl_schema_put_json(struct rl_buf *out, const struct rl_schema_view *view) {
  const struct rl_outline_node *root = &view->outline->root;
  for (const struct rl_outline_node *node = root->first ? rl_outline_next(root) : root; node;
       node = rl_outline_next(node))
    put_node(out, node);
}
