/* Which values of a message a handler reads: names, paths, types.
 *
 * A path is dotted ("candidate.magpsf"), with indices ("prv[0].mag", "[-1]"); a key that holds a dot, bracket
 * or quote, or starts with @, is quoted ("\"a.b\".c"), and in lists of fields (rl_fields_parse) so is one
 * that holds a comma, colon or equals sign, or has blanks around it. Within quotes \n, \r, \t and \xHH are
 * a line feed, carriage return, tab and the byte of two hexadecimal digits, and a backslash takes any other
 * character as it is. "@key @topic @partition @offset @timestamp @headers.NAME" read the message instead of
 * its value: everything after "@headers." is the header's name, and of several of that name the last counts.
 * A field's name defaults to its path's last key. [*] goes
 * through all elements of an array: the field is a list a row (RL_LIST), of lists where the path has several;
 * where there is no array it is missing, and of an empty one it is an empty list, which is present.
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
 * The type of a field with [*] is that of its elements; of those, f64 and f32 have NaN for what is missing or
 * null. A shape makes the value an array of i64, f64, f32 or bool of just that shape (RL_SHAPED): out of
 * arrays nested as the shape is, or of one flat one of as many elements; or, with a byte order, out of bytes
 * that hold the elements one behind the other (bool: a byte each), in C order. Missing or null elements are
 * NaN in f64 and f32 and an error in the others.
 *
 * A default takes the place of what is missing or null: of the elements, where the field has [*] or a shape
 * (then of all, when the array is missing; a missing list stays missing, unless the default is an empty one).
 * A message without a value has none of its fields, defaults included.
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
  char *key;     /* NULL: an index, or each */
  int64_t index; /* from 0; negative counts from the end */
  bool each;     /* [*] */
};

enum rl_byte_order { RL_NO_ORDER, RL_LITTLE, RL_BIG_FIRST }; /* of numbers in bytes: none, "little", "big" */

struct rl_field {
  char *name;
  char *path; /* as written */
  struct rl_step *steps;
  size_t n_steps;
  enum rl_type type;
  enum rl_meta meta;
  bool required;
  uint32_t n_lists; /* how many [*] the path has */
  struct rl_shape shape;
  enum rl_byte_order order; /* where the array may come as bytes */
  bool has_default;
  struct rl_cell fallback; /* the default, of the declared type; an RL_LIST is the empty list */
};

/* What is declared of a field besides its name and path. */
struct rl_field_spec {
  enum rl_type type;
  bool required;
  struct rl_shape shape; /* n and at; the count is made */
  enum rl_byte_order order;
  bool has_default;
  struct rl_cell fallback; /* its text is copied */
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
/* The same with all that can be declared. Also errors: a shape that is none, or of another type than i64,
 * f64, f32 and bool; a byte order without a shape; a default with `required`, or of another type. */
int rl_fields_add_spec(struct rl_fields *fields, const char *name, const char *path,
                       const struct rl_field_spec *spec, struct rl_err *err);
/* Is the field's cell a list or a shaped array, not a single value? */
static inline bool rl_field_is_many(const struct rl_field *field) { return field->n_lists || field->shape.n; }
/* Where the type stands after the path in "candidate.rb:f64": at the first colon outside quotes, or NULL. */
const char *rl_fields_colon(const char *text);
/* "objectId,mag=candidate.magpsf,rb=candidate.rb:f64:required": [NAME=]PATH and, each after a colon and in
 * any order, TYPE, required, default=VALUE, shape=63x63, bytes=little (or big). VALUE is a number, true,
 * false, {} (the empty list), or a text, which stands in double quotes where it holds a comma or colon or
 * looks like one of the others; nan is a number for f64 and f32. What was read before an error stays. */
int rl_fields_parse(struct rl_fields *fields, const char *list, struct rl_err *err);
const char *rl_type_nearest(const char *name);                            /* what was meant, or NULL */
int rl_type_parse(const char *name, enum rl_type *type);                  /* 0 or RL_EUSAGE */
const char *rl_type_name(enum rl_type type);                              /* "f64" */
ssize_t rl_fields_find(const struct rl_fields *fields, const char *name); /* index or -1 */
/* The same by its name or else by the path it was declared with. */
ssize_t rl_fields_find_either(const struct rl_fields *fields, const char *name);
void rl_fields_copy(struct rl_fields *to, const struct rl_fields *from);
void rl_fields_free(struct rl_fields *fields);

#endif
