/* Bytes in, columns out: what every format offers. One decoder a lane; not thread-safe. */
#ifndef RL_CODEC_DECODER_H
#define RL_CODEC_DECODER_H

#include "base/buf.h"
#include "base/msg.h"
#include "codec/columns.h"

struct rl_decoder;

struct rl_decoder_opts {
  const struct rl_fields *fields; /* borrowed */
  bool strict;                    /* also check scalars that are skipped */
  size_t max_depth;               /* nesting; 0: 1000 */
};

/* format: "json" or "raw" (raw fills meta fields only; a field with a path is RL_EUSAGE there). */
int rl_decoder_new(struct rl_decoder **out, const char *format, const struct rl_decoder_opts *opts,
                   struct rl_err *err);
void rl_decoder_free(struct rl_decoder *d);

/* Appends one row for msg. A null value gives a row of missing fields. On error (RL_EHANDLER; text without
 * topic and offset, with the byte offset) the row is there, all missing but for the meta fields. */
int rl_decoder_row(struct rl_decoder *d, const struct rl_msg *msg, struct rl_columns *c, struct rl_err *err);

/* For the warning about a field that no message of the first batch has: paths seen at that level of the
 * document, so that the nearest can be named. Puts "candidate.magpsf" or nothing. */
void rl_decoder_suggest(struct rl_decoder *d, const struct rl_msg *msg, const struct rl_field *field,
                        struct rl_buf *out);

#endif
