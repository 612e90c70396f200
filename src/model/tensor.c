#include "model/tensor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const rl_dtype_names[RL_DTYPES] = {"float32", "float64", "int64", "int32", "uint8", "bool"};

const char *rl_dtype_name(enum rl_dtype dtype) { return rl_dtype_names[dtype]; }

bool rl_dtype_parse(const char *name, enum rl_dtype *dtype) {
  for (int i = 0; i < RL_DTYPES; i++) {
    if (strcmp(name, rl_dtype_names[i]) != 0) continue;
    *dtype = (enum rl_dtype)i;
    return true;
  }
  return false;
}

static void *from_malloc(void *self, void *p, size_t old_size, size_t new_size) {
  (void)self, (void)old_size;
  if (new_size) return realloc(p, new_size);
  free(p);
  return NULL;
}

static const struct rl_tensor_alloc malloc_alloc = {from_malloc, NULL};

/* Elements of a shape times the size of one: false when no memory could hold them. */
static bool bytes_of(enum rl_dtype dtype, int rank, const int64_t *shape, size_t *bytes) {
  *bytes = rl_dtype_size(dtype);
  bool none = false;
  for (int i = 0; i < rank; i++) none = none || shape[i] == 0;
  if (none) *bytes = 0;
  for (int i = 0; i < rank && !none; i++)
    if (__builtin_mul_overflow(*bytes, (size_t)shape[i], bytes)) return false;
  return *bytes <= PTRDIFF_MAX - sizeof(struct rl_tensor_buf);
}

static int check_shape(enum rl_dtype dtype, int rank, const int64_t *shape, size_t *bytes,
                       struct rl_err *err) {
  char text[RL_SHAPE_TEXT];
  if (rank < 0 || rank > RL_RANK_MAX)
    return rl_fail(err, RL_EUSAGE, "a tensor has at most %d axes, not %d", RL_RANK_MAX, rank);
  for (int i = 0; i < rank; i++)
    if (shape[i] < 0)
      return rl_fail(err, RL_EUSAGE, "no shape has a negative size: %s", rl_shape_text(text, rank, shape));
  if (bytes_of(dtype, rank, shape, bytes)) return 0;
  return rl_fail(err, RL_EUSAGE, "the shape %s is more than memory can hold",
                 rl_shape_text(text, rank, shape));
}

/* Of a tensor without elements the strides are never used, and could be more than there are numbers for. */
static void set_strides(struct rl_tensor *t) {
  int64_t stride = rl_tensor_count(t) ? 1 : 0;
  for (int i = t->rank; i-- > 0;) {
    t->stride[i] = stride;
    if (stride) stride *= t->shape[i];
  }
}

int rl_tensor_new(struct rl_tensor *t, enum rl_dtype dtype, int rank, const int64_t *shape,
                  const struct rl_tensor_alloc *alloc, struct rl_err *err) {
  size_t bytes = 0;
  *t = (struct rl_tensor){0};
  int rc = check_shape(dtype, rank, shape, &bytes, err);
  if (rc) return rc;
  if (!alloc) alloc = &malloc_alloc;
  size_t size = sizeof *t->buf + bytes;
  t->buf = alloc->fn(alloc->self, NULL, 0, size);
  if (!t->buf) return rl_fail(err, RL_ENOMEM, "no memory for a tensor of %zu bytes", bytes);
  t->buf->size = size;
  t->buf->alloc = *alloc;
  atomic_init(&t->buf->refs, 1);
  t->data = (char *)t->buf->data;
  t->dtype = dtype;
  t->rank = rank;
  for (int i = 0; i < rank; i++) t->shape[i] = shape[i];
  set_strides(t);
  return 0;
}

struct rl_tensor rl_tensor_share(const struct rl_tensor *t) {
  if (t->buf) atomic_fetch_add(&t->buf->refs, 1);
  return *t;
}

void rl_tensor_free(struct rl_tensor *t) {
  struct rl_tensor_buf *buf = t->buf;
  *t = (struct rl_tensor){0};
  if (buf && atomic_fetch_sub(&buf->refs, 1) == 1) {
    struct rl_tensor_alloc alloc = buf->alloc;
    alloc.fn(alloc.self, buf, buf->size, 0);
  }
}

size_t rl_tensor_count(const struct rl_tensor *t) {
  size_t n = 1;
  for (int i = 0; i < t->rank; i++) n *= (size_t)t->shape[i];
  return n;
}

bool rl_tensor_is_compact(const struct rl_tensor *t) {
  int64_t stride = 1;
  if (rl_tensor_count(t) == 0) return true;
  for (int i = t->rank; i-- > 0;) {
    if (t->shape[i] != 1 && t->stride[i] != stride) return false;
    stride *= t->shape[i];
  }
  return true;
}

bool rl_tensor_same_shape(const struct rl_tensor *a, const struct rl_tensor *b) {
  if (a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; i++)
    if (a->shape[i] != b->shape[i]) return false;
  return true;
}

const char *rl_shape_text(char text[RL_SHAPE_TEXT], int rank, const int64_t *shape) {
  size_t at = 0;
  text[at++] = '[';
  for (int i = 0; i < rank && at < RL_SHAPE_TEXT - 32; i++)
    at += (size_t)snprintf(text + at, 32, "%s%lld", i ? ", " : "", (long long)shape[i]);
  snprintf(text + at, RL_SHAPE_TEXT - at, "]");
  return text;
}

/* ---- views ---- */

static void drop_axis(struct rl_tensor *t, int axis) {
  t->rank--;
  for (int i = axis; i < t->rank; i++) {
    t->shape[i] = t->shape[i + 1];
    t->stride[i] = t->stride[i + 1];
  }
}

static void move(struct rl_tensor *t, int64_t elements) {
  t->data += elements * (int64_t)rl_dtype_size(t->dtype);
}

struct rl_tensor rl_tensor_row(const struct rl_tensor *t, int64_t i) {
  struct rl_tensor row = *t;
  move(&row, i * t->stride[0]);
  drop_axis(&row, 0);
  return row;
}

struct rl_tensor rl_tensor_range(const struct rl_tensor *t, int64_t first, int64_t n, int64_t step) {
  struct rl_tensor range = *t;
  if (n > 0) move(&range, first * t->stride[0]);
  range.shape[0] = n;
  range.stride[0] = step * t->stride[0];
  return range;
}

struct rl_tensor rl_tensor_column(const struct rl_tensor *t, int64_t j) {
  struct rl_tensor column = *t;
  move(&column, j * t->stride[t->rank - 1]);
  drop_axis(&column, t->rank - 1);
  return column;
}

static int no_reshape(const struct rl_tensor *t, int rank, const int64_t *shape, struct rl_err *err) {
  char from[RL_SHAPE_TEXT], to[RL_SHAPE_TEXT];
  return rl_fail(err, RL_EUSAGE, "the shape %s (%zu elements) cannot become %s",
                 rl_shape_text(from, t->rank, t->shape), rl_tensor_count(t), rl_shape_text(to, rank, shape));
}

/* The axis of size -1, or `rank`; -1 when there are two of them or another is negative. */
static int open_axis(int rank, const int64_t *shape) {
  int open = rank;
  for (int i = 0; i < rank; i++) {
    if (shape[i] >= 0) continue;
    if (shape[i] != -1 || open != rank) return -1;
    open = i;
  }
  return open;
}

int rl_tensor_reshape(const struct rl_tensor *t, int rank, const int64_t *shape, struct rl_tensor *out,
                      struct rl_err *err) {
  size_t count = rl_tensor_count(t), given = 1;
  int open = rank < 0 || rank > RL_RANK_MAX ? -1 : open_axis(rank, shape);
  if (open < 0) return no_reshape(t, rank < 0 ? 0 : rank, shape, err);
  for (int i = 0; i < rank; i++)
    if (i != open && __builtin_mul_overflow(given, (size_t)shape[i], &given))
      return no_reshape(t, rank, shape, err);
  if (open < rank ? !given || count % given : count != given) return no_reshape(t, rank, shape, err);
  struct rl_tensor to = *t;
  to.rank = rank;
  for (int i = 0; i < rank; i++) to.shape[i] = i == open ? (int64_t)(count / given) : shape[i];
  set_strides(&to);
  *out = to;
  return 0;
}
