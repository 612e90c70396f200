/* A decoded value against what is declared of its field, whatever the format it came from. */
#ifndef RL_CODEC_COERCE_H
#define RL_CODEC_COERCE_H

#include <math.h>

#include "base/arena.h"
#include "base/buf.h"
#include "codec/fields.h"

/* What is at hand while a message is decoded. */
struct rl_coerce {
  struct rl_arena *arena; /* of shaped arrays */
  struct rl_bytes value;  /* the message's: tells where in it a malformed array is */
  struct rl_buf *scratch;
};

/* Converts the cell to what is declared (fields.h says how), or RL_EHANDLER naming field, type and what was
 * found. Missing and null become the default, where there is one, else pass. */
int rl_coerce(const struct rl_field *field, struct rl_cell *cell, const struct rl_coerce *in,
              struct rl_err *err);
/* Is the cell as a single value of the type should be (of f32, once it is rounded, which is done)? So are
 * most. False: rl_coerce has to look. */
static inline bool rl_coerce_quick(enum rl_type type, struct rl_cell *cell) {
  if (type == RL_F32 && cell->tag == RL_DOUBLE) {
    float rounded = (float)cell->d;
    if (isinf(rounded)) return false;
    cell->d = (double)rounded;
    return true;
  }
  if (type == RL_F64) return cell->tag == RL_DOUBLE;
  if (type == RL_I64) return cell->tag == RL_INT;
  return (type == RL_AUTO || type == RL_ANY) && cell->tag > RL_NULL;
}
/* field->required: RL_EHANDLER when the cell is missing or null. */
int rl_coerce_required(const struct rl_field *field, const struct rl_cell *cell, struct rl_err *err);

/* A single value, or an element, to field->type; missing and null pass. */
int rl_coerce_scalar(const struct rl_field *field, struct rl_cell *cell, struct rl_err *err);
/* "an array", "the text \"x\" …" */
void rl_put_found(struct rl_buf *out, const struct rl_cell *cell);

#endif
