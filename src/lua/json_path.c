#include "lua/json_path.h"

#include <stdio.h>

#include "base/str.h"

static void prepend(struct rl_json_path *path, const char *step, size_t len) {
  rl_buf_clear(&path->spare);
  rl_buf_put(&path->spare, step, len);
  if (path->text.len > 0 && path->text.data[0] != '[') rl_buf_putc(&path->spare, '.');
  rl_buf_put(&path->spare, path->text.data ? path->text.data : "", path->text.len);
  struct rl_buf old = path->text;
  path->text = path->spare;
  path->spare = old;
}

void rl_json_path_key(struct rl_json_path *path, const char *key, size_t len) {
  bool plain = len > 0;
  for (size_t i = 0; i < len && plain; i++) {
    char c = key[i];
    plain = c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }
  if (plain) {
    prepend(path, key, len);
    return;
  }
  struct rl_buf step = RL_BUF_INIT;
  rl_buf_putc(&step, '[');
  rl_put_json_string(&step, rl_bytes(key, len));
  rl_buf_putc(&step, ']');
  prepend(path, step.data, step.len);
  rl_buf_free(&step);
}

void rl_json_path_index(struct rl_json_path *path, long long index) {
  char step[32];
  int len = snprintf(step, sizeof step, "[%lld]", index);
  prepend(path, step, (size_t)len);
}

void rl_json_path_free(struct rl_json_path *path) {
  rl_buf_free(&path->text);
  rl_buf_free(&path->spare);
}
