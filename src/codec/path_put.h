/* A path as text again: what path.h reads, and what a list of fields takes as it is, for messages that
 * suggest one and outlines. */
#ifndef RL_CODEC_PATH_PUT_H
#define RL_CODEC_PATH_PUT_H

#include "base/buf.h"
#include "codec/fields.h"

/* Appends a key, after a dot where something stands before it; quoted where its letters need it,
 * and then without anything that a terminal should not get. (A NUL is put as an escape that path.h refuses.)
 */
void rl_path_put_key(struct rl_buf *out, struct rl_bytes key);
void rl_path_put_step(struct rl_buf *out, const struct rl_step *step);
/* Takes back what was appended past `len`. */
void rl_path_cut(struct rl_buf *out, size_t len);

#endif
