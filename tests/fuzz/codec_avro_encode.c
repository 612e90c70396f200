/* libFuzzer: the first byte chooses, the first line is a schema (a digit: one of those here), the rest
 * decides on a value of it; or, under RAW, is the value. Decoded, encoded and decoded again it must be the
 * same, and nothing may be read or written past an end. */
#include "../unit/codec_avro_made.h"

enum { LOGICAL = 1, RAW = 2 };

static const char *const schemas[] = {
    "[\"null\",\"int\",\"long\",\"float\",\"double\",\"boolean\",\"string\",\"bytes\"]",
    "{\"type\":\"array\",\"items\":[\"double\",\"long\",{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"a\","
    "\"b\"]}]}",
    "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"a\",\"type\":\"long\"},{\"name\":\"n\","
    "\"type\":[\"null\",\"R\"]},"
    "{\"name\":\"m\",\"type\":{\"type\":\"map\",\"values\":[\"int\",\"R\"]}}]}",
    "{\"type\":\"array\",\"items\":[{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":600,"
    "\"scale\":2},"
    "{\"type\":\"fixed\",\"name\":\"U\",\"size\":16,\"logicalType\":\"uuid\"}]}",
    "[{\"type\":\"map\",\"values\":\"long\"},{\"type\":\"record\",\"name\":\"A\",\"fields\":[{\"name\":\"a\","
    "\"type\":\"long\"}]}]"};
enum { N_SCHEMAS = sizeof schemas / sizeof *schemas };

static struct rl_bytes schema_of(struct rl_bytes line) {
  unsigned digit = line.len == 1 ? (unsigned)(*line.data - '0') : N_SCHEMAS;
  return digit < N_SCHEMAS ? rl_bytes_str(schemas[digit]) : line;
}

static void run(uint8_t how, struct rl_bytes text, struct rl_bytes rest) {
  struct rl_avro_schema *schema;
  struct rl_buf value = RL_BUF_INIT;
  if (rl_avro_schema_new(&schema, &text, 1, false, NULL) != 0) return;
  struct made m = {.data = (const uint8_t *)rest.data, .len = rest.len, .out = &value};
  if (how & RAW)
    rl_buf_put(&value, rest.data, rest.len);
  else if (made_possible(schema))
    made_value(&m, schema->root, 4);
  const char *wrong = made_disagreement(text, &value, how & LOGICAL, made_ambiguous(schema));
  if (wrong) {
    fprintf(stderr, "%s\n", wrong);
    abort();
  }
  rl_buf_free(&value);
  rl_avro_schema_free(schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint8_t *end = size > 1 ? memchr(data + 1, '\n', size - 1) : NULL;
  if (!end) return 0;
  struct rl_bytes line = rl_bytes(data + 1, (size_t)(end - data) - 1);
  size_t left = size - (size_t)(end - data) - 1;
  run(*data, schema_of(line), rl_bytes(end + 1, left));
  return 0;
}
