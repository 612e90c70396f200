/* What a registry answers that is no schema: what is tried again, where, and when. */
#include "registry_asker.h"

TEST(s4_1_a_registry_that_is_down_is_tried_again_while_somebody_asks) {
  struct asker a;
  asker_start(&a, 0.02);
  registry_put(&a.bed, "/schemas/ids/1", "503 Service Unavailable", "not now");
  CHECK_INT(ask(&a, 1, 3), RL_ETRANSIENT);
  CHECK_HAS(a.err.text, "503 Service Unavailable: not now");
  registry_schema(&a.bed, "/schemas/ids/1", "\"int\"", "");
  CHECK_INT(ask(&a, 1, 3), 0);
  asker_stop(&a);
}

TEST(s4_1_nobody_listens_and_then_somebody_does) {
  struct asker a;
  asker_start(&a, 0.02);
  int port = a.bed.http.port;
  registry_stop(&a.bed);
  CHECK_INT(ask(&a, 1, 2), RL_ETRANSIENT);
  CHECK_HAS(a.err.text, "schema 1: GET http://127.0.0.1:");
  registry_start(&a.bed, port);
  registry_schema(&a.bed, "/schemas/ids/1", "\"int\"", "");
  CHECK_INT(ask(&a, 1, 100), 0);
  asker_stop(&a);
}

/* Nobody is interested any more (its message was struck): then nobody is asked. */
TEST(an_id_that_nobody_comes_back_for_is_not_asked_for_again) {
  struct asker a;
  asker_start(&a, 0.02);
  registry_put(&a.bed, "/schemas/ids/1", "503 Service Unavailable", "");
  registry_schema(&a.bed, "/schemas/ids/2", "\"int\"", "");
  CHECK_INT(ask_once(&a, 1), RL_ETRANSIENT);
  await_news(&a);
  CHECK_INT(ask(&a, 2, 3), 0); /* a whole backoff later */
  CHECK_INT(registry_asked(&a.bed, "/schemas/ids/1"), 1);
  asker_stop(&a);
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
    struct asker a;
    asker_start(&a, 0.01);
    registry_put(&a.bed, "/schemas/ids/1", cases[i][0], cases[i][1]);
    CHECK_INT(ask(&a, 1, 1), RL_ETRANSIENT);
    CHECK_HAS(a.err.text, cases[i][2]);
    asker_stop(&a);
  }
}

TEST(a_404_in_any_words_counts_where_a_registry_was_seen) {
  struct asker a;
  asker_start(&a, 0.01);
  registry_put(&a.bed, "/schemas/ids/1", "404 Not Found", "<html>");
  registry_put(&a.bed, "/schemas/ids/2", "422 Unprocessable", "<html>");
  CHECK_INT(rl_registry_check(a.r, &a.err), 0);
  CHECK_INT(ask(&a, 1, 1), RL_EHANDLER);
  CHECK_INT(ask(&a, 2, 1), RL_EHANDLER);
  CHECK_HAS(a.err.text, "the registry refuses: ");
  asker_stop(&a);
}

TEST(an_answer_that_does_not_end) {
  struct asker a;
  asker_start(&a, 0.01);
  size_t len = 5 << 20;
  char *body = rl_alloc(len + 1);
  memset(body, ' ', len);
  body[len] = '\0';
  registry_put(&a.bed, "/schemas/ids/1", "200 OK", body);
  CHECK_INT(ask(&a, 1, 1), RL_ETRANSIENT);
  CHECK_HAS(a.err.text, "the answer is larger than 4194304 bytes");
  asker_stop(&a);
  rl_free(body);
}

/* The backoff may be over before a busy reader comes for the answer. */
TEST(s4_2_an_answer_is_told_to_who_asked_however_late_he_comes) {
  struct asker a;
  asker_start(&a, 0.01);
  CHECK_INT(ask_once(&a, 1), RL_ETRANSIENT);
  await_news(&a);
  usleep(100000);
  CHECK_INT(ask_once(&a, 1), RL_EHANDLER);
  asker_stop(&a);
}

TEST(a_schema_that_is_too_long_is_the_message_s) {
  struct asker a;
  asker_start(&a, 0.01);
  size_t len = (1 << 20) + 1;
  char *schema = rl_alloc(len + 1);
  memset(schema, ' ', len);
  schema[len] = '\0';
  registry_schema(&a.bed, "/schemas/ids/1", schema, "");
  CHECK_INT(ask(&a, 1, 1), RL_EHANDLER);
  CHECK_HAS(a.err.text, "1048577 bytes long");
  asker_stop(&a);
  rl_free(schema);
}

/* Two readers, each of whom waits for one id and comes again at each news. */
TEST(s4_1_an_id_that_fails_for_ever_keeps_no_other_from_its_turn) {
  struct asker a;
  asker_start(&a, 0.01);
  registry_schema(&a.bed, "/schemas/ids/9", "\"long\"", "");
  registry_put(&a.bed, "/schemas/ids/5", "500 Internal Server Error",
               "{\"error_code\":50001,\"message\":\"no\"}");
  int code = RL_ETRANSIENT;
  for (int i = 0; i < 20 && code; i++) {
    CHECK_INT(ask_once(&a, 5), RL_ETRANSIENT);
    code = ask_once(&a, 9);
    if (code) await_news(&a);
  }
  CHECK_INT(code, 0);
  asker_stop(&a);
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
