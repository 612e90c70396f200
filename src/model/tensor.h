/* Tensors: numbers of one type in rows and columns, shared by views, never changed once they are made.
 *
 * A tensor is a plain value: where its first element lies, a shape, strides, and a counted reference to the
 * buffer that it looks at. Taking a row, a column or another shape makes a second value over the same buffer;
 * because nothing writes to a tensor after it was filled, nobody can tell a view from a copy. Buffers come
 * from an allocator that is given with them, so that those a script holds count against its state's limit
 * (lua/alloc.h); it may refuse. The buffers' counts are atomic: a tensor may be let go on another thread than
 * its maker's if its allocator allows that (the default one does, a Lua state's does not).
 *
 * Elements are in the machine's byte order (little endian: the builds are for such machines only). Shapes and
 * strides count elements. A tensor of rank 0 has one element. */
#ifndef RL_MODEL_TENSOR_H
#define RL_MODEL_TENSOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum rl_dtype { RL_FLOAT32, RL_FLOAT64, RL_INT64, RL_INT32, RL_UINT8, RL_TRUTH };
enum { RL_DTYPES = RL_TRUTH + 1, RL_RANK_MAX = 8 };

const char *rl_dtype_name(enum rl_dtype dtype);              /* "float32" … "bool" */
bool rl_dtype_parse(const char *name, enum rl_dtype *dtype); /* false: no such type */
extern const char *const rl_dtype_names[RL_DTYPES];          /* by enum rl_dtype */
static inline size_t rl_dtype_size(enum rl_dtype dtype) { return (size_t[]){4, 8, 8, 4, 1, 1}[dtype]; }
static inline bool rl_dtype_is_float(enum rl_dtype dtype) { return dtype <= RL_FLOAT64; }

/* As a lua_Alloc: new_size 0 frees, NULL refuses. fn NULL: malloc's. */
struct rl_tensor_alloc {
  void *(*fn)(void *self, void *p, size_t old_size, size_t new_size);
  void *self;
};

struct rl_tensor_buf {
  atomic_uint refs;
  size_t size; /* of all of it, as it was allocated */
  struct rl_tensor_alloc alloc;
  max_align_t data[];
};

struct rl_tensor {
  struct rl_tensor_buf *buf; /* NULL: an empty value, to be filled or forgotten */
  char *data;                /* the first element */
  enum rl_dtype dtype;
  int rank;
  int64_t shape[RL_RANK_MAX];
  int64_t stride[RL_RANK_MAX]; /* elements from one to the next along the axis */
};

/* A tensor of that shape, C order, not cleared. RL_EUSAGE for a shape that cannot be (rank, a negative size,
 * more bytes than there are addresses), RL_ENOMEM when the allocator refuses. alloc NULL: malloc's. */
int rl_tensor_new(struct rl_tensor *t, enum rl_dtype dtype, int rank, const int64_t *shape,
                  const struct rl_tensor_alloc *alloc, struct rl_err *err);
/* A second reference to the same elements: each is to be freed. */
struct rl_tensor rl_tensor_share(const struct rl_tensor *t);
void rl_tensor_free(struct rl_tensor *t); /* leaves an empty value; of one: nothing */

size_t rl_tensor_count(const struct rl_tensor *t); /* elements */
/* Of the first axis; 1 at rank 0. */
static inline int64_t rl_tensor_rows(const struct rl_tensor *t) { return t->rank ? t->shape[0] : 1; }
bool rl_tensor_is_compact(const struct rl_tensor *t); /* C order, no gaps */
bool rl_tensor_same_shape(const struct rl_tensor *a, const struct rl_tensor *b);

enum { RL_SHAPE_TEXT = 200 };
/* "[3, 63, 63]"; returns text. */
const char *rl_shape_text(char text[RL_SHAPE_TEXT], int rank, const int64_t *shape);

/* Views. They borrow: a result that is to live on its own is shared. */

/* Row i (from 0), one rank lower. */
struct rl_tensor rl_tensor_row(const struct rl_tensor *t, int64_t i);
/* Rows first, first + step … (n of them); step may be negative or 0. */
struct rl_tensor rl_tensor_range(const struct rl_tensor *t, int64_t first, int64_t n, int64_t step);
/* The j-th (from 0) of the last axis, one rank lower: a column of a matrix, a plane of an image. */
struct rl_tensor rl_tensor_column(const struct rl_tensor *t, int64_t j);
/* The same elements in another shape, one size of which may be -1: what is left. RL_EUSAGE naming both shapes
 * when they do not hold equally many. The tensor must be compact. */
int rl_tensor_reshape(const struct rl_tensor *t, int rank, const int64_t *shape, struct rl_tensor *out,
                      struct rl_err *err);

/* Copies. `to` has the shape and type of `from` (of the rows for the second); it need not be compact. */
void rl_tensor_copy(const struct rl_tensor *to, const struct rl_tensor *from);
/* to[i] = from[rows[i]]; rows from 0, each below from's. */
void rl_tensor_gather(const struct rl_tensor *to, const struct rl_tensor *from, const uint32_t *rows);
/* Turns the bytes of each element round, in a compact tensor that was just filled. */
void rl_tensor_swap_bytes(const struct rl_tensor *t);

#endif
