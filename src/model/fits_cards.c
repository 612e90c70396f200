#include "model/fits_cards.h"

#include "model/tensor.h"

enum { CARD = 80, NAME = 8, VALUE = 10, NUMBER_MAX = 40 };

static const char *const wanted[] = {"SIMPLE  ", "BITPIX  ", "NAXIS   ", "NAXIS1  ", "NAXIS2  ",
                                     "NAXIS3  ", "NAXIS4  ", "NAXIS5  ", "NAXIS6  ", "NAXIS7  ",
                                     "NAXIS8  ", "BSCALE  ", "BZERO   ", "BLANK   "};

static bool is_wanted(const char *card) {
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    if (memcmp(card, wanted[i], NAME) == 0) return memcmp(card + NAME, "= ", 2) == 0;
  return false;
}

/* What stands before the comment, without blanks around. */
static struct rl_bytes value_of(const char *card) {
  const char *at = card + VALUE, *end = memchr(at, '/', CARD - VALUE);
  if (!end) end = card + CARD;
  while (at < end && *at == ' ') at++;
  while (end > at && end[-1] == ' ') end--;
  return rl_bytes(at, (size_t)(end - at));
}

static const char *skip_digits(const char *at, const char *end) {
  while (at < end && *at >= '0' && *at <= '9') at++;
  return at;
}

static const char *skip_any(const char *at, const char *end, const char *of) {
  return at < end && *at && strchr(of, *at) ? at + 1 : at;
}

/* [+-]digits[.digits][E[+-]digits], with a digit before or behind the point. */
static bool is_number(struct rl_bytes value) {
  const char *end = value.data + value.len, *at = skip_any(value.data, end, "+-"), *begin = at;
  at = skip_digits(at, end);
  size_t digits = (size_t)(at - begin);
  begin = skip_any(at, end, ".");
  at = skip_digits(begin, end);
  digits += (size_t)(at - begin);
  if (digits == 0) return false;
  begin = skip_any(at, end, "EeDd");
  if (begin == at) return at == end;
  begin = skip_any(begin, end, "+-");
  at = skip_digits(begin, end);
  return at > begin && at == end;
}

static bool is_plain(struct rl_bytes value) {
  bool truth = value.len == 1 && (*value.data == 'T' || *value.data == 'F'); /* of SIMPLE */
  return value.len <= NUMBER_MAX && (truth || is_number(value));
}

static void put_card(struct rl_buf *header, const char *card, struct rl_bytes value) {
  size_t end = header->len + CARD;
  rl_buf_put(header, card, VALUE);
  rl_buf_put(header, value.data, value.len);
  rl_buf_fill(header, ' ', end - header->len);
}

/* A card without a value is as good as none. */
static int take_card(struct rl_bytes file, size_t at, struct rl_buf *header, struct rl_err *err) {
  const char *card = file.data + at;
  struct rl_bytes value = value_of(card);
  if (value.len == 0) return 0;
  if (!is_plain(value))
    return rl_fail(err, RL_EFAIL, "a damaged FITS header: no plain number is in %.6s at byte %zu", card, at);
  put_card(header, card, value);
  return 0;
}

/* The number of axes: in digits and nothing else, so that CFITSIO reads no other one. -1: it is not. */
static int count_axes(const char *card) {
  int n = 0;
  const char *at = card + VALUE;
  for (; *at >= '0' && *at <= '9'; at++) n = n < 1000 ? 10 * n + *at - '0' : n;
  return at > card + VALUE && *at == ' ' ? n : -1;
}

/* What follows the third card goes by the number in it. */
static int check_axes(const struct rl_buf *header, struct rl_err *err) {
  const char *third = header->len >= 3 * CARD ? header->data + 2 * CARD : NULL;
  int axes = third && memcmp(third, "NAXIS   ", NAME) == 0 ? count_axes(third) : -1;
  if (axes < 0)
    return rl_fail(err, RL_EFAIL, "a damaged FITS header: it does not begin with SIMPLE, BITPIX and NAXIS");
  if (axes <= RL_RANK_MAX) return 0;
  return rl_fail(err, RL_EFAIL, "a FITS image of %d axes: a tensor has at most %d", axes, RL_RANK_MAX);
}

static void finish(struct rl_buf *header) {
  put_card(header, "END       ", rl_bytes("", 0));
  rl_buf_fill(header, ' ', rl_fits_gap(header->len));
}

int rl_fits_cards(struct rl_bytes file, struct rl_buf *header, size_t *begin, struct rl_err *err) {
  static const char first[] = "SIMPLE  =";
  size_t at = 0;
  if (file.len < sizeof first - 1 || memcmp(file.data, first, sizeof first - 1) != 0)
    return rl_fail(err, RL_EFAIL, "no FITS file: it does not begin with SIMPLE");
  for (; at + CARD <= file.len && memcmp(file.data + at, "END     ", NAME) != 0; at += CARD) {
    int rc = is_wanted(file.data + at) ? take_card(file, at, header, err) : 0;
    if (rc) return rc;
  }
  if (at + CARD > file.len)
    return rl_fail(err, RL_EFAIL, "a damaged FITS header: it has no END, and the file ends at byte %zu",
                   file.len);
  int rc = check_axes(header, err);
  if (rc) return rc;
  finish(header);
  *begin = at + CARD + rl_fits_gap(at + CARD);
  return 0;
}
