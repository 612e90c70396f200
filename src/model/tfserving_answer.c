/* An answer: "predictions" is a row an instance, a value where the model has one output, else an object of
 * them; "outputs" is a tensor, or an object of tensors. Shapes are what the arrays' nesting says. */
#include "model/tfserving_impl.h"

struct answer {
  struct rl_join *join;
  const struct rl_part *part;
  struct rl_json_read doc;
  struct rl_err *err;
};

static int fail(const struct answer *a, const char *what) { return rl_fail(a->err, RL_EFAIL, "%s", what); }

/* ---- nested arrays ---- */

struct shape {
  int rank;
  int64_t size[RL_RANK_MAX];
};

/* As the first element of each axis has it. False: over 8 axes. */
static bool guess(const struct rl_json_read *doc, size_t value, struct shape *s) {
  size_t at = value;
  s->rank = 0;
  while (at && rl_json_read_kind(doc, at) == RL_READ_ARRAY) {
    if (s->rank == RL_RANK_MAX) return false;
    s->size[s->rank++] = (int64_t)rl_json_read_count(doc, at);
    at = rl_json_read_first(doc, at);
  }
  return true;
}

/* Is every array as long as the first of its axis? */
static bool is_regular(const struct rl_json_read *doc, size_t value, /* NOLINT(misc-no-recursion): 8 deep */
                       const struct shape *s, int axis) {
  bool array = rl_json_read_kind(doc, value) == RL_READ_ARRAY;
  if (axis == s->rank) return !array;
  if (!array) return false;
  int64_t n = 0;
  for (size_t at = rl_json_read_first(doc, value); at; at = rl_json_read_next(doc, at), n++)
    if (!is_regular(doc, at, s, axis + 1)) return false;
  return n == s->size[axis];
}

/* Of an output that nobody declared: its numbers say it, whole ones if all are. */
static enum rl_wire guess_wire(const struct rl_json_read *doc, size_t value) {
  size_t end = rl_json_read_past(doc, value), n = 0;
  int64_t whole;
  for (size_t at = value; (at = rl_json_read_leaf(doc, at, end)) < end; at++, n++) {
    enum rl_json_read_kind kind = rl_json_read_kind(doc, at);
    if (kind == RL_READ_TRUE || kind == RL_READ_FALSE) return RL_WIRE_BOOL;
    if (!rl_json_read_int(doc, at, &whole)) return RL_WIRE_FP32;
  }
  return n ? RL_WIRE_INT64 : RL_WIRE_FP32;
}

static enum rl_wire wire_of(const struct answer *a, const char *name, size_t value) {
  const struct rl_served_ports *out = &a->join->s->out;
  ssize_t i = rl_served_find(out, name);
  return i >= 0 ? out->wire[i] : guess_wire(&a->doc, value);
}

/* The same of an array of objects. */
static enum rl_wire wire_of_rows(const struct answer *a, const char *name, size_t rows) {
  enum rl_wire wire = RL_WIRE_FP32;
  for (size_t at = rl_json_read_first(&a->doc, rows); at; at = rl_json_read_next(&a->doc, at)) {
    size_t value = rl_json_read_member(&a->doc, at, name);
    if (value) wire = wire_of(a, name, value);
    if (!value || wire != RL_WIRE_INT64) break;
  }
  return wire;
}

static const char ragged[] = "its arrays are of different lengths, or nested over 8 deep";

/* ---- one output ---- */

static int take_tensor(const struct answer *a, const char *name, size_t value) {
  struct shape s;
  struct rl_tensor where;
  size_t count;
  if (!guess(&a->doc, value, &s) || !is_regular(&a->doc, value, &s, 0)) return fail(a, ragged);
  int code = rl_join_count(s.rank, s.size, &count, a->err);
  if (code == 0)
    code = rl_join_place(a->join, a->part, name, wire_of(a, name, value), s.rank, s.size, &where, a->err);
  return code ? code : rl_wire_take_json(&a->doc, value, &where, 0, count, a->err);
}

/* Fills row after row from the objects' values of that name. */
static int take_column(const struct answer *a, const char *name, size_t rows, const struct shape *inner,
                       const struct rl_tensor *where) {
  size_t count, row = 0;
  int code = rl_join_count(inner->rank, inner->size, &count, a->err);
  for (size_t at = rl_json_read_first(&a->doc, rows); code == 0 && at;
       at = rl_json_read_next(&a->doc, at), row++) {
    size_t value = rl_json_read_member(&a->doc, at, name);
    if (!value || !is_regular(&a->doc, value, inner, 0))
      return fail(a, "a prediction is without it, or ragged");
    code = rl_wire_take_json(&a->doc, value, where, row * count, count, a->err);
  }
  return code;
}

static int take_rows(const struct answer *a, const char *name, size_t rows) {
  struct shape inner, s;
  struct rl_tensor where;
  size_t first = rl_json_read_member(&a->doc, rl_json_read_first(&a->doc, rows), name);
  if (!first) return fail(a, "the first prediction is without it");
  if (!guess(&a->doc, first, &inner) || inner.rank == RL_RANK_MAX) return fail(a, ragged);
  s.rank = inner.rank + 1;
  s.size[0] = (int64_t)rl_json_read_count(&a->doc, rows);
  memcpy(s.size + 1, inner.size, (size_t)inner.rank * sizeof *inner.size);
  int code =
      rl_join_place(a->join, a->part, name, wire_of_rows(a, name, rows), s.rank, s.size, &where, a->err);
  return code ? code : take_column(a, name, rows, &inner, &where);
}

/* ---- all of them ---- */

typedef int take_fn(const struct answer *a, const char *name, size_t value);

static int named(const struct answer *a, take_fn *take, const char *name, size_t value) {
  int code = take(a, name, value);
  return code == 0 ? 0 : rl_err_prefix(a->err, "output '%.100s': ", name);
}

/* Outputs by name: those declared, or else the keys there are. rows: `objects` is an array of such objects.
 */
static int take_named(const struct answer *a, size_t objects, bool rows) {
  const struct rl_served_ports *out = &a->join->s->out;
  size_t object = rows ? rl_json_read_first(&a->doc, objects) : objects;
  struct rl_buf name = RL_BUF_INIT;
  int code = 0;
  for (size_t i = 0; code == 0 && i < out->is.n; i++) {
    size_t value = rl_json_read_member(&a->doc, object, out->is.at[i].name);
    if (value) code = named(a, rows ? take_rows : take_tensor, out->is.at[i].name, rows ? objects : value);
  }
  for (size_t at = out->is.n ? 0 : rl_json_read_first(&a->doc, object); code == 0 && at;
       at = rl_json_read_next(&a->doc, at)) {
    code = rl_json_read_text(&a->doc, rl_json_read_key(at), &name) ? 0
                                                                   : fail(a, "an output's name is malformed");
    if (code == 0) code = named(a, rows ? take_rows : take_tensor, rl_buf_text(&name), rows ? objects : at);
  }
  rl_buf_free(&name);
  return code;
}

static int take_only(const struct answer *a, size_t value) {
  const struct rl_served_ports *out = &a->join->s->out;
  if (out->is.n > 1) return rl_fail(a->err, RL_EFAIL, "one output came, the model declares %zu", out->is.n);
  return named(a, take_tensor, out->is.n ? out->is.at[0].name : "output", value);
}

static bool is_object(const struct rl_json_read *doc, size_t value) {
  return value && rl_json_read_kind(doc, value) == RL_READ_OBJECT;
}

static int take_all(const struct answer *a) {
  size_t rows = rl_json_read_member(&a->doc, 0, "predictions");
  size_t tensors = rl_json_read_member(&a->doc, 0, "outputs");
  if (!rows && !tensors) return fail(a, "the answer has neither predictions nor outputs");
  if (rows && rl_json_read_kind(&a->doc, rows) != RL_READ_ARRAY)
    return fail(a, "the predictions are no list");
  if (rows && is_object(&a->doc, rl_json_read_first(&a->doc, rows))) return take_named(a, rows, true);
  if (!rows && is_object(&a->doc, tensors)) return take_named(a, tensors, false);
  return take_only(a, rows ? rows : tensors);
}

int rl_tfserving_take(struct rl_join *join, const struct rl_part *part, struct rl_http_call *call,
                      struct rl_err *err) {
  struct answer a = {.join = join, .part = part, .err = err};
  int code = rl_json_read_open(&a.doc, &call->answer, err);
  if (code != 0) return rl_err_prefix(err, "the answer is ");
  code = take_all(&a);
  rl_json_read_close(&a.doc);
  return code;
}
