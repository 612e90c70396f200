#include "codec/shape.h"

#include <stdio.h>

bool rl_shape_finish(struct rl_shape *shape) {
  uint64_t count = 1;
  if (shape->n == 0 || shape->n > RL_SHAPE_DIMS) return false;
  for (uint32_t i = 0; i < shape->n; i++) {
    count *= shape->at[i]; /* at most 2^24 times 2^32 */
    if (count == 0 || count > RL_SHAPE_MAX) return false;
  }
  shape->count = (uint32_t)count;
  return true;
}

void rl_put_shape(struct rl_buf *out, const struct rl_shape *shape) {
  rl_buf_putc(out, '{');
  for (uint32_t i = 0; i < shape->n; i++) rl_buf_printf(out, "%s%u", i ? ", " : "", shape->at[i]);
  rl_buf_putc(out, '}');
}

int rl_shape_wrong(const struct rl_field *field, const char *found, struct rl_err *err) {
  struct rl_buf shape = RL_BUF_INIT;
  rl_put_shape(&shape, &field->shape);
  int code = rl_fail(err, RL_EHANDLER, "field '%s' (%s): expected %s of shape %s, found %s", field->name,
                     field->path, rl_type_name(field->type), shape.data, found);
  rl_buf_free(&shape);
  return code;
}

/* ---- arrays ---- */

static uint32_t size_of(enum rl_type type) {
  switch (type) {
    case RL_F32: return sizeof(float);
    case RL_BOOLEAN: return 1;
    default: return 8;
  }
}

static struct rl_shaped *shaped_new(const struct rl_field *field, struct rl_arena *arena) {
  struct rl_shaped *shaped = rl_arena_alloc(arena, sizeof *shaped);
  *shaped = (struct rl_shaped){.shape = &field->shape, .type = field->type, .size = size_of(field->type)};
  shaped->data = rl_arena_alloc(arena, (size_t)shaped->size * field->shape.count);
  return shaped;
}

void rl_shape_store(const struct rl_shaped *shaped, size_t i, const struct rl_cell *cell) {
  switch (shaped->type) {
    case RL_F32: ((float *)shaped->data)[i] = (float)cell->d; break;
    case RL_F64: ((double *)shaped->data)[i] = cell->d; break;
    case RL_I64: ((int64_t *)shaped->data)[i] = cell->i; break;
    default: ((uint8_t *)shaped->data)[i] = cell->i != 0;
  }
}

/* ---- bytes ---- */

static void swap_bytes(uint8_t *at, size_t n, size_t size) {
  for (; n > 0; n--, at += size)
    for (size_t i = 0; i < size / 2; i++) {
      uint8_t byte = at[i];
      at[i] = at[size - 1 - i];
      at[size - 1 - i] = byte;
    }
}

static bool machine_is(enum rl_byte_order order) {
  return order == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? RL_LITTLE : RL_BIG_FIRST);
}

static int check_booleans(const struct rl_field *field, const uint8_t *bytes, struct rl_err *err) {
  char found[48];
  for (size_t i = 0; i < field->shape.count; i++) {
    if (bytes[i] <= 1) continue;
    snprintf(found, sizeof found, "the byte %u at %zu", bytes[i], i);
    return rl_shape_wrong(field, found, err);
  }
  return 0;
}

static int read_blob(const struct rl_field *field, const struct rl_shaped *shaped, const struct rl_cell *cell,
                     struct rl_err *err) {
  size_t size = (size_t)shaped->size * field->shape.count;
  char found[48];
  snprintf(found, sizeof found, "%u bytes, not %zu", cell->len, size);
  if (cell->len != size) return rl_shape_wrong(field, found, err);
  memcpy(shaped->data, cell->s, size);
  if (!machine_is(field->order)) swap_bytes(shaped->data, field->shape.count, shaped->size);
  return field->type == RL_BOOLEAN ? check_booleans(field, shaped->data, err) : 0;
}

/* ---- all ---- */

int rl_shape_cell(const struct rl_field *field, struct rl_cell *cell, const struct rl_coerce *in,
                  struct rl_err *err) {
  if (cell->tag == RL_SHAPED) return 0;
  struct rl_shaped *shaped = shaped_new(field, in->arena);
  bool bytes = cell->tag == RL_BLOB && field->order != RL_NO_ORDER;
  int code = bytes ? read_blob(field, shaped, cell, err) : rl_shape_read(field, shaped, cell, in, err);
  *cell = (struct rl_cell){.tag = RL_SHAPED, .len = field->shape.count, .shaped = shaped};
  return code;
}

void rl_shape_default(const struct rl_field *field, struct rl_cell *cell, struct rl_arena *arena) {
  struct rl_shaped *shaped = shaped_new(field, arena);
  for (size_t i = 0; i < field->shape.count; i++) rl_shape_store(shaped, i, &field->fallback);
  *cell = (struct rl_cell){.tag = RL_SHAPED, .len = field->shape.count, .shaped = shaped};
}
