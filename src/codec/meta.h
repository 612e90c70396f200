/* Fields that read the message instead of its value: @key, @topic, @headers.NAME … */
#ifndef RL_CODEC_META_H
#define RL_CODEC_META_H

#include "base/msg.h"
#include "codec/coerce.h"

/* The value of a field with field->meta, as declared. Borrows from the message, or lives in in->arena.
 * RL_EHANDLER when it is of another type. */
int rl_meta_cell(const struct rl_field *field, const struct rl_msg *msg, struct rl_cell *cell,
                 const struct rl_coerce *in, struct rl_err *err);

#endif
