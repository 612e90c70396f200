/* What a format gives the decoder: how to fill a row from a message's value. The decoder does the rest: meta
 * fields, declared types, required fields, tombstones. One constant struct a format, listed in decoder.c. */
#ifndef RL_CODEC_FORMAT_H
#define RL_CODEC_FORMAT_H

#include "codec/decoder.h"

struct rl_format {
  const char *name;
  /* opts outlives self; fields may be none, never NULL. RL_EUSAGE when a field cannot be had. */
  int (*open)(void **self, const struct rl_decoder_opts *opts, struct rl_err *err);
  void (*close)(void *self);
  /* Fills row[f] of every field f that reads the value, by what the value holds. Cells borrow from the
   * message or live in the arena. msg->value is not null. RL_EHANDLER. NULL: see rl_format_rows. */
  int (*row)(void *self, const struct rl_msg *msg, struct rl_arena *arena, struct rl_cell *row,
             struct rl_err *err);
  /* As rl_decoder_suggest; NULL: nothing to suggest. */
  void (*suggest)(void *self, const struct rl_msg *msg, const struct rl_field *field, struct rl_buf *out);
  /* As rl_decoder_declares; NULL: values say it only by having the field. */
  bool (*declares)(void *self, const struct rl_msg *msg, const struct rl_field *field);
};

/* A format of which a message may hold any number of records: instead of row. */
struct rl_format_rows {
  /* A message: what follows reads it. msg, arena and err live until its last record was taken, or the next
   * begin. RL_EHANDLER, RL_ETRANSIENT. */
  int (*begin)(void *self, const struct rl_msg *msg, struct rl_arena *arena, struct rl_err *err);
  /* The next record's fields, as row does: 1; 0: there is none left, the message is sound to its end, and row
   * is as it was. */
  int (*next)(void *self, struct rl_cell *row, struct rl_err *err);
  /* The next record whole, appended to the tape, which is empty, its texts in the tape's arena: 1; 0: there
   * is none left. Then goes on with the arena that begin had. */
  int (*next_tape)(void *self, struct rl_tape *tape, struct rl_err *err);
  /* Whether the message in hand may hold several records. NULL: any may. */
  bool (*several)(void *self);
};

extern const struct rl_format rl_format_json, rl_format_raw, rl_format_avro, rl_format_csv, rl_format_tsv;
extern const struct rl_format_rows rl_avro_rows, rl_csv_rows, rl_json_rows;

#endif
