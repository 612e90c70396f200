/* FITS images from memory: every BITPIX, scaling, BLANK, NaN, and what is damaged, cut or lies about its
 * size. */
#include "model/fits.h"

#include <pthread.h>

#include "base/buf.h"
#include "refuse.h"
#include "unit.h"

/* ---- files, card by card ---- */

__attribute__((format(printf, 2, 3))) static void card(struct rl_buf *file, const char *fmt, ...) {
  size_t begin = file->len;
  va_list args;
  va_start(args, fmt);
  rl_buf_vprintf(file, fmt, args);
  va_end(args);
  while (file->len < begin + 80) rl_buf_putc(file, ' ');
}

static void fill_up(struct rl_buf *file, char with) {
  while (file->len % 2880) rl_buf_putc(file, with);
}

/* A header of two axes, w wide and h high, and a card more where there is one. */
static struct rl_buf head(int bitpix, long w, long h, const char *const *more) {
  struct rl_buf file = RL_BUF_INIT;
  card(&file, "SIMPLE  = %20s", "T");
  card(&file, "BITPIX  = %20d", bitpix);
  card(&file, "NAXIS   = %20d", 2);
  card(&file, "NAXIS1  = %20ld", w);
  card(&file, "NAXIS2  = %20ld", h);
  for (; more && *more; more++) card(&file, "%s", *more);
  card(&file, "END");
  fill_up(&file, ' ');
  return file;
}

static void put_big_endian(struct rl_buf *file, uint64_t bits, int size) {
  for (int i = size; i-- > 0;) rl_buf_putc(file, (char)(bits >> (8 * i)));
}

static uint64_t bits_of(int bitpix, double x) {
  float f = (float)x;
  uint32_t f_bits;
  uint64_t d_bits;
  memcpy(&f_bits, &f, sizeof f_bits);
  memcpy(&d_bits, &x, sizeof d_bits);
  return bitpix == -32 ? f_bits : bitpix == -64 ? d_bits : (uint64_t)(int64_t)x;
}

static void put(struct rl_buf *file, int bitpix, double x) {
  put_big_endian(file, bits_of(bitpix, x), abs(bitpix) / 8);
}

#define CARDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Three wide, two high. */
static struct rl_buf image(int bitpix, const char *const *more, const double values[6]) {
  struct rl_buf file = head(bitpix, 3, 2, more);
  for (int i = 0; i < 6; i++) put(&file, bitpix, values[i]);
  fill_up(&file, 0);
  return file;
}

static int decode(struct rl_buf file, struct rl_tensor *t, struct rl_err *err) {
  *err = (struct rl_err){0};
  int rc = rl_fits_decode(rl_buf_bytes(&file), NULL, t, err);
  rl_buf_free(&file);
  return rc;
}

static double nth(const struct rl_tensor *t, int i) {
  const void *data = t->data;
  switch (t->dtype) {
    case RL_FLOAT32: return (double)((const float *)data)[i];
    case RL_FLOAT64: return ((const double *)data)[i];
    case RL_INT64: return (double)((const int64_t *)data)[i];
    case RL_INT32: return ((const int32_t *)data)[i];
    default: return ((const unsigned char *)data)[i];
  }
}

/* ---- what is read ---- */

static void reads(int line, int bitpix, const char *const *more, const double in[6], enum rl_dtype dtype,
                  const double want[6]) {
  struct rl_tensor t;
  struct rl_err err;
  if (decode(image(bitpix, more, in), &t, &err)) {
    UNIT_FAIL("line %d: %s", line, err.text);
    return;
  }
  if (t.dtype != dtype) UNIT_FAIL("line %d: %s", line, rl_dtype_name(t.dtype));
  if (t.rank != 2 || t.shape[0] != 2 || t.shape[1] != 3) UNIT_FAIL("line %d: another shape", line);
  for (int i = 0; i < 6; i++)
    if (!(nth(&t, i) == want[i] || (isnan(nth(&t, i)) && isnan(want[i]))))
      UNIT_FAIL("line %d: pixel %d is %.17g, not %.17g", line, i, nth(&t, i), want[i]);
  rl_tensor_free(&t);
}
#define VALUES(...) ((const double[6]){__VA_ARGS__})
#define READS(bitpix, more, in, dtype, want) reads(__LINE__, bitpix, more, in, dtype, want)
#define SAME(bitpix, dtype, ...) READS(bitpix, NULL, VALUES(__VA_ARGS__), dtype, VALUES(__VA_ARGS__))

TEST(every_bitpix_as_it_stands) {
  SAME(8, RL_UINT8, 0, 1, 2, 127, 128, 255);
  SAME(16, RL_INT32, -32768, -1, 0, 1, 2, 32767);
  SAME(32, RL_INT32, -2147483648.0, -1, 0, 1, 2, 2147483647);
  SAME(64, RL_INT64, -9007199254740992.0, -1, 0, 1, 2, 9007199254740992.0);
  SAME(-32, RL_FLOAT32, -1.5, 0, 0.25, 1, 0x1p127, -0x1p127);
  SAME(-64, RL_FLOAT64, -1.5, 0, 0.1, 1, 1e300, -1e-300);
}

TEST(int64_is_exact) {
  struct rl_tensor t;
  struct rl_err err;
  struct rl_buf file = head(64, 2, 1, NULL);
  put_big_endian(&file, 2510000000000000003, 8);
  put_big_endian(&file, (uint64_t)INT64_MIN, 8);
  fill_up(&file, 0);
  CHECK_INT(decode(file, &t, &err), 0);
  CHECK_INT(((const int64_t *)(const void *)t.data)[0], 2510000000000000003);
  CHECK_INT(((const int64_t *)(const void *)t.data)[1], INT64_MIN);
  rl_tensor_free(&t);
}

TEST(nan_and_odd_numbers_stay) {
  SAME(-32, RL_FLOAT32, NAN, 1, NAN, INFINITY, -INFINITY, 1.401298464324817e-45);
  SAME(-64, RL_FLOAT64, NAN, 1, NAN, INFINITY, -INFINITY, 4.9406564584124654e-324);
  READS(-32, CARDS("BSCALE  = 2.0", "BZERO   = 1.0"), VALUES(NAN, 1, 0, INFINITY, -1, 4), RL_FLOAT32,
        VALUES(NAN, 3, 1, INFINITY, -1, 9));
}

TEST(bscale_and_bzero) {
  READS(8, CARDS("BSCALE  = 0.5", "BZERO   = 10.0"), VALUES(0, 1, 2, 3, 4, 255), RL_FLOAT32,
        VALUES(10, 10.5, 11, 11.5, 12, 137.5));
  READS(16, CARDS("BSCALE  = 2"), VALUES(0, 1, -2, 3, 4, 32767), RL_FLOAT32, VALUES(0, 2, -4, 6, 8, 65534));
  READS(32, CARDS("BSCALE  = 0.25"), VALUES(0, 1, -2, 3, 4, 2147483647), RL_FLOAT64,
        VALUES(0, 0.25, -0.5, 0.75, 1, 536870911.75));
  READS(64, CARDS("BZERO   = -1.5"), VALUES(0, 1, -2, 3, 4, 5), RL_FLOAT64,
        VALUES(-1.5, -0.5, -3.5, 1.5, 2.5, 3.5));
  READS(-64, CARDS("BSCALE  = 10."), VALUES(0, 0.5, -2, 3, 4, 5), RL_FLOAT64, VALUES(0, 5, -20, 30, 40, 50));
}

TEST(the_other_sign) {
  READS(8, CARDS("BZERO   = -128"), VALUES(0, 1, 127, 128, 129, 255), RL_INT32,
        VALUES(-128, -127, -1, 0, 1, 127));
  READS(16, CARDS("BZERO   = 32768", "BSCALE  = 1"), VALUES(-32768, -1, 0, 1, 2, 32767), RL_INT32,
        VALUES(0, 32767, 32768, 32769, 32770, 65535));
  READS(32, CARDS("BZERO   = 2147483648"), VALUES(-2147483648.0, -1, 0, 1, 2, 2147483647), RL_INT64,
        VALUES(0, 2147483647, 2147483648.0, 2147483649.0, 2147483650.0, 4294967295.0));
  READS(64, CARDS("BZERO   = 9223372036854775808"), VALUES(-9223372036854775808.0, 0, 1024, 2048, 4096, 8192),
        RL_FLOAT64,
        VALUES(0, 9223372036854775808.0, 9223372036854775808.0 + 1024, 9223372036854775808.0 + 2048,
               9223372036854775808.0 + 4096, 9223372036854775808.0 + 8192));
}

TEST(blank_is_nan) {
  READS(8, CARDS("BLANK   = 255"), VALUES(0, 1, 2, 3, 254, 255), RL_FLOAT32, VALUES(0, 1, 2, 3, 254, NAN));
  READS(16, CARDS("BLANK   = -32768"), VALUES(0, 1, -32768, 3, 4, 5), RL_FLOAT32, VALUES(0, 1, NAN, 3, 4, 5));
  READS(16, CARDS("BLANK   = -1", "BSCALE  = 0.5", "BZERO   = 100"), VALUES(0, 1, -1, 3, 4, -2), RL_FLOAT32,
        VALUES(100, 100.5, NAN, 101.5, 102, 99));
  READS(16, CARDS("BLANK   = 0", "BZERO   = 32768"), VALUES(-32768, 0, 1, 2, 3, 4), RL_FLOAT32,
        VALUES(0, NAN, 32769, 32770, 32771, 32772));
  READS(32, CARDS("BLANK   = 7"), VALUES(7, 1, 2, 3, 4, 2147483647), RL_FLOAT64,
        VALUES(NAN, 1, 2, 3, 4, 2147483647));
  READS(-32, CARDS("BLANK   = 7"), VALUES(7, 1, 2, 3, 4, 5), RL_FLOAT32, VALUES(7, 1, 2, 3, 4, 5));
}

TEST(axes_are_turned_round) {
  struct rl_tensor t;
  struct rl_err err;
  struct rl_buf file = RL_BUF_INIT;
  card(&file, "SIMPLE  =                    T / as FITS has it");
  card(&file, "BITPIX  =                    8");
  card(&file, "NAXIS   =                    3");
  card(&file, "NAXIS1  =                    4");
  card(&file, "NAXIS2  =                    3");
  card(&file, "NAXIS3  =                    2");
  card(&file, "COMMENT a cube");
  card(&file, "END");
  fill_up(&file, ' ');
  for (int i = 0; i < 24; i++) rl_buf_putc(&file, (char)i); /* and no filling behind: it may be missing */
  CHECK_INT(decode(file, &t, &err), 0);
  CHECK_INT(t.rank, 3);
  CHECK_INT(t.shape[0] * 100 + t.shape[1] * 10 + t.shape[2], 234);
  CHECK(nth(&t, 23) == 23);
  rl_tensor_free(&t);
}

/* More than CFITSIO's own buffers hold. */
TEST(a_large_one) {
  struct rl_tensor t;
  struct rl_err err;
  struct rl_buf file = head(-32, 700, 500, NULL);
  for (int i = 0; i < 350000; i++) put(&file, -32, i);
  CHECK_INT(decode(file, &t, &err), 0);
  CHECK_INT(t.shape[0] * 1000 + t.shape[1], 500700);
  int wrong = 0;
  for (int i = 0; i < 350000; i++) wrong += nth(&t, i) != i;
  CHECK_INT(wrong, 0);
  rl_tensor_free(&t);
}

/* The first of several is read, whatever follows. */
TEST(only_the_primary_image) {
  struct rl_tensor t;
  struct rl_err err;
  struct rl_buf file = image(8, CARDS("EXTEND  =                    T"), VALUES(1, 2, 3, 4, 5, 6));
  card(&file, "XTENSION= 'BINTABLE'");
  card(&file, "ZIMAGE  =                    T");
  fill_up(&file, ' ');
  CHECK_INT(decode(file, &t, &err), 0);
  CHECK(nth(&t, 5) == 6);
  rl_tensor_free(&t);
}

/* ---- what is refused ---- */

static struct rl_buf text(const char *bytes) {
  struct rl_buf file = RL_BUF_INIT;
  rl_buf_puts(&file, bytes);
  return file;
}

TEST(what_is_no_fits_file) {
  REFUSE(text(""), "does not begin with SIMPLE");
  REFUSE(text("SIMPLE"), "does not begin with SIMPLE");
  REFUSE(text("/etc/passwd"), "does not begin with SIMPLE");
  REFUSE(text("\x1f\x8b\x08"), "does not begin with SIMPLE");
  struct rl_buf table = RL_BUF_INIT;
  card(&table, "XTENSION= 'BINTABLE'");
  fill_up(&table, ' ');
  REFUSE(table, "does not begin with SIMPLE");
}

TEST(damage_in_cfitsios_words) {
  REFUSE(head(12, 3, 2, NULL), "CFITSIO says illegal BITPIX keyword value; ");
  REFUSE(head(8, -3, 2, NULL), "CFITSIO says ");
}

TEST(damage_of_the_header) {
  struct rl_buf no_end = head(8, 3, 2, NULL), no_bitpix = head(8, 3, 2, NULL);
  memset(no_end.data + 5 * 80, ' ', 3);
  REFUSE(no_end, "a damaged FITS header: it has no END, and the file ends at byte 2880");
  memcpy(no_bitpix.data + 80, "\x01\x80\xff[1:2]\n", 9);
  REFUSE(no_bitpix, "a damaged FITS header: it does not begin with SIMPLE, BITPIX and NAXIS");
  struct rl_buf nothing = RL_BUF_INIT; /* not even its first card has a value */
  card(&nothing, "SIMPLE  =");
  card(&nothing, "END");
  fill_up(&nothing, ' ');
  REFUSE(nothing, "a damaged FITS header: it does not begin with SIMPLE, BITPIX and NAXIS");
  REFUSE(image(16, CARDS("BSCALE  = 'x'"), VALUES(1, 2, 3, 4, 5, 6)),
         "a damaged FITS header: no plain number is in BSCALE at byte 400");
  static const char *const odd[] = {"1[2]", "1.2.3", ".",   "-",    "E5",   "1E",  "1E+",
                                    "1 2",  "0x5",   "nan", "1E5.", "\x01", "1\"", "T5"};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    char bzero[81];
    snprintf(bzero, sizeof bzero, "BZERO   = %s", odd[i]);
    REFUSE(image(16, CARDS(bzero), VALUES(1, 2, 3, 4, 5, 6)), "no plain number is in BZERO");
  }
  REFUSE(image(16, CARDS("BZERO   = 0.00000000000000000000000000000000000000001"), VALUES(1, 2, 3, 4, 5, 6)),
         "no plain number is in BZERO");
}

/* Of texts that are no good, and of all that is no number of the image's, nothing is read. The first one,
 * read by CFITSIO 4.2.0, writes past the end of one of its buffers. */
TEST(other_cards_do_not_matter) {
  char text[81] = "CHECKSUM= '''''";
  memset(text + 15, 0xd4, 65);
  memcpy(text + 57, "'''''''''''''''", 15);
  READS(8,
        CARDS(text, "EXTNAME = 'a[1:2]", "CONTINUE  '&", "HIERARCH A B = '", "ZIMAGE  =                    T",
              "GROUPS  =                    T", "PCOUNT  = 5", "BSCALE", "BZERO   =", "BLANK   = / none",
              "NAXIS9  = 'x'"),
        VALUES(1, 2, 3, 4, 5, 6), RL_UINT8, VALUES(1, 2, 3, 4, 5, 6));
  READS(16, CARDS("BZERO   = 1.5D1 / a comment", "BSCALE  =      +.2E+1"), VALUES(1, 2, 3, 4, 5, 6),
        RL_FLOAT32, VALUES(17, 19, 21, 23, 25, 27));
}

TEST(words_of_an_error_are_printable_and_its_own) {
  struct rl_tensor t;
  struct rl_err err;
  struct rl_buf odd = head(8, 3, 2, NULL);
  memcpy(odd.data + 80, "BITPIX\x01\x80= \xff\x1b[31m    ", 18);
  CHECK_INT(decode(odd, &t, &err), RL_EFAIL);
  for (const char *c = err.text; *c; c++) CHECK(*c >= ' ' && *c <= '~');
  CHECK_INT(decode(head(8, 0, 2, NULL), &t, &err), RL_EFAIL);
  CHECK_STR(err.text, "no FITS image in the primary array: NAXIS1 is 0");
}

TEST(sizes_that_the_bytes_do_not_hold) {
  static const char *const random_groups[] = {"GROUPS  =                    T", "PCOUNT  =        2000000000",
                                              "GCOUNT  =        2000000000", NULL};
  REFUSE(head(-32, 63, 63, NULL), "cut short: 0 bytes of pixels from byte 2880 on, 15876 are wanted");
  REFUSE(head(-64, 2000000000, 2000000000, NULL), "more pixels than memory can hold");
  REFUSE(head(8, 2000000000, 2000000000, NULL), "cut short: 0 bytes of pixels from byte 2880 on");
  REFUSE(head(-32, -63, 63, NULL), "CFITSIO says");
  REFUSE(head(-32, 0, 2000000000, random_groups), "NAXIS1 is 0");
  struct rl_buf cut = head(-32, 3, 2, NULL);
  for (int i = 0; i < 23; i++) rl_buf_putc(&cut, 1);
  REFUSE(cut, "cut short: 23 bytes of pixels from byte 2880 on, 24 are wanted");
}

static struct rl_buf axes(int n) {
  struct rl_buf file = RL_BUF_INIT;
  card(&file, "SIMPLE  =                    T");
  card(&file, "BITPIX  =                    8");
  card(&file, "NAXIS   = %20d", n);
  for (int i = 1; i <= n; i++) card(&file, "NAXIS%-3d= %20d", i, 1);
  card(&file, "END");
  fill_up(&file, ' ');
  rl_buf_putc(&file, 5);
  fill_up(&file, 0);
  return file;
}

TEST(as_many_axes_as_a_tensor_has) {
  struct rl_tensor t;
  struct rl_err err;
  CHECK_INT(decode(axes(8), &t, &err), 0);
  CHECK_INT(t.rank, 8);
  rl_tensor_free(&t);
  REFUSE(axes(9), "a FITS image of 9 axes: a tensor has at most 8");
  REFUSE(axes(0), "no FITS image in the primary array: NAXIS is 0 (extensions are not read)");
  REFUSE(axes(100), "a FITS image of 100 axes");
  REFUSE(axes(999), "a FITS image of 999 axes");
  static const char *const odd[] = {"NAXIS   = '999'", "NAXIS   = 9x", "NAXIS   = -1", "NAXIS   = +999",
                                    "NAXIS   = 1E3",   "NAXIS   =",    "NAXIS     2",  "NAXES   = 2"};
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    struct rl_buf file = axes(2);
    memset(file.data + 160, ' ', 80);
    memcpy(file.data + 160, odd[i], strlen(odd[i]));
    REFUSE(file, "a damaged FITS header: ");
  }
}

TEST(every_cut_is_an_error) {
  struct rl_buf file = image(-32, NULL, VALUES(1, 2, 3, 4, 5, 6));
  for (size_t len = 0; len < 2880 + 24; len++) {
    struct rl_buf cut = RL_BUF_INIT; /* its own memory: a read past its end is seen */
    struct rl_tensor t;
    struct rl_err err;
    rl_buf_put(&cut, file.data, len);
    CHECK_INT(decode(cut, &t, &err), RL_EFAIL);
  }
  rl_buf_free(&file);
}

static void *no_memory(void *self, void *p, size_t old_size, size_t new_size) {
  (void)old_size;
  if (new_size) ++*(int *)self;
  free(p);
  return NULL;
}

TEST(an_allocator_that_refuses) {
  int asked = 0;
  const struct rl_tensor_alloc alloc = {no_memory, &asked};
  struct rl_tensor t;
  struct rl_err err;
  struct rl_buf file = image(-32, NULL, VALUES(1, 2, 3, 4, 5, 6));
  CHECK_INT(rl_fits_decode(rl_buf_bytes(&file), &alloc, &t, &err), RL_ENOMEM);
  CHECK_INT(asked, 1);
  rl_buf_free(&file);
}

/* ---- lanes ---- */

/* Good and bad ones in turn, checked each: words and pixels are never another thread's. */
static void *many(void *arg) {
  int mine = *(const int *)arg;
  long wrong = 0;
  for (int i = 0; i < 300; i++) {
    struct rl_tensor t;
    struct rl_err err;
    if (decode(image(32, NULL, VALUES(mine, i, 3, 4, 5, 6)), &t, &err) == 0) {
      wrong += nth(&t, 0) != mine || nth(&t, 1) != i;
      rl_tensor_free(&t);
    } else {
      wrong++;
    }
    wrong += decode(head(mine % 2 ? 12 : 8, 3, -1 - mine, NULL), &t, &err) != RL_EFAIL;
    wrong += (strstr(err.text, "illegal BITPIX") != NULL) != (mine % 2 == 1);
  }
  return (void *)wrong;
}

TEST(threads) {
  enum { N = 4 };
  pthread_t threads[N];
  int ids[N];
  for (int i = 0; i < N; i++) {
    ids[i] = i;
    CHECK_INT(pthread_create(&threads[i], NULL, many, &ids[i]), 0);
  }
  for (int i = 0; i < N; i++) {
    void *wrong = NULL;
    pthread_join(threads[i], &wrong);
    CHECK_INT((long)wrong, 0);
  }
}
