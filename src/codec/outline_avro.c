/* An Avro schema's types as nodes. */
#include "codec/avro_schema.h"
#include "codec/outline.h"

enum { SYMBOLS = 6 };

struct laying {
  struct rl_outline *outline;
  const struct rl_avro_type
      *open[RL_OUTLINE_DEPTH]; /* the records around: one that is in itself has no end */
  size_t n_open;
};

static void put_symbols(struct rl_buf *out, const struct rl_avro_type *type) {
  rl_buf_puts(out, "enum (");
  for (uint32_t i = 0; i < type->n && i < SYMBOLS; i++) {
    rl_buf_puts(out, i ? ", " : "");
    rl_buf_put(out, type->symbols[i].data, type->symbols[i].len);
  }
  rl_buf_puts(out, type->n > SYMBOLS ? ", …)" : ")");
}

static void put_words(struct rl_buf *out, const struct rl_avro_type *type);

/* null stands last: what one reads is the other. */
static void put_branches(struct rl_buf *out, const struct rl_avro_type *type) {
  bool null = false, any = false;
  for (uint32_t i = 0; i < type->n; i++) {
    if (type->branches[i]->kind == RL_AVRO_NULL) {
      null = true;
      continue;
    }
    if (any) rl_buf_puts(out, " or ");
    put_words(out, type->branches[i]);
    any = true;
  }
  if (null) rl_buf_puts(out, any ? " or null" : "null");
}

/* A union's words are several: "array of (record or null) or null". */
static void put_items(struct rl_buf *out, const char *what, const struct rl_avro_type *items) {
  bool several = items->kind == RL_AVRO_UNION && items->n > 1;
  rl_buf_printf(out, "%s of %s", what, several ? "(" : "");
  put_words(out, items);
  if (several) rl_buf_putc(out, ')');
}

static void put_words(struct rl_buf *out, const struct rl_avro_type *type) {
  switch (type->kind) {
    case RL_AVRO_UNION: put_branches(out, type); return;
    case RL_AVRO_ENUM: put_symbols(out, type); return;
    case RL_AVRO_FIXED: rl_buf_printf(out, "fixed of %llu", (unsigned long long)type->size); break;
    case RL_AVRO_ARRAY: put_items(out, "array", type->items); break;
    case RL_AVRO_MAP: put_items(out, "map", type->items); break;
    default: rl_buf_puts(out, rl_avro_kind_name(type->kind));
  }
  if (type->logical_name) rl_buf_printf(out, " (%s)", type->logical_name);
}

static void declare(struct laying *l, struct rl_outline_node *node, const struct rl_avro_type *type) {
  struct rl_buf words = RL_BUF_INIT;
  put_words(&words, type);
  bool known = node->declared && strstr(node->declared, rl_buf_text(&words));
  if (node->declared && !known) rl_buf_printf(&words, " or %s", node->declared);
  if (!known) node->declared = rl_arena_strdup(&l->outline->arena, rl_buf_text(&words));
  rl_buf_free(&words);
}

static void lay(struct laying *l, struct rl_outline_node *node, const struct rl_avro_type *type);

static bool is_open(const struct laying *l, const struct rl_avro_type *type) {
  for (size_t i = 0; i < l->n_open; i++)
    if (l->open[i] == type) return true;
  return l->n_open == RL_OUTLINE_DEPTH;
}

static void lay_fields(struct laying *l, struct rl_outline_node *node, const struct rl_avro_type *type) {
  if (is_open(l, type)) return;
  l->open[l->n_open++] = type;
  for (uint32_t i = 0; i < type->n; i++) {
    struct rl_outline_node *child = rl_outline_child(l->outline, node, type->fields[i].name);
    if (child) declare(l, child, type->fields[i].type);
    if (child) lay(l, child, type->fields[i].type);
  }
  l->n_open--;
}

static void lay_items(struct laying *l, struct rl_outline_node *node, const struct rl_avro_type *type) {
  struct rl_bytes none = {NULL, 0};
  if (is_open(l, type)) return;
  l->open[l->n_open++] = type;
  struct rl_outline_node *items = rl_outline_child(l->outline, node, none);
  if (items) declare(l, items, type->items);
  if (items) lay(l, items, type->items);
  l->n_open--;
}

/* What is below the node. A map's keys are the values' to say. */
static void lay(struct laying *l, struct rl_outline_node *node, const struct rl_avro_type *type) {
  if (type->kind == RL_AVRO_RECORD) lay_fields(l, node, type);
  if (type->kind == RL_AVRO_ARRAY) lay_items(l, node, type);
  for (uint32_t i = 0; type->kind == RL_AVRO_UNION && i < type->n; i++) lay(l, node, type->branches[i]);
}

int rl_outline_avro(struct rl_outline *outline, const struct rl_bytes *texts, size_t n, struct rl_err *err) {
  struct laying l = {.outline = outline};
  struct rl_avro_schema *schema;
  int code = rl_avro_schema_new(&schema, texts, n, false, err);
  if (code != 0) return code;
  declare(&l, &outline->root, schema->root);
  lay(&l, &outline->root, schema->root);
  rl_avro_schema_free(schema);
  return 0;
}
