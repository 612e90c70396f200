#include "model/fits.h"

#include <fitsio.h>
#include <math.h>
#include <pthread.h>

#include "model/fits_cards.h"

enum { WORDS_SHOWN = 3 };

/* Its table of memory files is not locked in any build, and the words of an error are the last caller's. */
static pthread_mutex_t cfitsio = PTHREAD_MUTEX_INITIALIZER;

struct image {
  fitsfile *file;
  void *data; /* CFITSIO keeps the addresses of these two while the file is open */
  size_t size;
  const char *pixels; /* in the file that came */
  size_t begin, have; /* of them there: their first byte, and how many there are */
  int status;         /* CFITSIO's: once it is not 0, its functions do nothing */
  int bitpix, naxis;
  LONGLONG naxes[RL_RANK_MAX];
  double scale, zero;
  bool has_blank;
};

/* ---- what CFITSIO says ---- */

/* Words may quote the header, and so hold anything. */
static void put_words(struct rl_buf *text, const char *before, const char *words) {
  rl_buf_puts(text, before);
  for (; *words; words++) rl_buf_putc(text, *words >= ' ' && *words <= '~' ? *words : '?');
}

static int refused(struct image *im, struct rl_err *err) {
  char words[FLEN_ERRMSG];
  struct rl_buf text = RL_BUF_INIT;
  fits_get_errstatus(im->status, words);
  put_words(&text, "", words);
  for (int i = 0; i < WORDS_SHOWN && fits_read_errmsg(words); i++) put_words(&text, "; ", words);
  int code = rl_fail(err, RL_EFAIL, "no FITS image, or a damaged one: CFITSIO says %s (%d)",
                     rl_buf_text(&text), im->status);
  rl_buf_free(&text);
  return code;
}

/* ---- the header ---- */

/* The name is ours, and has nothing in it that CFITSIO would take for more than a name. */
static void open_image(struct image *im) {
  fits_open_memfile(&im->file, "image", READONLY, &im->data, &im->size, 0, NULL, &im->status);
}

static double number(struct image *im, const char *key, double otherwise) {
  double value = otherwise;
  fits_write_errmark();
  fits_read_key(im->file, TDOUBLE, key, &value, NULL, &im->status);
  if (im->status == KEY_NO_EXIST || im->status == VALUE_UNDEFINED) {
    fits_clear_errmark();
    im->status = 0;
    return otherwise;
  }
  return value;
}

static int check_axes(struct image *im, struct rl_err *err) {
  for (int i = 0; i < im->naxis; i++)
    if (im->naxes[i] <= 0)
      return rl_fail(err, RL_EFAIL, "no FITS image in the primary array: NAXIS%d is %lld", i + 1,
                     (long long)im->naxes[i]);
  if (im->naxis > 0) return 0;
  return rl_fail(err, RL_EFAIL, "no FITS image in the primary array: NAXIS is %d (extensions are not read)",
                 im->naxis);
}

static int read_head(struct image *im, struct rl_err *err) {
  fits_get_img_type(im->file, &im->bitpix, &im->status);
  fits_get_img_dim(im->file, &im->naxis, &im->status);
  fits_get_img_sizell(im->file, RL_RANK_MAX, im->naxes, &im->status);
  im->scale = number(im, "BSCALE", 1);
  im->zero = number(im, "BZERO", 0);
  im->has_blank = im->bitpix > 0 && !isnan(number(im, "BLANK", NAN));
  if (im->status) return refused(im, err);
  return check_axes(im, err);
}

/* ---- the pixels ---- */

/* Before there is memory for them: a damaged size must not cost any. */
static int check_size(const struct image *im, size_t *pixels, struct rl_err *err) {
  size_t bytes = (size_t)abs(im->bitpix) / 8;
  bool too_many = false;
  *pixels = 1;
  for (int i = 0; i < im->naxis; i++)
    too_many = too_many || __builtin_mul_overflow(*pixels, (size_t)im->naxes[i], pixels);
  too_many = too_many || __builtin_mul_overflow(*pixels, bytes, &bytes);
  if (too_many)
    return rl_fail(err, RL_EFAIL, "no FITS image, or a damaged one: more pixels than memory can hold");
  if (bytes <= im->have) return 0;
  return rl_fail(err, RL_EFAIL,
                 "a FITS image cut short: %zu bytes of pixels from byte %zu on, %zu are wanted", im->have,
                 im->begin, bytes);
}

/* As FITS writes integers of the other sign: with that offset and nothing else. */
static bool is_other_sign(const struct image *im) {
  double offset = im->bitpix == 8 ? -128 : ldexp(1, im->bitpix - 1);
  return im->bitpix > 0 && !im->has_blank && im->scale == 1 && im->zero == offset;
}

static bool is_plain(const struct image *im) {
  return im->bitpix > 0 && !im->has_blank && im->scale == 1 && im->zero == 0;
}

static enum rl_dtype dtype_of(const struct image *im) {
  if (im->bitpix < 0) return im->bitpix == FLOAT_IMG ? RL_FLOAT32 : RL_FLOAT64;
  bool small = im->bitpix <= 16;
  if (is_other_sign(im)) return small ? RL_INT32 : im->bitpix == 32 ? RL_INT64 : RL_FLOAT64;
  if (!is_plain(im)) return small ? RL_FLOAT32 : RL_FLOAT64;
  return im->bitpix == 8 ? RL_UINT8 : im->bitpix == 64 ? RL_INT64 : RL_INT32;
}

/* Where something is to be put in the place of BLANK, NaN is. Floats are not looked at for it: theirs stays,
 * and numbers that look odd to CFITSIO (subnormal ones) do, too. */
static void read_pixels(struct image *im, size_t pixels, const struct rl_tensor *t) {
  static const int types[RL_DTYPES] = {TFLOAT, TDOUBLE, TLONGLONG, TINT, TBYTE, TBYTE};
  float nan32 = NAN;
  double nan64 = NAN;
  int found = 0; /* is written to where there is a BLANK */
  void *blank = t->dtype == RL_FLOAT32 ? (void *)&nan32 : &nan64;
  fits_read_img(im->file, types[t->dtype], 1, (LONGLONG)pixels, im->has_blank ? blank : NULL, t->data, &found,
                &im->status);
}

/* Floats that are the file's own, in its byte order: CFITSIO would put them through its buffers. */
static bool is_bare(const struct image *im) { return im->bitpix < 0 && im->scale == 1 && im->zero == 0; }

static void copy_pixels(const struct image *im, const struct rl_tensor *t) {
  memcpy(t->data, im->pixels, rl_tensor_count(t) * rl_dtype_size(t->dtype));
  rl_tensor_swap_bytes(t);
}

static int read_image(struct image *im, const struct rl_tensor_alloc *alloc, struct rl_tensor *t,
                      struct rl_err *err) {
  int64_t shape[RL_RANK_MAX];
  size_t pixels = 0;
  int rc = read_head(im, err);
  if (!rc) rc = check_size(im, &pixels, err);
  if (rc) return rc;
  for (int i = 0; i < im->naxis; i++) shape[i] = im->naxes[im->naxis - 1 - i];
  rc = rl_tensor_new(t, dtype_of(im), im->naxis, shape, alloc, err);
  if (rc) return rc == RL_EUSAGE ? RL_EFAIL : rc;
  if (is_bare(im))
    copy_pixels(im, t);
  else
    read_pixels(im, pixels, t);
  if (im->status == 0) return 0;
  rl_tensor_free(t);
  return refused(im, err);
}

static int decode(struct image *im, const struct rl_tensor_alloc *alloc, struct rl_tensor *t,
                  struct rl_err *err) {
  int closing = 0;
  pthread_mutex_lock(&cfitsio);
  fits_clear_errmsg();
  open_image(im);
  int rc = im->status ? refused(im, err) : read_image(im, alloc, t, err);
  if (im->file) fits_close_file(im->file, &closing); /* it was only read */
  fits_clear_errmsg();
  pthread_mutex_unlock(&cfitsio);
  return rc;
}

/* What CFITSIO gets: the header made here, the pixels as they came, and filling, for it reads whole blocks (a
 * writer may have left out what is behind the last pixel). */
int rl_fits_decode(struct rl_bytes bytes, const struct rl_tensor_alloc *alloc, struct rl_tensor *t,
                   struct rl_err *err) {
  struct rl_buf file = RL_BUF_INIT;
  struct image im = {0};
  *t = (struct rl_tensor){0};
  int rc = rl_fits_cards(bytes, &file, &im.begin, err);
  if (!rc) {
    im.have = im.begin < bytes.len ? bytes.len - im.begin : 0;
    im.pixels = bytes.data + (im.have ? im.begin : 0);
    rl_buf_put(&file, im.pixels, im.have);
    rl_buf_fill(&file, 0, rl_fits_gap(file.len));
    im.data = file.data;
    im.size = file.len;
    rc = decode(&im, alloc, t, err);
  }
  rl_buf_free(&file);
  return rc;
}
