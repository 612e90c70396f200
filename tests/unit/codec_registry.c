/* Schemas from a registry: asked for beside the reader, and kept. */
#include "base/clock.h"
#include "codec_avro_support.h"
#include "registry_asker.h"

/* ---- answers ---- */

TEST(d_20_an_id_is_asked_for_once_and_for_ever) {
  struct asker a;
  asker_start(&a, 0.05);
  registry_schema(&a.bed, "/schemas/ids/900", "{\"type\":\"long\",\"doc\":\"\\u00e9 \\\\ \\\"\"}", "");
  CHECK_INT(ask_once(&a, 900), RL_ETRANSIENT); /* it never blocks */
  CHECK_HAS(a.err.text, "schema 900");
  CHECK_INT(ask(&a, 900, 1), 0);
  CHECK_INT(a.text->kind, RL_SCHEMA_AVRO);
  CHECK_INT(a.text->n, 1);
  CHECK_STR(text_at(&a, 0), "{\"type\":\"long\",\"doc\":\"\\u00e9 \\\\ \\\"\"}");
  const struct rl_schema_text *first = a.text;
  for (int i = 0; i < 100; i++) {
    CHECK_INT(ask_once(&a, 900), 0);
    CHECK(a.text == first);
  }
  CHECK_INT(registry_asked(&a.bed, "/schemas/ids/900"), 1);
  registry_stop(&a.bed);
  CHECK_INT(ask_once(&a, 900), 0);
  asker_close(&a);
}

TEST(s4_2_an_unknown_id_is_asked_for_once_not_once_a_message) {
  struct asker a;
  asker_start(&a, 600);
  registry_put(&a.bed, "/schemas/ids/7", "404 Not Found", REGISTRY_NOT_FOUND);
  CHECK_INT(ask(&a, 7, 1), RL_EHANDLER);
  for (int i = 0; i < 100; i++) CHECK_INT(ask_once(&a, 7), RL_EHANDLER);
  CHECK_HAS(a.err.text, "schema 7: the registry has none: GET http://127.0.0.1:");
  CHECK_HAS(a.err.text, "Schema not found");
  CHECK_INT(registry_asked(&a.bed, "/schemas/ids/7"), 1);
  asker_stop(&a);
}

TEST(an_unknown_id_is_asked_for_again_after_its_backoff) {
  struct asker a;
  asker_start(&a, 0.02);
  CHECK_INT(ask(&a, 7, 1), RL_EHANDLER);
  registry_schema(&a.bed, "/schemas/ids/7", "\"int\"", "");
  int code;
  int64_t until = rl_now() + 20 * RL_NS_PER_S;
  while ((code = ask_once(&a, 7)) == RL_EHANDLER && rl_now() < until) usleep(1000);
  CHECK_INT(code, RL_ETRANSIENT); /* it waits for the new answer */
  CHECK_INT(ask(&a, 7, 1), 0);
  CHECK_STR(text_at(&a, 0), "\"int\"");
  asker_stop(&a);
}

/* A stream of made-up ids: what is remembered of them is bounded, and what is known stays known. Which of
 * them are forgotten is the jitter's choice. */
TEST(made_up_ids_push_each_other_out) {
  enum { KEPT = 4096, ASKED = KEPT + 100 };
  struct asker a;
  int remembered = 0;
  asker_start(&a, 600);
  registry_schema(&a.bed, "/schemas/ids/1", "\"int\"", "");
  CHECK_INT(ask(&a, 1, 1), 0);
  for (uint32_t id = 2; id < 2 + ASKED; id++) CHECK_INT(ask(&a, id, 1), RL_EHANDLER);
  CHECK_INT(atomic_load(&a.bed.http.asked), 1 + ASKED);
  for (uint32_t id = 2; id < 2 + ASKED; id++) remembered += ask_once(&a, id) == RL_EHANDLER;
  CHECK(remembered <= KEPT && remembered > KEPT / 2);
  CHECK_INT(ask(&a, 1, 0), 0);
  asker_stop(&a);
}

TEST(other_types_of_schemas) {
  struct asker a;
  asker_start(&a, 0.05);
  registry_schema(&a.bed, "/schemas/ids/1", "{}",
                  ",\"schemaType\":\"JSON\",\"references\":[{\"name\":\"x\"}]");
  registry_schema(&a.bed, "/schemas/ids/2", "syntax", ",\"schemaType\":\"PROTOBUF\"");
  registry_schema(&a.bed, "/schemas/ids/3", "\"int\"", ",\"schemaType\":\"AVRO\",\"references\":null");
  registry_schema(&a.bed, "/schemas/ids/4", "?", ",\"schemaType\":\"THRIFT\"");
  CHECK_INT(ask(&a, 1, 1), 0);
  CHECK_INT(a.text->kind, RL_SCHEMA_JSON);
  CHECK_INT(ask(&a, 2, 1), 0);
  CHECK_INT(a.text->kind, RL_SCHEMA_PROTOBUF);
  CHECK_INT(ask(&a, 3, 1), 0);
  CHECK_INT(a.text->kind, RL_SCHEMA_AVRO);
  CHECK_INT(ask(&a, 4, 1), RL_EHANDLER);
  CHECK_HAS(a.err.text, "schema 4: it is of type 'THRIFT'");
  asker_stop(&a);
}

/* ---- the start, and the end ---- */

TEST(s7_1_the_check_at_the_start) {
  struct asker a;
  asker_start(&a, 600);
  CHECK_INT(rl_registry_check(a.r, &a.err), 0);
  a.bed.door = "Authorization";
  CHECK_INT(rl_registry_check(a.r, &a.err), RL_EBROKER);
  CHECK_HAS(a.err.text, "refuses the log-in");
  a.bed.door = NULL;
  registry_put(&a.bed, "/schemas/types", "503 Service Unavailable", "");
  CHECK_INT(rl_registry_check(a.r, &a.err), RL_ETRANSIENT);
  registry_put(&a.bed, "/schemas/types", "404 Not Found", ""); /* told, not refused */
  CHECK_INT(rl_registry_check(a.r, &a.err), 0);
  registry_stop(&a.bed);
  CHECK_INT(rl_registry_check(a.r, &a.err), RL_ETRANSIENT);
  asker_close(&a);
}

static bool never(struct http_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  (void)fd, (void)asked, (void)out;
  http_wait_over(bed);
  return false;
}

/* The answer would take ten seconds to be given up. */
TEST(the_end_waits_for_no_answer) {
  struct http_bed bed;
  struct asker a;
  http_bed_start(&bed, 0, never, NULL);
  const char *url = bed.url;
  asker_open(&a, &url, 1, 600);
  CHECK_INT(ask_once(&a, 1), RL_ETRANSIENT);
  while (atomic_load(&bed.asked) == 0) usleep(1000);
  int64_t before = rl_now();
  asker_close(&a);
  CHECK(rl_now() - before < 5 * RL_NS_PER_S);
  http_bed_stop(&bed);
}

TEST(the_last_owner_ends_it) {
  struct asker a;
  asker_start(&a, 0.05);
  registry_schema(&a.bed, "/schemas/ids/1", "\"int\"", "");
  struct rl_registry *second = rl_registry_ref(a.r);
  rl_registry_unref(second);
  CHECK_INT(ask(&a, 1, 1), 0);
  asker_close(&a);
  CHECK(!rl_registry_ref(NULL));
  rl_registry_unref(NULL);
  registry_stop(&a.bed);
}

TEST(urls_and_options_that_will_not_do) {
  static const char *const bad[] = {"localhost:8081"};
  struct rl_registry *r = NULL;
  struct rl_err err = {0};
  CHECK_INT(rl_registry_new(&r, &(struct rl_registry_opts){.urls = bad, .n_urls = 1}, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "localhost:8081");
  CHECK_INT(rl_registry_new(&r, &(struct rl_registry_opts){.urls = bad}, &err), RL_EUSAGE);
}

/* ---- through the decoder ---- */

TEST(s6_3_a_decoder_is_told_to_come_again_and_does) {
  struct asker a;
  struct codec c;
  static const struct rl_msg_ops ops = {codec_no_header, NULL};
  asker_start(&a, 0.05);
  put_ref_schema(&a.bed, "/schemas/ids/1",
                 "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"f\",\"type\":\"x.F\"}]}", "f",
                 NULL);
  registry_schema(&a.bed, "/subjects/f/versions/1", "{\"type\":\"fixed\",\"name\":\"x.F\",\"size\":2}", "");
  struct rl_decoder_opts opts = {.avro.registry = rl_registry_source(a.r)};
  CHECK(avro_open_as(&c, "f", opts));
  struct rl_msg msg = {.topic = "t", .value = rl_bytes("\0\0\0\0\1ab", 7), .ops = &ops};
  CHECK_INT(rl_decoder_row(c.decoder, &msg, c.columns, &c.err), RL_ETRANSIENT);
  CHECK_INT(c.columns->rows, 0);
  await_news(&a);
  CHECK_INT(rl_decoder_row(c.decoder, &msg, c.columns, &c.err), 0);
  CHECK_STR(codec_cells(&c), "blob \"ab\"");
  codec_close(&c);
  asker_stop(&a);
}
