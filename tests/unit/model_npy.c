/* .npy files: what NumPy writes, and what no longer is what it wrote. */
#include "model/npy.h"

#include <unistd.h>

#include "refuse.h"
#include "unit.h"

/* A file of the version: the literal padded to 64 bytes, then the elements. */
static struct rl_buf npy(int major, const char *literal, const void *data, size_t len) {
  struct rl_buf file = RL_BUF_INIT;
  size_t before = major == 1 ? 10 : 12, text = strlen(literal) + 1, pad = (64 - (before + text) % 64) % 64;
  uint32_t length = (uint32_t)(text + pad);
  rl_buf_put(&file, "\x93NUMPY", 6);
  rl_buf_putc(&file, (char)major);
  rl_buf_putc(&file, 0);
  for (size_t i = 0; i < before - 8; i++) rl_buf_putc(&file, (char)(length >> (8 * i)));
  rl_buf_puts(&file, literal);
  for (size_t i = 0; i < pad; i++) rl_buf_putc(&file, ' ');
  rl_buf_putc(&file, '\n');
  rl_buf_put(&file, data, len);
  return file;
}

static const float six[] = {1, 2, 3, 4, 5, 6};

static int decode(struct rl_buf file, struct rl_tensor *t, struct rl_err *err) {
  *err = (struct rl_err){0};
  int rc = rl_npy_decode(rl_buf_bytes(&file), NULL, t, err);
  rl_buf_free(&file);
  return rc;
}

#define LITERAL(descr, order, shape) \
  "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }"

static double nth(const struct rl_tensor *t, int64_t i, int64_t j) {
  return (double)((const float *)(const void *)t->data)[i * t->stride[0] + j * t->stride[1]];
}

TEST(versions_1_to_3) {
  for (int version = 1; version <= 3; version++) {
    struct rl_tensor t;
    struct rl_err err;
    CHECK_INT(decode(npy(version, LITERAL("<f4", "False", "(2, 3)"), six, sizeof six), &t, &err), 0);
    CHECK_INT(t.rank * 100 + t.shape[0] * 10 + t.shape[1], 223);
    CHECK(nth(&t, 1, 0) == 4);
    rl_tensor_free(&t);
  }
}

TEST(fortran_order_is_a_view) {
  struct rl_tensor t;
  struct rl_err err;
  CHECK_INT(decode(npy(1, LITERAL("<f4", "True", "(2, 3)"), six, sizeof six), &t, &err), 0);
  CHECK(nth(&t, 0, 0) == 1 && nth(&t, 1, 0) == 2 && nth(&t, 0, 1) == 3 && nth(&t, 1, 2) == 6);
  CHECK(!rl_tensor_is_compact(&t));
  rl_tensor_free(&t);
}

TEST(types_and_byte_orders) {
  static const struct {
    const char *descr;
    enum rl_dtype dtype;
    const char *one;
    size_t size;
  } cases[] = {{"<f4", RL_FLOAT32, "\0\0\x80\x3f", 4},
               {">f4", RL_FLOAT32, "\x3f\x80\0\0", 4},
               {"=f8", RL_FLOAT64, "\0\0\0\0\0\0\xf0\x3f", 8},
               {">f8", RL_FLOAT64, "\x3f\xf0\0\0\0\0\0\0", 8},
               {"<i8", RL_INT64, "\1\0\0\0\0\0\0\0", 8},
               {">i4", RL_INT32, "\0\0\0\1", 4},
               {"|u1", RL_UINT8, "\1", 1},
               {"|b1", RL_TRUTH, "\7", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct rl_tensor t;
    struct rl_err err;
    char literal[100];
    snprintf(literal, sizeof literal, "{\"shape\": (), \"fortran_order\":False,\"descr\": \"%s\"}",
             cases[i].descr);
    if (decode(npy(1, literal, cases[i].one, cases[i].size), &t, &err)) {
      UNIT_FAIL("%s: %s", cases[i].descr, err.text);
      continue;
    }
    CHECK_INT(t.dtype, cases[i].dtype);
    CHECK_INT(t.rank, 0);
    union {
      float f;
      double d;
      int64_t i;
    } want = {.i = 1};
    if (t.dtype == RL_FLOAT32) want.f = 1;
    if (t.dtype == RL_FLOAT64) want.d = 1;
    CHECK(memcmp(t.data, &want, cases[i].size) == 0);
    rl_tensor_free(&t);
  }
}

TEST(damaged_files_say_where) {
  REFUSE(npy(1, LITERAL("<f4", "False", "(2, 3)"), six, 20),
         "the file ends at byte 148: 20 bytes of elements from byte 128 on, 24 are wanted");
  REFUSE(npy(1, LITERAL("<f4", "False", "(2, 2)"), six, sizeof six),
         "goes on after its last element, from byte 144 on");
  REFUSE(npy(4, LITERAL("<f4", "False", "(2, 3)"), six, sizeof six), "version");
  REFUSE(npy(1, "{'descr': '<f4', 'fortran_order': False}", six, 4), "without descr, fortran_order or shape");
  REFUSE(npy(1, LITERAL("<f4", "Maybe", "(2, 3)"), six, 24), "True or False is missing at byte 44");
  REFUSE(npy(1, LITERAL("<f4", "False", "(2 3)"), six, 24), "a comma or a parenthesis is missing at byte");
  REFUSE(npy(1, LITERAL("<f4", "False", "(2, -3)"), six, 24), "a size is missing at byte");
  REFUSE(npy(1, LITERAL("<f4", "False", "(99999999999999999999,)"), six, 24), "too large for this world");
  REFUSE(npy(1, LITERAL("<f4", "False", "(9999999999999, 9999999999999)"), six, 24), "too large");
  REFUSE(npy(1, LITERAL("<f4", "False", "(1,1,1,1,1,1,1,1,1)"), six, 4), "more than 8 axes");
  REFUSE(npy(1, LITERAL("<f4", "False", "(6,)") " x", six, 24), "something after the header's brace");
  REFUSE(npy(1, "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (6,)}", six, 24),
         "a second one");
  REFUSE(npy(1, "{'descr': '<f4", six, 24), "a text that does not end");
}

TEST(types_that_are_not_read_are_named) {
  REFUSE(npy(1, LITERAL("<U3", "False", "(2,)"), six, 24), "type '<U3' (byte 20)");
  REFUSE(npy(1, LITERAL("<f2", "False", "(2,)"), six, 4), "only f4, f8, i8, i4, u1 and b1");
  REFUSE(npy(1, "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (6,)}", six, 24), "records");
}

TEST(every_cut_is_an_error) {
  struct rl_buf file = npy(1, LITERAL("<f4", "False", "(2, 3)"), six, sizeof six);
  for (size_t len = 0; len < file.len; len++) {
    struct rl_buf cut = RL_BUF_INIT; /* its own memory: a read past its end is seen */
    struct rl_tensor t;
    struct rl_err err;
    rl_buf_put(&cut, file.data, len);
    CHECK_INT(decode(cut, &t, &err), RL_EFAIL);
  }
  rl_buf_free(&file);
}

TEST(what_is_written_is_read) {
  static const int64_t shapes[][3] = {{5, 0, 0}, {2, 3, 0}, {4, 1, 2}, {0, 3, 0}};
  static const int ranks[] = {1, 2, 3, 2};
  char path[] = "/tmp/rille-npy-XXXXXX";
  close(mkstemp(path));
  for (int dtype = 0; dtype < RL_DTYPES; dtype++)
    for (int i = 0; i < 4; i++) {
      struct rl_tensor t, back;
      struct rl_err err;
      CHECK_INT(rl_tensor_new(&t, (enum rl_dtype)dtype, ranks[i], shapes[i], NULL, &err), 0);
      size_t bytes = rl_tensor_count(&t) * rl_dtype_size(t.dtype);
      for (size_t b = 0; b < bytes; b++) t.data[b] = (char)(dtype == RL_TRUTH ? b % 2 : b * 7);
      CHECK_INT(rl_npy_save(path, &t, &err), 0);
      CHECK_INT(rl_npy_load(path, NULL, &back, &err), 0);
      CHECK_INT(back.dtype, dtype);
      CHECK(rl_tensor_same_shape(&t, &back));
      CHECK(memcmp(t.data, back.data, bytes) == 0);
      rl_tensor_free(&t);
      rl_tensor_free(&back);
    }
  unlink(path);
}

TEST(the_header_is_as_numpys) {
  struct rl_tensor t;
  struct rl_err err;
  struct rl_buf head = RL_BUF_INIT;
  const int64_t shape[] = {39};
  CHECK_INT(rl_tensor_new(&t, RL_FLOAT64, 1, shape, NULL, &err), 0);
  rl_npy_put_header(&head, &t);
  CHECK_INT(head.len, 128);
  CHECK(memcmp(head.data, "\x93NUMPY\1\0v\0{'descr': '<f8', 'fortran_order': False, 'shape': (39,), }", 68) ==
        0);
  CHECK_INT(head.data[127], '\n');
  rl_buf_free(&head);
  rl_tensor_free(&t);
}

TEST(files_that_are_not_there_or_cannot_be_written) {
  struct rl_tensor t;
  struct rl_err err;
  CHECK_INT(rl_npy_load("/nowhere/x.npy", NULL, &t, &err), RL_EFAIL);
  CHECK_HAS(err.text, "/nowhere/x.npy: No such file");
  CHECK_INT(rl_npy_load("/tmp", NULL, &t, &err), RL_EFAIL);
  CHECK_INT(rl_tensor_new(&t, RL_FLOAT32, 0, NULL, NULL, &err), 0);
  memset(t.data, 0, sizeof(float));
  CHECK_INT(rl_npy_save("/nowhere/x.npy", &t, &err), RL_EFAIL);
  CHECK_HAS(err.text, "/nowhere/x.npy: No such file");
  if (access("/dev/full", W_OK) == 0) {
    CHECK_INT(rl_npy_save("/dev/full", &t, &err), RL_EFAIL);
    CHECK_HAS(err.text, "No space");
  }
  rl_tensor_free(&t);
}
