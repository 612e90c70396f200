/* .npy files, both ways: NumPy's own format, versions 1.0 to 3.0.
 *
 * What is read: f4 f8 i8 i4 u1 b1, of either byte order, in C order or Fortran's (a view of the file's order:
 * no element is moved). Anything else is refused by its name. What is damaged is refused with the byte at
 * which that shows; so is a file that goes on after its last element. */
#ifndef RL_MODEL_NPY_H
#define RL_MODEL_NPY_H

#include "base/buf.h"
#include "model/tensor.h"

struct rl_npy {
  enum rl_dtype dtype;
  bool swapped; /* big endian */
  bool fortran;
  int rank;
  int64_t shape[RL_RANK_MAX];
  size_t begin; /* the byte where the elements begin */
  size_t bytes; /* of the elements */
};

enum { RL_NPY_HEADER_MAX = 64 * 1024 }; /* longer ones are refused: a damaged length must not cost memory */

/* Reads the header from the beginning of `bytes`: all of it must be there. RL_EFAIL. */
int rl_npy_header(struct rl_bytes bytes, struct rl_npy *npy, struct rl_err *err);
/* Reads a whole file from memory. RL_EFAIL, RL_ENOMEM. */
int rl_npy_decode(struct rl_bytes bytes, const struct rl_tensor_alloc *alloc, struct rl_tensor *t,
                  struct rl_err *err);
/* Writes magic and header of version 1.0 (C order, little endian) for a tensor: the elements, compact, are to
 * follow. */
void rl_npy_put_header(struct rl_buf *out, const struct rl_tensor *t);

/* From and to a file; errors name it. A file that could not be written whole is left as it is. */
int rl_npy_load(const char *path, const struct rl_tensor_alloc *alloc, struct rl_tensor *t,
                struct rl_err *err);
int rl_npy_save(const char *path, const struct rl_tensor *compact, struct rl_err *err);

#endif
