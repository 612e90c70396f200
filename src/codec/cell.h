/* One decoded value, 16 bytes: a column is an array of cells, a whole document a flat tape of them. */
#ifndef RL_CODEC_CELL_H
#define RL_CODEC_CELL_H

#include <stdint.h>

#include "base/bytes.h"

enum rl_tag {
  RL_MISSING, /* the field is not there */
  RL_NULL,
  RL_BOOL,   /* i is 0 or 1 */
  RL_INT,    /* i, exact */
  RL_DOUBLE, /* d */
  RL_BIG,    /* a number that fits neither: its text as written (s, len) */
  RL_TEXT,   /* UTF-8, unescaped (s, len) */
  RL_BLOB,   /* bytes (s, len) */
  RL_JSON,   /* an array or object as it stands in the document (s, len): decoded when read */
  RL_ARRAY,  /* tape only: `len` values follow */
  RL_OBJECT, /* tape only: `len` pairs of RL_TEXT and value follow */
  RL_TREE,   /* an array or object, decoded: the `len` cells of its tape (tree), which lives as texts do */
  RL_LIST,   /* what a path with [*] leads to: `len` cells (list), one an element, which is RL_MISSING where
                the path leads nowhere; of a path with several [*] they are lists themselves. Lives as texts do
              */
  RL_SHAPED, /* an array of a declared shape: `len` numbers (shaped) */
};

struct rl_shaped;

struct rl_cell {
  uint32_t tag; /* enum rl_tag */
  uint32_t len; /* of s; items of an array, pairs of an object */
  union {
    int64_t i;
    double d;
    const char *s; /* points into the message's payload, or into the owner's arena */
    const struct rl_cell *tree;
    struct rl_cell *list; /* NULL when empty */
    const struct rl_shaped *shaped;
  };
};

enum { RL_SHAPE_DIMS = 8, RL_SHAPE_MAX = 16 << 20 }; /* most dimensions; most elements of an array */

struct rl_shape {
  uint32_t n;     /* dimensions; 0: none is declared */
  uint32_t count; /* elements: the product */
  uint32_t at[RL_SHAPE_DIMS];
};

/* The elements in C order (the last index runs fastest) without gaps, from data on, which is aligned to 16:
 * float for f32, double for f64, int64_t for i64, and for bool bytes that are 0 or 1; in the machine's byte
 * order. Elements that are missing or null are NaN; in i64 and bool there are none. So a row of a tensor is
 * memcpy(row, shaped->data, shaped->size * shape->count). Lives as texts do; the shape is the field's. */
struct rl_shaped {
  const struct rl_shape *shape;
  uint32_t type; /* enum rl_type */
  uint32_t size; /* bytes of an element */
  void *data;
};

#endif
