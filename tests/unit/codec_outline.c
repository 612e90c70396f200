/* What values look like: paths, types, counts, samples. */
#include "codec/outline.h"

#include "codec_support.h"

/* A line a node: path|type|filled/of|sample; of a member `of` is what its object was there. */
static const char *lines(const struct rl_outline *o) {
  static char out[8192];
  struct rl_buf text = RL_BUF_INIT;
  rl_buf_puts(&text, "");
  for (const struct rl_outline_node *n = rl_outline_next(&o->root); n; n = rl_outline_next(n)) {
    struct rl_buf path = RL_BUF_INIT;
    rl_outline_put_path(&path, n);
    rl_buf_printf(&text, "%s|", rl_buf_text(&path));
    rl_outline_put_type(&text, n);
    rl_buf_printf(&text, "|%llu|%s\n", (unsigned long long)rl_outline_filled(n), n->sample ? n->sample : "");
    rl_buf_free(&path);
  }
  snprintf(out, sizeof out, "%s", text.data);
  rl_buf_free(&text);
  return out;
}

static void add(struct rl_outline *o, const char *document) {
  struct rl_json *json = rl_json_new();
  struct rl_tape tape = RL_TAPE_INIT;
  struct rl_err err = {0};
  if (rl_json_tape(json, rl_bytes_str(document), 0, &tape, &err) != 0) UNIT_FAIL("%s", err.text);
  rl_outline_add(o, &tape);
  rl_tape_free(&tape);
  rl_json_free(json);
}

static const char *outline_of(const char *const *documents, size_t n) {
  struct rl_outline o;
  rl_outline_init(&o);
  for (size_t i = 0; i < n; i++) add(&o, documents[i]);
  const char *text = lines(&o);
  rl_outline_free(&o);
  return text;
}

TEST(values_are_merged_with_their_types_and_counts) {
  static const char *const documents[] = {"{\"id\":1,\"c\":{\"m\":18.5},\"x\":null}",
                                          "{\"id\":\"a\",\"c\":{\"m\":18}}", "{\"c\":null,\"new\":true}"};
  CHECK_STR(outline_of(documents, 3),
            "id|i64 or str|2|1\n"
            "c|object or null|2|1 member\n"
            "c.m|i64 or f64|2|18.5\n"
            "x|null|0|\n"
            "new|bool|1|true\n");
}

TEST(items_of_an_array_are_one_path) {
  static const char *const documents[] = {"{\"l\":[{\"a\":1},{\"b\":2},{\"a\":null}],\"e\":[]}"};
  CHECK_STR(outline_of(documents, 1),
            "l|list|1|3 items\n"
            "l[*]|object|3|1 member\n"
            "l[*].a|i64 or null|1|1\n"
            "l[*].b|i64|1|2\n"
            "e|list|1|0 items\n");
}

TEST(paths_can_be_pasted) {
  static const char *const documents[] = {"{\"a.b\":{\"[\":1,\"@k\":2,\"\":3}}"};
  CHECK_STR(outline_of(documents, 1),
            "\"a.b\"|object|1|3 members\n"
            "\"a.b\".\"[\"|i64|1|1\n"
            "\"a.b\".\"@k\"|i64|1|2\n"
            "\"a.b\".\"\"|i64|1|3\n");
}

TEST(samples_are_short_and_safe) {
  static const char *const documents[] = {
      "{\"esc\":\"\\u001b[31mred\\n\\u202e\\u009b\",\"long\":\"0123456789012345678901234567890123456789x\","
      "\"q\":\"\\\"\\\\\"}",
      "{\"esc\":\"later\"}"};
  CHECK_STR(outline_of(documents, 2),
            "esc|str|2|\"\\x1B[31mred\\n\\xE2\\x80\\xAE\\xC2\\x9B\"\n"
            "long|str|1|\"0123456789012345678901234567890123456789…\"\n"
            "q|str|1|\"\\\"\\\\\"\n");
}

TEST(a_sample_that_says_something_wins) {
  static const char *const documents[] = {"{\"a\":null,\"b\":\"\"}", "{\"a\":1,\"b\":\"x\"}",
                                          "{\"a\":2,\"b\":\"\"}"};
  CHECK_STR(outline_of(documents, 3), "a|i64 or null|2|1\nb|str|3|\"x\"\n");
}

TEST(a_dictionary_ends) {
  struct rl_outline o;
  struct rl_buf document = RL_BUF_INIT;
  rl_outline_init(&o);
  for (int i = 0; i < 3 * RL_OUTLINE_CHILDREN; i++)
    rl_buf_printf(&document, "%s\"k%d\":[{\"x\":1}]", i ? "," : "{", i);
  rl_buf_puts(&document, "}");
  add(&o, document.data);
  CHECK_INT(o.root.n_children, RL_OUTLINE_CHILDREN);
  CHECK(o.root.more);
  rl_outline_free(&o);
  rl_buf_free(&document);
}

TEST(deep_values_end) {
  struct rl_outline o;
  struct rl_buf document = RL_BUF_INIT;
  int depth = 0;
  rl_outline_init(&o);
  for (int i = 0; i < 500; i++) rl_buf_puts(&document, "[");
  for (int i = 0; i < 500; i++) rl_buf_puts(&document, "]");
  add(&o, document.data);
  for (const struct rl_outline_node *n = rl_outline_next(&o.root); n; n = rl_outline_next(n)) depth++;
  CHECK_INT(depth, RL_OUTLINE_DEPTH);
  rl_outline_free(&o);
  rl_buf_free(&document);
}

static int lay(struct rl_outline *o, const char *schema, struct rl_err *err) {
  struct rl_bytes text = rl_bytes_str(schema);
  return rl_outline_avro(o, &text, 1, err);
}

TEST(an_avro_schema_declares) {
  struct rl_outline o;
  struct rl_err err = {0};
  const char *schema =
      "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"id\",\"type\":{\"type\":\"long\","
      "\"logicalType\":"
      "\"timestamp-millis\"}},{\"name\":\"m\",\"type\":[\"null\",\"float\"]},{\"name\":\"e\",\"type\":{"
      "\"type\":\"enum\","
      "\"name\":\"E\",\"symbols\":[\"A\",\"B\"]}},{\"name\":\"next\",\"type\":[\"null\",\"R\"]},{\"name\":"
      "\"l\",\"type\":"
      "{\"type\":\"array\",\"items\":{\"type\":\"map\",\"values\":\"bytes\"}}}]}";
  rl_outline_init(&o);
  CHECK_INT(lay(&o, schema, &err), 0);
  add(&o, "{\"id\":5,\"m\":null,\"e\":\"A\",\"l\":[{\"k\":\"v\"}]}");
  CHECK_STR(lines(&o),
            "id|long (timestamp-millis)|1|5\n"
            "m|float or null|0|\n"
            "e|enum (A, B)|1|\"A\"\n"
            "next|record or null|0|\n"
            "l|array of map of bytes|1|1 item\n"
            "l[*]|map of bytes|1|1 member\n"
            "l[*].k|str|1|\"v\"\n");
  rl_outline_free(&o);
  rl_outline_init(&o);
  CHECK_INT(lay(&o, "{\"type\":\"map\",\"values\":[\"null\",\"int\"]}", &err), 0);
  CHECK_STR(o.root.declared, "map of (int or null)");
  CHECK_INT(lay(&o, "{\"type\":5}", &err), RL_EHANDLER);
  rl_outline_free(&o);
}
