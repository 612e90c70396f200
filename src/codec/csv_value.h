/* A CSV cell's text as a value (decoder.h says which). Private to codec/csv*.c. */
#ifndef RL_CODEC_CSV_VALUE_H
#define RL_CODEC_CSV_VALUE_H

#include "codec/csv_record.h"
#include "codec/fields.h"

/* What does not fit the type stays a text, and the type check says so. */
struct rl_cell rl_csv_value(const struct rl_csv_cell *cell, enum rl_type type);

#endif
