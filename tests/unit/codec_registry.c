/* Schemas from a registry: asked for beside the reader, kept, and what becomes of those that are not there.
 */
#include "codec/registry.h"

#include <poll.h>

#include "base/clock.h"
#include "base/log.h"
#include "codec_avro_support.h"
#include "registry_bed.h"

#define PATIENCE_MS 20000

struct asker {
  struct rl_registry *r;
  struct rl_wake bell;
  const struct rl_schema_text *text;
  struct rl_err err;
};

static void asker_open(struct asker *a, const char *const *urls, size_t n, double backoff) {
  struct rl_registry_opts opts = {.urls = urls, .n_urls = n, .backoff = backoff, .backoff_max = 4 * backoff};
  opts.http.timeout = 10;
  *a = (struct asker){.r = NULL};
  rl_log_level((enum rl_level)(RL_ERROR - 1));
  if (rl_registry_new(&a->r, &opts, &a->err) || rl_wake_open(&a->bell)) UNIT_FAIL("%s", a->err.text);
  rl_registry_listen(a->r, &a->bell);
}

static void asker_at(struct asker *a, const struct registry_bed *bed, double backoff) {
  const char *url = bed->http.url;
  asker_open(a, &url, 1, backoff);
}

static void asker_close(struct asker *a) {
  rl_registry_unlisten(a->r, &a->bell);
  rl_registry_unref(a->r);
  rl_wake_close(&a->bell);
}

static int ask_once(struct asker *a, uint32_t id) {
  struct rl_schema_source *source = rl_registry_source(a->r);
  return source->get(source, id, &a->text, &a->err);
}

static void await_news(struct asker *a) {
  struct pollfd fd = {.fd = a->bell.rd, .events = POLLIN};
  if (poll(&fd, 1, PATIENCE_MS) != 1) UNIT_FAIL("no news");
  rl_wake_clear(&a->bell);
}

/* As a reader does: asked, and asked again when there is news, until there is an answer or n times. */
static int ask(struct asker *a, uint32_t id, int n) {
  int code = ask_once(a, id);
  for (int i = 0; i < n && code == RL_ETRANSIENT; i++) {
    await_news(a);
    code = ask_once(a, id);
  }
  return code;
}

static const char *text_at(const struct asker *a, size_t i) {
  static char text[2000];
  if (i >= a->text->n) return "(none)";
  snprintf(text, sizeof text, "%.*s", (int)a->text->texts[i].len, a->text->texts[i].data);
  return text;
}

/* ---- answers ---- */

TEST(d_20_an_id_is_asked_for_once_and_for_ever) {
  struct registry_bed bed;
  struct asker a;
  registry_start(&bed, 0);
  registry_schema(&bed, "/schemas/ids/900", "{\"type\":\"long\",\"doc\":\"\\u00e9 \\\\ \\\"\"}", "");
  asker_at(&a, &bed, 0.05);
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
  CHECK_INT(registry_asked(&bed, "/schemas/ids/900"), 1);
  registry_stop(&bed);
  CHECK_INT(ask_once(&a, 900), 0);
  asker_close(&a);
}

TEST(s4_2_an_unknown_id_is_asked_for_once_not_once_a_message) {
  struct registry_bed bed;
  struct asker a;
  registry_start(&bed, 0);
  registry_put(&bed, "/schemas/ids/7", "404 Not Found", REGISTRY_NOT_FOUND);
  asker_at(&a, &bed, 600);
  CHECK_INT(ask(&a, 7, 1), RL_EHANDLER);
  for (int i = 0; i < 100; i++) CHECK_INT(ask_once(&a, 7), RL_EHANDLER);
  CHECK_HAS(a.err.text, "schema 7: the registry has none: GET http://127.0.0.1:");
  CHECK_HAS(a.err.text, "Schema not found");
  CHECK_INT(registry_asked(&bed, "/schemas/ids/7"), 1);
  asker_close(&a);
  registry_stop(&bed);
}

TEST(an_unknown_id_is_asked_for_again_after_its_backoff) {
  struct registry_bed bed;
  struct asker a;
  registry_start(&bed, 0);
  asker_at(&a, &bed, 0.02);
  CHECK_INT(ask(&a, 7, 1), RL_EHANDLER);
  registry_schema(&bed, "/schemas/ids/7", "\"int\"", "");
  int code;
  int64_t until = rl_now() + 20 * RL_NS_PER_S;
  while ((code = ask_once(&a, 7)) == RL_EHANDLER && rl_now() < until) usleep(1000);
  CHECK_INT(code, RL_ETRANSIENT); /* it waits for the new answer */
  CHECK_INT(ask(&a, 7, 1), 0);
  CHECK_STR(text_at(&a, 0), "\"int\"");
  asker_close(&a);
  registry_stop(&bed);
}

/* A stream of made-up ids: what is remembered of them is bounded, and what is known stays known. Which of
 * them are forgotten is the jitter's choice. */
TEST(made_up_ids_push_each_other_out) {
  enum { KEPT = 4096, ASKED = KEPT + 100 };
  struct registry_bed bed;
  struct asker a;
  int remembered = 0;
  registry_start(&bed, 0);
  registry_schema(&bed, "/schemas/ids/1", "\"int\"", "");
  asker_at(&a, &bed, 600);
  CHECK_INT(ask(&a, 1, 1), 0);
  for (uint32_t id = 2; id < 2 + ASKED; id++) CHECK_INT(ask(&a, id, 1), RL_EHANDLER);
  CHECK_INT(atomic_load(&bed.http.asked), 1 + ASKED);
  for (uint32_t id = 2; id < 2 + ASKED; id++) remembered += ask_once(&a, id) == RL_EHANDLER;
  CHECK(remembered <= KEPT && remembered > KEPT / 2);
  CHECK_INT(ask(&a, 1, 0), 0);
  asker_close(&a);
  registry_stop(&bed);
}

TEST(other_types_of_schemas) {
  struct registry_bed bed;
  struct asker a;
  registry_start(&bed, 0);
  registry_schema(&bed, "/schemas/ids/1", "{}", ",\"schemaType\":\"JSON\",\"references\":[{\"name\":\"x\"}]");
  registry_schema(&bed, "/schemas/ids/2", "syntax", ",\"schemaType\":\"PROTOBUF\"");
  registry_schema(&bed, "/schemas/ids/3", "\"int\"", ",\"schemaType\":\"AVRO\",\"references\":null");
  registry_schema(&bed, "/schemas/ids/4", "?", ",\"schemaType\":\"THRIFT\"");
  asker_at(&a, &bed, 0.05);
  CHECK_INT(ask(&a, 1, 1), 0);
  CHECK_INT(a.text->kind, RL_SCHEMA_JSON);
  CHECK_INT(ask(&a, 2, 1), 0);
  CHECK_INT(a.text->kind, RL_SCHEMA_PROTOBUF);
  CHECK_INT(ask(&a, 3, 1), 0);
  CHECK_INT(a.text->kind, RL_SCHEMA_AVRO);
  CHECK_INT(ask(&a, 4, 1), RL_EHANDLER);
  CHECK_HAS(a.err.text, "schema 4: it is of type 'THRIFT'");
  asker_close(&a);
  registry_stop(&bed);
}

/* ---- references ---- */

static void refer(struct rl_buf *out, const char *subject, int version) {
  rl_buf_printf(out, "%s{\"name\":\"n.%s\",\"subject\":\"%s\",\"version\":%d}",
                out->len ? "," : ",\"references\":[", subject, subject, version);
}

static void put_ref_schema(struct registry_bed *bed, const char *path, const char *schema, const char *one,
                           const char *two) {
  struct rl_buf more = RL_BUF_INIT;
  if (one) refer(&more, one, 1);
  if (two) refer(&more, two, 1);
  if (one) rl_buf_putc(&more, ']');
  registry_schema(bed, path, schema, rl_buf_text(&more));
  rl_buf_free(&more);
}

TEST(references_come_first_each_once) {
  struct registry_bed bed;
  struct asker a;
  registry_start(&bed, 0);
  put_ref_schema(&bed, "/schemas/ids/5", "\"root\"", "left", "right");
  put_ref_schema(&bed, "/subjects/left/versions/1", "\"left\"", "base", NULL);
  put_ref_schema(&bed, "/subjects/right/versions/1", "\"right\"", "base", "left");
  put_ref_schema(&bed, "/subjects/base/versions/1", "\"base\"", NULL, NULL);
  asker_at(&a, &bed, 0.05);
  CHECK_INT(ask(&a, 5, 1), 0);
  CHECK_INT(a.text->n, 4);
  CHECK_STR(text_at(&a, 0), "\"base\"");
  CHECK_STR(text_at(&a, 1), "\"left\"");
  CHECK_STR(text_at(&a, 2), "\"right\"");
  CHECK_STR(text_at(&a, 3), "\"root\"");
  CHECK_INT(registry_asked(&bed, "/subjects/base/versions/1"), 1);
  asker_close(&a);
  registry_stop(&bed);
}

TEST(a_subject_s_name_is_escaped) {
  struct registry_bed bed;
  struct asker a;
  registry_start(&bed, 0);
  put_ref_schema(&bed, "/schemas/ids/5", "\"root\"", "a/b c?#", NULL);
  registry_schema(&bed, "/subjects/a%2Fb%20c%3F%23/versions/1", "\"it\"", "");
  asker_at(&a, &bed, 0.05);
  CHECK_INT(ask(&a, 5, 1), 0);
  CHECK_STR(text_at(&a, 0), "\"it\"");
  asker_close(&a);
  registry_stop(&bed);
}

/* s0 refers to s1 … to s(n-1). */
static void put_chain(struct registry_bed *bed, int n) {
  for (int i = 0; i < n; i++) {
    char path[64], next[16];
    snprintf(path, sizeof path, "/subjects/s%d/versions/1", i);
    snprintf(next, sizeof next, "s%d", i + 1);
    put_ref_schema(bed, path, "\"x\"", i + 1 < n ? next : NULL, NULL);
  }
  put_ref_schema(bed, "/schemas/ids/1", "\"root\"", "s0", NULL);
}

TEST(references_nest_16_deep) {
  struct registry_bed bed;
  struct asker a;
  registry_start(&bed, 0);
  put_chain(&bed, 16);
  asker_at(&a, &bed, 0.05);
  CHECK_INT(ask(&a, 1, 1), 0);
  CHECK_INT(a.text->n, 17);
  asker_close(&a);
  put_chain(&bed, 17);
  asker_at(&a, &bed, 0.05);
  CHECK_INT(ask(&a, 1, 1), RL_EHANDLER);
  CHECK_HAS(a.err.text, "schema 1: its references nest deeper than 16: s0 version 1, s1 version 1");
  asker_close(&a);
  registry_stop(&bed);
}

TEST(references_that_go_round) {
  struct registry_bed bed;
  struct asker a;
  registry_start(&bed, 0);
  put_ref_schema(&bed, "/schemas/ids/1", "\"root\"", "a", NULL);
  put_ref_schema(&bed, "/subjects/a/versions/1", "\"a\"", "b", NULL);
  put_ref_schema(&bed, "/subjects/b/versions/1", "\"b\"", "a", NULL);
  asker_at(&a, &bed, 0.05);
  CHECK_INT(ask(&a, 1, 1), RL_EHANDLER);
  CHECK_HAS(a.err.text, "schema 1: its references go round: a version 1, b version 1, a version 1");
  asker_close(&a);
  registry_stop(&bed);
}

TEST(references_that_lead_nowhere) {
  struct registry_bed bed;
  struct asker a;
  registry_start(&bed, 0);
  put_ref_schema(&bed, "/schemas/ids/1", "\"root\"", "gone", NULL);
  put_ref_schema(&bed, "/schemas/ids/2", "\"root\"", "json", NULL);
  registry_schema(&bed, "/subjects/json/versions/1", "{}", ",\"schemaType\":\"JSON\"");
  asker_at(&a, &bed, 0.05);
  CHECK_INT(ask(&a, 1, 1), RL_EHANDLER);
  CHECK_HAS(a.err.text, "schema 1: its reference to gone: the registry has none: ");
  CHECK_INT(ask(&a, 2, 1), RL_EHANDLER);
  CHECK_HAS(a.err.text, "lead to what is no Avro schema: json version 1");
  asker_close(&a);
  registry_stop(&bed);
}

/* Each of 20 refers to all that follow: without remembering what is there it would be a million requests. */
TEST(references_are_not_walked_twice_and_not_without_end) {
  struct registry_bed bed;
  struct asker a;
  registry_start(&bed, 0);
  for (int i = 0; i < 15; i++) {
    struct rl_buf more = RL_BUF_INIT;
    char path[64], name[16];
    for (int j = i + 1; j < 15; j++) {
      snprintf(name, sizeof name, "s%d", j);
      refer(&more, name, 1);
    }
    if (more.len) rl_buf_putc(&more, ']');
    snprintf(path, sizeof path, i ? "/subjects/s%d/versions/1" : "/schemas/ids/%d", i);
    registry_schema(&bed, path, "\"x\"", rl_buf_text(&more));
    rl_buf_free(&more);
  }
  struct rl_buf many = RL_BUF_INIT;
  for (int i = 0; i < 300; i++) refer(&many, "s1", 1);
  rl_buf_putc(&many, ']');
  registry_schema(&bed, "/schemas/ids/9", "\"x\"", many.data);
  rl_buf_free(&many);
  asker_at(&a, &bed, 0.05);
  CHECK_INT(ask(&a, 0, 1), 0);
  CHECK_INT(a.text->n, 15);
  CHECK_INT(atomic_load(&bed.http.asked), 15);
  CHECK_INT(ask(&a, 9, 1), RL_EHANDLER);
  CHECK_HAS(a.err.text, "300 references");
  asker_close(&a);
  registry_stop(&bed);
}

/* ---- the weather ---- */

TEST(s4_1_a_registry_that_is_down_is_tried_again_while_somebody_asks) {
  struct registry_bed bed;
  struct asker a;
  registry_start(&bed, 0);
  registry_put(&bed, "/schemas/ids/1", "503 Service Unavailable", "not now");
  asker_at(&a, &bed, 0.02);
  CHECK_INT(ask(&a, 1, 3), RL_ETRANSIENT);
  CHECK_HAS(a.err.text, "503 Service Unavailable: not now");
  registry_schema(&bed, "/schemas/ids/1", "\"int\"", "");
  CHECK_INT(ask(&a, 1, 3), 0);
  asker_close(&a);
  registry_stop(&bed);
}

TEST(s4_1_nobody_listens_and_then_somebody_does) {
  struct registry_bed bed;
  struct asker a;
  registry_start(&bed, 0);
  int port = bed.http.port;
  asker_at(&a, &bed, 0.02);
  registry_stop(&bed);
  CHECK_INT(ask(&a, 1, 2), RL_ETRANSIENT);
  CHECK_HAS(a.err.text, "schema 1: GET http://127.0.0.1:");
  registry_start(&bed, port);
  registry_schema(&bed, "/schemas/ids/1", "\"int\"", "");
  CHECK_INT(ask(&a, 1, 100), 0);
  asker_close(&a);
  registry_stop(&bed);
}

/* Nobody is interested any more (its message was struck): then nobody is asked. */
TEST(an_id_that_nobody_comes_back_for_is_not_asked_for_again) {
  struct registry_bed bed;
  struct asker a;
  registry_start(&bed, 0);
  registry_put(&bed, "/schemas/ids/1", "503 Service Unavailable", "");
  registry_schema(&bed, "/schemas/ids/2", "\"int\"", "");
  asker_at(&a, &bed, 0.02);
  CHECK_INT(ask_once(&a, 1), RL_ETRANSIENT);
  await_news(&a);
  CHECK_INT(ask(&a, 2, 3), 0); /* a whole backoff later */
  CHECK_INT(registry_asked(&bed, "/schemas/ids/1"), 1);
  asker_close(&a);
  registry_stop(&bed);
}

TEST(what_is_no_registry_s_answer_is_the_weather) {
  static const char *const cases[][3] = {
      {"200 OK", "<html>", "this is no schema registry's answer"},
      {"200 OK", "", "this is no schema registry's answer"},
      {"200 OK", "[1]", "it is JSON, but no object"},
      {"200 OK", "{\"schemas\":1}", "it has no text named schema"},
      {"200 OK", "{\"schema\":{}}", "it has no text named schema"},
      {"200 OK", "{\"schema\":\"x\",\"references\":3}", "no list"},
      {"200 OK", "{\"schema\":\"x\",\"references\":[3]}", "a reference without subject or version"},
      {"500 Oh", "no", "500 Oh"},
      {"502 Bad Gateway", "no", "502 Bad Gateway"},
      {"401 Unauthorized", "no", "401 Unauthorized"},
      {"403 Forbidden", "no", "403 Forbidden"},
      {"302 Found", "no", "302 Found"},
      {"404 Not Found", "<html>", "is the path of the registry's URL right?"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct registry_bed bed;
    struct asker a;
    registry_start(&bed, 0);
    registry_put(&bed, "/schemas/ids/1", cases[i][0], cases[i][1]);
    asker_at(&a, &bed, 0.01);
    CHECK_INT(ask(&a, 1, 1), RL_ETRANSIENT);
    CHECK_HAS(a.err.text, cases[i][2]);
    asker_close(&a);
    registry_stop(&bed);
  }
}

TEST(a_404_in_any_words_counts_where_a_registry_was_seen) {
  struct registry_bed bed;
  struct asker a;
  registry_start(&bed, 0);
  registry_put(&bed, "/schemas/ids/1", "404 Not Found", "<html>");
  registry_put(&bed, "/schemas/ids/2", "422 Unprocessable", "<html>");
  asker_at(&a, &bed, 0.01);
  CHECK_INT(rl_registry_check(a.r, &a.err), 0);
  CHECK_INT(ask(&a, 1, 1), RL_EHANDLER);
  CHECK_INT(ask(&a, 2, 1), RL_EHANDLER);
  CHECK_HAS(a.err.text, "the registry refuses: ");
  asker_close(&a);
  registry_stop(&bed);
}

TEST(an_answer_that_does_not_end) {
  struct registry_bed bed;
  struct asker a;
  registry_start(&bed, 0);
  size_t len = 5 << 20;
  char *body = rl_alloc(len + 1);
  memset(body, ' ', len);
  body[len] = '\0';
  registry_put(&bed, "/schemas/ids/1", "200 OK", body);
  asker_at(&a, &bed, 0.01);
  CHECK_INT(ask(&a, 1, 1), RL_ETRANSIENT);
  CHECK_HAS(a.err.text, "the answer is larger than 4194304 bytes");
  asker_close(&a);
  registry_stop(&bed);
  rl_free(body);
}

/* The backoff may be over before a busy reader comes for the answer. */
TEST(s4_2_an_answer_is_told_to_who_asked_however_late_he_comes) {
  struct registry_bed bed;
  struct asker a;
  registry_start(&bed, 0);
  asker_at(&a, &bed, 0.01);
  CHECK_INT(ask_once(&a, 1), RL_ETRANSIENT);
  await_news(&a);
  usleep(100000);
  CHECK_INT(ask_once(&a, 1), RL_EHANDLER);
  asker_close(&a);
  registry_stop(&bed);
}

TEST(a_schema_that_is_too_long_is_the_message_s) {
  struct registry_bed bed;
  struct asker a;
  registry_start(&bed, 0);
  size_t len = (1 << 20) + 1;
  char *schema = rl_alloc(len + 1);
  memset(schema, ' ', len);
  schema[len] = '\0';
  registry_schema(&bed, "/schemas/ids/1", schema, "");
  asker_at(&a, &bed, 0.01);
  CHECK_INT(ask(&a, 1, 1), RL_EHANDLER);
  CHECK_HAS(a.err.text, "1048577 bytes long");
  asker_close(&a);
  registry_stop(&bed);
  rl_free(schema);
}

/* ---- several URLs ---- */

TEST(the_next_url_is_asked_when_one_does_not_answer) {
  struct registry_bed one, two;
  struct asker a;
  registry_start(&one, 0);
  registry_start(&two, 0);
  registry_put(&one, "/schemas/ids/1", "503 Service Unavailable", "");
  registry_schema(&two, "/schemas/ids/1", "\"int\"", "");
  registry_schema(&two, "/schemas/ids/2", "\"long\"", "");
  const char *urls[] = {one.http.url, two.http.url};
  asker_open(&a, urls, 2, 600);
  CHECK_INT(ask(&a, 1, 1), 0);
  CHECK_INT(ask(&a, 2, 1), 0); /* at once where the last answer came from */
  CHECK_INT(atomic_load(&one.http.asked), 1);
  asker_close(&a);
  registry_stop(&one);
  registry_stop(&two);
}

/* ---- the start, and the end ---- */

TEST(s7_1_the_check_at_the_start) {
  struct registry_bed bed;
  struct asker a;
  registry_start(&bed, 0);
  asker_at(&a, &bed, 600);
  CHECK_INT(rl_registry_check(a.r, &a.err), 0);
  bed.door = "Authorization";
  CHECK_INT(rl_registry_check(a.r, &a.err), RL_EBROKER);
  CHECK_HAS(a.err.text, "refuses the log-in");
  bed.door = NULL;
  registry_put(&bed, "/schemas/types", "503 Service Unavailable", "");
  CHECK_INT(rl_registry_check(a.r, &a.err), RL_ETRANSIENT);
  registry_put(&bed, "/schemas/types", "404 Not Found", ""); /* told, not refused */
  CHECK_INT(rl_registry_check(a.r, &a.err), 0);
  registry_stop(&bed);
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
  struct registry_bed bed;
  struct asker a;
  registry_start(&bed, 0);
  registry_schema(&bed, "/schemas/ids/1", "\"int\"", "");
  asker_at(&a, &bed, 0.05);
  struct rl_registry *second = rl_registry_ref(a.r);
  rl_registry_unref(second);
  CHECK_INT(ask(&a, 1, 1), 0);
  asker_close(&a);
  CHECK(!rl_registry_ref(NULL));
  rl_registry_unref(NULL);
  registry_stop(&bed);
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
  struct registry_bed bed;
  struct asker a;
  struct codec c;
  static const struct rl_msg_ops ops = {codec_no_header, NULL};
  registry_start(&bed, 0);
  put_ref_schema(&bed, "/schemas/ids/1",
                 "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"f\",\"type\":\"x.F\"}]}", "f",
                 NULL);
  registry_schema(&bed, "/subjects/f/versions/1", "{\"type\":\"fixed\",\"name\":\"x.F\",\"size\":2}", "");
  asker_at(&a, &bed, 0.05);
  struct rl_decoder_opts opts = {.avro.registry = rl_registry_source(a.r)};
  CHECK(avro_open_as(&c, "f", opts));
  struct rl_msg msg = {.topic = "t", .value = rl_bytes("\0\0\0\0\1ab", 7), .ops = &ops};
  CHECK_INT(rl_decoder_row(c.decoder, &msg, c.columns, &c.err), RL_ETRANSIENT);
  CHECK_INT(c.columns->rows, 0);
  await_news(&a);
  CHECK_INT(rl_decoder_row(c.decoder, &msg, c.columns, &c.err), 0);
  CHECK_STR(codec_cells(&c), "blob \"ab\"");
  codec_close(&c);
  asker_close(&a);
  registry_stop(&bed);
}

/* Two readers, each of whom waits for one id and comes again at each news. */
TEST(s4_1_an_id_that_fails_for_ever_keeps_no_other_from_its_turn) {
  struct registry_bed bed;
  struct asker a;
  registry_start(&bed, 0);
  registry_schema(&bed, "/schemas/ids/9", "\"long\"", "");
  registry_put(&bed, "/schemas/ids/5", "500 Internal Server Error",
               "{\"error_code\":50001,\"message\":\"no\"}");
  asker_at(&a, &bed, 0.01);
  int code = RL_ETRANSIENT;
  for (int i = 0; i < 20 && code; i++) {
    CHECK_INT(ask_once(&a, 5), RL_ETRANSIENT);
    code = ask_once(&a, 9);
    if (code) await_news(&a);
  }
  CHECK_INT(code, 0);
  asker_close(&a);
  registry_stop(&bed);
}
