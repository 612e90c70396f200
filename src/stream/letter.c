#include "stream/letter.h"

#include <stdio.h>

#include "base/mem.h"

static void add(struct rl_letter_headers *h, const char *name, struct rl_bytes value) {
  RL_GROW(h->at, h->cap, h->n + 1);
  h->at[h->n++] = (struct rl_header){name, value};
}

static void add_text(struct rl_letter_headers *h, const char *name, const char *text, size_t max) {
  if (!text) return;
  size_t len = strnlen(text, max);
  while (len && len == max && (text[len] & 0xc0) == 0x80) len--; /* not in the middle of a character */
  add(h, name, rl_arena_copy(&h->arena, rl_bytes(text, len)));
}

static void add_number(struct rl_letter_headers *h, const char *name, long long number) {
  char text[24];
  snprintf(text, sizeof text, "%lld", number);
  add_text(h, name, text, sizeof text);
}

void rl_letter_headers(struct rl_letter_headers *h, const struct rl_msg *msg, const struct rl_letter *letter,
                       const char *script) {
  struct rl_header own;
  *h = (struct rl_letter_headers){0};
  rl_arena_init(&h->arena);
  for (size_t i = 0; rl_msg_header(msg, i, &own); i++) add(h, own.name, own.value);
  add_text(h, "rille.topic", msg->topic, SIZE_MAX);
  add_number(h, "rille.partition", msg->partition);
  add_number(h, "rille.offset", msg->offset);
  if (msg->timestamp >= 0) add_number(h, "rille.timestamp", msg->timestamp);
  add_text(h, "rille.error", letter->error, RL_LETTER_TRACEBACK);
  add_text(h, "rille.traceback", letter->traceback, RL_LETTER_TRACEBACK);
  add_text(h, "rille.script", script, SIZE_MAX);
  add_number(h, "rille.attempts", letter->attempts);
}

void rl_letter_headers_free(struct rl_letter_headers *h) {
  rl_arena_free(&h->arena);
  rl_free(h->at);
}
