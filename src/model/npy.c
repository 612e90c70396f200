#include "model/npy.h"

#include <stdio.h>

/* magic, version, length, then a Python literal: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
 */
static const char magic[] = "\x93NUMPY";
enum { MAGIC = 6, ALIGN = 64 };
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "elements are read and written as they lie in memory");

struct reader {
  struct rl_bytes in;
  size_t at, end; /* of the literal */
  struct rl_npy *npy;
  struct rl_err *err;
  bool has_descr, has_order, has_shape;
};

static int damaged(struct rl_err *err, size_t at, const char *what) {
  return rl_fail(err, RL_EFAIL, "no .npy file, or a damaged one: %s at byte %zu", what, at);
}

static int fail(struct reader *r, const char *what) { return damaged(r->err, r->at, what); }

static void skip_blanks(struct reader *r) {
  while (r->at < r->end && strchr(" \t\n", r->in.data[r->at]) && r->in.data[r->at]) r->at++;
}

/* Takes the character if it comes next, blanks aside. */
static bool take(struct reader *r, char c) {
  skip_blanks(r);
  if (r->at >= r->end || r->in.data[r->at] != c) return false;
  r->at++;
  return true;
}

static bool take_word(struct reader *r, const char *word) {
  size_t len = strlen(word);
  skip_blanks(r);
  if (r->end - r->at < len || memcmp(r->in.data + r->at, word, len) != 0) return false;
  r->at += len;
  return true;
}

static int take_text(struct reader *r, struct rl_bytes *text) {
  char quote = take(r, '\'') ? '\'' : take(r, '"') ? '"' : 0;
  if (!quote) return fail(r, "a quoted text is missing");
  const char *begin = r->in.data + r->at, *close = memchr(begin, quote, r->end - r->at);
  if (!close) return fail(r, "a text that does not end begins");
  *text = rl_bytes(begin, (size_t)(close - begin));
  r->at += text->len + 1;
  return 0;
}

static bool find_type(struct rl_bytes type, enum rl_dtype *dtype) {
  static const char *const types[RL_DTYPES] = {"f4", "f8", "i8", "i4", "u1", "b1"};
  for (int i = 0; i < RL_DTYPES; i++) {
    *dtype = (enum rl_dtype)i;
    if (type.len == 2 && memcmp(type.data, types[i], 2) == 0) return true;
  }
  return false;
}

static int take_descr(struct reader *r) {
  struct rl_bytes text = rl_bytes(NULL, 0);
  skip_blanks(r);
  if (r->at < r->end && r->in.data[r->at] == '[')
    return rl_fail(r->err, RL_EFAIL, "a .npy file of records (byte %zu): only plain numbers are read", r->at);
  size_t at = r->at;
  int rc = take_text(r, &text);
  if (rc) return rc;
  bool order = text.len == 3 && strchr("<>=|", text.data[0]) && text.data[0];
  if (!order || !find_type(rl_bytes(text.data + 1, text.len - 1), &r->npy->dtype))
    return rl_fail(r->err, RL_EFAIL,
                   "a .npy file of type '%.*s' (byte %zu): only f4, f8, i8, i4, u1 and b1 are read",
                   (int)(text.len < 40 ? text.len : 40), text.data, at);
  r->npy->swapped = text.data[0] == '>';
  return 0;
}

static int take_order(struct reader *r) {
  if (take_word(r, "True"))
    r->npy->fortran = true;
  else if (!take_word(r, "False"))
    return fail(r, "True or False is missing");
  return 0;
}

static int take_size(struct reader *r, int64_t *size) {
  size_t digits = 0;
  skip_blanks(r);
  *size = 0;
  for (; r->at < r->end; r->at++, digits++) {
    int digit = r->in.data[r->at] - '0';
    if (digit < 0 || digit > 9) break;
    if (__builtin_mul_overflow(*size, 10, size) || __builtin_add_overflow(*size, digit, size))
      return fail(r, "a size too large for this world");
  }
  return digits ? 0 : fail(r, "a size is missing");
}

static int take_shape(struct reader *r) {
  if (!take(r, '(')) return fail(r, "the shape's parenthesis is missing");
  while (!take(r, ')')) {
    if (r->npy->rank == RL_RANK_MAX) return fail(r, "more than 8 axes");
    int rc = take_size(r, &r->npy->shape[r->npy->rank++]);
    if (rc) return rc;
    if (take(r, ',')) continue;
    if (take(r, ')')) return 0;
    return fail(r, "a comma or a parenthesis is missing");
  }
  return 0;
}

static int take_entry(struct reader *r) {
  struct rl_bytes key = rl_bytes(NULL, 0);
  static const struct {
    const char *name;
    int (*take)(struct reader *r);
    size_t has;
  } entries[] = {{"descr", take_descr, offsetof(struct reader, has_descr)},
                 {"fortran_order", take_order, offsetof(struct reader, has_order)},
                 {"shape", take_shape, offsetof(struct reader, has_shape)}};
  size_t at = r->at;
  int rc = take_text(r, &key);
  if (rc) return rc;
  if (!take(r, ':')) return fail(r, "a colon is missing");
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    bool *has = (bool *)((char *)r + entries[i].has);
    if (!rl_bytes_eq(key, rl_bytes_str(entries[i].name)) || *has) continue;
    *has = true;
    return entries[i].take(r);
  }
  r->at = at;
  return fail(r, "an entry that no header has, or a second one,");
}

static int take_entries(struct reader *r) {
  if (!take(r, '{')) return fail(r, "the header's brace is missing");
  while (!take(r, '}')) {
    int rc = take_entry(r);
    if (rc) return rc;
    if (take(r, ',')) continue;
    if (take(r, '}')) break;
    return fail(r, "a comma or a brace is missing");
  }
  skip_blanks(r);
  if (r->at < r->end) return fail(r, "something after the header's brace");
  if (r->has_descr && r->has_order && r->has_shape) return 0;
  return fail(r, "a header without descr, fortran_order or shape");
}

static int count_bytes(struct reader *r) {
  size_t bytes = rl_dtype_size(r->npy->dtype);
  for (int i = 0; i < r->npy->rank; i++)
    if (__builtin_mul_overflow(bytes, (size_t)r->npy->shape[i], &bytes))
      return fail(r, "a shape too large for this world");
  r->npy->bytes = bytes;
  return 0;
}

/* Where the literal begins and ends, by the version. */
static int find_literal(struct reader *r) {
  const unsigned char *in = (const unsigned char *)r->in.data;
  if (r->in.len < MAGIC || memcmp(in, magic, MAGIC) != 0) return fail(r, "its first bytes are missing");
  r->at = MAGIC;
  if (r->in.len < MAGIC + 6) return fail(r, "the end");
  if (in[6] < 1 || in[6] > 3 || in[7] != 0) return fail(r, "a version that is not 1.0, 2.0 or 3.0");
  size_t len = in[8] | (size_t)in[9] << 8;
  r->at = 10;
  if (in[6] > 1) {
    len |= (size_t)in[10] << 16 | (size_t)in[11] << 24;
    r->at = 12;
  }
  if (len > RL_NPY_HEADER_MAX) return fail(r, "a header too long");
  r->end = r->at + len;
  if (r->end <= r->in.len) return 0;
  return damaged(r->err, r->in.len, "the end of the file, inside the header,");
}

int rl_npy_header(struct rl_bytes bytes, struct rl_npy *npy, struct rl_err *err) {
  struct reader r = {.in = bytes, .npy = npy, .err = err};
  *npy = (struct rl_npy){0};
  int rc = find_literal(&r);
  if (!rc) rc = take_entries(&r);
  if (!rc) rc = count_bytes(&r);
  npy->begin = r.end;
  return rc;
}

/* ---- writing ---- */

static const char *descr(enum rl_dtype dtype) {
  static const char *const names[RL_DTYPES] = {"<f4", "<f8", "<i8", "<i4", "|u1", "|b1"};
  return names[dtype];
}

void rl_npy_put_header(struct rl_buf *out, const struct rl_tensor *t) {
  struct rl_buf text = RL_BUF_INIT;
  rl_buf_printf(&text, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr(t->dtype));
  for (int i = 0; i < t->rank; i++)
    rl_buf_printf(&text, "%s%lld%s", i ? " " : "", (long long)t->shape[i],
                  t->rank == 1 || i + 1 < t->rank ? "," : "");
  rl_buf_puts(&text, "), }");
  size_t before = MAGIC + 4 + text.len + 1, len = text.len + 1 + (ALIGN - before % ALIGN) % ALIGN;
  const char head[] = {1, 0, (char)(len & 0xff), (char)(len >> 8)};
  rl_buf_put(out, magic, MAGIC);
  rl_buf_put(out, head, sizeof head);
  rl_buf_put(out, text.data, text.len);
  for (size_t i = text.len + 1; i < len; i++) rl_buf_putc(out, ' ');
  rl_buf_putc(out, '\n');
  rl_buf_free(&text);
}
