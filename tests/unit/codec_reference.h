/* The judge of tests that make documents by chance (unit and fuzz): what a field of a document is, read off
 * the whole document's tape the slow way, must be what the selection gives; and what the one refuses the
 * other does. */
#ifndef RL_UNIT_CODEC_REFERENCE_H
#define RL_UNIT_CODEC_REFERENCE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "codec/decoder.h"
#include "codec/json.h"

static inline size_t reference_after(const struct rl_tape *tape, size_t i) {
  const struct rl_cell *cell = &tape->at[i++];
  size_t items = cell->tag == RL_ARRAY ? cell->len : cell->tag == RL_OBJECT ? 2 * (size_t)cell->len : 0;
  while (items-- > 0) i = reference_after(tape, i);
  return i;
}

/* The tape's index of what one step finds in the value at i; 0: nothing. */
static inline size_t reference_step(const struct rl_tape *tape, size_t i, const struct rl_step *step) {
  const struct rl_cell *cell = &tape->at[i];
  size_t at = i + 1, found = 0;
  int64_t wanted = step->index < 0 ? step->index + cell->len : step->index;
  if (cell->tag != (step->key ? RL_OBJECT : RL_ARRAY)) return 0;
  for (int64_t k = 0; k < (int64_t)cell->len; k++) {
    bool hit = step->key ? rl_bytes_eq(rl_bytes(tape->at[at].s, tape->at[at].len), rl_bytes_str(step->key))
                         : k == wanted;
    if (step->key) at++;
    if (hit) found = at;
    at = reference_after(tape, at);
  }
  return found;
}

static inline bool reference_same_cell(const struct rl_cell *a, const struct rl_cell *b) {
  if (a->tag != b->tag) return false;
  switch (a->tag) {
    case RL_BOOL:
    case RL_INT: return a->i == b->i;
    case RL_DOUBLE: return memcmp(&a->d, &b->d, sizeof a->d) == 0;
    case RL_ARRAY:
    case RL_OBJECT: return a->len == b->len;
    case RL_TEXT:
    case RL_BIG: return rl_bytes_eq(rl_bytes(a->s, a->len), rl_bytes(b->s, b->len));
    default: return true;
  }
}

/* An RL_JSON's text, decoded, against the tape's part from i on. */
static inline bool reference_same_json(const struct rl_cell *cell, const struct rl_tape *tape, size_t i) {
  struct rl_json *json = rl_json_new();
  struct rl_tape part = RL_TAPE_INIT;
  bool same = rl_json_tape(json, rl_bytes(cell->s, cell->len), 0, &part, NULL) == 0 &&
              part.n == reference_after(tape, i) - i;
  for (size_t k = 0; same && k < part.n; k++) same = reference_same_cell(&part.at[k], &tape->at[i + k]);
  rl_tape_free(&part);
  rl_json_free(json);
  return same;
}

/* Is the cell what the value at i is? */
typedef bool reference_same_fn(const struct rl_cell *cell, const struct rl_tape *tape, size_t i);

static inline bool reference_same(const struct rl_cell *cell, const struct rl_tape *tape, size_t i) {
  if (cell->tag == RL_JSON) return reference_same_json(cell, tape, i);
  return reference_same_cell(cell, &tape->at[i]);
}

static inline bool reference_path(const struct rl_field *field, size_t n, const struct rl_cell *cell,
                                  const struct rl_tape *tape, size_t i, reference_same_fn *same);

/* [*]: a list of what the rest of the path leads to from each element. */
static inline bool reference_each(const struct rl_field *field, size_t n, const struct rl_cell *cell,
                                  const struct rl_tape *tape, size_t i, reference_same_fn *same) {
  if (tape->at[i].tag != RL_ARRAY) return cell->tag == RL_MISSING;
  if (cell->tag != RL_LIST || cell->len != tape->at[i].len) return false;
  size_t at = i + 1;
  for (uint32_t k = 0; k < cell->len; k++) {
    if (!reference_path(field, n, &cell->list[k], tape, at, same)) return false;
    at = reference_after(tape, at);
  }
  return true;
}

/* The path from step n on, in the value at i. */
static inline bool reference_path(const struct rl_field *field, size_t n, const struct rl_cell *cell,
                                  const struct rl_tape *tape, size_t i, reference_same_fn *same) {
  for (; n < field->n_steps; n++) {
    if (field->steps[n].each) return reference_each(field, n + 1, cell, tape, i, same);
    i = reference_step(tape, i, &field->steps[n]);
    if (i == 0) return cell->tag == RL_MISSING;
  }
  return same(cell, tape, i);
}

static inline bool reference_field(const struct rl_field *field, const struct rl_cell *cell,
                                   const struct rl_tape *tape) {
  return reference_path(field, 0, cell, tape, 0, reference_same);
}

/* The doubles of an RL_SHAPED against the numbers of the value at i, in their order. */
static inline bool reference_same_shape(const struct rl_cell *cell, const struct rl_tape *tape, size_t i) {
  const double *numbers = cell->shaped->data;
  size_t end = reference_after(tape, i), n = 0;
  for (; i < end; i++) {
    const struct rl_cell *at = &tape->at[i];
    if (at->tag == RL_ARRAY) continue;
    if (n == cell->len) return false;
    bool same = at->tag == RL_NULL  ? isnan(numbers[n])
                : at->tag == RL_INT ? numbers[n] == (double)at->i
                                    : at->tag == RL_DOUBLE && memcmp(&numbers[n], &at->d, sizeof at->d) == 0;
    if (!same && !(at->tag == RL_DOUBLE && isnan(at->d) && isnan(numbers[n]))) return false;
    n++;
  }
  return n == cell->len;
}

/* A field of the same path that is an array of f64 of some shape, chosen by a number. */
static inline bool reference_add_shape(struct rl_fields *fields, const char *path, unsigned choice) {
  static const struct rl_shape shapes[] = {
      {.n = 1, .at = {1}}, {.n = 1, .at = {2}}, {.n = 2, .at = {2, 2}}, {.n = 3, .at = {1, 2, 1}}};
  struct rl_field_spec spec = {.type = RL_F64, .shape = shapes[choice % 4]};
  return rl_fields_add_spec(fields, "x", path, &spec, NULL) == 0;
}

static inline bool reference_no_header(const struct rl_msg *msg, size_t i, struct rl_header *out) {
  (void)msg, (void)i, (void)out;
  return false;
}

/* Refused for its root's type only: that is no damage, and a tape has it. */
static inline bool reference_is_root_error(const struct rl_err *err) {
  return strstr(err->text, "with the fields asked for") != NULL;
}

/* What differs, or NULL. Fields must have type auto and read the value. */
static inline const char *reference_disagreement(const struct rl_fields *fields, struct rl_bytes document,
                                                 bool strict) {
  static char why[1400];
  const char *wrong = NULL;
  static const struct rl_msg_ops ops = {reference_no_header, NULL};
  struct rl_msg msg = {.topic = "t", .value = document, .ops = &ops};
  struct rl_decoder_opts opts = {.fields = fields, .strict = strict};
  struct rl_decoder *decoder;
  struct rl_columns *columns = rl_columns_new(fields);
  struct rl_json *json = rl_json_new();
  struct rl_tape tape = RL_TAPE_INIT;
  struct rl_err select_err = {0}, tape_err = {0};
  if (rl_decoder_new(&decoder, "json", &opts, &select_err) != 0) abort();
  bool taped = rl_json_tape(json, document, 0, &tape, &tape_err) == 0;
  bool selected = rl_decoder_row(decoder, &msg, columns, &select_err) == 0;
  bool sound = selected || reference_is_root_error(&select_err);
  if (taped && !sound) wrong = "the selection refuses what the tape takes";
  if (!taped && sound && strict) wrong = "strict takes what the tape refuses";
  for (size_t f = 0; !wrong && taped && selected && f < fields->n; f++)
    if (!reference_field(&fields->at[f], &columns->col[f][0], &tape)) wrong = fields->at[f].path;
  if (wrong) {
    snprintf(why, sizeof why, "%s (select: %.600s; tape: %.600s)", wrong, select_err.text, tape_err.text);
    wrong = why;
  }
  rl_tape_free(&tape);
  rl_json_free(json);
  rl_columns_free(columns);
  rl_decoder_free(decoder);
  return wrong;
}

#endif
