/* What follows from the settings, and what does not go together. */
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "stream/settings.h"
#include "unit.h"

/* Settings as "name=value" pairs; '@' before a pair: of the script, else of the command line. */
struct want {
  struct rl_settings s;
  struct rl_err err;
  int rc;
};

static struct rl_buf heard;
static void hear(enum rl_level level, const char *line, void *arg) {
  (void)level, (void)arg;
  rl_buf_puts(&heard, line);
}

static void put(struct rl_settings *s, const char *pair) {
  enum rl_layer layer = *pair == '@' ? RL_LAYER_SCRIPT : RL_LAYER_CLI;
  pair += *pair == '@';
  char name[RL_SETTING_NAME_MAX] = {0};
  const char *equals = strchr(pair, '=');
  memcpy(name, pair, (size_t)(equals - pair));
  const struct rl_setting *what = rl_setting_find(name);
  struct rl_err err = {0};
  if (!what || rl_settings_set(s, what, equals + 1, layer, "test", &err)) UNIT_FAIL("%s: %s", pair, err.text);
}

static struct want finish_pairs(const char *const *pairs, bool decode_lua) {
  struct want w = {.rc = 0};
  rl_settings_init(&w.s);
  for (; *pairs; pairs++) put(&w.s, *pairs);
  w.s.decode_lua = decode_lua;
  rl_buf_clear(&heard);
  rl_log_to(hear, NULL);
  w.rc = rl_settings_finish(&w.s, &w.err);
  rl_log_to(NULL, NULL);
  if (w.rc) CHECK_INT(w.err.code, w.rc);
  return w;
}
#define FINISH(...) finish_pairs((const char *const[]){__VA_ARGS__, NULL}, false)

static void good(struct want w) {
  if (w.rc) UNIT_FAIL("%s", w.err.text);
  rl_settings_free(&w.s);
}

static void refused(struct want w, const char *part) {
  CHECK_INT(w.rc, RL_EUSAGE);
  CHECK_HAS(w.err.text, part);
  rl_settings_free(&w.s);
}

/* ---- topics ---- */

TEST(hyrax_1_no_topic_is_an_error_that_says_topics) {
  refused(FINISH("group=g"), "topics");
  refused(FINISH("topics=,"), "topics");
}

TEST(hyrax_1_a_string_is_one_topic_and_a_list_a_list) {
  struct want w = FINISH("@topics=alerts");
  CHECK_INT(w.s.topics.n, 1);
  CHECK_STR(w.s.topics.at[0], "alerts");
  good(w);
  w = FINISH("topics=a", "topics=b");
  CHECK_INT(w.s.topics.n, 2);
  good(w);
}

TEST(topics_are_names_or_regular_expressions_each_once) {
  good(FINISH("topics=a.b_c-D9", "topics=^alerts.*"));
  refused(FINISH("topics=a b"), "\"a b\" is no topic name");
  refused(FINISH("topics=a/b"), "no topic name");
  refused(FINISH("topics=."), "no topic name");
  refused(FINISH("topics=^alerts("), "no regular expression");
  refused(FINISH("topics=a,b,a"), "\"a\" twice");
}

/* ---- input ---- */

TEST(hyrax_1_a_uri_overrides_broker_and_topics) {
  struct want w = FINISH("input=kafka://far:9093/alerts", "brokers=near:9092", "@topics=x,y");
  CHECK_STR(w.s.brokers, "far:9093");
  CHECK_INT(w.s.topics.n, 1);
  CHECK_STR(w.s.topics.at[0], "alerts");
  CHECK(!w.s.input);
  good(w);
}

TEST(hyrax_1_a_uri_without_a_topic_keeps_the_configured_ones) {
  struct want w = FINISH("input=kafka://a:1,b:2", "topics=x,y");
  CHECK_STR(w.s.brokers, "a:1,b:2");
  CHECK_INT(w.s.topics.n, 2);
  good(w);
  good(FINISH("input=kafka://a:1/", "topics=x"));
  good(FINISH("input=kafka://[::1]:9092/t"));
  refused(FINISH("input=kafka://a:1/"), "topics");
}

TEST(a_uri_of_the_script_yields_to_the_command_line) {
  struct want w = FINISH("@input=kafka://far:9093/alerts", "brokers=near:9092");
  CHECK_STR(w.s.brokers, "near:9092");
  CHECK_STR(w.s.topics.at[0], "alerts");
  good(w);
}

TEST(a_malformed_uri_is_an_error_and_never_localhost) {
  static const char *const bad[] = {
      "kafka://",          "kafka:///t",        "kafka://:9092/t",  "kafka://h:x/t", "kafka://h:0/t",
      "kafka://h:/t",      "kafka://h:99999/t", "kafka://h:1/a/b",  "kafka:h:1/t",   "kafka:/h:1/t",
      "kafka://h:1/t?x=1", "kafka://h 1/t",     "kafka://a:1,:2/t", "KAFKA:/h/t"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char pair[64];
    snprintf(pair, sizeof pair, "input=%s", bad[i]);
    struct want w = FINISH(pair, "topics=t");
    if (!w.rc) UNIT_FAIL("%s is taken", bad[i]);
    CHECK(!w.s.brokers);
    refused(w, "expected kafka://HOST:PORT/TOPIC");
  }
  refused(FINISH("input=http://h:1/t", "topics=t"), "nothing to read from");
  struct want w = FINISH("input=kafka://me:hunter2@h:1/t");
  CHECK(!strstr(w.err.text, "hunter2"));
  refused(w, "no user or password");
}

TEST(a_file_needs_neither_broker_nor_topic) {
  struct want w = FINISH("input=-", "lanes=4");
  CHECK(!w.s.brokers);
  CHECK_STR(w.s.input, "-");
  CHECK_INT(w.s.lanes, 1);
  good(w);
  good(FINISH("input=/data/a.ndjson", "@topics=t", "@group=g", "@start=end", "brokers=out:9092"));
  refused(FINISH("input=a.ndjson", "start=5"), "start says where in Kafka");
  refused(FINISH("input=a.ndjson", "partitions=5"), "partitions says where in Kafka");
  refused(FINISH("@input=a.ndjson", "topics=t"),
          "topics says what to read of Kafka, and input is a file (a.ndjson)");
  refused(FINISH("@input=a.ndjson", "group=g"), "group says what to read of Kafka");
  good(FINISH("@input=a.ndjson", "@topics=t", "@group=g"));
  good(FINISH("@input=a.ndjson", "@topics=x", "input=kafka://a:1/t"));
}

TEST(what_the_command_line_names_twice_is_not_ignored) {
  refused(FINISH("input=a.ndjson", "topics=t"),
          "topics says what to read of Kafka, and input is a file (a.ndjson): leave one out");
  refused(FINISH("group=g", "input=-"), "group says what to read of Kafka, and input is a file (-)");
  good(FINISH("input=a.ndjson", "@group=g", "group="));
  good(FINISH("input=a.ndjson", "kafka=group.id=g"));
  refused(FINISH("input=kafka://a:1/t", "topics=x"), "topics (x) and input (kafka://a:1/t)");
  refused(FINISH("input=kafka://a:1/t", "topics=t,x"), "topics (x) and input (kafka://a:1/t)");
  refused(FINISH("@input=a.ndjson", "topics=x", "input=kafka://a:1/t"), "name different topics");
  good(FINISH("input=kafka://a:1/t", "topics=t", "group=g"));
}

/* ---- brokers and properties ---- */

TEST(brokers_come_from_either_name_and_default_to_localhost) {
  struct want w = FINISH("topics=t");
  CHECK_STR(w.s.brokers, "localhost:9092");
  good(w);
  w = FINISH("topics=t", "kafka=bootstrap.servers=a:1");
  CHECK_STR(w.s.brokers, "a:1");
  good(w);
  w = FINISH("topics=t", "kafka=bootstrap.servers=a:1", "brokers=b:2");
  CHECK_STR(w.s.brokers, "b:2");
  good(w);
  w = FINISH("topics=t", "kafka=bootstrap.servers=a:1", "@brokers=b:2");
  CHECK_STR(w.s.brokers, "a:1");
  good(w);
  good(FINISH("topics=t", "brokers=SSL://a:9093,[fe80::1]:9092,fe80::1,host"));
  refused(FINISH("topics=t", "brokers=a:b"), "\"a:b\" is no broker");
  refused(FINISH("topics=t", "brokers=a:1,,b:2"), "is no broker");
  refused(FINISH("topics=t", "brokers=http//a"), "is no broker");
}

TEST(a_group_may_come_from_the_properties) {
  struct want w = FINISH("topics=t", "kafka=group.id=g");
  CHECK_STR(w.s.group, "g");
  CHECK_STR(w.s.start, "beginning");
  good(w);
  w = FINISH("topics=t", "kafka=group.id=g", "group=");
  CHECK(!w.s.group);
  good(w);
}

/* ---- start and end ---- */

static void check_start(struct want w, const char *start) {
  CHECK_STR(w.s.start, start);
  good(w);
}

TEST(s1_3_where_a_run_starts) {
  check_start(FINISH("topics=t"), "end");
  check_start(FINISH("topics=t", "exit_at_end=true"), "beginning");
  check_start(FINISH("topics=t", "end=100"), "beginning");
  check_start(FINISH("topics=t", "group=g"), "beginning");
  check_start(FINISH("topics=t", "group=g", "start=latest"), "end");
  check_start(FINISH("topics=t", "start=earliest"), "beginning");
  check_start(FINISH("topics=t", "start=-100"), "-100");
  check_start(FINISH("topics=t", "start=7"), "7");
  check_start(FINISH("topics=t", "start=2026-11-30"), "2026-11-30");
  refused(FINISH("topics=t", "start=yesterday"), "\"yesterday\" is no place");
  refused(FINISH("topics=t", "start=stored"), "there is no group");
  refused(FINISH("topics=t", "group=g", "start=7"), "rille seek");
  refused(FINISH("topics=t", "group=g", "start=2026-11-30"), "rille seek");
  check_start(FINISH("topics=t", "group=g", "start=stored"), "stored");
}

TEST(s1_3_a_groups_reset_may_come_from_the_properties) {
  check_start(FINISH("topics=t", "group=g", "kafka=auto.offset.reset=latest"), "end");
  check_start(FINISH("topics=t", "group=g", "kafka=auto.offset.reset=smallest"), "beginning");
  check_start(FINISH("topics=t", "group=g", "kafka=auto.offset.reset=error"), "stored");
  check_start(FINISH("topics=t", "group=g", "kafka=auto.offset.reset=latest", "start=beginning"),
              "beginning");
  check_start(FINISH("topics=t", "group=g", "kafka=auto.offset.reset=latest", "@start=beginning"), "end");
  check_start(FINISH("topics=t", "kafka=auto.offset.reset=latest", "exit_at_end=true"), "beginning");
}

TEST(s1_2_where_a_run_ends) {
  struct want w = FINISH("topics=t", "end=end");
  CHECK(w.s.exit_at_end && !w.s.end);
  CHECK_STR(w.s.start, "beginning");
  good(w);
  good(FINISH("topics=t", "end=2026-11-30T00:00:00Z"));
  refused(FINISH("topics=t", "end=-5"), "no place to stop");
  refused(FINISH("topics=t", "end=later"), "\"later\" is no place to stop");
  refused(FINISH("topics=t", "end=5", "exit_at_end=true"), "two ends");
  good(FINISH("topics=t", "end=5", "@exit_at_end=true", "exit_at_end=false"));
  refused(FINISH("topics=t", "start=6", "end=5"), "nothing to read");
  good(FINISH("topics=t", "start=5", "end=5"));
}

/* ---- partitions ---- */

TEST(a_range_is_read_again_without_a_group_and_to_an_end) {
  good(FINISH("topics=t", "epochs=10", "exit_at_end=true"));
  good(FINISH("topics=t", "epochs=10", "end=100"));
  good(FINISH("topics=t", "epochs=1", "group=g"));
  refused(FINISH("topics=t", "epochs=2"), "epochs: the range has no end");
  refused(FINISH("topics=t", "epochs=2", "group=g", "exit_at_end=true"),
          "a group reads each message once (g)");
  refused(FINISH("input=-", "epochs=2"), "epochs: a file is read once");
}

TEST(s1_3_partitions_are_read_without_a_group) {
  good(FINISH("topics=t", "partitions=0,2-3,t:7"));
  refused(FINISH("topics=t", "partitions=x"), "\"x\" is none");
  refused(FINISH("topics=t", "partitions=3-1"), "\"3-1\" is none");
  refused(FINISH("topics=t", "partitions=u:0"), "that topics does not name");
  refused(FINISH("topics=t", "partitions=0", "@group=g"), "a group shares out all partitions");
  good(FINISH("topics=t", "partitions=0", "@group=g", "group="));
  struct want w = FINISH("partitions=a:0,a:1,b:0-3");
  CHECK_INT(w.s.topics.n, 2);
  CHECK_STR(w.s.topics.at[1], "b");
  good(w);
  refused(FINISH("partitions=0"), "topics");
  good(FINISH("topics=^al", "partitions=alerts:0"));
}

/* ---- delivery and failure ---- */

TEST(s3_3_without_a_group_nothing_can_be_at_most_once) {
  refused(FINISH("topics=t", "delivery=at_most_once"), "without a group");
  good(FINISH("topics=t", "delivery=at_most_once", "group=g"));
  refused(FINISH("topics=t", "delivery=at_most_once", "group=g", "commit=false"), "commit = true");
  refused(FINISH("topics=t", "delivery=exactly_once"), "not in this version");
  refused(FINISH("topics=t", "delivery=exactly_once", "group=g"), "not in this version");
}

TEST(s3_2_retries_beside_at_most_once_are_warned_of) {
  good(FINISH("topics=t", "group=g", "delivery=at_most_once", "retries=2"));
  CHECK_HAS(heard.data, "retries (2) do not apply");
  rl_buf_free(&heard);
}

TEST(s4_dead_letters_do_not_go_round) {
  good(FINISH("topics=t", "dead_letter=t.dead"));
  good(FINISH("topics=t", "dead_letter=file:/tmp/dead.ndjson"));
  good(FINISH("topics=t", "dead_letter=-"));
  refused(FINISH("topics=t,u", "dead_letter=u"), "it would go round");
  refused(FINISH("topics=^alerts", "dead_letter=alerts.dead"), "it would go round");
  good(FINISH("topics=^alerts$", "dead_letter=alerts.dead"));
  refused(FINISH("topics=t", "dead_letter=a b"), "\"a b\" is no topic name");
  good(FINISH("input=-", "@topics=t", "dead_letter=t"));
}

TEST(backoff_and_its_cap_agree) {
  struct want w = FINISH("topics=t", "backoff=2m");
  CHECK(w.s.backoff_max == 120);
  good(w);
  refused(FINISH("topics=t", "backoff=5", "backoff_max=1"), "backoff_max (1 s) is less than backoff (5 s)");
}

/* ---- decoding ---- */

static void check_decode(struct want w, const char *decode) {
  CHECK_STR(w.s.decode, decode);
  good(w);
}

TEST(decode_is_json_with_fields_and_raw_without) {
  check_decode(FINISH("topics=t"), "raw");
  check_decode(FINISH("topics=t", "fields=a.b"), "json");
  check_decode(FINISH("topics=t", "decode=json"), "json");
  check_decode(FINISH("topics=t", "decode=raw", "fields=@key,@timestamp"), "raw");
  refused(FINISH("topics=t", "decode=raw", "fields=@key,a.b"), "\"a.b\" is read from decoded values");
}

TEST(a_decode_function_yields_to_the_command_line) {
  const char *const alone[] = {"topics=t", NULL}, *const over[] = {"topics=t", "decode=json", NULL};
  struct want w = finish_pairs(alone, true);
  CHECK(w.s.decode_lua);
  check_decode(w, "raw");
  w = finish_pairs(over, true);
  CHECK(!w.s.decode_lua);
  check_decode(w, "json");
  rl_buf_free(&heard);
}

/* ---- formats ---- */

TEST(settings_of_one_format_are_refused_with_another) {
  refused(FINISH("topics=t", "decode=json", "logical=true"), "logical goes with decode = \"avro\"");
  refused(FINISH("topics=t", "fields=a", "schema=x.avsc"),
          "schema goes with decode = \"avro\", and decode is json");
  refused(FINISH("topics=t", "framing=bare"), "decode is raw");
  refused(FINISH("topics=t", "decode=avro", "csv.header=true"),
          "csv.header goes with decode = \"csv\" or \"tsv\"");
  good(FINISH("topics=t", "@decode=csv", "@csv.columns=a,b", "decode=raw"));
  good(FINISH("topics=t", "@decode=avro", "@schema=/nowhere.avsc", "decode=json"));
  const char *const own[] = {"topics=t", "@csv.header=true", NULL};
  refused(finish_pairs(own, true), "decode is the script's own");
}

TEST(framings_that_hold_no_schema_need_a_file) {
  good(FINISH("topics=t", "decode=avro"));
  good(FINISH("topics=t", "decode=avro", "framing=key"));
  refused(FINISH("topics=t", "decode=avro", "framing=confluent"),
          "confluent names schemas by number: set registry");
  refused(FINISH("topics=t", "decode=avro", "framing=bare"), "bare values hold no schema: set schema");
  refused(FINISH("topics=t", "decode=avro", "framing=single-object"), "set schema");
}

/* A file that holds the text; its name is the caller's to unlink. */
static void schema_file(char path[64], const char *text) {
  strcpy(path, "/tmp/rille-schema-XXXXXX");
  int fd = mkstemp(path);
  CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
}

static struct want finish_schema(const char *path) {
  char pair[80];
  snprintf(pair, sizeof pair, "schema=%s", path);
  return FINISH("topics=t", "decode=avro", "framing=confluent", pair);
}

TEST(a_schema_is_read_and_checked) {
  char path[64];
  schema_file(path, "{\"type\": \"long\"}");
  struct want w = finish_schema(path);
  CHECK_INT(w.s.schema_text.len, 16);
  struct rl_settings copy;
  rl_settings_copy(&copy, &w.s);
  good(w);
  CHECK(rl_bytes_eq(rl_buf_bytes(&copy.schema_text), rl_bytes_str("{\"type\": \"long\"}")));
  rl_settings_free(&copy);
  unlink(path);
  refused(finish_schema(path), path);
  refused(finish_schema("/"), "schema: cannot read /");
}

TEST(a_schema_that_is_none_names_its_file) {
  static const char *const texts[] = {"", "no json", "{\"type\": \"longer\"}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    char path[64], part[80];
    schema_file(path, texts[i]);
    snprintf(part, sizeof part, "schema: %s: ", path);
    refused(finish_schema(path), part);
    unlink(path);
  }
}

TEST(csv_characters_are_one_and_names_differ) {
  good(FINISH("topics=t", "decode=csv", "csv.delimiter=;", "csv.comment=#", "csv.columns=a,b", "fields=a"));
  good(FINISH("topics=t", "decode=tsv", "csv.delimiter=\\t"));
  refused(FINISH("topics=t", "decode=csv", "csv.delimiter=;;"), "csv.delimiter: \";;\" will not do");
  refused(FINISH("topics=t", "decode=csv", "csv.comment=§"), "expected one ASCII character");
  refused(FINISH("topics=t", "decode=csv", "csv.columns=a,b,a"), "csv.columns names \"a\" twice");
}

TEST(a_decoder_comes_of_the_settings) {
  struct want w = FINISH("topics=t", "decode=csv", "csv.delimiter=\\t", "csv.columns=a,b", "fields=b");
  struct rl_decoder *decoder = NULL;
  CHECK_INT(rl_settings_decoder(&w.s, &w.s.fields, &decoder, &w.err), 0);
  struct rl_columns *c = rl_columns_new(&w.s.fields);
  struct rl_msg msg = {.value = rl_bytes_str("1\t2")};
  CHECK_INT(rl_decoder_row(decoder, &msg, c, &w.err), 0);
  CHECK_INT(c->col[0][0].i, 2);
  rl_columns_free(c);
  rl_decoder_free(decoder);
  good(w);
}
