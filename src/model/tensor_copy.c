/* Copies from any strides to any strides. */
#include <string.h>

#include "base/vectors.h"
#include "model/tensor.h"

/* n elements, one stride apart each. */
static void copy_line(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t n,
                      size_t size) {
  to_stride *= (int64_t)size;
  from_stride *= (int64_t)size;
  if (to_stride == (int64_t)size && from_stride == (int64_t)size) {
    memcpy(to, from, (size_t)n * size);
    return;
  }
  switch (size) {
    case 8:
      for (int64_t i = 0; i < n; i++) memcpy(to + i * to_stride, from + i * from_stride, 8);
      break;
    case 4:
      for (int64_t i = 0; i < n; i++) memcpy(to + i * to_stride, from + i * from_stride, 4);
      break;
    default:
      for (int64_t i = 0; i < n; i++) to[i * to_stride] = from[i * from_stride];
      break;
  }
}

static void copy_axis(const struct rl_tensor *to, char *out, const struct rl_tensor *from, const char *in,
                      int axis) {
  size_t size = rl_dtype_size(to->dtype);
  int64_t n = to->shape[axis], to_stride = to->stride[axis], from_stride = from->stride[axis];
  if (axis == to->rank - 1) {
    copy_line(out, to_stride, in, from_stride, n, size);
    return;
  }
  for (int64_t i = 0; i < n; i++) {
    copy_axis(to, out, from, in, axis + 1);
    out += to_stride * (int64_t)size;
    in += from_stride * (int64_t)size;
  }
}

void rl_tensor_copy(const struct rl_tensor *to, const struct rl_tensor *from) {
  size_t count = rl_tensor_count(to), size = rl_dtype_size(to->dtype);
  if (count == 0) return;
  if (rl_tensor_is_compact(to) && rl_tensor_is_compact(from))
    memcpy(to->data, from->data, count * size);
  else if (to->rank == 0)
    memcpy(to->data, from->data, size);
  else
    copy_axis(to, to->data, from, from->data, 0);
}

/* Rows that lie in one piece, as nearly all do. */
static void gather_bytes(const struct rl_tensor *to, const struct rl_tensor *from, const uint32_t *rows,
                         size_t size) {
  int64_t element = (int64_t)rl_dtype_size(to->dtype);
  int64_t to_step = to->stride[0] * element, from_step = from->stride[0] * element;
  char *out = to->data;
  for (int64_t i = 0; i < to->shape[0]; i++, out += to_step) {
    const char *in = from->data + rows[i] * from_step;
    if (size == 4)
      memcpy(out, in, 4);
    else
      memcpy(out, in, size);
  }
}

void rl_tensor_gather(const struct rl_tensor *to, const struct rl_tensor *from, const uint32_t *rows) {
  if (rl_tensor_count(to) == 0) return;
  struct rl_tensor out = rl_tensor_row(to, 0), in = rl_tensor_row(from, 0);
  if (rl_tensor_is_compact(&out) && rl_tensor_is_compact(&in)) {
    gather_bytes(to, from, rows, rl_tensor_count(&out) * rl_dtype_size(to->dtype));
    return;
  }
  for (int64_t i = 0; i < to->shape[0]; i++) {
    out = rl_tensor_row(to, i);
    in = rl_tensor_row(from, rows[i]);
    rl_tensor_copy(&out, &in);
  }
}

RL_VECTORS static void swap_4(char *at, size_t n) {
  for (size_t i = 0; i < n; i++, at += 4) {
    uint32_t x;
    memcpy(&x, at, 4);
    x = __builtin_bswap32(x);
    memcpy(at, &x, 4);
  }
}

RL_VECTORS static void swap_8(char *at, size_t n) {
  for (size_t i = 0; i < n; i++, at += 8) {
    uint64_t x;
    memcpy(&x, at, 8);
    x = __builtin_bswap64(x);
    memcpy(at, &x, 8);
  }
}

void rl_tensor_swap_bytes(const struct rl_tensor *t) {
  size_t n = rl_tensor_count(t);
  switch (rl_dtype_size(t->dtype)) {
    case 4: swap_4(t->data, n); break;
    case 8: swap_8(t->data, n); break;
    default: break;
  }
}
