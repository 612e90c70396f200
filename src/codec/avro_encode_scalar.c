/* Scalars, written and judged: what fits and what does not is said once, in the two functions of each kind.
 */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/str.h"
#include "codec/avro_put.h"
#include "codec/avro_run.h"

#define EXACT (INT64_C(1) << 53) /* integers up to here are doubles too */
#define TWO_63 9223372036854775808.0

void rl_avro_put_long(struct rl_buf *out, int64_t value) {
  uint64_t n = (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
  char bytes[10];
  size_t len = 0;
  for (; n > 0x7F; n >>= 7) bytes[len++] = (char)(n | 0x80);
  bytes[len++] = (char)n;
  rl_buf_put(out, bytes, len);
}

static void put_little_endian(struct rl_buf *out, uint64_t bits, size_t n) {
  char bytes[8];
  for (size_t i = 0; i < n; i++) bytes[i] = (char)(bits >> 8 * i);
  rl_buf_put(out, bytes, n);
}

static void put_run(struct rl_buf *out, struct rl_bytes bytes) {
  rl_avro_put_long(out, (int64_t)bytes.len);
  rl_buf_put(out, bytes.data, bytes.len);
}

static struct rl_bytes text_of(const struct rl_cell *cell) { return rl_bytes(cell->s, cell->len); }

static bool is_text(const struct rl_cell *cell) { return cell->tag == RL_TEXT || cell->tag == RL_BLOB; }

/* ---- numbers ---- */

/* An integer, or a double that is one. */
static bool integer(const struct rl_cell *cell, int64_t *i) {
  if (cell->tag == RL_INT) {
    *i = cell->i;
    return true;
  }
  bool whole = cell->tag == RL_DOUBLE && cell->d >= -TWO_63 && cell->d < TWO_63 && cell->d == floor(cell->d);
  if (whole) *i = (int64_t)cell->d;
  return whole;
}

static bool in_range(const struct rl_avro_type *type, int64_t i) {
  return type->kind == RL_AVRO_LONG || (i >= INT32_MIN && i <= INT32_MAX);
}

static bool put_integer(struct rl_avro_put *p, const struct rl_avro_type *type, size_t at,
                        const struct rl_avro_place *place) {
  int64_t i;
  if (!integer(&p->doc.at[at], &i) || !in_range(type, i)) return rl_avro_refuse_kind(p, place, type, at);
  rl_avro_put_long(p->out, i);
  return true;
}

static enum rl_avro_fit integer_fit(const struct rl_avro_type *type, const struct rl_cell *cell) {
  int64_t i;
  if (!integer(cell, &i) || !in_range(type, i)) return RL_AVRO_UNFIT;
  return cell->tag == RL_INT ? RL_AVRO_EXACT : RL_AVRO_LOOSE;
}

static bool real(const struct rl_cell *cell, double *d) {
  if (cell->tag == RL_DOUBLE) {
    *d = cell->d;
    return true;
  }
  bool exact = cell->tag == RL_INT && cell->i >= -EXACT && cell->i <= EXACT;
  if (exact) *d = (double)cell->i;
  return exact;
}

/* Infinity is one already; what only becomes one is too large. */
static bool fits_float(double d) { return !isfinite(d) || isfinite((double)(float)d); }

static bool put_real(struct rl_avro_put *p, const struct rl_avro_type *type, size_t at,
                     const struct rl_avro_place *place) {
  double d;
  uint64_t bits;
  if (!real(&p->doc.at[at], &d)) return rl_avro_refuse_kind(p, place, type, at);
  if (type->kind == RL_AVRO_DOUBLE) {
    memcpy(&bits, &d, sizeof d);
    put_little_endian(p->out, bits, 8);
    return true;
  }
  if (!fits_float(d)) return rl_avro_refuse_kind(p, place, type, at);
  float f = (float)d;
  uint32_t half;
  memcpy(&half, &f, sizeof f);
  put_little_endian(p->out, half, 4);
  return true;
}

static enum rl_avro_fit real_fit(const struct rl_avro_type *type, const struct rl_cell *cell) {
  double d;
  bool single = type->kind == RL_AVRO_FLOAT;
  if (!real(cell, &d) || (single && !fits_float(d))) return RL_AVRO_UNFIT;
  bool same = !single || isnan(d) || (double)(float)d == d;
  return cell->tag == RL_DOUBLE && same ? RL_AVRO_EXACT : RL_AVRO_LOOSE;
}

/* ---- texts ---- */

static bool put_string(struct rl_avro_put *p, const struct rl_avro_type *type, size_t at,
                       const struct rl_avro_place *place) {
  const struct rl_cell *cell = &p->doc.at[at];
  if (!is_text(cell)) return rl_avro_refuse_kind(p, place, type, at);
  if (!rl_utf8_valid(text_of(cell)))
    return rl_avro_refuse(p, place, "bytes that are no UTF-8 where string is wanted");
  put_run(p->out, text_of(cell));
  return true;
}

static uint32_t symbol(const struct rl_avro_type *type, const struct rl_cell *cell) {
  uint32_t i = 0;
  while (i < type->n && !(is_text(cell) && rl_bytes_eq(type->symbols[i], text_of(cell)))) i++;
  return i;
}

static bool put_enum(struct rl_avro_put *p, const struct rl_avro_type *type, size_t at,
                     const struct rl_avro_place *place) {
  const struct rl_cell *cell = &p->doc.at[at];
  uint32_t i = symbol(type, cell);
  if (i < type->n) {
    rl_avro_put_long(p->out, i);
    return true;
  }
  if (!is_text(cell)) return rl_avro_refuse_kind(p, place, type, at);
  struct rl_buf word = RL_BUF_INIT;
  rl_put_json_string(&word, rl_bytes(cell->s, cell->len < 60 ? cell->len : 60));
  rl_avro_refuse(p, place, "%s is no symbol of enum %.*s", rl_buf_text(&word), (int)type->name.len,
                 type->name.data);
  rl_buf_free(&word);
  return false;
}

/* ---- bytes, fixed and what they stand for ---- */

/* Replaces out by the number's digits as a decimal of the type. */
static bool decimal(const struct rl_avro_type *type, const struct rl_cell *cell, struct rl_buf *out) {
  char digits[32];
  bool text = cell->tag == RL_TEXT || cell->tag == RL_BIG;
  if (cell->tag == RL_INT) snprintf(digits, sizeof digits, "%lld", (long long)cell->i);
  if (!text && cell->tag != RL_INT) return false;
  if (!rl_avro_decimal_bytes(text ? text_of(cell) : rl_bytes_str(digits), type->precision, type->scale, out))
    return false;
  if (type->kind != RL_AVRO_FIXED) return true;
  if (type->size == 0 && out->len == 1 && out->data[0] == 0) rl_buf_clear(out);
  if (out->len > type->size) return false;
  size_t lead = (size_t)type->size - out->len;
  char sign = out->len > 0 && out->data[0] & (char)0x80 ? (char)0xFF : 0;
  rl_buf_reserve(out, lead);
  memmove(out->data + lead, out->data, out->len);
  memset(out->data, sign, lead);
  out->len += lead;
  return true;
}

static int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool uuid(const struct rl_cell *cell, struct rl_buf *out) {
  enum { TEXT = 36 };
  rl_buf_clear(out);
  if (cell->tag != RL_TEXT || cell->len != TEXT) return false;
  for (int i = 0; i < TEXT;) {
    bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash && cell->s[i++] != '-') return false;
    if (dash) continue;
    int high = hex(cell->s[i]), low = hex(cell->s[i + 1]);
    if (high < 0 || low < 0) return false;
    rl_buf_putc(out, (char)(high << 4 | low));
    i += 2;
  }
  return true;
}

/* The bytes that a value stands for; they may lie in `made`. */
static bool bytes_for(const struct rl_avro_put *p, const struct rl_avro_type *type,
                      const struct rl_cell *cell, struct rl_buf *made, struct rl_bytes *out) {
  bool spelled = false;
  if (p->opts->logical && type->logical == RL_AVRO_DECIMAL) spelled = decimal(type, cell, made);
  if (p->opts->logical && type->logical == RL_AVRO_UUID) spelled = uuid(cell, made);
  *out = spelled ? rl_buf_bytes(made) : text_of(cell);
  bool plain = !p->opts->logical || type->logical == RL_AVRO_PLAIN || cell->tag == RL_BLOB;
  return spelled || (plain && is_text(cell) && (type->kind != RL_AVRO_FIXED || cell->len == type->size));
}

static bool refuse_bytes(const struct rl_avro_put *p, const struct rl_avro_type *type, size_t at,
                         const struct rl_avro_place *place) {
  const struct rl_cell *cell = &p->doc.at[at];
  bool spelled = p->opts->logical && type->logical != RL_AVRO_PLAIN;
  if (spelled && type->logical == RL_AVRO_DECIMAL)
    return rl_avro_refuse(
        p, place, "no decimal of %d digits, %d behind the point%s, as a text (\"12.50\") or an integer",
        type->precision, type->scale, type->kind == RL_AVRO_FIXED ? ", that fits its size" : "");
  if (spelled) return rl_avro_refuse(p, place, "no UUID as a text");
  if (!is_text(cell)) return rl_avro_refuse_kind(p, place, type, at);
  return rl_avro_refuse(p, place, "%u bytes where fixed %.*s has %llu", cell->len, (int)type->name.len,
                        type->name.data, (unsigned long long)type->size);
}

static bool put_bytes(struct rl_avro_put *p, const struct rl_avro_type *type, size_t at,
                      const struct rl_avro_place *place) {
  struct rl_buf made = RL_BUF_INIT;
  struct rl_bytes bytes;
  bool fine = bytes_for(p, type, &p->doc.at[at], &made, &bytes);
  if (fine && type->kind == RL_AVRO_FIXED) rl_buf_put(p->out, bytes.data, bytes.len);
  if (fine && type->kind == RL_AVRO_BYTES) put_run(p->out, bytes);
  rl_buf_free(&made);
  return fine || refuse_bytes(p, type, at, place);
}

/* Whether decoding would give this text again: so that a string "7" beside a decimal of scale 2 stays a
 * string. */
static bool is_canonical(const struct rl_avro_type *type, struct rl_bytes text, struct rl_bytes made) {
  struct rl_arena arena;
  bool same = true;
  if (type->logical == RL_AVRO_UUID) {
    for (size_t i = 0; i < text.len; i++) same = same && !(text.data[i] >= 'A' && text.data[i] <= 'F');
    return same;
  }
  rl_arena_init(&arena);
  same = rl_bytes_eq(rl_avro_decimal(&arena, made, type->scale), text);
  rl_arena_free(&arena);
  return same;
}

static enum rl_avro_fit bytes_fit(const struct rl_avro_put *p, const struct rl_avro_type *type,
                                  const struct rl_cell *cell) {
  struct rl_buf made = RL_BUF_INIT;
  struct rl_bytes bytes;
  if (!bytes_for(p, type, cell, &made, &bytes)) {
    rl_buf_free(&made);
    return RL_AVRO_UNFIT;
  }
  bool spelled = p->opts->logical && type->logical != RL_AVRO_PLAIN && cell->tag == RL_TEXT;
  bool exact = cell->tag == RL_BLOB || (spelled && is_canonical(type, text_of(cell), bytes)) ||
               (!spelled && is_text(cell) && !rl_utf8_valid(text_of(cell)));
  rl_buf_free(&made);
  return exact ? RL_AVRO_EXACT : RL_AVRO_LOOSE;
}

/* ---- all ---- */

static bool put_boolean(struct rl_avro_put *p, const struct rl_avro_type *type, size_t at,
                        const struct rl_avro_place *place) {
  if (!rl_avro_doc_is(&p->doc, at, RL_BOOL)) return rl_avro_refuse_kind(p, place, type, at);
  rl_buf_putc(p->out, p->doc.at[at].i != 0);
  return true;
}

static bool is_null(const struct rl_cell *cell) { return cell->tag == RL_NULL || cell->tag == RL_MISSING; }

bool rl_avro_put_scalar(struct rl_avro_put *p, const struct rl_avro_type *type, size_t at,
                        const struct rl_avro_place *place) {
  switch (type->kind) {
    case RL_AVRO_NULL: return is_null(&p->doc.at[at]) || rl_avro_refuse_kind(p, place, type, at);
    case RL_AVRO_BOOLEAN: return put_boolean(p, type, at, place);
    case RL_AVRO_INT:
    case RL_AVRO_LONG: return put_integer(p, type, at, place);
    case RL_AVRO_FLOAT:
    case RL_AVRO_DOUBLE: return put_real(p, type, at, place);
    case RL_AVRO_STRING: return put_string(p, type, at, place);
    case RL_AVRO_ENUM: return put_enum(p, type, at, place);
    default: return put_bytes(p, type, at, place);
  }
}

static enum rl_avro_fit exact_if(bool fits) { return fits ? RL_AVRO_EXACT : RL_AVRO_UNFIT; }

enum rl_avro_fit rl_avro_scalar_fit(const struct rl_avro_put *p, const struct rl_avro_type *type,
                                    const struct rl_cell *cell) {
  switch (type->kind) {
    case RL_AVRO_NULL: return exact_if(is_null(cell));
    case RL_AVRO_BOOLEAN: return exact_if(cell->tag == RL_BOOL);
    case RL_AVRO_INT:
    case RL_AVRO_LONG: return integer_fit(type, cell);
    case RL_AVRO_FLOAT:
    case RL_AVRO_DOUBLE: return real_fit(type, cell);
    case RL_AVRO_STRING: return exact_if(cell->tag == RL_TEXT && rl_utf8_valid(text_of(cell)));
    case RL_AVRO_ENUM: return exact_if(symbol(type, cell) < type->n);
    default: return bytes_fit(p, type, cell);
  }
}
