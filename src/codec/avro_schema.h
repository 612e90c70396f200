/* An Avro schema, parsed: a graph of types, with names looked up, so that a value can be read without its
 * text.
 *
 * What a reader needs is checked (names that are defined, sizes, one branch of a kind in a union); what only
 * a writer could have got wrong is let pass, because streams carry it: the default of a union that fits
 * another branch than the first, logical types that do not fit their base, names with dashes.
 *
 * A schema that was resolved against a reader's (avro_resolve.h) is a graph of the same kind: types still say
 * how values are written, and beside that what they are read as. */
#ifndef RL_CODEC_AVRO_SCHEMA_H
#define RL_CODEC_AVRO_SCHEMA_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "codec/cell.h"

enum rl_avro_kind {
  RL_AVRO_NULL,
  RL_AVRO_BOOLEAN,
  RL_AVRO_INT,
  RL_AVRO_LONG,
  RL_AVRO_FLOAT,
  RL_AVRO_DOUBLE,
  RL_AVRO_BYTES,
  RL_AVRO_STRING,
  RL_AVRO_FIXED,
  RL_AVRO_ENUM,
  RL_AVRO_RECORD,
  RL_AVRO_ARRAY,
  RL_AVRO_MAP,
  RL_AVRO_UNION,
  RL_AVRO_MISFIT, /* of a resolved schema: what the reader's schema has no place for; `items` is how it is
                     written */
};
enum { RL_AVRO_PRIMITIVES = RL_AVRO_STRING + 1 };

enum rl_avro_logical { RL_AVRO_PLAIN, RL_AVRO_DECIMAL, RL_AVRO_UUID };

enum {
  RL_AVRO_SCHEMA_MAX = 1 << 20, /* bytes of a schema's text */
  RL_AVRO_NAME_MAX = 1024,      /* bytes of a name or symbol */
  RL_AVRO_NESTING = 250,        /* definitions within definitions */
};

struct rl_avro_type;

struct rl_avro_field {
  struct rl_bytes name; /* the reader's, when resolved */
  struct rl_bytes *aliases;
  uint32_t n_aliases;
  struct rl_avro_type *type;
  const struct rl_cell *fallback; /* its default, a tape; NULL: none */
  bool dropped;                   /* of a resolved schema: the reader has no such field */
};

/* Of a resolved record: a field that the writer does not have. */
struct rl_avro_given {
  struct rl_bytes name;
  const struct rl_cell *value; /* a tape of n cells */
  size_t n;
};

struct rl_avro_type {
  enum rl_avro_kind kind; /* how it is written */
  enum rl_avro_kind to;   /* what it is read as: kind, or another under a reader's schema */
  enum rl_avro_logical logical;
  int precision, scale; /* of a decimal: digits in all, and behind the point */
  uint32_t number;
  uint32_t n;               /* fields, symbols, branches */
  struct rl_bytes name;     /* full name of a record, enum, fixed; for a misfit: the sentence */
  struct rl_bytes *aliases; /* as written: with a namespace or without */
  uint32_t n_aliases;
  const char *logical_name; /* as written; NULL: none */
  uint64_t size;            /* of a fixed */
  uint64_t least;           /* bytes every value takes at least */
  bool exact;               /* every value takes just `least` bytes */
  union {
    struct rl_avro_field *fields;
    struct rl_bytes *symbols; /* data NULL in a resolved schema: the reader has none such, and no default */
    struct rl_avro_type **branches; /* of a union */
    struct rl_avro_type *items;     /* of an array; values of a map */
  };
  struct rl_bytes fallback;    /* of an enum: its default symbol; data NULL: none */
  struct rl_avro_given *given; /* of a resolved record */
  uint32_t n_given;
  /* Copies of names and symbols in the arena of the message with this number (avro_run.h). */
  struct rl_bytes *kept;
  uint64_t kept_for;
};

struct rl_avro_schema {
  struct rl_arena arena;
  struct rl_avro_type *root;
  struct rl_avro_type **types; /* all, by number */
  uint32_t n, cap;
  struct rl_avro_type *primitives[RL_AVRO_PRIMITIVES];
};

/* Parses the schema in the last of n texts; those before define names it may use (a registry's references).
 * `defaults`: also keep the fields' defaults, as a reader's schema needs them. RL_EHANDLER names the place in
 * the schema ("alert.candidate.rb: …") or, where the text is no JSON, the byte. */
int rl_avro_schema_new(struct rl_avro_schema **out, const struct rl_bytes *texts, size_t n, bool defaults,
                       struct rl_err *err);
void rl_avro_schema_free(struct rl_avro_schema *schema);

const char *rl_avro_kind_name(enum rl_avro_kind kind); /* "long" */
/* "long", "record ztf.alert", "union of null and float": for errors. */
void rl_avro_put_type(struct rl_buf *out, const struct rl_avro_type *type);

/* A type of the schema, zeroed but for kind and number. */
struct rl_avro_type *rl_avro_type_new(struct rl_avro_schema *schema, enum rl_avro_kind kind);
struct rl_avro_schema *rl_avro_schema_empty(void);
/* Fills `least` and `exact` of all types, once the graph stands. */
void rl_avro_measure(struct rl_avro_schema *schema);

/* The parsing canonical form: what two schemas share that read the same bytes the same way. */
void rl_avro_put_canonical(struct rl_buf *out, const struct rl_avro_schema *schema);
/* CRC-64-AVRO. */
uint64_t rl_avro_fingerprint(struct rl_bytes text);

#endif
