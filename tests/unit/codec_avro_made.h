/* Avro's bytes out of a schema and bytes that decide; and the judge: what is decoded, encoded and decoded
 * again is the same. The unit test's bytes are random, the fuzzer's are its own. */
#ifndef RL_UNIT_CODEC_AVRO_MADE_H
#define RL_UNIT_CODEC_AVRO_MADE_H

#include <math.h>

#include "codec/avro_put.h"
#include "codec_reference.h"

struct made {
  const uint8_t *data; /* what decides; after its end all is 0 */
  size_t at, len;
  struct rl_buf *out;
};

static inline uint8_t made_byte(struct made *m) { return m->at < m->len ? m->data[m->at++] : 0; }

static inline int64_t made_long(struct made *m) {
  uint64_t n = 0;
  for (unsigned bytes = made_byte(m) % 9; bytes > 0; bytes--) n = n << 8 | made_byte(m);
  return (int64_t)n;
}

static void made_value(struct made *m, const struct rl_avro_type *type, int depth);

/* UTF-8; sometimes digits, so that it looks like a number. */
static inline void made_text(struct made *m) {
  static const char *const letters[] = {"a", "b", " ", "\"", "\xC3\xA4", "1", "2", ".", "-", "0"};
  struct rl_buf text = RL_BUF_INIT;
  for (size_t n = made_byte(m) % 6; n > 0; n--) rl_buf_puts(&text, letters[made_byte(m) % 10]);
  rl_avro_put_long(m->out, (int64_t)text.len);
  rl_buf_put(m->out, rl_buf_text(&text), text.len);
  rl_buf_free(&text);
}

static inline void made_raw(struct made *m, size_t n) {
  while (n-- > 0) rl_buf_putc(m->out, (char)made_byte(m));
}

static inline void made_items(struct made *m, const struct rl_avro_type *type, int depth) {
  size_t n = depth > 0 ? made_byte(m) % 4 : 0;
  if (n > 0) rl_avro_put_long(m->out, (int64_t)n);
  for (size_t i = 0; i < n; i++) {
    if (type->kind == RL_AVRO_MAP) made_text(m);
    made_value(m, type->items, depth - 1);
  }
  rl_avro_put_long(m->out, 0);
}

/* Where it is deep enough, the branch that ends soonest: the one of the least bytes. */
static inline uint32_t made_branch(struct made *m, const struct rl_avro_type *type, int depth) {
  uint32_t shortest = 0;
  for (uint32_t i = 1; i < type->n; i++)
    if (type->branches[i]->least < type->branches[shortest]->least) shortest = i;
  return depth > 0 ? made_byte(m) % type->n : shortest;
}

static inline void made_value(struct made *m, const struct rl_avro_type *type, int depth) {
  double d;
  float f;
  uint64_t bits;
  switch (type->kind) {
    case RL_AVRO_NULL: break;
    case RL_AVRO_BOOLEAN: rl_buf_putc(m->out, made_byte(m) & 1); break;
    case RL_AVRO_INT: rl_avro_put_long(m->out, (int32_t)made_long(m)); break;
    case RL_AVRO_LONG: rl_avro_put_long(m->out, made_long(m)); break;
    case RL_AVRO_FLOAT:
      f = (float)made_long(m) / 7;
      rl_buf_put(m->out, &f, sizeof f);
      break;
    case RL_AVRO_DOUBLE:
      bits = (uint64_t)made_long(m);
      memcpy(&d, &bits, sizeof d);
      if (isnan(d)) d = 5; /* NaN's bits need not stay */
      rl_buf_put(m->out, &d, sizeof d);
      break;
    case RL_AVRO_BYTES: {
      size_t n = made_byte(m) % 20;
      rl_avro_put_long(m->out, (int64_t)n);
      made_raw(m, n);
      break;
    }
    case RL_AVRO_STRING: made_text(m); break;
    case RL_AVRO_FIXED: made_raw(m, (size_t)type->size); break;
    case RL_AVRO_ENUM: rl_avro_put_long(m->out, made_byte(m) % type->n); break;
    case RL_AVRO_RECORD:
      for (uint32_t i = 0; i < type->n; i++) made_value(m, type->fields[i].type, depth - 1);
      break;
    case RL_AVRO_ARRAY:
    case RL_AVRO_MAP: made_items(m, type, depth); break;
    case RL_AVRO_UNION: {
      uint32_t branch = made_branch(m, type, depth);
      rl_avro_put_long(m->out, branch);
      made_value(m, type->branches[branch], depth - 1);
      break;
    }
    case RL_AVRO_MISFIT: break;
  }
}

/* A record whose parts have no end, or a value that would be too large to make. */
static inline bool made_possible(const struct rl_avro_schema *schema) {
  for (uint32_t i = 0; i < schema->n; i++) {
    const struct rl_avro_type *type = schema->types[i];
    if (type->least > 4096 || (type->kind == RL_AVRO_UNION && type->n == 0)) return false;
  }
  return true;
}

/* A union in which a table may be more than one: of such a branch must be named. */
static inline bool made_ambiguous(const struct rl_avro_schema *schema) {
  for (uint32_t i = 0; i < schema->n; i++) {
    const struct rl_avro_type *type = schema->types[i];
    uint32_t tables = 0;
    for (uint32_t k = 0; type->kind == RL_AVRO_UNION && k < type->n; k++)
      tables += type->branches[k]->kind == RL_AVRO_RECORD || type->branches[k]->kind == RL_AVRO_MAP;
    if (tables > 1) return true;
  }
  return false;
}

static inline bool made_same(const struct rl_tape *a, const struct rl_tape *b) {
  if (a->n != b->n) return false;
  for (size_t i = 0; i < a->n; i++) {
    const struct rl_cell *x = &a->at[i], *y = &b->at[i];
    bool blobs = x->tag == RL_BLOB && y->tag == RL_BLOB;
    if (blobs ? !rl_bytes_eq(rl_bytes(x->s, x->len), rl_bytes(y->s, y->len)) : !reference_same_cell(x, y))
      return false;
  }
  return true;
}

/* What is wrong, or NULL. The value is bare, under the schema. */
static inline const char *made_disagreement(struct rl_bytes schema, const struct rl_buf *value, bool logical,
                                            bool ambiguous) {
  static char why[1200];
  static const struct rl_msg_ops ops = {reference_no_header, NULL};
  struct rl_decoder_opts decode = {.avro = {.framing = RL_AVRO_BARE, .schema = schema, .logical = logical}};
  struct rl_avro_encode_opts encode = {.logical = logical};
  struct rl_msg msg = {.topic = "t", .value = rl_buf_bytes(value), .ops = &ops};
  struct rl_tape first = RL_TAPE_INIT, second = RL_TAPE_INIT;
  struct rl_avro_encoder *encoder;
  struct rl_decoder *d, *again;
  struct rl_buf out = RL_BUF_INIT;
  struct rl_err err = {0};
  const char *wrong = NULL;
  if (rl_decoder_new(&d, "avro", &decode, &err) != 0 || rl_decoder_new(&again, "avro", &decode, &err) != 0 ||
      rl_avro_encoder_new(&encoder, schema, &err) != 0)
    abort();
  bool read = rl_decoder_tape(d, &msg, 0, &first, &err) == 0;
  bool written = read && rl_avro_encode(encoder, first.at, first.n, &encode, &out, &err) == 0;
  if (read && !written && !ambiguous) wrong = "what was decoded is not encoded";
  msg.value = rl_buf_bytes(&out);
  if (written && rl_decoder_tape(again, &msg, 0, &second, &err) != 0)
    wrong = "what was encoded is not decoded";
  /* A map with a key twice may be written as a record, which has it once. */
  if (written && !wrong && !ambiguous && !made_same(&first, &second)) wrong = "another value comes back";
  if (wrong) {
    snprintf(why, sizeof why, "%s: %s", wrong, err.text);
    wrong = why;
  }
  rl_avro_encoder_free(encoder);
  rl_decoder_free(again);
  rl_decoder_free(d);
  rl_tape_free(&first);
  rl_tape_free(&second);
  rl_buf_free(&out);
  return wrong;
}

#endif
