/* What is to be done with a value's bytes, compiled once a schema and list of fields: take what is wanted,
 * skip the rest. Private to codec/avro*.c.
 *
 * A code is a run of operations for one type at one step of the wanted paths (NULL: nothing is wanted, skip).
 * Operations on neighbours that are skipped alike are joined: 40 optional floats are one. Codes call each
 * other through pointers, so that recursive schemas are no special case; each is compiled once. */
#ifndef RL_CODEC_AVRO_PROGRAM_H
#define RL_CODEC_AVRO_PROGRAM_H

#include "codec/avro_run.h"
#include "codec/json_program.h"

enum rl_avro_opcode {
  RL_AVRO_OP_END,
  /* skip */
  RL_AVRO_OP_FIXED,  /* n bytes */
  RL_AVRO_OP_VARINT, /* n integers */
  RL_AVRO_OP_BYTES,  /* n lengths and what they count */
  RL_AVRO_OP_PAIR,  /* n unions of two branches: a and b, each a number of bytes or one of the RL_AVRO_SIDE */
  RL_AVRO_OP_ITEMS, /* an array or map: items->rest an item */
  /* skip or take */
  RL_AVRO_OP_UNION, /* codes[branch], of n */
  RL_AVRO_OP_CALL,  /* codes[0]: a record, one level deeper */
  /* take, to fields order[from .. to) */
  RL_AVRO_OP_SCALAR,   /* a value of `type` */
  RL_AVRO_OP_TREE,     /* the same, whole */
  RL_AVRO_OP_PEEK,     /* the same, but what follows reads it again */
  RL_AVRO_OP_CONSTANT, /* a tape of n cells */
  RL_AVRO_OP_ELEMENTS, /* an array of which some elements are wanted */
  RL_AVRO_OP_KEYS,     /* a map of which some keys are */
  RL_AVRO_OP_SHAPES,   /* an array of `type`, to fields that are arrays of a shape; n: what follows reads it
                          again */
  RL_AVRO_OP_ELEMENT,  /* of constants: an element of lists has ended */
  RL_AVRO_OP_LISTS,    /* of constants: lists of n elements have ended */
  /* nothing of what follows is wanted: the end, where no other value's place depends on this one's length */
  RL_AVRO_OP_REST,
};

/* A branch of a pair that is not of one size. */
#define RL_AVRO_SIDE_BYTES UINT32_MAX        /* a length and what it counts */
#define RL_AVRO_SIDE_VARINT (UINT32_MAX - 1) /* an integer */

struct rl_avro_op;
struct rl_avro_code {
  struct rl_avro_op *ops; /* up to RL_AVRO_OP_END */
};

struct rl_avro_pick { /* one wanted item */
  int64_t index;
  const struct rl_json_node *node;
  const struct rl_avro_code *code;
};

struct rl_avro_items {
  uint64_t least; /* bytes of an item */
  bool exact, map, from_end;
  const struct rl_avro_code *rest; /* skips an item, without a map's key */
  struct rl_avro_pick *picks;
  size_t n_picks;
  struct rl_avro_pick each;        /* [*]; each.node NULL: not wanted */
  const struct rl_json_node *node; /* where a map's keys are looked up */
};

struct rl_avro_op {
  enum rl_avro_opcode code;
  uint32_t from, to;
  uint64_t n;
  union {
    struct {
      uint32_t a, b;
    };
    struct rl_avro_type *type;
    const struct rl_cell *constant;
    const struct rl_avro_code **codes;
    struct rl_avro_items *items;
  };
};

struct rl_avro_program {
  struct rl_arena arena;
  const struct rl_avro_code *root;
  bool selects; /* the root has something to select from */
};

/* Borrows schema and steps. RL_EHANDLER when it would be too large to hold. */
int rl_avro_program_new(struct rl_avro_program **out, struct rl_avro_schema *schema,
                        const struct rl_json_program *steps, struct rl_err *err);
void rl_avro_program_free(struct rl_avro_program *program);

/* One value at r->at: fills row[order[…]] of what the program wants; cells that are not met stay as they are.
 */
bool rl_avro_program_run(struct rl_avro_run *r, const struct rl_avro_program *program, const size_t *order,
                         struct rl_cell *row);

#endif
