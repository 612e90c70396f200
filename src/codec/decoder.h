/* Bytes in, columns out: what every format offers. One decoder a lane; not thread-safe.
 *
 * JSON (S9): one walk over the whole document fills all fields, whatever its order. Its structure is checked
 * to the end (brackets, commas, colons, what follows, UTF-8), and so are the scalars and containers that are
 * asked for. Scalars that nobody asks for are looked at more closely under `strict` only: without it
 * {"a":1,"b":1.2.3} passes when only a is read. The root must be an object (an array if a path starts with an
 * index); when no field reads the value any JSON will do. Keys are compared unescaped; of a key that comes
 * twice the last counts, as in a decoded table, with all that is below it. */
#ifndef RL_CODEC_DECODER_H
#define RL_CODEC_DECODER_H

#include "base/buf.h"
#include "base/msg.h"
#include "codec/columns.h"

struct rl_decoder;

struct rl_decoder_opts {
  const struct rl_fields *fields; /* borrowed; NULL: none */
  bool strict;                    /* also check scalars that are skipped */
  size_t max_depth;               /* nesting; 0: 1000 */
};

/* format: "json" or "raw" (raw fills meta fields only; a field with a path is RL_EUSAGE there). */
int rl_decoder_new(struct rl_decoder **out, const char *format, const struct rl_decoder_opts *opts,
                   struct rl_err *err);
void rl_decoder_free(struct rl_decoder *d);

/* Appends one row for msg; c NULL: only checks the value. A null value gives a row of missing fields
 * (required ones too). On error (RL_EHANDLER; text without topic and offset, with the byte offset where the
 * value is damaged) the row is there, all missing but for the meta fields. Cells borrow from the message. */
int rl_decoder_row(struct rl_decoder *d, const struct rl_msg *msg, struct rl_columns *c, struct rl_err *err);

/* For the warning about a field that no message of the first batch has: paths seen at that level of the
 * document, so that the nearest can be named. Puts "candidate.magpsf" or nothing. */
void rl_decoder_suggest(struct rl_decoder *d, const struct rl_msg *msg, const struct rl_field *field,
                        struct rl_buf *out);

#endif
