/* JSON, whole documents (S9): a flat tape of cells in C from which Lua values are built, so that no C++ frame
 * lies under a Lua call. The only C++ file is base/json_index.cpp; nothing throws out of it.
 *
 * Of a key that an object holds twice the last one counts, here and where fields are selected (decoder.h):
 * the tape has both pairs, in order, so that filling a table from it comes to that by itself. */
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
  struct rl_arena arena; /* of texts and big numbers */
};

#define RL_TAPE_INIT        \
  {                         \
    NULL, 0, 0, { NULL, 0 } \
  }

#define RL_JSON_DEPTH 1000

struct rl_json; /* a parser with its padded scratch; one a thread */

struct rl_json *rl_json_new(void);
void rl_json_free(struct rl_json *json);

/* The whole document, every scalar checked (numbers by JSON's grammar, UTF-8, escapes), only blanks around
 * it. Scalars are documents too. Depth over max_depth (0: RL_JSON_DEPTH) is an error; a scalar's is 0. What
 * the tape held is gone; texts lie in its arena. RL_EHANDLER with "… at byte N"; then the tape is empty. */
int rl_json_tape(struct rl_json *json, struct rl_bytes text, size_t max_depth, struct rl_tape *tape,
                 struct rl_err *err);
void rl_tape_reset(struct rl_tape *tape);
void rl_tape_free(struct rl_tape *tape);
size_t rl_tape_past(const struct rl_tape *tape,
                    size_t i); /* the cell after the value at i and all it holds */
/* The value of a key of the object at i; 0: no object, or without it (0 is the root, no member). */
size_t rl_tape_member(const struct rl_tape *tape, size_t i, const char *key);

#ifdef __cplusplus
}
#endif
#endif
