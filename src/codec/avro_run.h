/* Reading Avro's bytes: a position in a run of them, checked at every step, and what is taken from them.
 * Private to codec/avro*.c.
 *
 * Positions are numbers, not pointers, so that a length out of the data cannot make one that may not be.
 * Every step returns false when it met a fault; the first one is told (rl_avro_fault) and ends the reading.
 */
#ifndef RL_CODEC_AVRO_RUN_H
#define RL_CODEC_AVRO_RUN_H

#include "codec/avro_schema.h"
#include "codec/coerce.h"
#include "codec/json.h"
#include "codec/lists.h"

enum {
  RL_AVRO_DEPTH_MAX = 2000,      /* of max_depth: reading recurses */
  RL_AVRO_FREE_ITEMS = 1 << 20,  /* items that take no bytes, a value: no length bounds their count */
  RL_AVRO_KEPT_MAX = 256,        /* symbols of an enum that are copied once a message, not once a value */
  RL_AVRO_TREE_CELLS = 16 << 20, /* of one value that is taken whole */
};

struct rl_avro_run {
  const uint8_t *data;
  size_t at, len;
  size_t depth, max_depth; /* arrays, maps and records that are open */
  size_t free_items;       /* that may still come */
  bool logical;            /* decimals and UUIDs as text */
  bool last;               /* the data ends with this value: it need not be read beyond what is wanted */
  bool copy;               /* data goes before the cells do: texts are copied to the arena */
  uint64_t message;        /* its number: names are copied to the arena once a message (rl_avro_type.kept) */
  struct rl_arena *arena;
  struct rl_tape tape; /* of the value being taken whole; its arena is not used */
  struct rl_lists lists;
  const struct rl_fields *fields; /* arrays of a shape are filled as they are read */
  /* where the data stands in the message, for errors */
  size_t base;
  bool inflated; /* the data is a block's, inflated; base is where the block starts */
  struct rl_err *err;
};

/* Fills err: "Avro: " + the sentence + " at byte N"; returns false. `at` is a position in the data. */
__attribute__((format(printf, 3, 4), cold)) bool rl_avro_fault(struct rl_avro_run *r, size_t at,
                                                               const char *fmt, ...);
bool rl_avro_fault_end(struct rl_avro_run *r, uint64_t want);
bool rl_avro_fault_length(struct rl_avro_run *r, size_t at, int64_t length);
bool rl_avro_long_slow(struct rl_avro_run *r, int64_t *value);

static inline size_t rl_avro_left(const struct rl_avro_run *r) { return r->len - r->at; }

static inline int64_t rl_avro_unzigzag(uint64_t n) { return (int64_t)(n >> 1 ^ (0 - (n & 1))); }

static inline bool rl_avro_long(struct rl_avro_run *r, int64_t *value) {
  if (r->at < r->len && r->data[r->at] < 0x80) {
    *value = rl_avro_unzigzag(r->data[r->at++]);
    return true;
  }
  return rl_avro_long_slow(r, value);
}

/* A length and the bytes it counts: *start is where they begin, at is after them. */
static inline bool rl_avro_span(struct rl_avro_run *r, size_t *start, size_t *n) {
  size_t from = r->at;
  int64_t length;
  if (!rl_avro_long(r, &length)) return false;
  if (length < 0 || (uint64_t)length > rl_avro_left(r)) return rl_avro_fault_length(r, from, length), false;
  *start = r->at;
  *n = (size_t)length;
  r->at += *n;
  return true;
}

static inline bool rl_avro_skip_bytes(struct rl_avro_run *r, uint64_t n) {
  if (n > rl_avro_left(r)) return rl_avro_fault_end(r, n);
  r->at += n;
  return true;
}

/* The number of a union's branch. */
bool rl_avro_branch(struct rl_avro_run *r, uint32_t n_branches, uint32_t *branch);

static inline bool rl_avro_enter(struct rl_avro_run *r) {
  if (r->depth < r->max_depth) return r->depth++, true;
  return rl_avro_fault(r, r->at, "nested deeper than %zu (limits.depth)", r->max_depth);
}

/* The next block of an array's or map's items: *n of them, 0: no more. *size is the block's bytes, where it
 * says so, else -1. `least` is what an item takes. */
bool rl_avro_block(struct rl_avro_run *r, uint64_t least, uint64_t *n, int64_t *size);

/* A scalar as a cell: what type->to says. */
bool rl_avro_scalar(struct rl_avro_run *r, struct rl_avro_type *type, struct rl_cell *cell);
/* The value at `at` and all it holds, appended to r->tape: records and maps as RL_OBJECT. */
bool rl_avro_tree(struct rl_avro_run *r, struct rl_avro_type *type);
/* r->tape, from cell `from` on, as a cell of the arena: itself, or RL_TREE. */
struct rl_cell rl_avro_tree_cell(struct rl_avro_run *r, size_t from);
/* A constant's copy, its text in the arena; and one of a tape of n cells, as rl_avro_tree_cell gives it. */
struct rl_cell rl_avro_constant_cell(struct rl_avro_run *r, struct rl_cell cell);
struct rl_cell rl_avro_constant(struct rl_avro_run *r, const struct rl_cell *value, size_t n);
/* The name of a field (of a given one, from type->n on) or a symbol, copied to the arena. */
struct rl_bytes rl_avro_kept(struct rl_avro_run *r, struct rl_avro_type *type, uint32_t i);

/* "-12.340": the integer in big-endian two's complement, with its point `scale` digits from the right; in the
 * arena. */
struct rl_bytes rl_avro_decimal(struct rl_arena *arena, struct rl_bytes unscaled, int scale);

#endif
