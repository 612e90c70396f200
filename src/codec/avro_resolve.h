/* A writer's schema seen through a reader's: promotions, fields that were added, dropped or renamed
 * (aliases), defaults, enums' and unions' branches. Private to codec/avro*.c. */
#ifndef RL_CODEC_AVRO_RESOLVE_H
#define RL_CODEC_AVRO_RESOLVE_H

#include "codec/avro_schema.h"

/* A graph that says how the writer's values are read as the reader's: borrows from both. What does not fit
 * becomes a misfit there, which is an error for the value that meets it; only a root that cannot fit at all
 * is one now (RL_EHANDLER). The reader's schema was parsed with its defaults. */
int rl_avro_resolve(struct rl_avro_schema **out, struct rl_avro_schema *writer,
                    const struct rl_avro_schema *reader, struct rl_err *err);

/* A default as the value it stands for, a tape in the arena: bytes from their code points, numbers as the
 * type has them, a record's missing fields from their own defaults. NULL: it is none of the type. */
const struct rl_cell *rl_avro_default(struct rl_arena *arena, const struct rl_avro_field *field, size_t *n);

#endif
