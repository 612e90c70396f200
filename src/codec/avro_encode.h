/* Values to Avro: the way back from avro.h. A value is a tape of cells, as decoders make them: texts are
 * RL_TEXT whether they are UTF-8 or not, and the schema says what they become.
 *
 * Numbers are never rounded to another kind: an integer goes to int and long if it fits, to float and double
 * if 2^53 holds it; a double that is whole goes to int and long; one that is too large for a float is an
 * error; only float rounds, as its name says. RL_BIG goes nowhere but, under `logical`, into a decimal. bytes
 * and fixed take texts as they are; string takes UTF-8 only; an enum a text that is among its symbols. An
 * object without members is an empty array too, where one is wanted: Lua's {} is both.
 *
 * A record's field that the value has not is its default, else null where that is allowed, else an error. A
 * member that the record has not is an error, or left out under drop_unknown.
 *
 * A union's branch is the one that fits best, of equals the first: exact before loose. Loose are a whole
 * double as an integer, an integer as a double, a double that float rounds, UTF-8 as bytes, a map beside a
 * record, and a record that needs its defaults. Of records and maps the members are looked at one level deep.
 * RL_AVRO_BRANCH names the branch: by kind ("long"), full name or last part of it. */
#ifndef RL_CODEC_AVRO_ENCODE_H
#define RL_CODEC_AVRO_ENCODE_H

#include "base/buf.h"
#include "base/err.h"
#include "codec/avro_inflate.h"
#include "codec/cell.h"

/* Tags of a value to be encoded beside those of cell.h. */
enum {
  RL_AVRO_BRANCH = 64,  /* s, len: a branch's name; its value follows */
  RL_AVRO_FOREIGN = 65, /* s, len: what stands here and is no value: "a function" */
};

struct rl_avro_encoder; /* a schema, ready to write with; one a thread */

struct rl_avro_encode_opts {
  bool logical; /* texts and numbers for decimals, texts for fixed UUIDs: what decoding gives under `logical`
                 */
  bool drop_unknown; /* members that a record has no field for are left out */
  size_t max_depth;  /* nesting; 0: 1000; 2000 at most */
};

/* RL_EUSAGE: the text is no schema. */
int rl_avro_encoder_new(struct rl_avro_encoder **out, struct rl_bytes schema, struct rl_err *err);
void rl_avro_encoder_free(struct rl_avro_encoder *encoder);
struct rl_bytes rl_avro_encoder_text(const struct rl_avro_encoder *encoder); /* the schema as it was given */
uint64_t rl_avro_encoder_fingerprint(
    const struct rl_avro_encoder *encoder); /* CRC-64-AVRO, of the canonical form */

/* Appends the value's bytes. RL_EHANDLER names the place in the value, lists counted from 1 as Lua does
 * ("prv_candidates[2].magpsf: a text where double is wanted"); out is as it was then. */
int rl_avro_encode(struct rl_avro_encoder *encoder, const struct rl_cell *value, size_t n,
                   const struct rl_avro_encode_opts *opts, struct rl_buf *out, struct rl_err *err);

/* What stands before a value: C3 01 and the fingerprint; 00 and the schema's id at a registry. */
void rl_avro_put_single(const struct rl_avro_encoder *encoder, struct rl_buf *out);
void rl_avro_put_confluent(uint32_t id, struct rl_buf *out);

/* An object container. Its marker is made of the schema: the same values give the same bytes. */
struct rl_avro_file {
  struct rl_avro_encoder *encoder; /* borrowed */
  enum rl_avro_codec codec;
  struct rl_buf *out; /* borrowed */
  struct rl_buf block;
  int64_t values; /* in the block */
};

void rl_avro_file_begin(struct rl_avro_file *file, struct rl_avro_encoder *encoder, enum rl_avro_codec codec,
                        struct rl_buf *out);
/* As rl_avro_encode. */
int rl_avro_file_put(struct rl_avro_file *file, const struct rl_cell *value, size_t n,
                     const struct rl_avro_encode_opts *opts, struct rl_err *err);
int rl_avro_file_end(struct rl_avro_file *file, struct rl_err *err);
void rl_avro_file_free(struct rl_avro_file *file); /* also after a failure */

#endif
