#include "model/wire.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "model/half.h"

static const struct {
  const char *name, *tf;
  size_t size;
  enum rl_dtype dtype;
  int64_t least, most; /* of integers */
} wires[RL_WIRES] = {
    [RL_WIRE_BOOL] = {"BOOL", "DT_BOOL", 1, RL_TRUTH, 0, 1},
    [RL_WIRE_UINT8] = {"UINT8", "DT_UINT8", 1, RL_UINT8, 0, UINT8_MAX},
    [RL_WIRE_UINT16] = {"UINT16", "DT_UINT16", 2, RL_INT32, 0, UINT16_MAX},
    [RL_WIRE_UINT32] = {"UINT32", "DT_UINT32", 4, RL_INT64, 0, UINT32_MAX},
    [RL_WIRE_UINT64] = {"UINT64", "DT_UINT64", 8, RL_INT64, 0, INT64_MAX},
    [RL_WIRE_INT8] = {"INT8", "DT_INT8", 1, RL_INT32, INT8_MIN, INT8_MAX},
    [RL_WIRE_INT16] = {"INT16", "DT_INT16", 2, RL_INT32, INT16_MIN, INT16_MAX},
    [RL_WIRE_INT32] = {"INT32", "DT_INT32", 4, RL_INT32, INT32_MIN, INT32_MAX},
    [RL_WIRE_INT64] = {"INT64", "DT_INT64", 8, RL_INT64, INT64_MIN, INT64_MAX},
    [RL_WIRE_FP16] = {"FP16", "DT_HALF", 2, RL_FLOAT32, 0, 0},
    [RL_WIRE_BF16] = {NULL, "DT_BFLOAT16", 2, RL_FLOAT32, 0, 0},
    [RL_WIRE_FP32] = {"FP32", "DT_FLOAT", 4, RL_FLOAT32, 0, 0},
    [RL_WIRE_FP64] = {"FP64", "DT_DOUBLE", 8, RL_FLOAT64, 0, 0},
};

enum rl_wire rl_wire_of(enum rl_dtype dtype) {
  static const enum rl_wire of[RL_DTYPES] = {RL_WIRE_FP32,  RL_WIRE_FP64,  RL_WIRE_INT64,
                                             RL_WIRE_INT32, RL_WIRE_UINT8, RL_WIRE_BOOL};
  return of[dtype];
}

enum rl_dtype rl_wire_dtype(enum rl_wire wire) { return wires[wire].dtype; }

size_t rl_wire_size(enum rl_wire wire) { return wires[wire].size; }

const char *rl_wire_name(enum rl_wire wire) { return wires[wire].name ? wires[wire].name : wires[wire].tf; }

bool rl_wire_parse(const char *name, enum rl_wire *wire) {
  for (int i = 0; i < RL_WIRES; i++) {
    if (!wires[i].name || strcmp(wires[i].name, name) != 0) continue;
    *wire = (enum rl_wire)i;
    return true;
  }
  return false;
}

bool rl_wire_parse_tf(const char *name, enum rl_wire *wire) {
  for (int i = 0; i < RL_WIRES; i++) {
    if (strcmp(wires[i].tf, name) != 0) continue;
    *wire = (enum rl_wire)i;
    return true;
  }
  return false;
}

static bool is_integer(enum rl_dtype dtype) { return !rl_dtype_is_float(dtype) && dtype != RL_TRUTH; }

int rl_wire_check(enum rl_wire wire, enum rl_dtype wanted, struct rl_err *err) {
  enum rl_dtype came = wires[wire].dtype;
  if (rl_dtype_is_float(came) == rl_dtype_is_float(wanted) && is_integer(came) == is_integer(wanted))
    return 0;
  return rl_fail(err, RL_EFAIL, "it came as %s where the model declares %s", rl_wire_name(wire),
                 rl_dtype_name(wanted));
}

/* ---- elements of tensors ---- */

static int64_t get_integer(const struct rl_tensor *t, size_t i) {
  int32_t narrow;
  int64_t wide;
  switch (t->dtype) {
    case RL_INT64: memcpy(&wide, t->data + i * sizeof wide, sizeof wide); return wide;
    case RL_INT32: memcpy(&narrow, t->data + i * sizeof narrow, sizeof narrow); return narrow;
    default: return (unsigned char)t->data[i];
  }
}

static float get_float(const struct rl_tensor *t, size_t i) {
  float value;
  memcpy(&value, t->data + i * sizeof value, sizeof value);
  return value;
}

static double get_double(const struct rl_tensor *t, size_t i) {
  double value;
  if (t->dtype == RL_FLOAT32) return (double)get_float(t, i);
  memcpy(&value, t->data + i * sizeof value, sizeof value);
  return value;
}

static void put_double(const struct rl_tensor *t, size_t i, double value) {
  float narrow = (float)value;
  if (t->dtype == RL_FLOAT32)
    memcpy(t->data + i * sizeof narrow, &narrow, sizeof narrow);
  else
    memcpy(t->data + i * sizeof value, &value, sizeof value);
}

/* False: the tensor's type does not hold it. */
static bool put_integer(const struct rl_tensor *t, size_t i, int64_t value) {
  enum rl_wire own = rl_wire_of(t->dtype);
  int32_t narrow = (int32_t)value;
  if (value < wires[own].least || value > wires[own].most) return false;
  switch (t->dtype) {
    case RL_INT64: memcpy(t->data + i * sizeof value, &value, sizeof value); break;
    case RL_INT32: memcpy(t->data + i * sizeof narrow, &narrow, sizeof narrow); break;
    default: t->data[i] = (char)value;
  }
  return true;
}

/* ---- what is sent ---- */

static int no_place(struct rl_err *err, enum rl_wire wire, int64_t value) {
  return rl_fail(err, RL_EFAIL, "the model takes %s, which cannot hold %" PRId64, rl_wire_name(wire), value);
}

static int check_sent(enum rl_wire wire, const struct rl_tensor *t, struct rl_err *err) {
  if (t->dtype == wires[wire].dtype) return 0;
  return rl_fail(err, RL_EFAIL, "the model takes %s here, not %s", rl_dtype_name(wires[wire].dtype),
                 rl_dtype_name(t->dtype));
}

static int no_half(struct rl_err *err, double value) {
  return rl_fail(err, RL_EFAIL, "the model takes FP16, which cannot hold %g: the largest is 65504", value);
}

static bool over_half(enum rl_wire wire, double value) {
  return wire == RL_WIRE_FP16 && isfinite(value) && fabs(value) >= 65520;
}

static int put_special(struct rl_buf *out, double value, enum rl_wire_special special, struct rl_err *err) {
  if (special == RL_SPECIAL_BARE)
    rl_buf_puts(out, isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
  else if (isnan(value))
    rl_buf_puts(out, "null");
  else
    return rl_fail(err, RL_EFAIL, "it holds an infinity, which JSON cannot say: clip it before");
  return 0;
}

static int put_json_float(struct rl_buf *out, enum rl_wire wire, const struct rl_tensor *t, size_t i,
                          enum rl_wire_special special, struct rl_err *err) {
  double value = get_double(t, i);
  if (!isfinite(value)) return put_special(out, value, special, err);
  if (over_half(wire, value)) return no_half(err, value);
  char *to = rl_buf_reserve(out, RL_NUMBER_TEXT);
  out->len += t->dtype == RL_FLOAT32 ? rl_float_to(to, get_float(t, i)) : rl_double_to(to, value);
  return 0;
}

static int put_json_integer(struct rl_buf *out, enum rl_wire wire, const struct rl_tensor *t, size_t i,
                            struct rl_err *err) {
  int64_t value = get_integer(t, i);
  if (value < wires[wire].least || value > wires[wire].most) return no_place(err, wire, value);
  rl_buf_printf(out, "%" PRId64, value);
  return 0;
}

static int put_json(struct rl_buf *out, enum rl_wire wire, const struct rl_tensor *t, size_t i,
                    enum rl_wire_special special, struct rl_err *err) {
  if (rl_dtype_is_float(t->dtype)) return put_json_float(out, wire, t, i, special, err);
  if (t->dtype != RL_TRUTH) return put_json_integer(out, wire, t, i, err);
  rl_buf_puts(out, t->data[i] ? "true" : "false");
  return 0;
}

int rl_wire_put_json(struct rl_buf *out, enum rl_wire wire, const struct rl_tensor *t, size_t first, size_t n,
                     enum rl_wire_special special, struct rl_err *err) {
  int code = check_sent(wire, t, err);
  for (size_t i = 0; code == 0 && i < n; i++) {
    if (i > 0) rl_buf_putc(out, ',');
    code = put_json(out, wire, t, first + i, special, err);
  }
  if (code == 0) rl_buf_put(out, "", 0); /* its NUL, which the numbers took */
  return code;
}

/* Little endian is the machine's order (tensor.h): the low bytes of an integer are its narrower self. */
static int put_element(char *to, enum rl_wire wire, const struct rl_tensor *t, size_t i, struct rl_err *err) {
  if (wire == RL_WIRE_FP16) {
    uint16_t half = rl_half_of_float((float)get_double(t, i));
    memcpy(to, &half, sizeof half);
    return over_half(wire, get_double(t, i)) ? no_half(err, get_double(t, i)) : 0;
  }
  int64_t value = get_integer(t, i);
  memcpy(to, &value, wires[wire].size);
  return value < wires[wire].least || value > wires[wire].most ? no_place(err, wire, value) : 0;
}

int rl_wire_put_binary(struct rl_buf *out, enum rl_wire wire, const struct rl_tensor *t, struct rl_err *err) {
  size_t n = rl_tensor_count(t), size = wires[wire].size;
  int code = check_sent(wire, t, err);
  if (code != 0) return code;
  if (wire == rl_wire_of(t->dtype)) return rl_buf_put(out, t->data, n * size), 0;
  char *to = rl_buf_reserve(out, n * size);
  for (size_t i = 0; code == 0 && i < n; i++) code = put_element(to + i * size, wire, t, i, err);
  out->len += n * size;
  return code;
}

/* ---- what came ---- */

static int misfit(struct rl_err *err, const struct rl_json_read *doc, size_t value, enum rl_dtype wanted) {
  static const char *const kinds[] = {"an object", "an array", "a text", "", "true", "false", "null"};
  struct rl_bytes number = rl_json_read_number(doc, value);
  int len = (int)(number.len < 40 ? number.len : 40);
  return rl_fail(err, RL_EFAIL, "it holds %s%.*s, which is no %s", kinds[rl_json_read_kind(doc, value)], len,
                 number.data, rl_dtype_name(wanted));
}

static bool take_truth(const struct rl_json_read *doc, size_t value, const struct rl_tensor *t, size_t i) {
  enum rl_json_read_kind kind = rl_json_read_kind(doc, value);
  t->data[i] = kind == RL_READ_TRUE;
  return kind == RL_READ_TRUE || kind == RL_READ_FALSE;
}

static bool take_float(const struct rl_json_read *doc, size_t value, const struct rl_tensor *t, size_t i) {
  float narrow = NAN;
  double wide = (double)NAN;
  bool none = rl_json_read_kind(doc, value) == RL_READ_NULL;
  if (t->dtype == RL_FLOAT64) {
    if (!none && !rl_json_read_double(doc, value, &wide)) return false;
    put_double(t, i, wide);
    return true;
  }
  if (!none && !rl_json_read_float(doc, value, &narrow)) return false;
  memcpy(t->data + i * sizeof narrow, &narrow, sizeof narrow);
  return true;
}

static bool take_json(const struct rl_json_read *doc, size_t value, const struct rl_tensor *t, size_t i) {
  int64_t integer;
  if (rl_dtype_is_float(t->dtype)) return take_float(doc, value, t, i);
  if (t->dtype == RL_TRUTH) return take_truth(doc, value, t, i);
  return rl_json_read_int(doc, value, &integer) && put_integer(t, i, integer);
}

int rl_wire_take_json(const struct rl_json_read *doc, size_t value, const struct rl_tensor *t, size_t first,
                      size_t n, struct rl_err *err) {
  size_t end = rl_json_read_past(doc, value), taken = 0;
  for (size_t at = value; (at = rl_json_read_leaf(doc, at, end)) < end; at++, taken++)
    if (taken < n && !take_json(doc, at, t, first + taken)) return misfit(err, doc, at, t->dtype);
  if (taken == n) return 0;
  return rl_fail(err, RL_EFAIL, "it holds %zu numbers, not the %zu of its shape", taken, n);
}

static bool take_element(const char *from, enum rl_wire wire, const struct rl_tensor *t, size_t i) {
  uint16_t half;
  float narrow;
  double wide;
  uint64_t bits = 0;
  memcpy(&bits, from, wires[wire].size);
  switch (wire) {
    case RL_WIRE_FP16: half = (uint16_t)bits; return put_double(t, i, (double)rl_half_to_float(half)), true;
    case RL_WIRE_FP32: memcpy(&narrow, from, sizeof narrow); return put_double(t, i, (double)narrow), true;
    case RL_WIRE_FP64: memcpy(&wide, from, sizeof wide); return put_double(t, i, wide), true;
    case RL_WIRE_BOOL: return t->data[i] = bits != 0, true;
    case RL_WIRE_INT8: return put_integer(t, i, (int8_t)bits);
    case RL_WIRE_INT16: return put_integer(t, i, (int16_t)bits);
    case RL_WIRE_INT32: return put_integer(t, i, (int32_t)bits);
    case RL_WIRE_UINT64: return bits <= INT64_MAX && put_integer(t, i, (int64_t)bits);
    default: return put_integer(t, i, (int64_t)bits);
  }
}

int rl_wire_take_binary(struct rl_bytes bytes, enum rl_wire wire, const struct rl_tensor *t,
                        struct rl_err *err) {
  size_t n = rl_tensor_count(t), size = wires[wire].size;
  int code = rl_wire_check(wire, t->dtype, err);
  if (code != 0) return code;
  if (wire == rl_wire_of(t->dtype) && wire != RL_WIRE_BOOL) {
    if (n > 0) memcpy(t->data, bytes.data, n * size);
    return 0;
  }
  for (size_t i = 0; i < n; i++)
    if (!take_element(bytes.data + i * size, wire, t, i))
      return rl_fail(err, RL_EFAIL, "its element %zu of type %s does not fit into %s", i, rl_wire_name(wire),
                     rl_dtype_name(t->dtype));
  return 0;
}
