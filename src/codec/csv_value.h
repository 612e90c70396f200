/* A CSV cell's text as a value (decoder.h says which). Private to codec/csv*.c. */
#ifndef RL_CODEC_CSV_VALUE_H
#define RL_CODEC_CSV_VALUE_H

#include "codec/csv_record.h"
#include "codec/fields.h"
#include "codec/json_decimal.h"
#include "codec/json_walk.h"

enum { RL_CSV_NUMBER_MAX = 512 }; /* bytes; longer texts are none */

/* What does not fit the type stays a text, and the type check says so. */
struct rl_cell rl_csv_value(const struct rl_csv_cell *cell, enum rl_type type);

/* May a cell of the type be a number as JSON writes it? */
static inline bool rl_csv_wants_number(enum rl_type type) {
  return type == RL_F32 || type == RL_F64 || type == RL_I64 || type == RL_AUTO || type == RL_ANY;
}

/* As rl_json_number, most without a call. */
static inline size_t rl_csv_number_at(const char *text, struct rl_cell *to) {
  size_t len = rl_json_decimal(text, to);
  return len ? len : rl_json_number(text, to);
}

/* The value of one of those, where it is read without a copy: as most are, no blank around it. False: *to is
 * anything, and rl_csv_value has to look. */
static inline bool rl_csv_quick_number(const struct rl_csv_cell *cell, struct rl_cell *to) {
  size_t len = cell->text.len;
  return cell->roomy && len - 1 < RL_CSV_NUMBER_MAX && rl_csv_number_at(cell->text.data, to) == len;
}

#endif
