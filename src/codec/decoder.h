/* Bytes in, columns out: what every format offers. One decoder a lane; not thread-safe.
 *
 * JSON (S9): one walk over the whole document fills all fields, whatever its order. Its structure is checked
 * to the end (brackets, commas, colons, what follows, UTF-8), and so are the scalars and containers that are
 * asked for. Scalars that nobody asks for are looked at more closely under `strict` only: without it
 * {"a":1,"b":1.2.3} passes when only a is read. The root must be an object (an array if a path starts with an
 * index); when no field reads the value any JSON will do. Keys are compared unescaped; of a key that comes
 * twice the last counts, as in a decoded table, with all that is below it. With rows = "[*]" the document is
 * an array, whose elements are rows: paths begin at an element, which is what a document is else. With
 * "alerts[*]" ("a.b[*]", keys only) the array is in the document, which is checked to its end all the same;
 * that key may not come twice. A document without that array is an error, one whose array is empty has no
 * row.
 *
 * Avro: paths go through records, maps (a key is a step) and arrays; unions are no step. Enums are texts,
 * fixed and bytes are bytes, floats doubles; arrays, maps and records that are wanted themselves are RL_TREE.
 * Values are walked to their ends, and a container to its; of what is skipped only the structure is checked,
 * and under `strict` all. Of the last value of a container's block (mostly the only one) what follows the
 * last field asked for is not looked at, but under `strict`: the sync marker says that the block is whole. A
 * container gives a row a value.
 *
 * [*] goes through all elements of a JSON or Avro array, in the same pass as everything else (lists.h); a
 * message may have RL_LIST_CELLS of them.
 *
 * CSV: RFC 4180, a row a record. Lines end in LF or CRLF (a lone CR does, too); a quote within a cell that
 * does not start with one is a character like any other. Empty cells are missing, "" in quotes is an empty
 * text (missing where a number or boolean is declared). auto and any: a number, if the cell is one as JSON
 * writes it, blanks around it or not, but not in quotes (so 007, +5 and "5" are texts), else a text, or bytes
 * where it is no UTF-8. i64, f64, f32: blanks around, a plus, leading zeros, .5 and 5. are fine too, and nan
 * and inf (infinity) in any case for f64 and f32. bool: true false t f yes no y n on off 1 0 in any case. A
 * record with more or fewer cells than there are names for is an error; blank lines are none. "tsv" is "csv"
 * with a tab. Paths are a column's name (in quotes if need be), or [0], [-1]: its place. */
#ifndef RL_CODEC_DECODER_H
#define RL_CODEC_DECODER_H

#include "base/buf.h"
#include "base/msg.h"
#include "codec/avro.h"
#include "codec/columns.h"
#include "codec/csv.h"
#include "codec/json.h"

struct rl_decoder;

struct rl_decoder_opts {
  const struct rl_fields *fields; /* borrowed; NULL: none */
  bool strict;                    /* also check scalars that are skipped */
  const char *rows;               /* json: the array whose elements are rows; NULL: a row a message */
  size_t max_depth;               /* nesting; 0: 1000; Avro: 2000 at most */
  size_t max_inflated;            /* bytes that a message's compressed blocks may have; 0: RL_MAX_INFLATED */
  size_t max_columns; /* bytes of the rows that a message of several may have; 0: RL_MAX_COLUMNS */
  struct rl_avro_opts avro;
  struct rl_csv_opts csv;
};

#define RL_MAX_INFLATED ((size_t)64 << 20)
#define RL_MAX_COLUMNS ((size_t)16 << 20)

/* format: "json", "avro", "csv", "tsv" or "raw" (raw fills meta fields only; a field with a path is RL_EUSAGE
 * there). */
int rl_decoder_new(struct rl_decoder **out, const char *format, const struct rl_decoder_opts *opts,
                   struct rl_err *err);
void rl_decoder_free(struct rl_decoder *d);

/* Appends one row for msg; c NULL: only checks the value. A null value gives a row of missing fields
 * (required ones too). On error (RL_EHANDLER; text without topic and offset, with the byte offset where the
 * value is damaged, or, of a required field that no value had so far, with the nearest path) the row is
 * there, all missing but for the meta fields. Cells borrow from the message. */
int rl_decoder_row(struct rl_decoder *d, const struct rl_msg *msg, struct rl_columns *c, struct rl_err *err);

/* The same for a message of any number of records, none too: appends a row for each, all of them or, on
 * error, one, as above; *n is how many. (rl_decoder_row refuses a message that has not just one.)
 * RL_ETRANSIENT: a schema is not there yet, nothing was appended, the message is to be decoded again later.
 */
int rl_decoder_rows(struct rl_decoder *d, const struct rl_msg *msg, struct rl_columns *c, size_t *n,
                    struct rl_err *err);

/* The whole value of the message's record with this number, from 0: what the tape held is gone, texts live in
 * its arena or the message, or until the next call. RL_EHANDLER; "raw" reads JSON. A decoder serves one
 * thread: a handler's is its own. Records of a message that are asked for in their order are read in one
 * pass: so `msg` stays as and where it is until rl_decoder_tape_end, or until the record of another is asked
 * for. */
int rl_decoder_tape(struct rl_decoder *d, const struct rl_msg *msg, size_t record, struct rl_tape *tape,
                    struct rl_err *err);
void rl_decoder_tape_end(struct rl_decoder *d);

/* Has any value so far had the field (the number of one that reads the value): before a default took its
 * place, and, of a list, for at least one element? Also true when no value could have: all lists were empty.
 */
bool rl_decoder_met(const struct rl_decoder *d, size_t field);

/* Does the message's schema have the field, whatever its value holds there: below a null record, in an array
 * that is empty? False where nothing but the value could say it (JSON, CSV, an Avro map's keys). */
bool rl_decoder_declares(struct rl_decoder *d, const struct rl_msg *msg, const struct rl_field *field);

/* For the warning about a field that no message of the first batch has: paths seen at that level of the
 * document, so that the nearest can be named. Puts "candidate.magpsf" or nothing; never the field's own path.
 */
void rl_decoder_suggest(struct rl_decoder *d, const struct rl_msg *msg, const struct rl_field *field,
                        struct rl_buf *out);

#endif
