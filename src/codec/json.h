/* JSON, whole documents (S9): a flat tape of cells in C from which Lua values are built, so that no C++ frame
 * lies under a Lua call. The only C++ file is json.cpp; nothing throws out of it. */
#ifndef RL_CODEC_JSON_H
#define RL_CODEC_JSON_H

#include "base/arena.h"
#include "base/err.h"
#include "codec/cell.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rl_tape {
  struct rl_cell *at; /* pre-order; see RL_ARRAY and RL_OBJECT */
  size_t n, cap;
  struct rl_arena arena; /* of unescaped texts and big numbers */
};

struct rl_json; /* a parser with its padded scratch; one a thread */

struct rl_json *rl_json_new(void);
void rl_json_free(struct rl_json *json);

/* The whole document, every scalar checked (numbers by JSON's grammar, UTF-8, escapes), only blanks around
 * it. Scalars are documents too. Depth over max_depth is an error. Texts are copied into the tape's arena.
 * RL_EHANDLER with "… at byte N". */
int rl_json_tape(struct rl_json *json, struct rl_bytes text, size_t max_depth, struct rl_tape *tape,
                 struct rl_err *err);
void rl_tape_reset(struct rl_tape *tape);
void rl_tape_free(struct rl_tape *tape);

#ifdef __cplusplus
}
#endif
#endif
