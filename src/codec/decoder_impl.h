/* What a decoder is, for codec/decoder*.c only. */
#ifndef RL_CODEC_DECODER_IMPL_H
#define RL_CODEC_DECODER_IMPL_H

#include "codec/coerce.h"
#include "codec/format.h"

enum met { NOT_ASKED, LACKED, MET }; /* has a value had the field? */

struct value {
  size_t field;
  bool single; /* neither a list nor an array */
  enum rl_type type;
};

struct rl_decoder {
  const struct rl_format *format;
  const struct rl_format_rows *rows;
  void *self;           /* the format's */
  struct rl_json *json; /* for whole values; made when the first is asked for */
  struct rl_decoder_opts opts;
  struct rl_cell *row;   /* of the message being decoded: cells reach the columns only when all are right */
  struct rl_arena spare; /* of messages that are decoded without columns, only to be checked */
  struct rl_arena whole; /* of the message whose records become tapes */
  const struct rl_msg *taped; /* that message; NULL: none is begun */
  size_t next_record;         /* of it */
  struct rl_buf scratch;      /* of at_hand */
  struct rl_coerce at_hand;
  enum met *met;                 /* by field */
  const struct rl_field *lacked; /* the required field that failed the message: no value so far had it */
  size_t *meta;                  /* the fields that read the message */
  size_t n_meta;
  struct value *values; /* those that read its value */
  size_t n_values;
};

#endif
