/* Schemas: what is taken, what is refused and where, canonical form and fingerprint. */
#include "codec/avro_schema.h"

#include "unit.h"

static const char *canonical(const char *schema) {
  static char out[4096];
  struct rl_avro_schema *parsed;
  struct rl_bytes text = rl_bytes_str(schema);
  struct rl_err err;
  struct rl_buf canon = RL_BUF_INIT;
  if (rl_avro_schema_new(&parsed, &text, 1, true, &err) != 0) {
    snprintf(out, sizeof out, "error: %s", err.text);
    return out;
  }
  rl_avro_put_canonical(&canon, parsed);
  snprintf(out, sizeof out, "%s", canon.data);
  rl_buf_free(&canon);
  rl_avro_schema_free(parsed);
  return out;
}

TEST(primitives_in_all_three_spellings) {
  CHECK_STR(canonical("\"long\""), "\"long\"");
  CHECK_STR(canonical("long"), "\"long\"");
  CHECK_STR(canonical("{\"type\":\"long\"}"), "\"long\"");
  CHECK_STR(canonical("{\"type\":{\"type\":\"long\"}}"), "\"long\"");
  CHECK_STR(canonical("{\"type\":\"long\",\"logicalType\":\"timestamp-millis\"}"), "\"long\"");
}

TEST(all_kinds_in_one_record) {
  static const char schema[] =
      "{\"type\":\"record\",\"name\":\"R\",\"namespace\":\"a.b\",\"doc\":\"x\",\"fields\":["
      "{\"name\":\"u\",\"type\":[\"null\",\"int\"],\"default\":null},"
      "{\"name\":\"e\",\"type\":{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\",\"B\"]}},"
      "{\"name\":\"f\",\"type\":{\"type\":\"fixed\",\"name\":\"c.F\",\"size\":3}},"
      "{\"name\":\"m\",\"type\":{\"type\":\"map\",\"values\":\"E\"}},"
      "{\"name\":\"l\",\"type\":{\"type\":\"array\",\"items\":\"R\"}}]}";
  CHECK_STR(canonical(schema),
            "{\"name\":\"a.b.R\",\"type\":\"record\",\"fields\":["
            "{\"name\":\"u\",\"type\":[\"null\",\"int\"]},"
            "{\"name\":\"e\",\"type\":{\"name\":\"a.b.E\",\"type\":\"enum\",\"symbols\":[\"A\",\"B\"]}},"
            "{\"name\":\"f\",\"type\":{\"name\":\"c.F\",\"type\":\"fixed\",\"size\":3}},"
            "{\"name\":\"m\",\"type\":{\"type\":\"map\",\"values\":\"a.b.E\"}},"
            "{\"name\":\"l\",\"type\":{\"type\":\"array\",\"items\":\"a.b.R\"}}]}");
}

TEST(names_stand_in_the_namespace_around_them) {
  CHECK_STR(canonical("{\"type\":\"record\",\"name\":\"a.R\",\"fields\":[{\"name\":\"x\",\"type\":"
                      "{\"type\":\"fixed\",\"name\":\"F\",\"size\":1}},{\"name\":\"y\",\"type\":\"F\"},"
                      "{\"name\":\"z\",\"type\":\"a.F\"}]}"),
            "{\"name\":\"a.R\",\"type\":\"record\",\"fields\":[{\"name\":\"x\",\"type\":"
            "{\"name\":\"a.F\",\"type\":\"fixed\",\"size\":1}},{\"name\":\"y\",\"type\":\"a.F\"},"
            "{\"name\":\"z\",\"type\":\"a.F\"}]}");
}

TEST(what_streams_carry_is_taken) {
  /* ZTF: the default is of the second branch. Kafka Connect: names with dashes. */
  CHECK_HAS(
      canonical("{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"p\",\"type\":[\"int\",\"null\"],"
                "\"default\":null}]}"),
      "\"R\"");
  CHECK_HAS(canonical("{\"type\":\"record\",\"name\":\"a-b\",\"fields\":[]}"), "\"a-b\"");
  CHECK_STR(canonical("{\"type\":\"bytes\",\"logicalType\":\"decimal\"}"), "\"bytes\"");
}

TEST(errors_name_the_place) {
  CHECK_STR(
      canonical(
          "{\"type\":\"record\",\"name\":\"alert\",\"fields\":[{\"name\":\"candidate\",\"type\":{\"type\":"
          "\"record\",\"name\":\"c\",\"fields\":[{\"name\":\"rb\",\"type\":\"flaot\"}]}}]}"),
      "error: Avro schema: candidate.rb: unknown type 'flaot': it is no type of Avro's and not defined "
      "before");
  CHECK_STR(canonical("{\"type\":\"array\",\"items\":{\"type\":\"map\"}}"),
            "error: Avro schema: []: a map needs 'values'");
  CHECK_STR(canonical("[]"), "error: Avro schema: a union without branches");
  CHECK_STR(canonical("[\"int\",[\"long\"]]"), "error: Avro schema: a union directly within a union");
  CHECK_STR(canonical("[\"int\",\"null\",\"int\"]"),
            "error: Avro schema: two branches of a union are both int");
  CHECK_STR(canonical("5"), "error: Avro schema: expected a type: a name, an object or an array of types");
  CHECK_STR(canonical("{}"), "error: Avro schema: a type without 'type'");
  CHECK_STR(canonical("{\"type\":\"fixed\",\"name\":\"F\",\"size\":-1}"),
            "error: Avro schema: fixed 'F' needs a size from 0 to 2147483647");
  CHECK_STR(canonical("{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[]}"),
            "error: Avro schema: enum 'E' needs symbols");
  CHECK_STR(canonical("{\"type\":\"record\",\"fields\":[]}"), "error: Avro schema: a record needs a name");
  CHECK_STR(canonical("{\"type\":\"record\",\"name\":\"R\"}"),
            "error: Avro schema: record 'R' needs an array of fields");
  CHECK_STR(
      canonical("{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"a\",\"type\":\"int\"},{\"name\":"
                "\"a\",\"type\":\"int\"}]}"),
      "error: Avro schema: two fields are named 'a'");
  CHECK_STR(
      canonical(
          "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"a\",\"type\":{\"type\":\"record\","
          "\"name\":\"R\",\"fields\":[]}}]}"),
      "error: Avro schema: a: 'R' is defined twice");
  CHECK_STR(canonical("{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"a\"}]}"),
            "error: Avro schema: a: a field needs a type");
  CHECK_HAS(canonical("{\"type\":"), "error: Avro schema: not JSON: cut short");
}

TEST(nesting_and_size_are_bounded) {
  struct rl_buf deep = RL_BUF_INIT;
  for (int i = 0; i < 300; i++) rl_buf_puts(&deep, "{\"type\":\"array\",\"items\":");
  rl_buf_puts(&deep, "\"int\"");
  for (int i = 0; i < 300; i++) rl_buf_putc(&deep, '}');
  CHECK_HAS(canonical(deep.data), "nested deeper than 250 definitions");
  rl_buf_clear(&deep);
  rl_buf_puts(&deep, "\"");
  for (int i = 0; i < 1100000; i++) rl_buf_putc(&deep, 'x');
  rl_buf_puts(&deep, "\"");
  CHECK_HAS(canonical(deep.data), "over the limit of 1048576");
  rl_buf_free(&deep);
}

TEST(the_fingerprints_of_the_specification) {
  CHECK(rl_avro_fingerprint(rl_bytes_str("\"null\"")) == UINT64_C(7195948357588979594));
  CHECK(rl_avro_fingerprint(rl_bytes_str("\"int\"")) == UINT64_C(8247732601305521295));
  CHECK(rl_avro_fingerprint(rl_bytes_str("")) == UINT64_C(0xc15d213aa4d7a795));
}

TEST(texts_before_the_last_define_names) {
  struct rl_bytes texts[] = {
      rl_bytes_str("{\"type\":\"fixed\",\"name\":\"x.F\",\"size\":2}"),
      rl_bytes_str("{\"type\":\"record\",\"name\":\"x.R\",\"fields\":[{\"name\":\"a\",\"type\":\"F\"}]}")};
  struct rl_avro_schema *schema;
  struct rl_err err = {0};
  CHECK_INT(rl_avro_schema_new(&schema, texts, 2, false, &err), 0);
  CHECK_STR(err.text, "");
  CHECK_INT(schema->root->fields[0].type->size, 2);
  CHECK_INT(schema->root->least, 2);
  CHECK(schema->root->exact);
  rl_avro_schema_free(schema);
}
