/* Where a schema comes from: registry, key, file, single object; and a reader's schema. */
#include "codec_avro_support.h"

#define RECORD(name, fields) "{\"type\":\"record\",\"name\":\"" name "\",\"fields\":[" fields "]}"
#define FIELD(name, type) "{\"name\":\"" name "\",\"type\":" type "}"
#define GIVEN(name, type, value) "{\"name\":\"" name "\",\"type\":" type ",\"default\":" value "}"

static const char plain[] = RECORD("R", FIELD("id", "\"long\"") "," FIELD("name", "\"string\""));

static struct rl_buf value;

static void put_plain(void) {
  put_long(&value, 5);
  put_text(&value, "five");
}

static void fresh(void) {
  rl_buf_clear(&value);
  rl_buf_puts(&value, "");
}

/* ---- a registry ---- */

struct registry {
  struct rl_schema_source source;
  struct rl_bytes texts[2];
  struct rl_schema_text text;
  int code;  /* what a look-up returns */
  int asked; /* how often it was */
  uint32_t id;
};

static int get(struct rl_schema_source *source, uint32_t id, const struct rl_schema_text **out,
               struct rl_err *err) {
  struct registry *r = (struct registry *)source;
  r->asked++;
  r->id = id;
  if (r->code != 0) return rl_fail(err, r->code, "schema %u: registry says %d", id, r->code);
  *out = &r->text;
  return 0;
}

static void registry_make(struct registry *r, enum rl_schema_kind kind, const char *first,
                          const char *second) {
  *r = (struct registry){.source = {get}, .texts = {rl_bytes_str(first), rl_bytes_str(second)}};
  r->text = (struct rl_schema_text){kind, r->texts, second ? 2 : 1};
}

static void put_framing(unsigned id) {
  fresh();
  const char bytes[] = {0, (char)(id >> 24), (char)(id >> 16), (char)(id >> 8), (char)id};
  rl_buf_put(&value, bytes, 5);
}

static struct rl_decoder_opts with(struct registry *r) {
  return (struct rl_decoder_opts){.avro.registry = &r->source};
}

TEST(d_20_a_registry_is_asked_once_an_id) {
  struct registry r;
  struct codec c;
  registry_make(&r, RL_SCHEMA_AVRO, plain, NULL);
  CHECK(avro_open_as(&c, "id,name", with(&r)));
  put_framing(0x01020304);
  put_plain();
  for (int i = 0; i < 5; i++) {
    CHECK_INT(codec_row_bytes(&c, value.data, value.len), 0);
    CHECK_STR(codec_cells(&c), "5, \"five\"");
  }
  CHECK_INT(r.asked, 1);
  CHECK_INT(r.id, 0x01020304);
  codec_close(&c);
  CHECK_STR(avro_tape_as(with(&r), &value, 0), "object of 2 \"id\" 5 \"name\" \"five\"");
}

TEST(d_20_a_registry_that_is_down_is_the_weather) {
  struct registry r;
  struct codec c;
  static const struct rl_msg_ops ops = {codec_no_header, NULL};
  registry_make(&r, RL_SCHEMA_AVRO, plain, NULL);
  put_framing(7);
  put_plain();
  r.code = RL_ETRANSIENT;
  CHECK(avro_open_as(&c, "id,@topic", with(&r)));
  struct rl_msg msg = {.topic = "t", .value = rl_buf_bytes(&value), .ops = &ops};
  size_t n = 9;
  CHECK_INT(rl_decoder_rows(c.decoder, &msg, c.columns, &n, &c.err), RL_ETRANSIENT);
  CHECK_INT(n, 0);
  CHECK_INT(rl_decoder_row(c.decoder, &msg, c.columns, &c.err), RL_ETRANSIENT);
  CHECK_INT(c.columns->rows, 0);
  r.code = 0;
  CHECK_INT(rl_decoder_rows(c.decoder, &msg, c.columns, &n, &c.err), 0);
  CHECK_STR(codec_cells(&c), "5, \"t\"");
  codec_close(&c);
}

TEST(d_20_an_unknown_id_is_the_message_s_fault) {
  struct registry r;
  registry_make(&r, RL_SCHEMA_AVRO, plain, NULL);
  r.code = RL_EHANDLER;
  put_framing(9);
  put_plain();
  CHECK_STR(avro_row_as(with(&r), "id", &value), "error: schema 9: registry says -4");
}

TEST(references_are_read_first) {
  struct registry r;
  registry_make(&r, RL_SCHEMA_AVRO, "{\"type\":\"fixed\",\"name\":\"x.F\",\"size\":2}",
                RECORD("R", FIELD("f", "\"x.F\"")));
  put_framing(1);
  rl_buf_puts(&value, "ab");
  CHECK_STR(avro_row_as(with(&r), "f", &value), "blob \"ab\"");
}

TEST(a_json_schema_s_values_are_json) {
  struct registry r;
  registry_make(&r, RL_SCHEMA_JSON, "{}", NULL);
  put_framing(1);
  rl_buf_puts(&value, "{\"id\":5,\"x\":[1]}");
  CHECK_STR(avro_row_as(with(&r), "id,x", &value), "5, json [1]");
  CHECK_STR(avro_tape_as(with(&r), &value, 0), "object of 2 \"id\" 5 \"x\" array of 1 1");
  rl_buf_puts(&value, "}");
  CHECK_HAS(avro_row_as(with(&r), "id", &value), "error: not JSON");
}

TEST(what_a_registry_s_framing_is_not) {
  struct registry r;
  registry_make(&r, RL_SCHEMA_PROTOBUF, "syntax", NULL);
  put_framing(3);
  CHECK_STR(avro_row_as(with(&r), "id", &value),
            "error: schema 3 is a Protobuf one, which rille does not read");
  fresh();
  rl_buf_puts(&value, "{\"id\":5}");
  CHECK_STR(avro_row_as(with(&r), "id", &value),
            "error: Avro: magic byte 0x7B, where a schema registry's framing has 00, at byte 0 (it begins as "
            "JSON does: "
            "decode = \"json\"?)");
  fresh();
  rl_buf_put(&value, "\0\0\0", 3);
  CHECK_STR(avro_row_as(with(&r), "id", &value),
            "error: Avro: cut short: 3 bytes, where the framing alone takes 5, at byte 0");
  registry_make(&r, RL_SCHEMA_AVRO, "{\"type\":\"flaot\"}", NULL);
  put_framing(3);
  CHECK_HAS(avro_row_as(with(&r), "id", &value), "error: schema 3: Avro schema: unknown type 'flaot'");
  registry_make(&r, RL_SCHEMA_AVRO, plain, NULL);
  put_framing(3);
  CHECK_HAS(avro_row_as(with(&r), "id", &value), "cut short: an integer has no end at byte 5");
}

TEST(a_registry_s_framing_with_a_schema_file) {
  struct rl_decoder_opts opts = {.avro = {.framing = RL_AVRO_CONFLUENT, .schema = rl_bytes_str(plain)}};
  put_framing(900);
  put_plain();
  CHECK_STR(avro_row_as(opts, "id,name", &value), "5, \"five\"");
}

/* ---- the key ---- */

static const char *row_with_both(const char *key, const char *reader, enum rl_avro_framing framing,
                                 const char *list) {
  static char out[2048];
  static const struct rl_msg_ops ops = {codec_no_header, NULL};
  struct codec c;
  struct rl_decoder_opts opts = {.avro.framing = framing, .avro.schema = rl_bytes_str(reader)};
  CHECK(avro_open_as(&c, list, opts));
  struct rl_msg msg = {.topic = "t", .key = rl_bytes_str(key), .value = rl_buf_bytes(&value), .ops = &ops};
  int code = rl_decoder_row(c.decoder, &msg, c.columns, &c.err);
  snprintf(out, sizeof out, "%s%s", code ? "error: " : "", code ? c.err.text : codec_cells(&c));
  codec_close(&c);
  return out;
}

static const char *row_with_key(const char *key, enum rl_avro_framing framing, const char *list) {
  return row_with_both(key, NULL, framing, list);
}

TEST(the_key_may_be_the_schema) {
  fresh();
  put_plain();
  CHECK_STR(row_with_key(plain, RL_AVRO_AUTO, "id,name"), "5, \"five\"");
  CHECK_STR(row_with_key(plain, RL_AVRO_KEY_SCHEMA, "id,name"), "5, \"five\"");
  CHECK_STR(row_with_key(plain, RL_AVRO_AUTO, "name:i64"),
            "error: field 'name' (name): expected i64, found the text \"five\"");
  CHECK_HAS(row_with_key(NULL, RL_AVRO_KEY_SCHEMA, "id"),
            "error: Avro: no key, which should hold the schema");
  CHECK_HAS(row_with_key("{\"type\":1}", RL_AVRO_AUTO, "id"), "error: the key as a schema: Avro schema: ");
  CHECK_HAS(row_with_key("some key", RL_AVRO_AUTO, "id"),
            "error: Avro: no schema: the value is no object container");
  CHECK(!strstr(row_with_key(NULL, RL_AVRO_AUTO, "id"), "registry,"));
  rl_buf_clear(&value), rl_buf_puts(&value, " {\"id\":5}");
  CHECK_HAS(row_with_key(NULL, RL_AVRO_AUTO, "id"), " set (it begins as JSON does: decode = \"json\"?)");
  rl_buf_clear(&value), rl_buf_put(&value, "\0\0\0\0\7x", 6);
  CHECK_HAS(
      row_with_key(NULL, RL_AVRO_AUTO, "id"),
      " set (it begins with 00 and a number, as a schema registry's values do: set registry, --registry "
      "URL)");
  fresh();
  put_plain();
  CHECK_HAS(row_with_key(NULL, RL_AVRO_AUTO, "id"), "error: Avro: no schema");
  CHECK_HAS(row_with_key(plain, RL_AVRO_BARE, "id"), "a bare value, and no schema to read it with");
}

TEST(the_schema_in_the_key_and_a_reader_s) {
  static const char reader[] =
      RECORD("R", FIELD("name", "\"string\"") "," FIELD("id", "\"double\"") "," GIVEN("n", "\"int\"", "7"));
  fresh();
  put_plain();
  CHECK_STR(row_with_both(plain, reader, RL_AVRO_KEY_SCHEMA, "id,name,n"), "5.0, \"five\", 7");
  CHECK_STR(row_with_both(plain, plain, RL_AVRO_AUTO, "id,name"), "5, \"five\"");
  CHECK_HAS(row_with_both(plain, reader, RL_AVRO_AUTO, "id,name,n"),
            "(the key looks like the schema it was written with: try framing = \"key\")");
  CHECK_HAS(row_with_both("k", reader, RL_AVRO_AUTO, "id,name,n"), "error: Avro: ");
  CHECK(!strstr(row_with_both("k", reader, RL_AVRO_AUTO, "id,name,n"), "try framing"));
  rl_buf_clear(&value), rl_buf_puts(&value, "{\"id\":5}");
  CHECK_HAS(row_with_both("k", reader, RL_AVRO_AUTO, "id"), "(it begins as JSON does: decode = \"json\"?)");
}

/* ---- single objects ---- */

TEST(a_single_object_whose_fingerprint_fits) {
  fresh();
  /* what Java and Python have for this schema's canonical form */
  struct rl_decoder_opts opts = {.avro.schema = rl_bytes_str("\"int\"")};
  rl_buf_put(&value, "\xC3\x01", 2);
  uint64_t print = UINT64_C(8247732601305521295);
  for (int i = 0; i < 64; i += 8) rl_buf_putc(&value, (char)(print >> i));
  put_long(&value, 21);
  CHECK_STR(avro_tape_as(opts, &value, 0), "21");
  opts.avro.framing = RL_AVRO_SINGLE_OBJECT;
  CHECK_STR(avro_tape_as(opts, &value, 0), "21");
  value.data[3] ^= 1;
  CHECK_HAS(avro_tape_as(opts, &value, 0), "written with the schema of fingerprint 7275");
  opts.avro.schema = rl_bytes(NULL, 0);
  CHECK_HAS(avro_tape_as(opts, &value, 0), "no schema to read it with");
  value.len = 5;
  CHECK_HAS(avro_tape_as(opts, &value, 0), "no single object: it does not start with C3 01");
}

TEST(a_schema_file_that_is_none_is_a_usage_error) {
  struct codec c;
  CHECK(!avro_open_as(&c, "id", avro_bare("{\"type\":\"recrd\"}")));
  CHECK_INT(c.err.code, RL_EUSAGE);
  CHECK_HAS(c.err.text, "Avro schema: unknown type 'recrd'");
  codec_close(&c);
}

TEST(framings_have_names) {
  enum rl_avro_framing framing;
  struct rl_err err;
  CHECK_INT(rl_avro_framing_parse("key", &framing, &err), 0);
  CHECK_INT(framing, RL_AVRO_KEY_SCHEMA);
  CHECK_INT(rl_avro_framing_parse("confluend", &framing, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "framing 'confluend': no such framing (did you mean confluent?)");
}

/* ---- a reader's schema ---- */

/* A container of one value that writer wrote, read as reader has it. */
static const char *resolved(const char *writer, const char *reader, const char *list) {
  static struct rl_buf container;
  struct rl_decoder_opts opts = {.avro.schema = rl_bytes_str(reader)};
  rl_buf_clear(&container);
  put_header(&container, writer, NULL);
  put_block(&container, NULL, 1, &value);
  return list ? avro_row_as(opts, list, &container) : avro_tape_as(opts, &container, 0);
}

TEST(promotions) {
  static const char writer[] = RECORD(
      "R",
      FIELD("a", "\"int\"") "," FIELD("b", "\"int\"") "," FIELD("c", "\"long\"") "," FIELD(
          "d", "\"float\"") "," FIELD("e", "\"bytes\"") "," FIELD("f", "\"string\"") "," FIELD("g",
                                                                                               "\"long\""));
  static const char reader[] = RECORD(
      "R",
      FIELD("a", "\"long\"") "," FIELD("b", "\"double\"") "," FIELD("c", "\"float\"") "," FIELD(
          "d", "\"double\"") "," FIELD("e", "\"string\"") "," FIELD("f", "\"bytes\"") "," FIELD("g",
                                                                                                "\"long\""));
  fresh();
  put_long(&value, 1), put_long(&value, 2), put_long(&value, 16777217), put_float(&value, 0.5F);
  put_text(&value, "e"), put_text(&value, "f"), put_long(&value, 9);
  CHECK_STR(resolved(writer, reader, "a,b,c,d,e,f,g"), "1, 2.0, 16777216.0, 0.5, \"e\", blob \"f\", 9");
  CHECK_STR(resolved(writer, reader, NULL),
            "object of 7 \"a\" 1 \"b\" 2.0 \"c\" 16777216.0 \"d\" 0.5 \"e\" \"e\" \"f\" blob \"f\" \"g\" 9");
}

TEST(fields_come_and_go_and_change_their_names) {
  static const char reader[] =
      "{\"type\":\"record\",\"name\":\"R\",\"fields\":["
      "{\"name\":\"title\",\"aliases\":[\"name\"],\"type\":\"string\"},"
      "{\"name\":\"n\",\"type\":\"double\",\"default\":7},"
      "{\"name\":\"u\",\"type\":[\"null\",\"int\"],\"default\":null},"
      "{\"name\":\"b\",\"type\":\"bytes\",\"default\":\"\\u00ff\\u0001\"},"
      "{\"name\":\"l\",\"type\":{\"type\":\"array\",\"items\":\"int\"},\"default\":[1,2]},"
      "{\"name\":\"r\",\"type\":{\"type\":\"record\",\"name\":\"S\",\"fields\":[{\"name\":\"x\","
      "\"type\":\"int\",\"default\":3},{\"name\":\"y\",\"type\":\"string\"}]},\"default\":{\"y\":"
      "\"why\"}}]}";
  fresh();
  put_plain();
  CHECK_STR(
      resolved(plain, reader, "title,n,u,l,r,x=r.x,y=r.y,i=l[-1],j=l[2],id,name"),
      "\"five\", 7.0, null, tree (array of 2 1 2), tree (object of 2 \"x\" 3 \"y\" \"why\"), 3, \"why\", 2, "
      "missing, missing, missing");
  CHECK_STR(resolved(plain, reader, NULL),
            "object of 6 \"title\" \"five\" \"n\" 7.0 \"u\" null \"b\" blob \"\xef\xbf\xbd\\u0001\" \"l\" "
            "array of 2 1 2 "
            "\"r\" object of 2 \"x\" 3 \"y\" \"why\"");
}

TEST(a_field_without_default_is_an_error_that_names_it) {
  fresh();
  put_plain();
  CHECK_HAS(
      resolved(plain, RECORD("R", FIELD("new", "\"int\"")), "new"),
      "error: Avro: the schema of the value does not fit the reader's: a record without 'new', for which the "
      "reader's schema has no default");
  CHECK_HAS(resolved(plain, RECORD("R", GIVEN("new", "\"int\"", "\"x\"")), NULL),
            "the reader's schema has no fitting default");
  CHECK_HAS(resolved(plain, RECORD("R", "{\"name\":\"r\",\"type\":\"R\",\"default\":{}}"), NULL),
            "no fitting default");
}

TEST(a_record_that_does_not_fit_is_an_error_where_it_is_met) {
  static const char writer[] = RECORD("R", FIELD("r", "[\"null\"," RECORD("S", FIELD("x", "\"int\"")) "]"));
  static const char reader[] = RECORD("R", FIELD("r", "[\"null\"," RECORD("S", FIELD("y", "\"int\"")) "]"));
  fresh();
  put_long(&value, 1), put_long(&value, 7);
  CHECK_HAS(resolved(writer, reader, "r"),
            "error: Avro: a record without 'y', for which the reader's schema has no default at byte");
  fresh();
  put_long(&value, 0);
  CHECK_STR(resolved(writer, reader, "r"), "null");
}

TEST(what_does_not_fit_is_an_error_where_it_is_met) {
  fresh();
  put_plain();
  CHECK_HAS(resolved(plain, RECORD("R", FIELD("id", "\"string\"")), "id"),
            "error: Avro: long where the reader's schema has string at byte");
  CHECK_HAS(resolved(plain, "\"int\"", ""),
            "the schema of the value does not fit the reader's: record R where");
  static const char writer[] = RECORD("R", FIELD("u", "[\"null\",\"int\",\"string\"]"));
  static const char reader[] = RECORD("R", FIELD("u", "[\"double\",\"null\"]"));
  fresh();
  put_long(&value, 1), put_long(&value, 4);
  CHECK_STR(resolved(writer, reader, "u"), "4.0");
  fresh();
  put_long(&value, 0);
  CHECK_STR(resolved(writer, reader, "u"), "null");
  fresh();
  put_long(&value, 2), put_text(&value, "s");
  CHECK_HAS(resolved(writer, reader, "u"),
            "string where the reader's schema has union of double, null at byte");
  CHECK_STR(resolved(writer, reader, "x"), "missing");
  CHECK_STR(resolved(writer, RECORD("R", FIELD("u", "\"string\"")), "u"), "\"s\"");
}

TEST(symbols_are_the_reader_s) {
  static const char writer[] =
      RECORD("R", FIELD("e", "{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\",\"B\",\"C\"]}"));
  static const char reader[] = RECORD(
      "R",
      FIELD("e", "{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"X\",\"B\",\"A\"],\"default\":\"X\"}"));
  static const char strict[] =
      RECORD("R", FIELD("e", "{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"B\"]}"));
  fresh();
  put_long(&value, 0);
  CHECK_STR(resolved(writer, reader, "e"), "\"A\"");
  CHECK_HAS(resolved(writer, strict, "e"),
            "symbol 0 of enum E is not in the reader's schema, which has no default");
  fresh();
  put_long(&value, 2);
  CHECK_STR(resolved(writer, reader, "e"), "\"X\"");
}

TEST(branches_are_found_by_name_alias_and_promotion) {
  static const char writer[] =
      "[" RECORD("ns.A", FIELD("x", "\"int\"")) "," RECORD("B", FIELD("x", "\"int\"")) ",\"int\"]";
  static const char reader[] =
      "[\"double\",{\"type\":\"record\",\"name\":\"new\",\"aliases\":[\"B\"],\"fields\":["
      "{\"name\":\"x\",\"type\":\"long\"}]}," RECORD("A", FIELD("x", "\"double\"")) "]";
  fresh();
  put_long(&value, 0), put_long(&value, 5);
  CHECK_STR(resolved(writer, reader, "x"), "5.0");
  fresh();
  put_long(&value, 1), put_long(&value, 5);
  CHECK_STR(resolved(writer, reader, "x"), "5");
  fresh();
  put_long(&value, 2), put_long(&value, 5);
  CHECK_STR(resolved(writer, reader, NULL), "5.0");
}

TEST(recursive_schemas_resolve) {
  static const char writer[] = RECORD(
      "T", FIELD("v", "\"int\"") "," FIELD("gone", "\"string\"") "," FIELD("next", "[\"null\",\"T\"]"));
  static const char reader[] = RECORD(
      "T", FIELD("next", "[\"null\",\"T\"]") "," FIELD("v", "\"double\"") "," GIVEN("w", "\"int\"", "1"));
  fresh();
  for (int i = 0; i < 3; i++) put_long(&value, i), put_text(&value, "g"), put_long(&value, i < 2);
  CHECK_STR(resolved(writer, reader, "v,b=next.next.v,w=next.next.w,g=next.gone"), "0.0, 2.0, 1, missing");
  CHECK_STR(resolved(writer, reader, NULL),
            "object of 3 \"v\" 0.0 \"next\" object of 3 \"v\" 1.0 \"next\" object of 3 \"v\" 2.0 \"next\" "
            "null \"w\" 1 "
            "\"w\" 1 \"w\" 1");
}
