/* The path that was meant, when a field is nowhere. Private to the codec room. */
#ifndef RL_CODEC_JSON_SUGGEST_H
#define RL_CODEC_JSON_SUGGEST_H

#include "base/buf.h"
#include "codec/fields.h"
#include "codec/json.h"

/* Puts the path of the document that is nearest to the field's: itself with the [*] that it lacks, its last
 * key elsewhere ("candidate.magpsf" for "magpsf"), or the nearest key where the path ends ("candidate.rb" for
 * "candidate.rbb"); or nothing. */
void rl_json_suggest(struct rl_bytes document, size_t max_depth, const struct rl_field *field,
                     struct rl_buf *out);

#endif
