/* Scalars to cells. */
#include <stdio.h>

#include "base/str.h"
#include "codec/avro_run.h"

static uint64_t little_endian(const uint8_t *p, size_t n) {
  uint64_t value = 0;
  while (n-- > 0) value = value << 8 | p[n];
  return value;
}

static struct rl_cell of_double(double d) { return (struct rl_cell){.tag = RL_DOUBLE, .d = d}; }

static bool take_boolean(struct rl_avro_run *r, struct rl_cell *cell) {
  if (rl_avro_left(r) < 1) return rl_avro_fault_end(r, 1);
  uint8_t byte = r->data[r->at];
  if (byte > 1) return rl_avro_fault(r, r->at, "a boolean of %u", byte);
  r->at++;
  *cell = (struct rl_cell){.tag = RL_BOOL, .i = byte};
  return true;
}

static bool take_float(struct rl_avro_run *r, struct rl_cell *cell) {
  if (rl_avro_left(r) < 4) return rl_avro_fault_end(r, 4);
  uint32_t bits = (uint32_t)little_endian(r->data + r->at, 4);
  float value;
  memcpy(&value, &bits, sizeof value);
  r->at += 4;
  *cell = of_double((double)value);
  return true;
}

static bool take_double(struct rl_avro_run *r, struct rl_cell *cell) {
  if (rl_avro_left(r) < 8) return rl_avro_fault_end(r, 8);
  uint64_t bits = little_endian(r->data + r->at, 8);
  cell->tag = RL_DOUBLE;
  memcpy(&cell->d, &bits, sizeof bits);
  r->at += 8;
  return true;
}

/* float, as a reader's schema may want an integer, rounds to single precision. */
static bool take_integer(struct rl_avro_run *r, const struct rl_avro_type *type, struct rl_cell *cell) {
  size_t start = r->at;
  int64_t i;
  if (!rl_avro_long(r, &i)) return false;
  if (type->kind == RL_AVRO_INT && (i < INT32_MIN || i > INT32_MAX))
    return rl_avro_fault(r, start, "an int of %lld", (long long)i);
  if (type->to == RL_AVRO_FLOAT)
    *cell = of_double((double)(float)i);
  else if (type->to == RL_AVRO_DOUBLE)
    *cell = of_double((double)i);
  else
    *cell = (struct rl_cell){.tag = RL_INT, .i = i};
  return true;
}

static struct rl_bytes uuid_text(struct rl_arena *arena, const uint8_t *b) {
  char *out = rl_arena_alloc(arena, 37);
  snprintf(out, 37, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2],
           b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
  return rl_bytes(out, 36);
}

static bool text_cell(struct rl_avro_run *r, enum rl_tag tag, struct rl_bytes bytes, struct rl_cell *cell) {
  if (r->copy) bytes = rl_arena_copy(r->arena, bytes);
  *cell = (struct rl_cell){.tag = tag, .len = (uint32_t)bytes.len, .s = bytes.data};
  return true;
}

static bool logical_cell(struct rl_avro_run *r, const struct rl_avro_type *type, struct rl_bytes bytes,
                         struct rl_cell *cell) {
  bool uuid = type->logical == RL_AVRO_UUID;
  struct rl_bytes text =
      uuid ? uuid_text(r->arena, (const uint8_t *)bytes.data) : rl_avro_decimal(r->arena, bytes, type->scale);
  *cell = (struct rl_cell){.tag = RL_TEXT, .len = (uint32_t)text.len, .s = text.data};
  return true;
}

enum { DECIMAL_BYTES = 2048 }; /* of digits that are turned to text: that takes time with their square */

static bool bytes_cell(struct rl_avro_run *r, const struct rl_avro_type *type, size_t start, size_t n,
                       struct rl_cell *cell) {
  struct rl_bytes bytes = rl_bytes(r->data + start, n);
  if (n > UINT32_MAX) return rl_avro_fault(r, start, "%zu bytes in one value, over 4 GiB", n);
  if (type->to == RL_AVRO_STRING) {
    if (!rl_utf8_valid(bytes)) return rl_avro_fault(r, start, "a string that is no UTF-8");
    return text_cell(r, RL_TEXT, bytes, cell);
  }
  bool spelled = r->logical && type->logical != RL_AVRO_PLAIN && n <= DECIMAL_BYTES;
  return spelled ? logical_cell(r, type, bytes, cell) : text_cell(r, RL_BLOB, bytes, cell);
}

static bool take_run(struct rl_avro_run *r, const struct rl_avro_type *type, struct rl_cell *cell) {
  size_t start, n;
  return rl_avro_span(r, &start, &n) && bytes_cell(r, type, start, n, cell);
}

static bool take_fixed(struct rl_avro_run *r, const struct rl_avro_type *type, struct rl_cell *cell) {
  size_t start = r->at;
  return rl_avro_skip_bytes(r, type->size) && bytes_cell(r, type, start, (size_t)type->size, cell);
}

static bool take_enum(struct rl_avro_run *r, struct rl_avro_type *type, struct rl_cell *cell) {
  size_t start = r->at;
  int64_t i;
  if (!rl_avro_long(r, &i)) return false;
  if (i < 0 || i >= type->n)
    return rl_avro_fault(r, start, "symbol %lld of an enum of %u", (long long)i, type->n);
  struct rl_bytes symbol = rl_avro_kept(r, type, (uint32_t)i);
  if (!symbol.data)
    return rl_avro_fault(r, start,
                         "symbol %lld of enum %.*s is not in the reader's schema, which has no default",
                         (long long)i, (int)type->name.len, type->name.data);
  *cell = (struct rl_cell){.tag = RL_TEXT, .len = (uint32_t)symbol.len, .s = symbol.data};
  return true;
}

bool rl_avro_scalar(struct rl_avro_run *r, struct rl_avro_type *type, struct rl_cell *cell) {
  switch (type->kind) {
    case RL_AVRO_NULL: *cell = (struct rl_cell){.tag = RL_NULL}; return true;
    case RL_AVRO_BOOLEAN: return take_boolean(r, cell);
    case RL_AVRO_INT:
    case RL_AVRO_LONG: return take_integer(r, type, cell);
    case RL_AVRO_FLOAT: return take_float(r, cell);
    case RL_AVRO_DOUBLE: return take_double(r, cell);
    case RL_AVRO_BYTES:
    case RL_AVRO_STRING: return take_run(r, type, cell);
    case RL_AVRO_FIXED: return take_fixed(r, type, cell);
    case RL_AVRO_ENUM: return take_enum(r, type, cell);
    default: break;
  }
  return rl_avro_fault(r, r->at, "%.*s", (int)type->name.len, type->name.data); /* a misfit's sentence */
}

/* ---- names ---- */

static struct rl_bytes name_at(const struct rl_avro_type *type, uint32_t i) {
  if (type->kind == RL_AVRO_ENUM) return type->symbols[i];
  return i < type->n ? type->fields[i].name : type->given[i - type->n].name;
}

struct rl_bytes rl_avro_kept(struct rl_avro_run *r, struct rl_avro_type *type, uint32_t i) {
  struct rl_bytes name = name_at(type, i);
  size_t n = (size_t)type->n + type->n_given;
  if (!name.data || (type->kind == RL_AVRO_ENUM && n > RL_AVRO_KEPT_MAX))
    return rl_arena_copy(r->arena, name);
  if (type->kept_for != r->message) {
    type->kept = rl_arena_alloc(r->arena, n * sizeof *type->kept);
    memset(type->kept, 0, n * sizeof *type->kept);
    type->kept_for = r->message;
  }
  if (!type->kept[i].data) type->kept[i] = rl_arena_copy(r->arena, name);
  return type->kept[i];
}

/* ---- decimals ---- */

/* Divides the big-endian magnitude by ten; returns the remainder. */
static unsigned divide(uint8_t *digits, size_t n) {
  unsigned rest = 0;
  for (size_t i = 0; i < n; i++) {
    unsigned value = rest << 8 | digits[i];
    digits[i] = (uint8_t)(value / 10);
    rest = value % 10;
  }
  return rest;
}

static void negate(uint8_t *digits, size_t n) {
  unsigned carry = 1;
  for (size_t i = n; i-- > 0;) {
    carry += (uint8_t)~digits[i];
    digits[i] = (uint8_t)carry;
    carry >>= 8;
  }
}

static bool any(const uint8_t *digits, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (digits[i]) return true;
  return false;
}

/* From the last digit to the first. 5 digits for two bytes are enough, and as many zeros as the scale asks.
 */
struct rl_bytes rl_avro_decimal(struct rl_arena *arena, struct rl_bytes unscaled, int scale) {
  size_t n = unscaled.len, room = n * 5 / 2 + (size_t)scale + 8;
  uint8_t *digits = rl_arena_alloc(arena, n);
  char *out = rl_arena_alloc(arena, room), *at = out + room;
  if (n) memcpy(digits, unscaled.data, n);
  bool negative = n > 0 && digits[0] & 0x80;
  if (negative) negate(digits, n);
  for (int written = 0; written <= scale || any(digits, n); written++) {
    if (written == scale && scale > 0) *--at = '.';
    *--at = (char)('0' + divide(digits, n));
  }
  if (negative) *--at = '-';
  return rl_bytes(at, (size_t)(out + room - at));
}
