/* libFuzzer: bytes as a network's file. Nothing may be asked for that the file is not long enough for, and
 * what is read, written again, is the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "model/mlp.h"

static void *bounded(void *self, void *p, size_t old_size, size_t new_size) {
  (void)old_size;
  if (new_size > *(const size_t *)self + 4096) abort();
  if (new_size) return realloc(p, new_size);
  free(p);
  return NULL;
}

static void check_again(const struct rl_mlp *m, const uint8_t *data, size_t size) {
  char *bytes = NULL;
  size_t len = 0;
  FILE *to = open_memstream(&bytes, &len);
  if (rl_mlp_write(to, m) || fclose(to) || len != size || memcmp(bytes, data, len) != 0) abort();
  free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct rl_tensor_alloc alloc = {bounded, &size};
  struct rl_mlp_spec spec;
  struct rl_mlp m;
  struct rl_err err = {0};
  if (!size) return 0;
  FILE *file = fmemopen((void *)(uintptr_t)data, size, "rb");
  int rc = rl_mlp_read_spec(file, &spec, &err);
  if (!rc) rc = rl_mlp_new(&m, &spec, 1, &alloc, &err);
  if (!rc) {
    rc = rl_mlp_read_weights(file, &m, &err);
    if (!rc) check_again(&m, data, size);
    rl_mlp_free(&m);
  }
  if (rc && !*err.text) abort();
  fclose(file);
  return 0;
}
