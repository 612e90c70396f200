/* Values: every kind taken and skipped, paths, whole values, what is damaged. */
#include "codec_avro_support.h"

static struct rl_buf value;

static struct rl_buf *fresh(void) {
  rl_buf_clear(&value);
  rl_buf_puts(&value, "");
  return &value;
}

#define RECORD(fields) "{\"type\":\"record\",\"name\":\"R\",\"fields\":[" fields "]}"
#define FIELD(name, type) "{\"name\":\"" name "\",\"type\":" type "}"

static const char every[] = RECORD(
    FIELD("null", "\"null\"") "," FIELD("bool", "\"boolean\"") "," FIELD("int", "\"int\"") "," FIELD(
        "long", "\"long\"") "," FIELD("float", "\"float\"") "," FIELD("double", "\"double\"") "," FIELD("bytes",
                                                                                                     "\"bytes\"") ","
    FIELD("string", "\"string\"") "," FIELD("fixed", "{\"type\":\"fixed\",\"name\":\"F\",\"size\":3}") "," FIELD(
        "enum", "{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\",\"B\"]}") ","
    FIELD("array", "{\"type\":\"array\",\"items\":\"int\"}") "," FIELD(
        "map", "{\"type\":\"map\",\"values\":\"string\"}") "," FIELD("union", "[\"null\",\"float\"]") ","
    FIELD("record", "{\"type\":\"record\",\"name\":\"S\",\"fields\":[" FIELD("x", "\"long\"") "]}") "," FIELD(
        "last", "\"long\""));

static void put_every(struct rl_buf *out) {
  rl_buf_putc(out, 1);
  put_long(out, -5);
  put_long(out, INT64_MIN);
  put_float(out, 1.5F);
  put_double(out, 0.1);
  put_bytes(out, "\xff\0", 2);
  put_text(out, "t\xc3\xa4xt");
  rl_buf_put(out, "abc", 3);
  put_long(out, 1);
  put_long(out, 2), put_long(out, 7), put_long(out, 8), put_long(out, 0);
  put_long(out, 1), put_text(out, "k"), put_text(out, "v"), put_long(out, 0);
  put_long(out, 1), put_float(out, 2.5F);
  put_long(out, 99);
  put_long(out, 1000000);
}

TEST(every_kind_is_taken) {
  put_every(fresh());
  CHECK_STR(
      avro_row(every, "null,bool,int,long,float,double,string,fixed,enum,union,x=record.x,last", &value),
      "null, true, -5, -9223372036854775808, 1.5, 0.1, \"täxt\", blob \"abc\", \"B\", 2.5, 99, 1000000");
  CHECK_STR(avro_row(every, "array,map,record", &value),
            "tree (array of 2 7 8), tree (object of 1 \"k\" \"v\"), tree (object of 1 \"x\" 99)");
  CHECK_STR(avro_row(every, "a=array[0],b=array[-1],c=array[2],k=map.k,l=map.l,bytes", &value),
            "7, 8, missing, \"v\", missing, blob \"\xef\xbf\xbd\\u0000\"");
}

TEST(every_kind_is_skipped) {
  put_every(fresh());
  CHECK_STR(avro_row(every, "last", &value), "1000000");
  CHECK_STR(avro_row(every, "last,map", &value), "1000000, tree (object of 1 \"k\" \"v\")");
  CHECK_STR(avro_row(every, "x=nowhere,y=int.z,z=record.y,w=array.a,v=record[0]", &value),
            "missing, missing, missing, missing, missing");
  CHECK_STR(avro_row(every, "", &value), "");
}

TEST(whole_values_are_tapes) {
  put_every(fresh());
  CHECK_STR(
      avro_tape(every, &value),
      "object of 15 \"null\" null \"bool\" true \"int\" -5 \"long\" -9223372036854775808 \"float\" 1.5 "
      "\"double\" 0.1 \"bytes\" blob \"\xef\xbf\xbd\\u0000\" \"string\" \"täxt\" \"fixed\" blob \"abc\" "
      "\"enum\" \"B\" \"array\" array of 2 7 8 \"map\" object of 1 \"k\" \"v\" \"union\" 2.5 \"record\" "
      "object "
      "of 1 \"x\" 99 \"last\" 1000000");
}

TEST(s9_2_texts_point_into_the_payload) {
  struct codec c;
  put_every(fresh());
  CHECK(avro_open_as(&c, "string,bytes,fixed", avro_bare(every)));
  CHECK_INT(codec_row_bytes(&c, value.data, value.len), 0);
  for (size_t f = 0; f < 3; f++) {
    const char *s = c.columns->col[f][0].s;
    CHECK(s > c.payload && s < c.payload + value.len);
  }
  codec_close(&c);
}

TEST(d_10_integers_of_64_bits_stay_exact) {
  put_long(fresh(), INT64_C(2510000000000000003));
  CHECK_STR(avro_row(RECORD(FIELD("id", "\"long\"")), "id", &value), "2510000000000000003");
  CHECK_HAS(avro_row(RECORD(FIELD("id", "\"long\"")), "id:f64", &value),
            "does not hold exactly: declare it i64");
}

TEST(every_beginning_of_a_value_is_refused) {
  put_every(fresh());
  for (size_t len = 0; len < value.len; len++) {
    struct rl_buf part = {value.data, len, len};
    CHECK_HAS(avro_row(every, "last", &part), "error: Avro: ");
    CHECK_HAS(avro_row(every, "last,string,record", &part), " at byte ");
    CHECK_HAS(avro_tape(every, &part), "error: Avro: ");
  }
  rl_buf_putc(&value, 0);
  CHECK_HAS(avro_row(every, "last", &value), "1 bytes follow the value: its schema is another at byte");
}

/* ---- arrays and maps ---- */

static const char list[] =
    RECORD(FIELD("a", "{\"type\":\"array\",\"items\":\"long\"}") "," FIELD("z", "\"int\""));

static void put_sized(struct rl_buf *out, int from, int to) {
  struct rl_buf block = RL_BUF_INIT;
  for (int i = from; i < to; i++) put_long(&block, i);
  put_long(out, -(to - from)), put_long(out, (int64_t)block.len);
  rl_buf_put(out, block.data, block.len);
  rl_buf_free(&block);
}

TEST(arrays_of_several_blocks) {
  fresh();
  put_sized(&value, 0, 100);
  put_long(&value, 2), put_long(&value, 100), put_long(&value, 101);
  put_sized(&value, 102, 105);
  put_long(&value, 0), put_long(&value, 5);
  CHECK_STR(avro_row(list, "z", &value), "5");
  CHECK_STR(avro_row(list, "a=a[0],b=a[99],c=a[101],d=a[-1],e=a[-105],f=a[-106],g=a[105],z", &value),
            "0, 99, 101, 104, 0, missing, missing, 5");
  CHECK_HAS(avro_row(list, "a", &value), "tree (array of 105 0 1 2");
}

TEST(an_empty_array_has_no_items) {
  put_long(fresh(), 0);
  put_long(&value, 5);
  CHECK_STR(avro_row(list, "x=a[0],y=a[-1],a,z", &value), "missing, missing, tree (array of 0), 5");
}

TEST(counts_and_lengths_are_held_against_the_bytes) {
  put_long(fresh(), INT64_C(1) << 40);
  CHECK_HAS(avro_row(list, "z", &value), "1099511627776 items, with 0 bytes left at byte 0");
  put_long(fresh(), INT64_MIN), put_long(&value, 5);
  CHECK_HAS(avro_row(list, "z", &value), "a length of 5, with 0 bytes left");
  put_long(fresh(), -1), put_long(&value, -7);
  CHECK_HAS(avro_row(list, "x=a[0]", &value), "a length of -7 at byte 1");
  put_long(fresh(), -3), put_long(&value, 2), rl_buf_put(&value, "ab", 2);
  CHECK_HAS(avro_row(list, "z", &value), "3 items, with 2 bytes left");
  put_long(fresh(), -5);
  CHECK_HAS(avro_row(RECORD(FIELD("s", "\"string\"")), "s", &value), "a length of -5 at byte 0");
  put_long(fresh(), 700);
  CHECK_HAS(avro_row(RECORD(FIELD("s", "\"string\"")), "", &value), "a length of 700, with 0 bytes left");
}

TEST(a_block_that_lies_about_its_size_is_found_when_it_is_read) {
  put_long(fresh(), -1), put_long(&value, 2), put_long(&value, 1), put_long(&value, 0), put_long(&value, 0);
  put_long(&value, 5);
  CHECK_HAS(avro_tape(list, &value), "a block of 1 bytes that says it has 2 at byte 2");
}

TEST(items_without_bytes_are_bounded_by_number) {
  static const char nulls[] = "{\"type\":\"array\",\"items\":\"null\"}";
  put_long(fresh(), 1000), put_long(&value, 0);
  CHECK_STR(avro_row(nulls, "x=[999],y=[1000]", &value), "null, missing");
  put_long(fresh(), INT64_C(1) << 50), put_long(&value, 0);
  CHECK_HAS(avro_row(nulls, "[0]:i64", &value), "error:");
  CHECK_HAS(avro_row(nulls, "x=[0]", &value), "1125899906842624 items that take no bytes at byte 0");
  CHECK_HAS(avro_row(nulls, "", &value), "items that take no bytes");
  fresh();
  for (int i = 0; i < 20; i++) put_long(&value, 100000);
  put_long(&value, 0);
  CHECK_HAS(avro_row(nulls, "x=[0]", &value), "100000 items that take no bytes");
}

TEST(maps_are_steps_by_key_and_the_last_of_a_key_counts) {
  static const char map[] = "{\"type\":\"map\",\"values\":[\"null\",{\"type\":\"map\",\"values\":\"int\"}]}";
  fresh();
  put_long(&value, 2);
  put_text(&value, "a"), put_long(&value, 1), put_long(&value, 1), put_text(&value, "x"), put_long(&value, 5),
      put_long(&value, 0);
  put_text(&value, "a key that is longer than eight"), put_long(&value, 0);
  put_long(&value, 1);
  put_text(&value, "a"), put_long(&value, 1), put_long(&value, 1), put_text(&value, "y"), put_long(&value, 6),
      put_long(&value, 0);
  put_long(&value, 0);
  CHECK_STR(avro_row(map, "x=a.x,y=a.y,n=a key that is longer than eight,b=b.x", &value),
            "missing, 6, null, missing");
  CHECK_STR(avro_row(map, "a", &value), "tree (object of 1 \"y\" 6)");
}

TEST(a_container_and_what_is_in_it_can_both_be_wanted) {
  put_every(fresh());
  CHECK_STR(
      avro_row(every, "record,x=record.x,array,a=array[1],map,k=map.k,last", &value),
      "tree (object of 1 \"x\" 99), 99, tree (array of 2 7 8), 8, tree (object of 1 \"k\" \"v\"), \"v\", "
      "1000000");
}

/* ---- unions, recursion ---- */

TEST(paths_go_through_unions) {
  static const char schema[] = RECORD(
      FIELD("c", "[\"null\",{\"type\":\"record\",\"name\":\"C\",\"fields\":[" FIELD(
                     "m", "[\"float\",\"null\"]") "]},"
                                                  "{\"type\":\"array\",\"items\":\"int\"},\"string\"]"));
  put_long(fresh(), 1), put_long(&value, 0), put_float(&value, 0.5F);
  CHECK_STR(avro_row(schema, "m=c.m,i=c[0],c", &value), "0.5, missing, tree (object of 1 \"m\" 0.5)");
  put_long(fresh(), 1), put_long(&value, 1);
  CHECK_STR(avro_row(schema, "m=c.m", &value), "null");
  put_long(fresh(), 0);
  CHECK_STR(avro_row(schema, "m=c.m,c", &value), "missing, null");
  put_long(fresh(), 2), put_long(&value, 1), put_long(&value, 4), put_long(&value, 0);
  CHECK_STR(avro_row(schema, "m=c.m,i=c[0]", &value), "missing, 4");
  put_long(fresh(), 3), put_text(&value, "s");
  CHECK_STR(avro_row(schema, "m=c.m,c", &value), "missing, \"s\"");
  put_long(fresh(), 4);
  CHECK_HAS(avro_row(schema, "m=c.m", &value), "branch 4 of a union of 4 at byte 0");
  CHECK_HAS(avro_row(schema, "", &value), "branch 4 of a union of 4 at byte 0");
  put_long(fresh(), -1);
  CHECK_HAS(avro_row(schema, "", &value), "branch -1 of a union of 4 at byte 0");
}

TEST(runs_of_optional_numbers) {
  static const char schema[] =
      RECORD(FIELD("a", "[\"null\",\"double\"]") "," FIELD("b", "[\"null\",\"double\"]") "," FIELD(
          "c", "[\"double\",\"null\"]") "," FIELD("d", "[\"null\",\"double\"]") "," FIELD("z", "\"int\""));
  fresh();
  put_long(&value, 0), put_long(&value, 1), put_double(&value, 1), put_long(&value, 0), put_double(&value, 2);
  put_long(&value, 1), put_double(&value, 3), put_long(&value, 7);
  CHECK_STR(avro_row(schema, "z", &value), "7");
  CHECK_STR(avro_row(schema, "c,z", &value), "2.0, 7");
  for (size_t len = 0; len < value.len; len++) {
    struct rl_buf part = {value.data, len, len};
    CHECK_HAS(avro_row(schema, "", &part), "error: Avro: ");
  }
  put_long(fresh(), 0), put_long(&value, 2);
  CHECK_HAS(avro_row(schema, "z", &value), "branch 2 of a union of 2 at byte 1");
  put_long(fresh(), 0), put_long(&value, -1);
  CHECK_HAS(avro_row(schema, "z", &value), "branch -1 of a union of 2 at byte 1");
}

static const char tree[] = RECORD(FIELD("v", "\"int\"") "," FIELD("next", "[\"null\",\"R\"]"));

TEST(recursive_records) {
  fresh();
  for (int i = 0; i < 10; i++) put_long(&value, i), put_long(&value, i < 9);
  CHECK_STR(avro_row(tree,
                     "v,b=next.next.next.v,c=next.next.next.next.next.next.next.next.next.v,n=next.next.next."
                     "next.next.next.next.next.next.next",
                     &value),
            "0, 3, 9, null");
  CHECK_HAS(avro_tape(tree, &value), "object of 2 \"v\" 8 \"next\" object of 2 \"v\" 9 \"next\" null");
}

TEST(d_13_depth_is_bounded) {
  fresh();
  for (int i = 0; i < 100000; i++) put_long(&value, 0), put_long(&value, 1);
  put_long(&value, 0), put_long(&value, 0);
  CHECK_HAS(avro_row(tree, "v", &value), "nested deeper than 1000 (limits.depth) at byte 2000");
  CHECK_HAS(avro_row(tree, "next", &value), "nested deeper than 1000");
  CHECK_HAS(avro_tape(tree, &value), "nested deeper than 1000");
  struct rl_decoder_opts opts = avro_bare(tree);
  opts.max_depth = 1000000;
  CHECK_HAS(avro_row_as(opts, "v", &value), "nested deeper than 2000");
  CHECK_HAS(avro_tape_as(opts, &value, 0), "nested deeper than 2000");
  CHECK_HAS(avro_row(RECORD(FIELD("r", "\"R\"")), "", &value), "nested deeper than 1000");
}

/* Every record has two ways on, and both meet again: 2^40 ways, but few types. */
TEST(schemas_that_branch_at_every_step_are_compiled_once_a_type) {
  struct rl_buf schema = RL_BUF_INIT, path = RL_BUF_INIT;
  rl_buf_puts(&schema,
              "{\"type\":\"record\",\"name\":\"top\",\"fields\":[{\"name\":\"d\",\"type\":[\"null\"");
  for (int i = 0; i < 41; i++)
    for (int k = 0; k < 2; k++) {
      rl_buf_printf(&schema,
                    ",{\"type\":\"record\",\"name\":\"R%d_%d\",\"fields\":[{\"name\":\"a\",\"type\":", i, k);
      if (i == 0)
        rl_buf_puts(&schema, "\"int\"}]}");
      else
        rl_buf_printf(&schema, "[\"R%d_0\",\"R%d_1\"]}]}", i - 1, i - 1);
    }
  rl_buf_puts(&schema, "]},{\"name\":\"r\",\"type\":[\"R40_0\",\"R40_1\"]}]}");
  rl_buf_puts(&path, "x=r");
  for (int i = 0; i < 41; i++) rl_buf_puts(&path, ".a");
  rl_buf_puts(&path, ",y=r.b");
  put_long(fresh(), 0);
  for (int i = 0; i < 41; i++) put_long(&value, i % 2);
  put_long(&value, 77);
  CHECK_STR(avro_row(schema.data, path.data, &value), "77, missing");
  rl_buf_free(&schema);
  rl_buf_free(&path);
}

/* ---- scalars ---- */

TEST(scalars_that_are_none) {
  put_long(fresh(), INT64_C(1) << 31);
  CHECK_HAS(avro_row(RECORD(FIELD("a", "\"int\"")), "a", &value), "an int of 2147483648 at byte 0");
  rl_buf_putc(fresh(), 2);
  CHECK_HAS(avro_row(RECORD(FIELD("a", "\"boolean\"")), "a", &value), "a boolean of 2 at byte 0");
  rl_buf_put(fresh(), "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10);
  CHECK_HAS(avro_row(RECORD(FIELD("a", "\"long\"")), "", &value), "an integer over 64 bits at byte 0");
  put_bytes(fresh(), "\xff", 1);
  CHECK_HAS(avro_row(RECORD(FIELD("a", "\"string\"")), "a", &value), "a string that is no UTF-8 at byte 1");
  put_long(fresh(), 2);
  CHECK_HAS(avro_row(every, "", &value), "error");
  CHECK_HAS(avro_row(RECORD(FIELD("a", "{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\",\"B\"]}")), "a",
                     &value),
            "symbol 2 of an enum of 2 at byte 0");
}

TEST(strict_looks_at_what_is_skipped) {
  static const char schema[] = RECORD(FIELD("s", "\"string\"") "," FIELD("z", "\"int\""));
  put_bytes(fresh(), "\xff", 1), put_long(&value, 4);
  struct rl_decoder_opts opts = avro_bare(schema);
  CHECK_STR(avro_row_as(opts, "z", &value), "4");
  opts.strict = true;
  CHECK_HAS(avro_row_as(opts, "z", &value), "a string that is no UTF-8");
  put_text(fresh(), "x"), put_long(&value, 4);
  CHECK_STR(avro_row_as(opts, "z", &value), "4");
}

TEST(floats_are_what_they_are) {
  put_float(fresh(), NAN), put_double(&value, -INFINITY);
  static const char schema[] = RECORD(FIELD("a", "\"float\"") "," FIELD("b", "\"double\""));
  CHECK_STR(avro_row(schema, "a,b", &value), "nan, -inf");
  CHECK_STR(avro_row(schema, "a:f32,b:f64", &value), "nan, -inf");
}

static const char *decimal(const char *bytes, size_t n, bool logical) {
  static const char schema[] =
      RECORD(FIELD("d", "{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":60,\"scale\":2}"));
  struct rl_decoder_opts opts = avro_bare(schema);
  opts.avro.logical = logical;
  put_bytes(fresh(), bytes, n);
  return avro_row_as(opts, "d", &value);
}

TEST(decimals_are_bytes_or_on_request_text) {
  CHECK_STR(decimal("\x04\xd2", 2, false), "blob \"\\u0004\xef\xbf\xbd\"");
  CHECK_STR(decimal("\x04\xd2", 2, true), "\"12.34\"");
  CHECK_STR(decimal("\xff", 1, true), "\"-0.01\"");
  CHECK_STR(decimal("\x80", 1, true), "\"-1.28\"");
  CHECK_STR(decimal("", 0, true), "\"0.00\"");
  CHECK_STR(decimal("\0\0", 2, true), "\"0.00\"");
  CHECK_STR(decimal("\x7f\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 16, true),
            "\"1701411834604692317316873037158841057.27\"");
}

TEST(a_uuid_of_sixteen_bytes_is_text_on_request) {
  static const char schema[] = RECORD(FIELD("u",
                                            "{\"type\":\"fixed\",\"name\":\"U\",\"size\":16,\"logicalType\":"
                                            "\"uuid\"}"));
  struct rl_decoder_opts opts = avro_bare(schema);
  opts.avro.logical = true;
  rl_buf_put(fresh(), "\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff", 16);
  CHECK_STR(avro_row_as(opts, "u", &value), "\"00112233-4455-6677-8899-aabbccddeeff\"");
}

TEST(a_root_with_nothing_to_select_from) {
  put_long(fresh(), 3);
  CHECK_HAS(avro_row("\"long\"", "a", &value), "expected a schema with the fields asked for, found long");
  CHECK_STR(avro_row("\"long\"", "", &value), "");
  CHECK_STR(avro_tape("\"long\"", &value), "3");
  put_long(fresh(), 1), put_long(&value, 3), put_long(&value, 0);
  CHECK_STR(avro_row("{\"type\":\"array\",\"items\":\"int\"}", "x=[0]", &value), "3");
}

TEST(required_fields_and_types_are_checked) {
  put_every(fresh());
  CHECK_STR(avro_row(every, "union:str", &value),
            "error: field 'union' (union): expected str, found the number 2.5");
  CHECK_STR(avro_row(every, "array:i64", &value),
            "error: field 'array' (array): expected i64, found an array");
  CHECK_STR(avro_row(every, "map:i64", &value), "error: field 'map' (map): expected i64, found an object");
  CHECK_STR(avro_row(every, "fixed:str,bytes:bytes", &value), "\"abc\", blob \"\xef\xbf\xbd\\u0000\"");
  CHECK_HAS(avro_row(every, "bytes:str", &value), "which are no UTF-8");
}

/* A required field: what its row is, and whether the schema has it. */
static const char *required(const char *schema, const char *path, const struct rl_buf *bytes) {
  static char out[512];
  static const struct rl_msg_ops ops = {codec_no_header, NULL};
  struct codec c = {0};
  struct rl_decoder_opts opts = avro_bare(schema);
  struct rl_msg msg = {.topic = "t", .value = rl_buf_bytes(bytes), .ops = &ops};
  opts.fields = &c.fields;
  CHECK_INT(rl_fields_add(&c.fields, "x", path, RL_AUTO, true, NULL), 0);
  CHECK_INT(rl_decoder_new(&c.decoder, "avro", &opts, NULL), 0);
  c.columns = rl_columns_new(&c.fields);
  int code = rl_decoder_row(c.decoder, &msg, c.columns, &c.err);
  bool declared = rl_decoder_declares(c.decoder, &msg, &c.fields.at[0]);
  snprintf(out, sizeof out, "%.400s, %s", code ? c.err.text : codec_cells(&c), declared ? "declared" : "not");
  codec_close(&c);
  return out;
}

TEST(a_required_field_below_what_is_null_is_missing_and_not_misspelled) {
  static const char schema[] = RECORD(FIELD(
      "c",
      "[\"null\",{\"type\":\"record\",\"name\":\"C\",\"fields\":[" FIELD(
          "s", "[\"null\",\"string\"]") "]},{\"type\":\"record\",\"name\":\"D\",\"fields\":"
                                        "[" FIELD(
                                            "t",
                                            "\"int\"") "]}]") "," FIELD("m",
                                                                        "{\"type\":\"map\","
                                                                        "\"values\":"
                                                                        "\"int\"}") "," FIELD("p",
                                                                                              "{\"type\":"
                                                                                              "\"array\","
                                                                                              "\"items\":"
                                                                                              "\"C\"}"));
  put_long(fresh(), 0), put_long(&value, 0), put_long(&value, 0);
  CHECK_STR(required(schema, "c.s", &value), "required field 'x' (c.s) is missing, declared");
  CHECK_STR(required(schema, "c.t", &value), "required field 'x' (c.t) is missing, declared");
  CHECK_STR(required(schema, "c", &value), "required field 'x' (c) is null, declared");
  CHECK_STR(required(schema, "p[0].s", &value), "required field 'x' (p[0].s) is missing, declared");
  CHECK_STR(required(schema, "p[*].s", &value), "[], declared");
  CHECK_STR(required(schema, "m.s", &value), "required field 'x' (m.s) is missing: there is 'c.s', not");
  CHECK_STR(required(schema, "c.ss", &value), "required field 'x' (c.ss) is missing: there is 'c.s', not");
  CHECK_STR(required(schema, "p.s", &value), "required field 'x' (p.s) is missing: there is 'p[*].s', not");
  put_long(fresh(), 1), put_long(&value, 0), put_long(&value, 0), put_long(&value, 0);
  CHECK_STR(required(schema, "c.s", &value), "required field 'x' (c.s) is null, declared");
}

static const char *suggestion(const char *path) {
  static char out[256];
  static const struct rl_msg_ops ops = {codec_no_header, NULL};
  static const char schema[] = RECORD(FIELD("objectId", "\"string\"") "," FIELD(
      "candidate",
      "{\"type\":\"record\",\"name\":\"C\",\"fields\":[" FIELD("magpsf", "\"float\"") "," FIELD(
          "self", "[\"null\",\"R\"]") "]}") "," FIELD("prv",
                                                      "[\"null\",{\"type\":\"array\",\"items\":"
                                                      "{\"type\":\"record\",\"name\":\"P\",\"fields\":"
                                                      "[" FIELD("a.b", "\"float\"") "]}}]"));
  struct codec c;
  struct rl_buf text = RL_BUF_INIT;
  char fields[128];
  snprintf(fields, sizeof fields, "x=%s", path);
  CHECK(avro_open_as(&c, fields, avro_bare(schema)));
  struct rl_msg msg = {.topic = "t", .value = rl_bytes_str("x"), .ops = &ops};
  rl_decoder_suggest(c.decoder, &msg, &c.fields.at[0], &text);
  snprintf(out, sizeof out, "%s", rl_buf_text(&text));
  rl_buf_free(&text);
  codec_close(&c);
  return out;
}

TEST(the_nearest_path_of_the_schema_is_suggested) {
  CHECK_STR(suggestion("magpsf"), "candidate.magpsf");
  CHECK_STR(suggestion("candidate.magpfs"), "candidate.magpsf");
  CHECK_STR(suggestion("candidat.magpsf"), "candidate.magpsf");
  CHECK_STR(suggestion("\"a.b\""), "prv[0].\"a.b\"");
  CHECK_STR(suggestion("prv[3].\"a.c\""), "prv[3].\"a.b\"");
  CHECK_STR(suggestion("prv.\"a.b\""), "prv[*].\"a.b\"");
  CHECK_STR(suggestion("candidate.self.candidate.magpfs"), "candidate.self.candidate.magpsf");
  CHECK_STR(suggestion("zzzzzzz"), "");
  CHECK_STR(suggestion("prv[3]"), "");
}
