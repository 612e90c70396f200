/* Values made by chance: decoded, encoded and decoded again they are the same. */
#include "codec_avro_made.h"
#include "unit.h"

#define ROUNDS 4000

static const char *const schemas[] = {
    "[\"null\",\"int\",\"long\",\"float\",\"double\",\"boolean\",\"string\",\"bytes\"]",
    "{\"type\":\"array\",\"items\":[\"double\",\"long\",\"string\",{\"type\":\"enum\",\"name\":\"E\","
    "\"symbols\":[\"a\",\"b\"]}]}",
    "{\"type\":\"map\",\"values\":[\"null\",{\"type\":\"array\",\"items\":\"float\"},{\"type\":\"fixed\","
    "\"name\":\"F\",\"size\":3},"
    "\"bytes\"]}",
    "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"a\",\"type\":\"long\"},{\"name\":\"b\","
    "\"type\":[\"null\","
    "\"string\"]},{\"name\":\"next\",\"type\":[\"null\",\"R\"]},{\"name\":\"list\",\"type\":{\"type\":"
    "\"array\",\"items\":\"R\"}},"
    "{\"name\":\"m\",\"type\":{\"type\":\"map\",\"values\":[\"int\",\"R\"]}}]}",
    "{\"type\":\"array\",\"items\":[\"null\",{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":"
    "600,\"scale\":2},"
    "\"string\",{\"type\":\"fixed\",\"name\":\"D\",\"size\":4,\"logicalType\":\"decimal\",\"precision\":10,"
    "\"scale\":1},"
    "{\"type\":\"fixed\",\"name\":\"U\",\"size\":16,\"logicalType\":\"uuid\"}]}",
};

static void check(const char *text, unsigned seed, bool logical) {
  struct rl_bytes schema_text = rl_bytes_str(text);
  struct rl_avro_schema *schema;
  uint8_t bytes[200];
  if (rl_avro_schema_new(&schema, &schema_text, 1, false, NULL) != 0) abort();
  for (unsigned round = 0; round < ROUNDS && unit_failures == 0; round++) {
    struct rl_buf value = RL_BUF_INIT;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)((seed = seed * 1103515245 + 12345) >> 16);
    struct made m = {.data = bytes, .len = sizeof bytes, .out = &value};
    made_value(&m, schema->root, 4);
    const char *wrong = made_disagreement(schema_text, &value, logical, false);
    if (wrong) UNIT_FAIL("%s, round %u: %s", text, round, wrong);
    rl_buf_free(&value);
  }
  rl_avro_schema_free(schema);
}

TEST(what_was_decoded_is_encoded_to_the_same) {
  for (unsigned i = 0; i < sizeof schemas / sizeof *schemas; i++) check(schemas[i], i + 1, false);
}

TEST(with_logical_types_as_texts_too) {
  for (unsigned i = 0; i < sizeof schemas / sizeof *schemas; i++) check(schemas[i], i + 100, true);
}
