/* .npy files from memory, from disk and to it. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/save.h"
#include "model/npy.h"

/* In Fortran's order the first axis is the one whose elements lie side by side. */
static void set_fortran(struct rl_tensor *t) {
  int64_t stride = rl_tensor_count(t) ? 1 : 0;
  for (int i = 0; i < t->rank; i++) {
    t->stride[i] = stride;
    if (stride) stride *= t->shape[i];
  }
}

/* Every byte that is not 0 is true, as NumPy has it: here it is 1, so that a comparison finds it. */
static void set_truths(const struct rl_tensor *t) {
  size_t n = rl_tensor_count(t);
  for (size_t i = 0; i < n; i++) t->data[i] = t->data[i] != 0;
}

/* What the elements need once they are in place. */
static void finish(const struct rl_npy *npy, struct rl_tensor *t) {
  if (npy->swapped) rl_tensor_swap_bytes(t);
  if (t->dtype == RL_TRUTH) set_truths(t);
  if (npy->fortran) set_fortran(t);
}

static int make(const struct rl_npy *npy, const struct rl_tensor_alloc *alloc, struct rl_tensor *t,
                struct rl_err *err) {
  int rc = rl_tensor_new(t, npy->dtype, npy->rank, npy->shape, alloc, err);
  return rc == RL_EUSAGE ? RL_EFAIL : rc;
}

static int check_length(const struct rl_npy *npy, size_t len, struct rl_err *err) {
  size_t have = len - npy->begin;
  if (have < npy->bytes)
    return rl_fail(err, RL_EFAIL,
                   "the file ends at byte %zu: %zu bytes of elements from byte %zu on, %zu are wanted", len,
                   have, npy->begin, npy->bytes);
  if (have > npy->bytes)
    return rl_fail(err, RL_EFAIL, "the file goes on after its last element, from byte %zu on",
                   npy->begin + npy->bytes);
  return 0;
}

int rl_npy_decode(struct rl_bytes bytes, const struct rl_tensor_alloc *alloc, struct rl_tensor *t,
                  struct rl_err *err) {
  struct rl_npy npy;
  int rc = rl_npy_header(bytes, &npy, err);
  if (!rc) rc = check_length(&npy, bytes.len, err);
  if (!rc) rc = make(&npy, alloc, t, err);
  if (rc) return rc;
  memcpy(t->data, bytes.data + npy.begin, npy.bytes);
  finish(&npy, t);
  return 0;
}

/* ---- files ---- */

static int read_error(const char *path, FILE *file, struct rl_err *err) {
  return ferror(file) ? rl_fail(err, RL_EFAIL, "%s: %s", path, strerror(errno)) : 0;
}

/* The header, through a buffer of its largest size, and the file set to the first element. */
static int load_header(const char *path, FILE *file, struct rl_npy *npy, struct rl_err *err) {
  struct rl_buf head = RL_BUF_INIT;
  head.len = fread(rl_buf_reserve(&head, RL_NPY_HEADER_MAX + 12), 1, RL_NPY_HEADER_MAX + 12, file);
  int rc = read_error(path, file, err);
  if (!rc && (rc = rl_npy_header(rl_buf_bytes(&head), npy, err))) rl_err_prefix(err, "%s: ", path);
  if (!rc && fseek(file, (long)npy->begin, SEEK_SET))
    rc = rl_fail(err, RL_EFAIL, "%s: %s", path, strerror(errno));
  rl_buf_free(&head);
  return rc;
}

/* Before there is memory for them: a damaged shape must not cost any. */
static int check_file(const char *path, FILE *file, const struct rl_npy *npy, struct rl_err *err) {
  struct stat st;
  if (fstat(fileno(file), &st)) return rl_fail(err, RL_EFAIL, "%s: %s", path, strerror(errno));
  int rc = check_length(npy, (size_t)st.st_size, err);
  return rc ? rl_err_prefix(err, "%s: ", path) : 0;
}

static int load(const char *path, FILE *file, const struct rl_tensor_alloc *alloc, struct rl_tensor *t,
                struct rl_err *err) {
  struct rl_npy npy;
  int rc = load_header(path, file, &npy, err);
  if (!rc) rc = check_file(path, file, &npy, err);
  if (!rc && (rc = make(&npy, alloc, t, err))) return rl_err_prefix(err, "%s: ", path);
  if (rc) return rc;
  size_t have = fread(t->data, 1, npy.bytes, file);
  rc = read_error(path, file, err);
  if (!rc && (rc = check_length(&npy, npy.begin + have, err))) rl_err_prefix(err, "%s: ", path);
  if (rc)
    rl_tensor_free(t);
  else
    finish(&npy, t);
  return rc;
}

int rl_npy_load(const char *path, const struct rl_tensor_alloc *alloc, struct rl_tensor *t,
                struct rl_err *err) {
  *t = (struct rl_tensor){0};
  FILE *file = fopen(path, "rb");
  if (!file) return rl_fail(err, RL_EFAIL, "%s: %s", path, strerror(errno));
  int rc = load(path, file, alloc, t, err);
  fclose(file); /* it was only read */
  return rc;
}

static int write_array(FILE *file, const void *compact) {
  const struct rl_tensor *t = compact;
  struct rl_buf head = RL_BUF_INIT;
  rl_npy_put_header(&head, t);
  size_t bytes = rl_tensor_count(t) * rl_dtype_size(t->dtype);
  bool ok = fwrite(head.data, 1, head.len, file) == head.len && fwrite(t->data, 1, bytes, file) == bytes;
  rl_buf_free(&head);
  return ok ? 0 : -1;
}

int rl_npy_save(const char *path, const struct rl_tensor *compact, struct rl_err *err) {
  return rl_save(path, write_array, compact, err);
}
