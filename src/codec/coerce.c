#include "codec/coerce.h"

#include <math.h>

#include "base/str.h"
#include "codec/shape.h"

enum { SHOWN = 40 }; /* bytes of a text that an error quotes */

static void put_clipped(struct rl_buf *out, struct rl_bytes text) {
  bool clipped = text.len > SHOWN;
  if (clipped) text.len = SHOWN;
  rl_put_json_string(out, text);
  if (clipped) rl_buf_puts(out, " …");
}

static void put_number(struct rl_buf *out, const struct rl_cell *cell) {
  struct rl_bytes text = rl_bytes(cell->s, cell->len);
  if (text.len > SHOWN) text.len = SHOWN;
  rl_buf_put(out, text.data, text.len);
  if (cell->len > SHOWN) rl_buf_puts(out, "…");
}

void rl_put_found(struct rl_buf *out, const struct rl_cell *cell) {
  switch (cell->tag) {
    case RL_MISSING: rl_buf_puts(out, "nothing"); break;
    case RL_NULL: rl_buf_puts(out, "null"); break;
    case RL_BOOL: rl_buf_puts(out, cell->i ? "true" : "false"); break;
    case RL_INT: rl_buf_printf(out, "the integer %lld", (long long)cell->i); break;
    case RL_DOUBLE: rl_buf_puts(out, "the number "), rl_put_double(out, cell->d); break;
    case RL_BIG: rl_buf_puts(out, "the number "), put_number(out, cell); break;
    case RL_TEXT: rl_buf_puts(out, "the text "), put_clipped(out, rl_bytes(cell->s, cell->len)); break;
    case RL_BLOB: rl_buf_puts(out, "the bytes "), put_clipped(out, rl_bytes(cell->s, cell->len)); break;
    case RL_TREE: rl_buf_puts(out, cell->tree->tag == RL_ARRAY ? "an array" : "an object"); break;
    default: rl_buf_puts(out, cell->len && *cell->s == '[' ? "an array" : "an object");
  }
}

static int wrong(const struct rl_field *field, const struct rl_cell *cell, const char *why,
                 struct rl_err *err) {
  struct rl_buf found = RL_BUF_INIT;
  rl_put_found(&found, cell);
  int code = rl_fail(err, RL_EHANDLER, "field '%s' (%s): expected %s, found %s%s", field->name, field->path,
                     rl_type_name(field->type), found.data, why);
  rl_buf_free(&found);
  return code;
}

static int to_tag(const struct rl_field *field, struct rl_cell *cell, enum rl_tag tag, struct rl_err *err) {
  return cell->tag == (uint32_t)tag ? 0 : wrong(field, cell, "", err);
}

static bool exact(int64_t i, double *d) {
  *d = (double)i;
  return *d < 0x1p63 && (int64_t)*d == i;
}

static int to_f64(const struct rl_field *field, struct rl_cell *cell, struct rl_err *err) {
  static const char inexact[] = ", which a double does not hold exactly: declare it i64 or auto";
  double d;
  switch (cell->tag) {
    case RL_DOUBLE: return 0;
    case RL_BIG: return wrong(field, cell, ", which a double does not hold: declare it auto", err);
    case RL_INT:
      if (!exact(cell->i, &d)) return wrong(field, cell, inexact, err);
      *cell = (struct rl_cell){.tag = RL_DOUBLE, .d = d};
      return 0;
    default: return wrong(field, cell, "", err);
  }
}

static int to_f32(const struct rl_field *field, struct rl_cell *cell, struct rl_err *err) {
  int code = to_f64(field, cell, err);
  if (code != 0) return code;
  float rounded = (float)cell->d;
  if (isinf(rounded) && !isinf(cell->d)) return wrong(field, cell, ", too large for single precision", err);
  cell->d = (double)rounded;
  return 0;
}

static int to_blob(const struct rl_field *field, struct rl_cell *cell, struct rl_err *err) {
  if (cell->tag == RL_TEXT) cell->tag = RL_BLOB;
  return to_tag(field, cell, RL_BLOB, err);
}

static int to_text(const struct rl_field *field, struct rl_cell *cell, struct rl_err *err) {
  if (cell->tag == RL_BLOB) {
    if (!rl_utf8_valid(rl_bytes(cell->s, cell->len))) return wrong(field, cell, ", which are no UTF-8", err);
    cell->tag = RL_TEXT;
  }
  return to_tag(field, cell, RL_TEXT, err);
}

int rl_coerce_scalar(const struct rl_field *field, struct rl_cell *cell, struct rl_err *err) {
  if (cell->tag <= RL_NULL) return 0;
  switch (field->type) {
    case RL_I64: return to_tag(field, cell, RL_INT, err);
    case RL_F64: return to_f64(field, cell, err);
    case RL_F32: return to_f32(field, cell, err);
    case RL_BOOLEAN: return to_tag(field, cell, RL_BOOL, err);
    case RL_STR: return to_text(field, cell, err);
    case RL_BYTES: return to_blob(field, cell, err);
    case RL_AUTO:
    case RL_ANY: break;
  }
  return 0;
}

/* ---- lists ---- */

static void fill_element(const struct rl_field *field, struct rl_cell *cell) {
  if (field->has_default && field->fallback.tag != RL_LIST)
    *cell = field->fallback;
  else if (field->type == RL_F64 || field->type == RL_F32)
    *cell = (struct rl_cell){.tag = RL_DOUBLE, .d = (double)NAN};
}

static int coerce_element(const struct rl_field *field, struct rl_cell *cell, struct rl_err *err) {
  if (cell->tag > RL_NULL) return rl_coerce_scalar(field, cell, err);
  fill_element(field, cell);
  return 0;
}

/* Of a list of lists what is missing above the last is a list, not an element: it stays missing. Recursion is
 * bounded by the path's steps. */
static int coerce_list(const struct rl_field *field, struct rl_cell *cell, uint32_t depth,
                       struct rl_err *err) {
  for (uint32_t i = 0; cell->tag == RL_LIST && i < cell->len; i++) {
    struct rl_cell *element = &cell->list[i];
    int code = depth > 1 ? coerce_list(field, element, depth - 1, err) : coerce_element(field, element, err);
    if (code != 0) return err ? rl_err_prefix(err, depth > 1 ? "[%u]" : "[%u] of ", i) : code;
  }
  return 0;
}

/* ---- all ---- */

static void fill_missing(const struct rl_field *field, struct rl_cell *cell, struct rl_arena *arena) {
  if (field->shape.n)
    rl_shape_default(field, cell, arena);
  else if (!field->n_lists || field->fallback.tag == RL_LIST)
    *cell = field->fallback;
}

int rl_coerce(const struct rl_field *field, struct rl_cell *cell, const struct rl_coerce *in,
              struct rl_err *err) {
  if (cell->tag <= RL_NULL) {
    if (field->has_default) fill_missing(field, cell, in->arena);
    return 0;
  }
  if (!rl_field_is_many(field)) return rl_coerce_scalar(field, cell, err);
  return field->shape.n ? rl_shape_cell(field, cell, in, err) : coerce_list(field, cell, field->n_lists, err);
}

int rl_coerce_required(const struct rl_field *field, const struct rl_cell *cell, struct rl_err *err) {
  if (!field->required || (cell->tag != RL_MISSING && cell->tag != RL_NULL)) return 0;
  return rl_fail(err, RL_EHANDLER, "required field '%s' (%s) is %s", field->name, field->path,
                 cell->tag == RL_NULL ? "null" : "missing");
}
