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
};

struct rl_cell {
  uint32_t tag; /* enum rl_tag */
  uint32_t len; /* of s; items of an array, pairs of an object */
  union {
    int64_t i;
    double d;
    const char *s; /* points into the message's payload, or into the owner's arena */
    const struct rl_cell *tree;
  };
};

#endif
