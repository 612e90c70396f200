/* Arrays of a declared shape: values to RL_SHAPED. Private to the codec room. */
#ifndef RL_CODEC_SHAPE_H
#define RL_CODEC_SHAPE_H

#include "codec/coerce.h"

/* Checks n and at (each at least 1, RL_SHAPE_MAX elements at most) and sets the count; false: no shape. */
bool rl_shape_finish(struct rl_shape *shape);
void rl_put_shape(struct rl_buf *out, const struct rl_shape *shape); /* "{63, 63}" */

/* The cell as an array of field->shape: from RL_JSON, RL_TREE, RL_LIST, or RL_BLOB where the field has a byte
 * order. RL_EHANDLER names the field, the shape that is wanted and the one that was found, or the element
 * that is of another type. */
int rl_shape_cell(const struct rl_field *field, struct rl_cell *cell, const struct rl_coerce *in,
                  struct rl_err *err);
/* All elements are the field's default. */
void rl_shape_default(const struct rl_field *field, struct rl_cell *cell, struct rl_arena *arena);

/* What rl_shape_cell is made of: an array of any format but bytes, element by element. */
int rl_shape_read(const struct rl_field *field, struct rl_shaped *shaped, const struct rl_cell *cell,
                  const struct rl_coerce *in, struct rl_err *err);
/* The cell is of the declared type. */
void rl_shape_store(const struct rl_shaped *shaped, size_t i, const struct rl_cell *cell);
int rl_shape_wrong(const struct rl_field *field, const char *found, struct rl_err *err);

#endif
