/* Writing Avro: what the parts of the encoder share. Private to codec/avro_encode*.c. */
#ifndef RL_CODEC_AVRO_PUT_H
#define RL_CODEC_AVRO_PUT_H

#include "codec/avro_encode.h"
#include "codec/avro_names.h"
#include "codec/avro_schema.h"
#include "codec/avro_tape.h"

/* A record's fields by name. */
struct rl_avro_lookup {
  uint32_t *slots; /* numbers of fields + 1; 0: none */
  size_t n_slots;  /* a power of two */
  struct rl_bytes
      *fallbacks; /* of each field: its default's bytes, made when first wanted; data NULL: not yet */
};

struct rl_avro_encoder {
  struct rl_avro_schema *schema;
  struct rl_buf text;
  uint64_t fingerprint;
  struct rl_avro_lookup *lookups; /* of the types, by number; of records only */
  uint32_t *found;                /* a stack: of the open records' fields, where the value has them */
  size_t n_found, cap_found;
};

struct rl_avro_put {
  struct rl_avro_encoder *encoder;
  const struct rl_avro_encode_opts *opts;
  struct rl_avro_doc doc; /* the value */
  struct rl_buf *out;
  size_t depth, max_depth;
  struct rl_err *err;
};

/* Fills err: "cannot be written as Avro: " + the place + the sentence; returns false. */
__attribute__((format(printf, 3, 4), cold)) bool rl_avro_refuse(const struct rl_avro_put *p,
                                                                const struct rl_avro_place *place,
                                                                const char *fmt, ...);
/* "a text where double is wanted". */
bool rl_avro_refuse_kind(const struct rl_avro_put *p, const struct rl_avro_place *place,
                         const struct rl_avro_type *type, size_t at);

void rl_avro_put_long(struct rl_buf *out, int64_t value);

/* The value at `at`. */
bool rl_avro_put_value(struct rl_avro_put *p, struct rl_avro_type *type, size_t at,
                       const struct rl_avro_place *place);
bool rl_avro_put_scalar(struct rl_avro_put *p, const struct rl_avro_type *type, size_t at,
                        const struct rl_avro_place *place);

/* The number of a record's field, or -1. */
int64_t rl_avro_lookup(const struct rl_avro_encoder *encoder, const struct rl_avro_type *record,
                       struct rl_bytes name);
/* Whether a value may lack the field. */
bool rl_avro_may_lack(const struct rl_avro_field *field);
/* The number of a union's null; n: it has none. */
uint32_t rl_avro_null_branch(const struct rl_avro_type *type);

/* The union's branch for the value at `at`; n: there is none, and err says so. */
uint32_t rl_avro_choose(const struct rl_avro_put *p, const struct rl_avro_type *type, size_t at,
                        const struct rl_avro_place *place);
/* The type with this name: a kind's, a full name or the last part of one. */
bool rl_avro_is_called(const struct rl_avro_type *type, struct rl_bytes name);

enum rl_avro_fit { RL_AVRO_UNFIT, RL_AVRO_FAINT, RL_AVRO_LOOSE, RL_AVRO_EXACT };
/* How a scalar fits a type that is no union, record, array or map. */
enum rl_avro_fit rl_avro_scalar_fit(const struct rl_avro_put *p, const struct rl_avro_type *type,
                                    const struct rl_cell *cell);

/* "-12.340" to the big-endian two's complement of its digits with `scale` of them behind the point, as short
 * as it goes: replaces out. False: it is no such number, has more digits behind the point, or more than
 * `precision` in all (0.05 of scale 2 has one). */
bool rl_avro_decimal_bytes(struct rl_bytes text, int precision, int scale, struct rl_buf *out);

/* Appends the block, compressed. RL_EFAIL: the library refuses. */
int rl_avro_deflate(enum rl_avro_codec codec, struct rl_bytes block, struct rl_buf *out, struct rl_err *err);

#endif
