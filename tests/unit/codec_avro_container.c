/* Object containers: codecs, blocks, damage, several records; the cache of schemas. */
#include "codec/avro_cache.h"
#include "codec_avro_support.h"

static const char schema[] =
    "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"id\",\"type\":\"long\"},{\"name\":\"name\","
    "\"type\":"
    "\"string\"},{\"name\":\"v\",\"type\":[\"null\",\"double\"]}]}";

static struct rl_buf value, data;

static void put_record(int64_t id, const char *name) {
  put_long(&data, id);
  put_text(&data, name);
  put_long(&data, 1);
  put_double(&data, (double)id / 2);
}

static void start(const char *codec) {
  rl_buf_clear(&value);
  rl_buf_clear(&data);
  put_header(&value, schema, codec);
}

static void end_block(const char *codec, int64_t count) {
  put_block(&value, codec, count, &data);
  rl_buf_clear(&data);
}

static const struct rl_msg_ops no_headers = {codec_no_header, NULL};

/* All rows of the value, "; " between them, and what went wrong. */
static const char *rows_of(struct codec *c, const char *bytes, size_t len) {
  static char out[8192];
  struct rl_buf text = RL_BUF_INIT;
  char *payload = malloc(len ? len : 1);
  memcpy(payload, bytes, len);
  struct rl_msg msg = {.topic = "t", .offset = 77, .value = rl_bytes(payload, len), .ops = &no_headers};
  size_t n, before = c->columns->rows;
  int code = rl_decoder_rows(c->decoder, &msg, c->columns, &n, &c->err);
  CHECK_INT(c->columns->rows - before, n);
  for (size_t row = before; row < c->columns->rows; row++) {
    if (row > before) rl_buf_puts(&text, "; ");
    for (size_t f = 0; f < c->fields.n; f++) {
      if (f > 0) rl_buf_puts(&text, ", ");
      put_cell(&text, &c->columns->col[f][row]);
    }
  }
  snprintf(out, sizeof out, "%.6000s%s%s", rl_buf_text(&text), code ? " | " : "", code ? c->err.text : "");
  rl_buf_free(&text);
  free(payload);
  return out;
}

static const char *rows_with(const char *list, struct rl_decoder_opts opts) {
  static char out[8192];
  struct codec c;
  if (!avro_open_as(&c, list, opts)) UNIT_FAIL("%s", c.err.text);
  snprintf(out, sizeof out, "%s", rows_of(&c, value.data, value.len));
  codec_close(&c);
  return out;
}

static const char *rows(const char *list) { return rows_with(list, (struct rl_decoder_opts){0}); }

static const char *const codecs[] = {NULL, "null", "deflate", "zstandard", "snappy"};
enum { N_CODECS = sizeof codecs / sizeof *codecs };

TEST(a_record_in_every_codec) {
  for (size_t i = 0; i < N_CODECS; i++) {
    start(codecs[i]);
    put_record(2510000000000000003, "bright");
    end_block(codecs[i], 1);
    CHECK_STR(rows("id,name,v,x"), "2510000000000000003, \"bright\", 1.255e+18, missing");
  }
}

TEST(several_records_and_blocks_are_several_rows) {
  for (size_t i = 0; i < N_CODECS; i++) {
    start(codecs[i]);
    put_record(1, "a"), put_record(2, "b");
    end_block(codecs[i], 2);
    end_block(codecs[i], 0);
    put_record(3, "c");
    end_block(codecs[i], 1);
    CHECK_STR(rows("id,name,@offset"), "1, \"a\", 77; 2, \"b\", 77; 3, \"c\", 77");
    CHECK_STR(avro_tape_as((struct rl_decoder_opts){0}, &value, 2),
              "object of 3 \"id\" 3 \"name\" \"c\" \"v\" 1.5");
    CHECK_STR(avro_tape_as((struct rl_decoder_opts){0}, &value, 3), "error: record 4 of a message of 3");
    CHECK_HAS(rows("name:i64"), "record 1: field 'name' (name): expected i64, found the text \"a\"");
  }
}

/* A tape's texts go when the next record comes, and with them the names that were copied for it. */
TEST(records_that_are_read_one_after_the_other_have_names_of_their_own) {
  struct codec c;
  struct rl_tape tape = RL_TAPE_INIT;
  start("deflate");
  put_record(1, "a");
  put_record(2,
             "a text that is long enough to lie where the names of the first record and all that led to "
             "them were, if it were there that they were looked for again");
  put_record(3, "c");
  end_block("deflate", 3);
  struct rl_msg msg = {.topic = "t", .value = rl_buf_bytes(&value), .ops = &no_headers};
  CHECK(avro_open_as(&c, "", (struct rl_decoder_opts){0}));
  for (size_t record = 0; record < 3; record++) {
    CHECK_INT(rl_decoder_tape(c.decoder, &msg, record, &tape, &c.err), 0);
    for (size_t i = 0; i < 3; i++) {
      static const char *const names[] = {"id", "name", "v"};
      const struct rl_cell *name = &tape.at[1 + 2 * i];
      CHECK(rl_bytes_eq(rl_bytes(name->s, name->len), rl_bytes_str(names[i])));
    }
  }
  rl_decoder_tape_end(c.decoder);
  rl_tape_free(&tape);
  codec_close(&c);
}

TEST(a_container_may_be_empty) {
  start(NULL);
  CHECK_STR(rows("id"), "");
  CHECK_STR(avro_row_as((struct rl_decoder_opts){0}, "id", &value),
            "error: a message without a record, where one was expected");
}

TEST(one_row_is_asked_of_one_record) {
  start("deflate");
  put_record(1, "a");
  end_block("deflate", 1);
  CHECK_STR(avro_row_as((struct rl_decoder_opts){0}, "id,name", &value), "1, \"a\"");
  put_record(2, "b");
  end_block("deflate", 1);
  CHECK_STR(avro_row_as((struct rl_decoder_opts){0}, "id", &value),
            "error: several records in one message, where one was expected");
}

TEST(texts_of_inflated_blocks_outlive_them) {
  struct codec c;
  CHECK(avro_open_as(&c, "name", (struct rl_decoder_opts){0}));
  for (int i = 0; i < 20; i++) {
    char name[16], want[32];
    snprintf(name, sizeof name, "name %d", i);
    start("snappy");
    put_record(i, name);
    end_block("snappy", 1);
    snprintf(want, sizeof want, "\"name %d\"", i);
    CHECK_STR(rows_of(&c, value.data, value.len), want);
  }
  for (int i = 0; i < 20; i++) {
    char want[16];
    snprintf(want, sizeof want, "name %d", i);
    CHECK(rl_bytes_eq(rl_bytes(c.columns->col[0][i].s, c.columns->col[0][i].len), rl_bytes_str(want)));
  }
  codec_close(&c);
}

/* ---- damage: an error with the byte, and never a part ---- */

TEST(every_beginning_of_a_container_is_refused_or_ends_with_a_block) {
  for (size_t i = 0; i < N_CODECS; i++) {
    start(codecs[i]);
    size_t header = value.len;
    put_record(1, "a"), put_record(2, "b");
    end_block(codecs[i], 2);
    size_t whole = value.len;
    for (size_t len = 0; len < whole; len++) {
      struct codec c;
      CHECK(avro_open_as(&c, "id,@offset", (struct rl_decoder_opts){0}));
      const char *got = rows_of(&c, value.data, len);
      if (len == header)
        CHECK_STR(got, "");
      else
        CHECK(strncmp(got, "missing, 77 | Avro: ", 20) == 0 && strstr(got, "at byte "));
      codec_close(&c);
    }
  }
}

TEST(a_wrong_sync_marker) {
  start(NULL);
  put_record(1, "a");
  end_block(NULL, 1);
  size_t at = value.len - 16;
  value.data[value.len - 1] ^= 1;
  char want[160];
  snprintf(want, sizeof want,
           "missing | Avro: the block from byte %zu on does not end in the sync marker, which was "
           "expected at byte %zu",
           at - 12, at);
  CHECK_STR(rows("id"), want);
}

TEST(no_row_of_a_container_whose_second_block_is_damaged) {
  start("deflate");
  put_record(1, "a");
  end_block("deflate", 1);
  rl_buf_putc(&data, 1);
  end_block("deflate", 1);
  CHECK_HAS(rows("id,v"), "missing, missing | Avro: cut short");
  CHECK_HAS(rows("id,v"), "of the inflated block at byte");
}

TEST(bytes_left_in_a_block) {
  start("zstandard");
  put_record(1, "a"), put_record(2, "b");
  end_block("zstandard", 1);
  CHECK_HAS(rows("id,v"),
            "12 bytes are left when all values of a block are read at byte 12 of the inflated block");
}

/* But where another value follows, whose place is known by the length of the one before. */
TEST(what_follows_the_last_field_asked_for_is_read_under_strict_only) {
  const struct rl_decoder_opts strict = {.strict = true};
  for (size_t i = 0; i < N_CODECS; i++) {
    start(codecs[i]);
    put_record(1, "a");
    put_long(&data, 2), put_long(&data, -5);
    end_block(codecs[i], 2);
    put_record(3, "c");
    end_block(codecs[i], 1);
    CHECK_STR(rows("id"), "1; 2; 3");
    CHECK_STR(rows("x"), "missing; missing; missing");
    CHECK_HAS(rows("id,name"), "missing, missing | Avro: a length of -5");
    CHECK_HAS(rows_with("id", strict), "missing | Avro: a length of -5");
  }
}

TEST(bytes_left_in_a_block_are_an_error_under_strict_whatever_is_asked_for) {
  const struct rl_decoder_opts strict = {.strict = true};
  start("null");
  put_record(1, "a"), put_record(2, "b");
  end_block("null", 1);
  CHECK_STR(rows("id"), "1");
  CHECK_HAS(rows_with("id", strict), "12 bytes are left when all values of a block are read");
}

TEST(blocks_that_do_not_inflate) {
  for (size_t i = 2; i < N_CODECS; i++) {
    start(codecs[i]);
    put_long(&value, 1), put_text(&value, "no such data"), rl_buf_put(&value, avro_sync, 16);
    CHECK_HAS(rows("id"), "missing | Avro: a damaged ");
    CHECK_HAS(rows("id"), " at byte ");
    start(codecs[i]);
    put_long(&value, 1), put_text(&value, ""), rl_buf_put(&value, avro_sync, 16);
    CHECK_HAS(rows("id"), "missing | Avro: ");
  }
}

/* fastavro's writer cuts zlib's header off and leaves three bytes of its checksum. */
TEST(a_rest_of_zlib_s_checksum_after_a_deflate_block) {
  for (size_t rest = 0; rest < 6; rest++) {
    struct rl_buf packed = RL_BUF_INIT;
    start("deflate");
    put_record(1, "a");
    pack(&packed, "deflate", &data);
    rl_buf_put(&packed, "checks", rest);
    put_long(&value, 1), put_bytes(&value, packed.data, packed.len), rl_buf_put(&value, avro_sync, 16);
    CHECK_HAS(rows("id"),
              rest <= 4 ? "1" : "missing | Avro: a damaged deflate block (bytes follow its end) at byte ");
    rl_buf_free(&packed);
  }
}

TEST(snappy_s_sum_is_checked) {
  start("snappy");
  put_record(1, "a");
  end_block("snappy", 1);
  value.data[value.len - 17] ^= 1;
  CHECK_HAS(rows("id"), "a damaged snappy block (its CRC-32 is another)");
}

TEST(bombs_are_bounded) {
  for (size_t i = 2; i < N_CODECS; i++) {
    start(codecs[i]);
    put_long(&data, 1);
    put_long(&data, 10 << 20);
    char *zeros = rl_buf_reserve(&data, 10 << 20);
    memset(zeros, 0, 10 << 20);
    data.len += 10 << 20;
    put_long(&data, 0);
    end_block(codecs[i], 1);
    CHECK_HAS(rows_with("id", (struct rl_decoder_opts){.max_inflated = 1 << 20}),
              "a block of over 1048576 bytes when inflated");
    CHECK_STR(rows("id,v"), "1, null");
  }
}

TEST(the_limit_is_of_all_blocks_together) {
  start("deflate");
  for (int i = 0; i < 100; i++) {
    put_record(i, "a long name, so that a block has some bytes");
    end_block("deflate", 1);
  }
  CHECK_HAS(rows_with("id", (struct rl_decoder_opts){.max_inflated = 2000}), "bytes when inflated");
}

TEST(values_without_bytes_are_bounded_by_number) {
  rl_buf_clear(&value);
  put_header(&value, "\"null\"", NULL);
  put_long(&value, INT64_C(1) << 40), put_text(&value, ""), rl_buf_put(&value, avro_sync, 16);
  CHECK_HAS(rows(""), "1099511627776 values in a block of 0 bytes at byte");
}

TEST(headers_that_are_none) {
  rl_buf_clear(&value);
  rl_buf_puts(&value, "Obj\2");
  CHECK_HAS(rows("id"), "no schema: the value is no object container");
  CHECK_HAS(rows_with("id", (struct rl_decoder_opts){.avro.framing = RL_AVRO_CONTAINER}),
            "no object container: it does not start with Obj 01, at byte 0");
  rl_buf_clear(&value);
  CHECK_HAS(rows("id"), "no schema");
  put_header(&value, schema, "bzip2");
  CHECK_STR(rows("id"),
            "missing | Avro: the codec 'bzip2', where null, deflate, zstandard and snappy can be read at "
            "byte 17");
  rl_buf_clear(&value);
  rl_buf_put(&value, "Obj\1\0", 5);
  rl_buf_put(&value, avro_sync, 16);
  CHECK_STR(rows("id"), "missing | Avro: a container without avro.schema at byte 5");
  rl_buf_clear(&value);
  put_header(&value, "{\"type\":\"recrd\"}", NULL);
  CHECK_HAS(rows("id"), "missing | Avro schema: unknown type 'recrd'");
}

/* ---- the cache ---- */

static const struct rl_json_program nothing;

TEST(a_schema_is_parsed_once) {
  struct rl_avro_cache cache;
  struct rl_avro_entry *first, *entry;
  struct rl_avro_use use = {&nothing, NULL};
  rl_avro_cache_init(&cache, &use);
  CHECK_INT(rl_avro_cache_by_text(&cache, rl_bytes_str(schema), &first, NULL), 0);
  for (int i = 0; i < 100; i++) {
    char *copy = rl_strdup(i % 2 ? schema : "\"long\"");
    CHECK_INT(rl_avro_cache_by_text(&cache, rl_bytes_str(copy), &entry, NULL), 0);
    CHECK((entry == first) == (i % 2 == 1));
    rl_free(copy);
  }
  CHECK_INT(cache.made, 2);
  rl_avro_cache_free(&cache);
}

TEST(a_stream_of_new_schemas_is_bounded_and_the_one_in_use_stays) {
  struct rl_avro_cache cache;
  struct rl_avro_entry *entry;
  struct rl_avro_use use = {&nothing, NULL};
  rl_avro_cache_init(&cache, &use);
  for (int i = 0; i < 1000; i++) {
    char text[64];
    snprintf(text, sizeof text, "{\"type\":\"fixed\",\"name\":\"F%d\",\"size\":%d}", i, i);
    CHECK_INT(rl_avro_cache_by_text(&cache, rl_bytes_str(text), &entry, NULL), 0);
    CHECK_INT(entry->writer->root->size, i);
    CHECK_INT(rl_avro_cache_by_text(&cache, rl_bytes_str(schema), &entry, NULL), 0);
    CHECK(cache.n <= RL_AVRO_CACHED && cache.bytes <= RL_AVRO_CACHED_BYTES);
  }
  CHECK_INT(cache.made, 1001);
  rl_avro_cache_free(&cache);
}

static void ask_for(struct rl_avro_cache *cache, int number) {
  struct rl_avro_entry *entry;
  char text[64];
  snprintf(text, sizeof text, "{\"type\":\"fixed\",\"name\":\"F%d\",\"size\":%d}", number, number);
  CHECK_INT(rl_avro_cache_by_text(cache, rl_bytes_str(text), &entry, NULL), 0);
  CHECK_INT(entry->writer->root->size, number);
}

/* The number is what rille-avro(7) says, not the constant. */
TEST(sixty_four_schemas_in_turn_are_parsed_once_each) {
  struct rl_avro_cache cache;
  struct rl_avro_use use = {&nothing, NULL};
  rl_avro_cache_init(&cache, &use);
  for (int i = 0; i < 128; i++) ask_for(&cache, i % 64);
  CHECK_INT(cache.made, 64);
  rl_avro_cache_free(&cache);
}

/* All are asked for in order, then the first half again from its end: the least recently used is neither the
 * first to come nor the last, but 32. */
TEST(the_sixty_fifth_takes_the_place_of_the_least_recently_used) {
  struct rl_avro_cache cache;
  struct rl_avro_use use = {&nothing, NULL};
  rl_avro_cache_init(&cache, &use);
  for (int i = 0; i < 64; i++) ask_for(&cache, i);
  for (int i = 31; i >= 0; i--) ask_for(&cache, i);
  CHECK_INT(cache.made, 64);
  ask_for(&cache, 64);
  CHECK_INT(cache.made, 65);
  for (int i = 33; i < 64; i++) ask_for(&cache, i);
  for (int i = 31; i >= 0; i--) ask_for(&cache, i);
  CHECK_INT(cache.made, 65);
  ask_for(&cache, 32); /* the only one that went; it takes the place of 64, asked for longest ago by now */
  CHECK_INT(cache.made, 66);
  for (int i = 0; i < 64; i++) ask_for(&cache, i);
  CHECK_INT(cache.made, 66);
  ask_for(&cache, 64);
  CHECK_INT(cache.made, 67);
  rl_avro_cache_free(&cache);
}

TEST(numbers_of_a_registry_are_kept_as_texts_are) {
  struct rl_avro_cache cache;
  struct rl_avro_use use = {&nothing, NULL};
  struct rl_bytes text = rl_bytes_str("\"long\"");
  rl_avro_cache_init(&cache, &use);
  for (uint32_t id = 0; id < 64; id++) rl_avro_cache_add_id(&cache, id, &text, 1);
  CHECK(rl_avro_cache_find_id(&cache, 0));
  rl_avro_cache_add_id(&cache, 64, &text, 1);
  CHECK(rl_avro_cache_find_id(&cache, 0));
  CHECK(!rl_avro_cache_find_id(&cache, 1));
  for (uint32_t id = 2; id <= 64; id++) CHECK(rl_avro_cache_find_id(&cache, id));
  rl_avro_cache_free(&cache);
}

TEST(large_schemas_are_bounded_by_their_bytes) {
  struct rl_avro_cache cache;
  struct rl_avro_entry *entry;
  struct rl_avro_use use = {&nothing, NULL};
  struct rl_buf text = RL_BUF_INIT;
  rl_avro_cache_init(&cache, &use);
  for (int i = 0; i < 20; i++) {
    rl_buf_clear(&text);
    rl_buf_printf(&text, "{\"type\":\"int\",\"doc\":\"%d", i);
    while (text.len < 900000) rl_buf_puts(&text, "0123456789");
    rl_buf_puts(&text, "\"}");
    CHECK_INT(rl_avro_cache_by_text(&cache, rl_buf_bytes(&text), &entry, NULL), 0);
    CHECK(cache.bytes <= RL_AVRO_CACHED_BYTES);
  }
  CHECK(cache.n < 5);
  rl_buf_free(&text);
  rl_avro_cache_free(&cache);
}

TEST(a_schema_that_does_not_parse_is_remembered) {
  struct rl_avro_cache cache;
  struct rl_avro_entry *entry;
  struct rl_avro_use use = {&nothing, NULL};
  struct rl_err err;
  rl_avro_cache_init(&cache, &use);
  for (int i = 0; i < 10; i++) {
    CHECK_INT(rl_avro_cache_by_text(&cache, rl_bytes_str("{\"type\":\"x\"}"), &entry, &err), RL_EHANDLER);
    CHECK_HAS(err.text, "unknown type 'x'");
  }
  CHECK_INT(cache.made, 1);
  rl_avro_cache_free(&cache);
}

/* A schema of some length whose field is called by the letter, `pad` letters from the start or so. */
static void put_twin(struct rl_buf *out, int pad, char letter) {
  rl_buf_clear(out);
  rl_buf_printf(out, "{\"type\":\"record\",\"name\":\"R\",\"doc\":\"%0*d\",\"fields\":[{\"name\":\"%c\",",
                pad + 1, 0, letter);
  rl_buf_puts(out, "\"type\":\"long\",\"doc\":\"");
  while (out->len < 4000) rl_buf_putc(out, 'x');
  rl_buf_puts(out, "\"}]}");
}

/* Two schemas that the hash takes for one: it looks at words all over a text, not at each byte. */
static bool have_one_hash(const struct rl_buf *a, const struct rl_buf *b) {
  struct rl_avro_cache cache;
  struct rl_avro_entry *entry;
  struct rl_avro_use use = {&nothing, NULL};
  rl_avro_cache_init(&cache, &use);
  CHECK_INT(rl_avro_cache_by_text(&cache, rl_buf_bytes(a), &entry, NULL), 0);
  CHECK_INT(rl_avro_cache_by_text(&cache, rl_buf_bytes(b), &entry, NULL), 0);
  bool same = cache.n == 2 && cache.at[0]->hash == cache.at[1]->hash;
  rl_avro_cache_free(&cache);
  return same;
}

TEST(schemas_that_are_found_by_one_hash_are_compared_whole) {
  struct rl_buf a = RL_BUF_INIT, b = RL_BUF_INIT;
  struct codec c;
  int pad = 0;
  do {
    put_twin(&a, pad, 'a');
    put_twin(&b, pad, 'b');
  } while (!have_one_hash(&a, &b) && ++pad < 1000);
  CHECK(pad < 1000 && a.len == b.len);
  CHECK(avro_open_as(&c, "a,b", (struct rl_decoder_opts){0}));
  for (int i = 0; i < 6; i++) {
    rl_buf_clear(&value);
    put_header(&value, i % 2 ? b.data : a.data, NULL);
    rl_buf_clear(&data);
    put_long(&data, 5);
    end_block(NULL, 1);
    CHECK_STR(rows_of(&c, value.data, value.len), i % 2 ? "missing, 5" : "5, missing");
  }
  codec_close(&c);
  rl_buf_free(&a);
  rl_buf_free(&b);
}

TEST(schemas_that_change_in_mid_stream) {
  struct codec c;
  CHECK(avro_open_as(&c, "id,name", (struct rl_decoder_opts){0}));
  for (int i = 0; i < 10; i++) {
    if (i % 2) {
      start(NULL);
      put_record(i, "n");
      end_block(NULL, 1);
      CHECK_HAS(rows_of(&c, value.data, value.len), ", \"n\"");
    } else {
      rl_buf_clear(&value);
      rl_buf_clear(&data);
      put_header(&value,
                 "{\"type\":\"record\",\"name\":\"Q\",\"fields\":[{\"name\":\"id\",\"type\":\"string\"}]}",
                 NULL);
      put_text(&data, "text");
      end_block(NULL, 1);
      CHECK_STR(rows_of(&c, value.data, value.len), "\"text\", missing");
    }
  }
  codec_close(&c);
}
