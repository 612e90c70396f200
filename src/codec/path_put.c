#include "codec/path_put.h"

static bool is_bare(struct rl_bytes key) {
  for (size_t i = 0; i < key.len; i++)
    if (strchr(".[]\"", key.data[i])) return false;
  return key.len > 0 && key.data[0] != '@';
}

static void put_quoted(struct rl_buf *out, struct rl_bytes key) {
  rl_buf_putc(out, '"');
  for (size_t i = 0; i < key.len; i++) {
    if (key.data[i] == '"' || key.data[i] == '\\') rl_buf_putc(out, '\\');
    rl_buf_putc(out, key.data[i]);
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
