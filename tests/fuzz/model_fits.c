/* libFuzzer: bytes as a FITS file. Nothing may be read past their end (ASan: they are an exact allocation),
 * what is asked for is bounded by what is there, and a refusal has words that can be printed. */
#include <stdlib.h>

#include "model/fits.h"

/* The widest step is from one byte to a float. */
static void *bounded(void *self, void *p, size_t old_size, size_t new_size) {
  (void)old_size;
  if (new_size > 4 * *(const size_t *)self + 4096) abort();
  if (new_size) return realloc(p, new_size);
  free(p);
  return NULL;
}

static void check_words(const char *text) {
  if (!*text) abort();
  for (; *text; text++)
    if (*text < ' ' || *text > '~') abort();
}

/* Most of what a fuzzer makes is no header: what does not begin as one goes behind a good one's begin. */
static char *make(const uint8_t *data, size_t size, size_t *len) {
  static const char first[] =
      "SIMPLE  =                    T                                                  "
      "BITPIX  =                    8                                                  "
      "NAXIS   =                    2                                                  ";
  size_t begin = size >= 6 && memcmp(data, "SIMPLE", 6) == 0 ? 0 : sizeof first - 1;
  *len = begin + size;
  char *bytes = malloc(*len ? *len : 1);
  memcpy(bytes, first, begin);
  if (size) memcpy(bytes + begin, data, size);
  return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  size_t len;
  char *bytes = make(data, size, &len);
  const struct rl_tensor_alloc alloc = {bounded, &len};
  struct rl_tensor t;
  struct rl_err err = {0};
  if (rl_fits_decode(rl_bytes(bytes, len), &alloc, &t, &err) == 0)
    rl_tensor_free(&t);
  else
    check_words(err.text);
  free(bytes);
  return 0;
}
