/* A decoded value against its field's declared type, whatever the format it came from. */
#ifndef RL_CODEC_COERCE_H
#define RL_CODEC_COERCE_H

#include "codec/fields.h"

/* Converts the cell to field->type (fields.h says how), or RL_EHANDLER naming field, type and what was found.
 * Missing and null pass. */
int rl_coerce(const struct rl_field *field, struct rl_cell *cell, struct rl_err *err);
/* field->required: RL_EHANDLER when the cell is missing or null. */
int rl_coerce_required(const struct rl_field *field, const struct rl_cell *cell, struct rl_err *err);

#endif
