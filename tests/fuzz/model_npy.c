/* libFuzzer: bytes as a .npy file. Nothing may be read past their end (ASan: they are an exact allocation),
 * and what is read, written again, is read the same. */
#include <stdlib.h>

#include "model/npy.h"

/* A damaged shape must not cost memory: what is asked for is bounded by what is there. */
static void *bounded(void *self, void *p, size_t old_size, size_t new_size) {
  (void)old_size;
  if (new_size > *(const size_t *)self + 4096) abort();
  if (new_size) return realloc(p, new_size);
  free(p);
  return NULL;
}

static struct rl_tensor compact(const struct rl_tensor *t) {
  struct rl_tensor copy;
  struct rl_err err;
  if (rl_tensor_new(&copy, t->dtype, t->rank, t->shape, NULL, &err) != 0) abort();
  rl_tensor_copy(&copy, t);
  return copy;
}

static void check_again(const struct rl_tensor *t) {
  struct rl_tensor written = compact(t), again;
  struct rl_buf file = RL_BUF_INIT;
  size_t bytes = rl_tensor_count(t) * rl_dtype_size(t->dtype);
  rl_npy_put_header(&file, &written);
  rl_buf_put(&file, written.data, bytes);
  if (rl_npy_decode(rl_buf_bytes(&file), NULL, &again, NULL) != 0) abort();
  if (again.dtype != t->dtype || !rl_tensor_same_shape(&again, t)) abort();
  if (bytes && memcmp(again.data, written.data, bytes) != 0) abort();
  rl_buf_free(&file);
  rl_tensor_free(&written);
  rl_tensor_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *bytes = malloc(size ? size : 1);
  memcpy(bytes, data, size);
  const struct rl_tensor_alloc alloc = {bounded, &size};
  struct rl_tensor t;
  struct rl_err err = {0};
  if (rl_npy_decode(rl_bytes(bytes, size), &alloc, &t, &err) == 0) {
    check_again(&t);
    rl_tensor_free(&t);
  } else if (!*err.text) {
    abort();
  }
  free(bytes);
  return 0;
}
