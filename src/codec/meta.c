#include "codec/meta.h"

#include "codec/json_walk.h"

static struct rl_cell of_bytes(struct rl_bytes bytes) {
  if (!bytes.data) return (struct rl_cell){.tag = RL_NULL};
  return (struct rl_cell){.tag = RL_BLOB, .len = (uint32_t)bytes.len, .s = bytes.data};
}

static struct rl_cell of_integer(int64_t i) { return (struct rl_cell){.tag = RL_INT, .i = i}; }

static struct rl_cell of_header(const struct rl_msg *msg, const char *name) {
  struct rl_cell cell = {.tag = RL_MISSING};
  struct rl_header header;
  for (size_t i = 0; rl_msg_header(msg, i, &header); i++)
    if (strcmp(header.name, name) == 0) cell = of_bytes(header.value);
  return cell;
}

/* Null when the message has no timestamp. */
static struct rl_cell of_timestamp(const struct rl_msg *msg) {
  return msg->timestamp < 0 ? (struct rl_cell){.tag = RL_NULL} : of_integer(msg->timestamp);
}

static struct rl_cell read(const struct rl_field *field, const struct rl_msg *msg) {
  switch (field->meta) {
    case RL_META_KEY: return of_bytes(msg->key);
    case RL_META_TOPIC:
      return (struct rl_cell){.tag = RL_TEXT, .len = (uint32_t)strlen(msg->topic), .s = msg->topic};
    case RL_META_PARTITION: return of_integer(msg->partition);
    case RL_META_OFFSET: return of_integer(msg->offset);
    case RL_META_TIMESTAMP: return of_timestamp(msg);
    case RL_META_HEADER: return of_header(msg, field->steps[0].key);
    case RL_META_NONE: break;
  }
  return (struct rl_cell){.tag = RL_MISSING};
}

static bool is_text(struct rl_bytes bytes, const char *text) {
  return rl_bytes_eq(bytes, rl_bytes_str(text));
}

/* Bytes that are wanted as a number or boolean are read as JSON has those, whole; what is none of them stays
 * bytes, and the type check says so. */
static void parse_bytes(struct rl_cell *cell) {
  struct rl_bytes bytes = rl_bytes(cell->s, cell->len);
  if (is_text(bytes, "true") || is_text(bytes, "false")) {
    *cell = (struct rl_cell){.tag = RL_BOOL, .i = bytes.len == 4};
    return;
  }
  char text[512]; /* longer numbers are not read */
  if (bytes.len == 0 || bytes.len > sizeof text - 8) return;
  memcpy(text, bytes.data, bytes.len);
  memset(text + bytes.len, 0, 8); /* which the reader of numbers may look at */
  struct rl_cell number;
  if (rl_json_number(text, &number) != bytes.len) return;
  if (number.tag == RL_BIG) number.s = bytes.data;
  *cell = number;
}

static bool wants_parse(enum rl_type type) {
  return type == RL_I64 || type == RL_F64 || type == RL_F32 || type == RL_BOOLEAN;
}

int rl_meta_cell(const struct rl_field *field, const struct rl_msg *msg, struct rl_cell *cell,
                 const struct rl_coerce *in, struct rl_err *err) {
  *cell = read(field, msg);
  if (cell->tag == RL_BLOB && wants_parse(field->type) && !field->shape.n) parse_bytes(cell);
  return rl_coerce(field, cell, in, err);
}
