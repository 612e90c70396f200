/* Which values of a message a handler reads: names, paths, types.
 *
 * A path is dotted ("candidate.magpsf"), with indices ("prv[0].mag", "[-1]"); a key that holds a dot, bracket
 * or quote is quoted ("\"a.b\".c"; within the quotes \\ takes the next character as it is), and so is one
 * that starts with @. "@key @topic @partition @offset @timestamp @headers.NAME" read the message instead of
 * its value: everything after "@headers." is the header's name, and of several of that name the last counts.
 * A field's name defaults to its path's last key.
 *
 * What a path meets on its way that is no object (no array for an index) makes the field missing.
 * Missing and null stay apart in cells (RL_MISSING, RL_NULL); `required` wants neither.
 *
 *   auto, any   the value as it is; arrays and objects as RL_JSON
 *   i64         an integer within int64, written as one: 5, not 5.0
 *   f64, f32    any number but those that a double does not hold: an integer beyond int64, 1e400, and an
 *               integer that would be rounded (2510000000000000003), so that no id loses its end unseen;
 *               f32 is rounded to single precision and refuses what would overflow it
 *   bool, str, bytes
 *
 * From @key and headers, which are bytes: auto, any and bytes give RL_BLOB, str is checked to be UTF-8, the
 * others are read as JSON's numbers, true and false. */
#ifndef RL_CODEC_FIELDS_H
#define RL_CODEC_FIELDS_H

#include <sys/types.h>

#include "base/err.h"
#include "codec/cell.h"

enum rl_type { RL_AUTO, RL_I64, RL_F64, RL_F32, RL_BOOLEAN, RL_STR, RL_BYTES, RL_ANY };

enum rl_meta {
  RL_META_NONE,
  RL_META_KEY,
  RL_META_TOPIC,
  RL_META_PARTITION,
  RL_META_OFFSET,
  RL_META_TIMESTAMP,
  RL_META_HEADER
};

struct rl_step {
  char *key;     /* NULL: an index */
  int64_t index; /* from 0; negative counts from the end */
};

struct rl_field {
  char *name;
  char *path; /* as written */
  struct rl_step *steps;
  size_t n_steps;
  enum rl_type type;
  enum rl_meta meta;
  bool required;
};

struct rl_fields {
  struct rl_field *at;
  size_t n, cap;
};

#define RL_FIELDS_INIT \
  { NULL, 0, 0 }

/* name NULL: the path's last key. Errors name the path, the column and what was expected; two fields of one
 * name are an error. */
int rl_fields_add(struct rl_fields *fields, const char *name, const char *path, enum rl_type type,
                  bool required, struct rl_err *err);
/* "objectId,mag=candidate.magpsf,rb=candidate.rb:f64" */
int rl_fields_parse(struct rl_fields *fields, const char *list, struct rl_err *err);
int rl_type_parse(const char *name, enum rl_type *type);                  /* 0 or RL_EUSAGE */
const char *rl_type_name(enum rl_type type);                              /* "f64" */
ssize_t rl_fields_find(const struct rl_fields *fields, const char *name); /* index or -1 */
void rl_fields_copy(struct rl_fields *to, const struct rl_fields *from);
void rl_fields_free(struct rl_fields *fields);

#endif
