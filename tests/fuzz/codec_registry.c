/* libFuzzer: bytes as the body of a schema registry's answer. Nothing may be read past their end; what passes
 * is whole and within the limits, what does not says why. */
#include <stdlib.h>

#include "codec/registry_answer.h"

static void touch(struct rl_bytes text) {
  volatile unsigned char seen = 0;
  for (size_t i = 0; i < text.len; i++) seen = (unsigned char)text.data[i];
  (void)seen;
}

static void check(const struct rl_registry_answer *answer) {
  if (!answer->text.data || answer->n_refs > RL_REGISTRY_TEXTS) abort();
  touch(answer->text);
  for (size_t i = 0; i < answer->n_refs; i++) {
    if (!answer->refs[i].subject.data) abort();
    touch(answer->refs[i].subject);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct rl_arena arena;
  struct rl_err err = {0};
  struct rl_buf body = RL_BUF_INIT;
  struct rl_registry_answer answer = {0};
  rl_arena_init(&arena);
  struct rl_registry_line line = {.url = "http://r", .json = rl_json_new(), .arena = &arena, .err = &err};
  rl_buf_put(&body, data, size);
  int code = rl_registry_read_schema(&line, "/schemas/ids/1", &body, &answer);
  rl_buf_free(&body);
  if (code == 0) check(&answer);
  if (code != 0 && !*err.text) abort();
  rl_tape_free(&line.tape);
  rl_json_free(line.json);
  rl_arena_free(&arena);
  return 0;
}
