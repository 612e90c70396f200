/* Which type of a reader's schema is that of a writer's: by kind, promotion and name. Private to
 * codec/avro*.c. */
#ifndef RL_CODEC_AVRO_FIT_H
#define RL_CODEC_AVRO_FIT_H

#include "codec/avro_schema.h"

/* How well the reader's type fits what was written, neither of them a union; 0: not at all. Records, enums
 * and fixed want a name: the same one, whatever their namespaces, or one among the reader's aliases. What is
 * within them is not looked at. */
int rl_avro_fit(const struct rl_avro_type *writer, const struct rl_avro_type *reader);
/* The branch of the reader's union that fits best, of equals the first; NULL: none does. */
const struct rl_avro_type *rl_avro_best_branch(const struct rl_avro_type *writer,
                                               const struct rl_avro_type *reader);
/* "fixed W where the reader's schema has fixed R (…)", with what to do about it. */
void rl_avro_put_misfit(struct rl_buf *out, const struct rl_avro_type *writer,
                        const struct rl_avro_type *reader);

#endif
