/* Arrays of a declared shape, and defaults: what fills them, what is refused, how they lie in memory. */
#include "codec_avro_support.h"

/* A field x of path p. */
static bool open_spec(struct codec *c, const char *format, const char *path, const struct rl_field_spec *spec,
                      struct rl_decoder_opts opts) {
  *c = (struct codec){0};
  opts.fields = &c->fields;
  if (rl_fields_add_spec(&c->fields, "x", path, spec, &c->err) != 0) return false;
  if (rl_decoder_new(&c->decoder, format, &opts, &c->err) != 0) return false;
  c->columns = rl_columns_new(&c->fields);
  return true;
}

static const char *read_as(const char *format, const char *path, struct rl_field_spec spec,
                           struct rl_decoder_opts opts, const char *data, size_t len) {
  static char out[1024];
  struct codec c;
  bool open = open_spec(&c, format, path, &spec, opts);
  int code = open ? codec_row_bytes(&c, data, len) : c.err.code;
  snprintf(out, sizeof out, "%s%.900s",
           code == RL_EUSAGE ? "usage: "
           : code            ? "error: "
                             : "",
           code ? c.err.text : codec_cells(&c));
  codec_close(&c);
  return out;
}

static const char *read_json(const char *path, struct rl_field_spec spec, const char *document) {
  return read_as("json", path, spec, (struct rl_decoder_opts){0}, document, strlen(document));
}

static struct rl_field_spec shape_of(enum rl_type type, uint32_t a, uint32_t b) {
  return (struct rl_field_spec){.type = type, .shape = {.n = b ? 2 : 1, .at = {a, b}}};
}

#define CHECK_SHAPE(type, a, b, document, want) \
  CHECK_STR(read_json("p", shape_of(type, a, b), document), want)

TEST(nested_and_flat_arrays_fill_a_shape) {
  CHECK_SHAPE(RL_F32, 2, 3, "{\"p\":[[1,2,3],[4,5.5,6]]}", "f32 2x3 (1.0 2.0 3.0 4.0 5.5 6.0)");
  CHECK_SHAPE(RL_F32, 2, 3, "{\"p\": [ 1 , 2,3\n,4,5,6 ] }", "f32 2x3 (1.0 2.0 3.0 4.0 5.0 6.0)");
  CHECK_SHAPE(RL_F64, 3, 0, "{\"p\":[0.1,-2e5,3]}", "f64 3 (0.1 -200000.0 3.0)");
  CHECK_SHAPE(RL_I64, 1, 2, "{\"p\":[[2510000000000000003,-1]]}", "i64 1x2 (2510000000000000003 -1)");
  CHECK_SHAPE(RL_BOOLEAN, 2, 1, "{\"p\":[[true],[false]]}", "bool 2x1 (true false)");
  CHECK_SHAPE(RL_F32, 1, 1, "{\"p\":[0.1]}", "f32 1x1 (0.10000000149011612)");
}

TEST(the_numbers_lie_side_by_side) {
  struct codec c;
  struct rl_field_spec spec = shape_of(RL_F32, 2, 2);
  CHECK(open_spec(&c, "json", "p", &spec, (struct rl_decoder_opts){0}));
  CHECK_INT(codec_row(&c, "{\"p\":[[1,2],[3,4]]}"), 0);
  const struct rl_cell *cell = &c.columns->col[0][0];
  CHECK_INT(cell->tag, RL_SHAPED);
  CHECK_INT(cell->len, 4);
  CHECK_INT(cell->shaped->size, sizeof(float));
  CHECK_INT(cell->shaped->shape->count, 4);
  CHECK_INT((uintptr_t)cell->shaped->data % 16, 0);
  static const float want[] = {1, 2, 3, 4};
  CHECK(memcmp(cell->shaped->data, want, sizeof want) == 0);
  codec_close(&c);
}

TEST(another_shape_is_an_error_that_names_both) {
  CHECK_SHAPE(RL_F32, 2, 3, "{\"p\":[[1,2],[3,4]]}",
              "error: field 'x' (p): expected f32 of shape {2, 3}, found shape {2, 2}");
  CHECK_SHAPE(RL_F32, 2, 3, "{\"p\":[1,2,3,4,5]}",
              "error: field 'x' (p): expected f32 of shape {2, 3}, found shape {5}");
  CHECK_SHAPE(RL_F32, 2, 3, "{\"p\":[1,2,3,4,5,6,7]}",
              "error: field 'x' (p): expected f32 of shape {2, 3}, found shape {7}");
  CHECK_SHAPE(RL_I64, 2, 0, "{\"p\":[]}", "error: field 'x' (p): expected i64 of shape {2}, found shape {0}");
  CHECK_SHAPE(RL_I64, 2, 0, "{\"p\":[[],[]]}",
              "error: field 'x' (p): expected i64 of shape {2}, found shape {2, 0}");
  CHECK_SHAPE(RL_I64, 2, 0, "{\"p\":[[1,2]]}",
              "error: field 'x' (p): expected i64 of shape {2}, found shape {1, 2}");
  CHECK_HAS(read_json("p", shape_of(RL_F64, 4, 0), "{\"p\":[[1,2],[3,4]]}"), "shape {4}, found shape {2, 2}");
  CHECK_HAS(read_json("p", shape_of(RL_F64, 2, 2), "{\"p\":[[1,2],[3]]}"),
            "found arrays of different lengths, 2 and 1, side by side");
  CHECK_HAS(read_json("p", shape_of(RL_F64, 2, 2), "{\"p\":[[1,2],3,4]}"),
            "found numbers and arrays side by side");
  CHECK_HAS(read_json("p", shape_of(RL_F64, 2, 2), "{\"p\":[1,2,3,[4]]}"),
            "found numbers and arrays side by side");
  CHECK_HAS(read_json("p", shape_of(RL_F64, 2, 2), "{\"p\":[[],3]}"),
            "found numbers and arrays side by side");
  CHECK_HAS(read_json("p", shape_of(RL_F64, 1, 0), "{\"p\":[[[[[[[[[1]]]]]]]]]}"),
            "found arrays nested deeper");
  CHECK_HAS(read_json("p", shape_of(RL_F64, 1, 0), "{\"p\":[[[[[[[[1]]]]]]]]}"),
            "found shape {1, 1, 1, 1, 1, 1, 1, 1}");
  CHECK_HAS(read_json("p", shape_of(RL_F64, 1, 0), "{\"p\":7}"), "shape {1}, found the integer 7");
  CHECK_HAS(read_json("p", shape_of(RL_F64, 1, 0), "{\"p\":{\"a\":[1]}}"), "shape {1}, found an object");
  CHECK_HAS(read_json("p", shape_of(RL_F64, 1, 0), "{\"p\":\"[1]\"}"), "shape {1}, found the text \"[1]\"");
}

TEST(an_element_of_another_type_is_told_with_its_place) {
  CHECK_HAS(read_json("p", shape_of(RL_F32, 2, 2), "{\"p\":[[1,2],[3,\"]\"]]}"),
            "[1][1] of field 'x' (p): expected f32 of shape {2, 2}, found a text");
  CHECK_HAS(read_json("p", shape_of(RL_F32, 2, 0), "{\"p\":[1,{\"a\":1}]}"), "[1] of field 'x' (p)");
  CHECK_HAS(read_json("p", shape_of(RL_F32, 2, 0), "{\"p\":[1,1e300]}"),
            "[1] of field 'x' (p): expected f32, found the number 1e+300, too large for single precision");
  CHECK_HAS(read_json("p", shape_of(RL_I64, 2, 0), "{\"p\":[1,2.0]}"),
            "[1] of field 'x' (p): expected i64, found the number 2.0");
  CHECK_HAS(read_json("p", shape_of(RL_F64, 2, 0), "{\"p\":[1,2510000000000000003]}"),
            "does not hold exactly");
  CHECK_HAS(read_json("p", shape_of(RL_F64, 2, 0), "{\"p\":[1,1e400]}"), "does not hold");
  CHECK_HAS(read_json("p", shape_of(RL_BOOLEAN, 2, 0), "{\"p\":[true,0]}"),
            "[1] of field 'x' (p): expected bool, found the integer 0");
}

TEST(a_malformed_element_is_told_with_its_byte) {
  CHECK_STR(read_json("p", shape_of(RL_F32, 2, 0), "{\"p\":[1,1.2.3]}"),
            "error: field 'x' (p): malformed value in the array at byte 8");
  CHECK_HAS(read_json("p", shape_of(RL_F32, 2, 0), "{\"p\":[1,nul]}"), "at byte 8");
  CHECK_HAS(read_json("p", shape_of(RL_F32, 2, 0), "{\"p\":[01,2]}"), "at byte 6");
  CHECK_HAS(read_json("p", shape_of(RL_F32, 2, 0), "{\"p\":[1 2]}"), "expected ',' or ']'");
  CHECK_HAS(read_json("p", shape_of(RL_F32, 2, 0), "{\"p\":[1,2"), "cut short");
}

TEST(s8_1_null_elements_are_nan_in_f64_and_f32_and_an_error_in_others) {
  CHECK_SHAPE(RL_F32, 2, 0, "{\"p\":[null,1]}", "f32 2 (nan 1.0)");
  CHECK_SHAPE(RL_F64, 2, 0, "{\"p\":[null,1]}", "f64 2 (nan 1.0)");
  CHECK_SHAPE(RL_I64, 2, 0, "{\"p\":[1,null]}",
              "error: [1] of field 'x' (p): expected i64 of shape {2}, found null");
  CHECK_HAS(read_json("p", shape_of(RL_BOOLEAN, 1, 0), "{\"p\":[null]}"), "found null");
}

TEST(a_missing_array_is_missing) {
  CHECK_SHAPE(RL_F32, 2, 0, "{}", "missing");
  CHECK_SHAPE(RL_F32, 2, 0, "{\"p\":null}", "null");
}

TEST(of_keys_that_come_twice_the_last_fills_the_shape) {
  CHECK_SHAPE(RL_F32, 2, 0, "{\"p\":[1,2,3],\"p\":[4,5]}", "f32 2 (4.0 5.0)");
  CHECK_HAS(read_json("p", shape_of(RL_F32, 2, 0), "{\"p\":[4,5],\"p\":[1]}"), "found shape {1}");
}

TEST(lists_fill_a_shape) {
  static const char document[] = "{\"p\":[{\"m\":1,\"v\":[1,2]},{\"m\":2,\"v\":[3,4]}]}";
  CHECK_STR(read_json("p[*].m", shape_of(RL_F64, 2, 0), document), "f64 2 (1.0 2.0)");
  CHECK_STR(read_json("p[*].v", shape_of(RL_F64, 2, 2), document), "f64 2x2 (1.0 2.0 3.0 4.0)");
  CHECK_STR(read_json("p[*].v[*]", shape_of(RL_F64, 2, 2), document), "f64 2x2 (1.0 2.0 3.0 4.0)");
  CHECK_STR(read_json("p[*].m", shape_of(RL_F64, 2, 0), "{\"p\":[{},{\"m\":2}]}"), "f64 2 (nan 2.0)");
  CHECK_HAS(read_json("p[*].m", shape_of(RL_F64, 2, 0), "{\"p\":[]}"), "found shape {0}");
}

/* A text far longer than a number's end wants to look past. */
TEST(numbers_at_the_very_end_of_the_payload) {
  char document[700] = "{\"p\":[";
  memset(document + 6, '1', 600);
  strcpy(document + 606, "]}");
  CHECK_HAS(read_json("p", shape_of(RL_F64, 1, 0), document), "which a double does not hold");
  CHECK_STR(read_json("[*]", shape_of(RL_I64, 1, 0), "[12345678]"), "i64 1 (12345678)");
}

/* ---- bytes ---- */

static const char bytes_schema[] =
    "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"p\",\"type\":\"bytes\"}]}";

static const char *read_bytes(enum rl_type type, uint32_t n, enum rl_byte_order order, const void *data,
                              size_t len) {
  struct rl_buf value = RL_BUF_INIT;
  struct rl_field_spec spec = shape_of(type, n, 0);
  spec.order = order;
  put_bytes(&value, data, len);
  const char *text = read_as("avro", "p", spec, avro_bare(bytes_schema), value.data, value.len);
  rl_buf_free(&value);
  return text;
}

TEST(bytes_hold_the_numbers_in_the_order_that_is_declared) {
  static const unsigned char little[] = {0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc1};
  static const unsigned char big[] = {0x3f, 0x80, 0, 0, 0xc1, 0x20, 0, 0};
  static const unsigned char eight[] = {0, 0, 0, 0, 0, 0, 1, 2};
  CHECK_STR(read_bytes(RL_F32, 2, RL_LITTLE, little, 8), "f32 2 (1.0 -10.0)");
  CHECK_STR(read_bytes(RL_F32, 2, RL_BIG_FIRST, big, 8), "f32 2 (1.0 -10.0)");
  CHECK_STR(read_bytes(RL_I64, 1, RL_BIG_FIRST, eight, 8), "i64 1 (258)");
  CHECK_STR(read_bytes(RL_I64, 1, RL_LITTLE, eight, 8), "i64 1 (144396663052566528)");
  CHECK_STR(read_bytes(RL_BOOLEAN, 2, RL_LITTLE, "\1\0", 2), "bool 2 (true false)");
  CHECK_HAS(read_bytes(RL_BOOLEAN, 2, RL_LITTLE, "\1\7", 2), "found the byte 7 at 1");
  CHECK_STR(read_bytes(RL_F64, 2, RL_LITTLE, little, 8),
            "error: field 'x' (p): expected f64 of shape {2}, found 8 bytes, not 16");
  CHECK_HAS(read_bytes(RL_F32, 2, RL_NO_ORDER, little, 8), "found the bytes ");
}

TEST(the_key_may_hold_an_array_as_bytes) {
  struct codec c;
  struct rl_field_spec spec = shape_of(RL_F32, 1, 0);
  spec.order = RL_BIG_FIRST;
  CHECK(open_spec(&c, "raw", "@key", &spec, (struct rl_decoder_opts){0}));
  struct rl_msg msg = {.topic = "t", .key = rl_bytes("\x3f\x80\0\0", 4), .value = rl_bytes("", 0)};
  CHECK_INT(rl_decoder_row(c.decoder, &msg, c.columns, &c.err), 0);
  CHECK_STR(codec_cells(&c), "f32 1 (1.0)");
  codec_close(&c);
}

/* ---- Avro ---- */

TEST(avro_arrays_fill_a_shape_as_they_are_read) {
  static const char schema[] =
      "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"p\",\"type\":[\"null\",{\"type\":"
      "\"array\","
      "\"items\":{\"type\":\"array\",\"items\":[\"null\",\"float\"]}}]}]}";
  struct rl_buf v = RL_BUF_INIT;
  put_long(&v, 1);
  put_long(&v, 2);
  put_long(&v, 2), put_long(&v, 1), put_float(&v, 1.5F), put_long(&v, 0), put_long(&v, 0);
  put_long(&v, 2), put_long(&v, 1), put_float(&v, NAN), put_long(&v, 1), put_float(&v, 4), put_long(&v, 0);
  put_long(&v, 0);
  struct rl_decoder_opts opts = avro_bare(schema);
  CHECK_STR(read_as("avro", "p", shape_of(RL_F32, 2, 2), opts, v.data, v.len), "f32 2x2 (1.5 nan nan 4.0)");
  CHECK_STR(read_as("avro", "p", shape_of(RL_F64, 4, 0), opts, v.data, v.len),
            "error: field 'x' (p): expected f64 of shape {4}, found shape {2, 2}");
  CHECK_STR(read_as("avro", "p[*]", shape_of(RL_F64, 2, 2), opts, v.data, v.len),
            "f64 2x2 (1.5 nan nan 4.0)");
  CHECK_STR(read_as("avro", "p[*][-1]", shape_of(RL_F32, 2, 0), opts, v.data, v.len), "f32 2 (nan 4.0)");
  CHECK_STR(read_as("avro", "p", shape_of(RL_F32, 2, 2), opts, "\0", 1), "null");
  rl_buf_free(&v);
}

/* ---- what may be declared ---- */

static const char *refusal(const char *path, struct rl_field_spec spec) {
  static char out[512];
  struct rl_fields fields = RL_FIELDS_INIT;
  struct rl_err err = {0};
  int code = rl_fields_add_spec(&fields, "x", path, &spec, &err);
  CHECK_INT(code, code ? RL_EUSAGE : 0);
  CHECK_INT(err.code, code);
  snprintf(out, sizeof out, "%.500s", code ? err.text : "fine");
  rl_fields_free(&fields);
  return out;
}

TEST(a_shape_wants_a_type_and_a_size_that_memory_holds) {
  CHECK_STR(refusal("p", shape_of(RL_F32, 63, 63)), "fine");
  CHECK_STR(refusal("p", shape_of(RL_AUTO, 63, 63)),
            "field 'x' (p): a shape wants the type i64, f64, f32 or bool, not auto");
  CHECK_HAS(refusal("p", shape_of(RL_STR, 2, 0)), "not str");
  CHECK_HAS(refusal("p", shape_of(RL_F32, 0, 0)), "a shape is 1 to 8 whole numbers from 1 on");
  CHECK_STR(refusal("p", shape_of(RL_F32, 4096, 4096)), "fine");
  CHECK_HAS(refusal("p", shape_of(RL_F32, 4096, 4097)), "of 16777216 elements at most");
  CHECK_HAS(refusal("p", shape_of(RL_F32, UINT32_MAX, UINT32_MAX)), "of 16777216 elements at most");
  CHECK_HAS(refusal("@key", shape_of(RL_F32, 2, 0)), "only bytes are read here");
  CHECK_HAS(refusal("p", (struct rl_field_spec){.order = RL_LITTLE}), "give it a shape");
  CHECK_HAS(read_as("csv", "[0]", shape_of(RL_F32, 2, 0), (struct rl_decoder_opts){0}, "1", 1),
            "a cell there holds one value, so there is no shape");
}

/* ---- defaults ---- */

static struct rl_field_spec default_of(enum rl_type type, struct rl_cell fallback) {
  return (struct rl_field_spec){.type = type, .has_default = true, .fallback = fallback};
}

static struct rl_cell integer(int64_t i) { return (struct rl_cell){.tag = RL_INT, .i = i}; }
static struct rl_cell real(double d) { return (struct rl_cell){.tag = RL_DOUBLE, .d = d}; }
static struct rl_cell text(const char *s) {
  return (struct rl_cell){.tag = RL_TEXT, .len = (uint32_t)strlen(s), .s = s};
}
static struct rl_cell empty_list(void) { return (struct rl_cell){.tag = RL_LIST}; }

TEST(a_default_fills_what_is_missing_or_null) {
  CHECK_STR(read_json("p", default_of(RL_I64, integer(-1)), "{}"), "-1");
  CHECK_STR(read_json("p", default_of(RL_I64, integer(-1)), "{\"p\":null}"), "-1");
  CHECK_STR(read_json("p", default_of(RL_I64, integer(-1)), "{\"p\":5}"), "5");
  CHECK_STR(read_json("p", default_of(RL_F64, integer(-999)), "{}"), "-999.0");
  CHECK_STR(read_json("p", default_of(RL_F32, real(0.1)), "{}"), "0.10000000149011612");
  CHECK_STR(read_json("p", default_of(RL_AUTO, text("none")), "{}"), "\"none\"");
  CHECK_STR(read_json("p", default_of(RL_STR, text("")), "{}"), "\"\"");
  CHECK_STR(read_json("p", default_of(RL_BYTES, text("ab")), "{}"), "blob \"ab\"");
  CHECK_STR(read_json("p", default_of(RL_BOOLEAN, (struct rl_cell){.tag = RL_BOOL, .i = 1}), "{}"), "true");
  CHECK_STR(read_json("p", default_of(RL_F64, real(1)), "{\"p\":\"x\"}"),
            "error: field 'x' (p): expected f64, found the text \"x\"");
}

TEST(a_default_fills_empty_cells_nulls_and_headers) {
  struct rl_field_spec spec = default_of(RL_F64, real(-1));
  CHECK_STR(read_as("csv", "[1]", spec, (struct rl_decoder_opts){0}, "a,,c", 4), "-1.0");
  CHECK_STR(read_as("csv", "[9]", spec, (struct rl_decoder_opts){0}, "a,,c", 4), "-1.0");
  static const char schema[] =
      "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"p\",\"type\":[\"null\",\"double\"]}]}";
  CHECK_STR(read_as("avro", "p", spec, avro_bare(schema), "\0", 1), "-1.0");
  CHECK_STR(read_as("avro", "q", spec, avro_bare(schema), "\0", 1), "-1.0");
  CHECK_STR(read_as("raw", "@headers.h", spec, (struct rl_decoder_opts){0}, "x", 1), "-1.0");
}

TEST(a_default_of_a_list_is_its_elements_or_the_empty_list) {
  CHECK_STR(read_json("p[*].m", default_of(RL_F64, real(0)), "{\"p\":[{\"m\":1},{},{\"m\":null}]}"),
            "[1.0 0.0 0.0]");
  CHECK_STR(read_json("p[*].m", default_of(RL_F64, real(0)), "{}"), "missing");
  CHECK_STR(read_json("p[*].m", default_of(RL_F64, empty_list()), "{}"), "[]");
  CHECK_STR(read_json("p[*].m", default_of(RL_F64, empty_list()), "{\"p\":null}"), "[]");
  CHECK_STR(read_json("p[*].m", default_of(RL_I64, empty_list()), "{\"p\":[{},{\"m\":1}]}"), "[missing 1]");
  CHECK_STR(read_json("p[*].m", default_of(RL_AUTO, integer(0)), "{\"p\":[{},{\"m\":1}]}"), "[0 1]");
}

TEST(a_default_of_an_array_is_each_of_its_elements) {
  struct rl_field_spec spec = shape_of(RL_I64, 2, 0);
  spec.has_default = true, spec.fallback = integer(-1);
  CHECK_STR(read_json("p", spec, "{\"p\":[null,7]}"), "i64 2 (-1 7)");
  CHECK_STR(read_json("p", spec, "{\"p\":null}"), "i64 2 (-1 -1)");
  CHECK_STR(read_json("p", spec, "{}"), "i64 2 (-1 -1)");
}

TEST(a_tombstone_has_no_defaults) {
  struct codec c;
  struct rl_field_spec spec = default_of(RL_I64, integer(-1));
  CHECK(open_spec(&c, "json", "p", &spec, (struct rl_decoder_opts){0}));
  struct rl_msg msg = {.topic = "t"};
  CHECK_INT(rl_decoder_row(c.decoder, &msg, c.columns, &c.err), 0);
  CHECK_STR(codec_cells(&c), "missing");
  codec_close(&c);
}

TEST(a_default_is_of_the_declared_type) {
  CHECK_STR(refusal("p", default_of(RL_I64, real(1))),
            "the default of field 'x' (p): expected i64, found the number 1.0");
  CHECK_STR(refusal("p", default_of(RL_F64, text("a"))),
            "the default of field 'x' (p): expected f64, found the text \"a\"");
  CHECK_HAS(refusal("p", default_of(RL_F32, real(1e300))), "too large for single precision");
  CHECK_HAS(refusal("p", default_of(RL_BOOLEAN, integer(1))), "expected bool, found the integer 1");
  CHECK_HAS(refusal("p", default_of(RL_F64, empty_list())),
            "an empty list is a default of paths with [*] only");
  struct rl_field_spec spec = shape_of(RL_F32, 2, 0);
  spec.has_default = true, spec.fallback = empty_list();
  CHECK_HAS(refusal("p", spec), "an empty list is a default");
  spec = default_of(RL_I64, integer(1)), spec.required = true;
  CHECK_STR(refusal("p", spec), "field 'x' (p): a default and required: with a default it is never missing");
}

TEST(copies_of_fields_own_their_texts) {
  struct rl_fields fields = RL_FIELDS_INIT, copy;
  char word[] = "none";
  struct rl_field_spec spec = default_of(RL_STR, text(word));
  CHECK_INT(rl_fields_add_spec(&fields, "x", "p[*].q", &spec, NULL), 0);
  memset(word, '!', 4);
  rl_fields_copy(&copy, &fields);
  rl_fields_free(&fields);
  CHECK_INT(copy.at[0].fallback.len, 4);
  CHECK(memcmp(copy.at[0].fallback.s, "none", 4) == 0);
  CHECK_INT(copy.at[0].n_lists, 1);
  CHECK(copy.at[0].steps[1].each);
  rl_fields_free(&copy);
}
