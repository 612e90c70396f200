/* A whole document's tape, walked. */
#include "codec/json.h"

size_t rl_tape_past(const struct rl_tape *tape, size_t i) {
  for (size_t left = 1; left > 0; i++, left--) {
    const struct rl_cell *cell = &tape->at[i];
    if (cell->tag == RL_ARRAY) left += cell->len;
    if (cell->tag == RL_OBJECT) left += 2 * (size_t)cell->len;
  }
  return i;
}

size_t rl_tape_member(const struct rl_tape *tape, size_t i, const char *key) {
  size_t found = 0, at = i + 1;
  if (tape->at[i].tag != RL_OBJECT) return 0;
  for (uint32_t n = tape->at[i].len; n > 0; n--, at = rl_tape_past(tape, at + 1))
    if (rl_bytes_eq(rl_bytes(tape->at[at].s, tape->at[at].len), rl_bytes_str(key))) found = at + 1;
  return found;
}
