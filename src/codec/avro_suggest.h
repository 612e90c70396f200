/* The path that was meant, when a field is nowhere in a schema. Private to codec/avro*.c. */
#ifndef RL_CODEC_AVRO_SUGGEST_H
#define RL_CODEC_AVRO_SUGGEST_H

#include "codec/avro_schema.h"
#include "codec/fields.h"

/* Puts the schema's path that is nearest to the field's: itself with the [*] that it lacks, its last key
 * elsewhere ("candidate.magpsf" for "magpsf"), or the nearest key where the path ends ("candidate.rb" for
 * "candidate.rbb"); or nothing. */
void rl_avro_suggest(const struct rl_avro_schema *schema, const struct rl_field *field, struct rl_buf *out);

/* Does the schema have the field's path, through whatever branch of a union? Of a map's keys it says nothing:
 * false. */
bool rl_avro_declares(const struct rl_avro_schema *schema, const struct rl_field *field);

#endif
