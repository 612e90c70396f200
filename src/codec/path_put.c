#include "codec/path_put.h"

#include "codec/outline.h"

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Within a key these end it: in a path, or in a list of fields, where the blanks around go, too. */
static bool ends_key(struct rl_bytes key) {
  for (size_t i = 0; i < key.len; i++)
    if (strchr(".[]\",:=", key.data[i])) return true; /* or it is a NUL */
  return is_blank(key.data[0]) || is_blank(key.data[key.len - 1]);
}

/* An escape is longer than what it stands for. */
static bool is_visible(struct rl_bytes key) {
  struct rl_buf shown = RL_BUF_INIT;
  rl_put_visible(&shown, key);
  bool same = shown.len == key.len;
  rl_buf_free(&shown);
  return same;
}

static bool is_bare(struct rl_bytes key) {
  return key.len > 0 && key.data[0] != '@' && !ends_key(key) && is_visible(key);
}

/* The escapes of what is not visible are those that path.h reads. */
static void put_quoted(struct rl_buf *out, struct rl_bytes key) {
  rl_buf_putc(out, '"');
  for (size_t i = 0, from = 0; i <= key.len; i++) {
    if (i < key.len && key.data[i] != '"' && key.data[i] != '\\') continue;
    rl_put_visible(out, rl_bytes(key.data + from, i - from));
    if (i < key.len) rl_buf_printf(out, "\\%c", key.data[i]);
    from = i + 1;
  }
  rl_buf_putc(out, '"');
}

void rl_path_put_key(struct rl_buf *out, struct rl_bytes key) {
  if (out->len > 0) rl_buf_putc(out, '.');
  if (is_bare(key))
    rl_buf_put(out, key.data, key.len);
  else
    put_quoted(out, key);
}

void rl_path_put_step(struct rl_buf *out, const struct rl_step *step) {
  if (step->key)
    rl_path_put_key(out, rl_bytes_str(step->key));
  else if (step->each)
    rl_buf_puts(out, "[*]");
  else
    rl_buf_printf(out, "[%lld]", (long long)step->index);
}

void rl_path_cut(struct rl_buf *out, size_t len) {
  out->len = len;
  if (out->data) out->data[len] = 0;
}
