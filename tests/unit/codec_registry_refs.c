/* Schemas from a registry that refer to others. */
#include "registry_asker.h"

TEST(references_come_first_each_once) {
  struct asker a;
  asker_start(&a, 0.05);
  put_ref_schema(&a.bed, "/schemas/ids/5", "\"root\"", "left", "right");
  put_ref_schema(&a.bed, "/subjects/left/versions/1", "\"left\"", "base", NULL);
  put_ref_schema(&a.bed, "/subjects/right/versions/1", "\"right\"", "base", "left");
  put_ref_schema(&a.bed, "/subjects/base/versions/1", "\"base\"", NULL, NULL);
  CHECK_INT(ask(&a, 5, 1), 0);
  CHECK_INT(a.text->n, 4);
  CHECK_STR(text_at(&a, 0), "\"base\"");
  CHECK_STR(text_at(&a, 1), "\"left\"");
  CHECK_STR(text_at(&a, 2), "\"right\"");
  CHECK_STR(text_at(&a, 3), "\"root\"");
  CHECK_INT(registry_asked(&a.bed, "/subjects/base/versions/1"), 1);
  asker_stop(&a);
}

TEST(a_subject_s_name_is_escaped) {
  struct asker a;
  asker_start(&a, 0.05);
  put_ref_schema(&a.bed, "/schemas/ids/5", "\"root\"", "a/b c?#", NULL);
  registry_schema(&a.bed, "/subjects/a%2Fb%20c%3F%23/versions/1", "\"it\"", "");
  CHECK_INT(ask(&a, 5, 1), 0);
  CHECK_STR(text_at(&a, 0), "\"it\"");
  asker_stop(&a);
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
  struct asker a;
  asker_start(&a, 0.05);
  put_chain(&a.bed, 16);
  CHECK_INT(ask(&a, 1, 1), 0);
  CHECK_INT(a.text->n, 17);
  asker_close(&a);
  put_chain(&a.bed, 17);
  asker_at(&a, 0.05);
  CHECK_INT(ask(&a, 1, 1), RL_EHANDLER);
  CHECK_HAS(a.err.text, "schema 1: its references nest deeper than 16: s0 version 1, s1 version 1");
  asker_stop(&a);
}

TEST(references_that_go_round) {
  struct asker a;
  asker_start(&a, 0.05);
  put_ref_schema(&a.bed, "/schemas/ids/1", "\"root\"", "a", NULL);
  put_ref_schema(&a.bed, "/subjects/a/versions/1", "\"a\"", "b", NULL);
  put_ref_schema(&a.bed, "/subjects/b/versions/1", "\"b\"", "a", NULL);
  CHECK_INT(ask(&a, 1, 1), RL_EHANDLER);
  CHECK_HAS(a.err.text, "schema 1: its references go round: a version 1, b version 1, a version 1");
  asker_stop(&a);
}

TEST(references_that_lead_nowhere) {
  struct asker a;
  asker_start(&a, 0.05);
  put_ref_schema(&a.bed, "/schemas/ids/1", "\"root\"", "gone", NULL);
  put_ref_schema(&a.bed, "/schemas/ids/2", "\"root\"", "json", NULL);
  registry_schema(&a.bed, "/subjects/json/versions/1", "{}", ",\"schemaType\":\"JSON\"");
  CHECK_INT(ask(&a, 1, 1), RL_EHANDLER);
  CHECK_HAS(a.err.text, "schema 1: its reference to gone: the registry has none: ");
  CHECK_INT(ask(&a, 2, 1), RL_EHANDLER);
  CHECK_HAS(a.err.text, "lead to what is no Avro schema: json version 1");
  asker_stop(&a);
}

/* Each of 20 refers to all that follow: without remembering what is there it would be a million requests. */
TEST(references_are_not_walked_twice_and_not_without_end) {
  struct asker a;
  asker_start(&a, 0.05);
  for (int i = 0; i < 15; i++) {
    struct rl_buf more = RL_BUF_INIT;
    char path[64], name[16];
    for (int j = i + 1; j < 15; j++) {
      snprintf(name, sizeof name, "s%d", j);
      refer(&more, name, 1);
    }
    if (more.len) rl_buf_putc(&more, ']');
    snprintf(path, sizeof path, i ? "/subjects/s%d/versions/1" : "/schemas/ids/%d", i);
    registry_schema(&a.bed, path, "\"x\"", rl_buf_text(&more));
    rl_buf_free(&more);
  }
  struct rl_buf many = RL_BUF_INIT;
  for (int i = 0; i < 300; i++) refer(&many, "s1", 1);
  rl_buf_putc(&many, ']');
  registry_schema(&a.bed, "/schemas/ids/9", "\"x\"", many.data);
  rl_buf_free(&many);
  CHECK_INT(ask(&a, 0, 1), 0);
  CHECK_INT(a.text->n, 15);
  CHECK_INT(atomic_load(&a.bed.http.asked), 15);
  CHECK_INT(ask(&a, 9, 1), RL_EHANDLER);
  CHECK_HAS(a.err.text, "300 references");
  asker_stop(&a);
}
