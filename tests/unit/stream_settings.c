/* Values, their layers, and the text of every error. */
#include "stream/settings.h"

#include "base/buf.h"
#include "base/log.h"
#include "unit.h"

static int set(struct rl_settings *s, const char *name, const char *value, enum rl_layer layer,
               const char *origin, struct rl_err *err) {
  const struct rl_setting *what = rl_setting_find(name);
  if (!what) {
    UNIT_FAIL("there is no setting %s", name);
    return RL_EFAIL;
  }
  return rl_settings_set(s, what, value, layer, origin, err);
}

static void cli(struct rl_settings *s, const char *name, const char *value) {
  struct rl_err err = {0};
  if (set(s, name, value, RL_LAYER_CLI, "--test", &err)) UNIT_FAIL("%s = %s: %s", name, value, err.text);
}

/* ---- values ---- */

TEST(values_are_read_by_type) {
  struct rl_settings s;
  rl_settings_init(&s);
  cli(&s, "batch.size", "1000");
  cli(&s, "batch.bytes", "2MiB");
  cli(&s, "batch.timeout", "250ms");
  cli(&s, "bisect", "no");
  cli(&s, "delivery", "at-most-once");
  cli(&s, "input_format", "lines");
  cli(&s, "group", "g");
  cli(&s, "fields", "id=objectId,mag=candidate.magpsf");
  CHECK_INT(s.batch_size, 1000);
  CHECK_INT(s.batch_bytes, 2 << 20);
  CHECK(s.batch_timeout == 0.25);
  CHECK(!s.bisect);
  CHECK_INT(s.delivery, RL_AT_MOST_ONCE);
  CHECK_STR(s.input_format, "lines");
  CHECK_STR(s.group, "g");
  CHECK_INT(s.fields.n, 2);
  CHECK(rl_settings_is_set(&s, "batch.size") && !rl_settings_is_set(&s, "lanes"));
  cli(&s, "group", "");
  CHECK(!s.group);
  CHECK(rl_settings_is_set(&s, "group"));
  rl_settings_free(&s);
}

TEST(lists_append_and_commas_separate) {
  struct rl_settings s;
  rl_settings_init(&s);
  cli(&s, "topics", "a, b,,c ");
  cli(&s, "topics", "^alerts{1,2}([,x])-\\(y,^z");
  CHECK_INT(s.topics.n, 5);
  static const char *const want[] = {"a", "b", "c", "^alerts{1,2}([,x])-\\(y", "^z"};
  for (size_t i = 0; i < 5 && i < s.topics.n; i++) CHECK_STR(s.topics.at[i], want[i]);
  rl_settings_free(&s);
}

static void check_refused(const char *name, const char *value, const char *expected) {
  struct rl_settings s;
  struct rl_err err = {0};
  rl_settings_init(&s);
  CHECK_INT(set(&s, name, value, RL_LAYER_SCRIPT, "bright.lua", &err), RL_EUSAGE);
  CHECK_HAS(err.text, "bright.lua");
  CHECK_HAS(err.text, name);
  if (*value) CHECK_HAS(err.text, value);
  CHECK_HAS(err.text, expected);
  CHECK(!rl_settings_is_set(&s, name));
  rl_settings_free(&s);
}

TEST(d_loud_and_early_wrong_values_name_origin_value_and_what_is_expected) {
  check_refused("batch.size", "many", "a whole number from 1 to 10000000");
  check_refused("batch.size", "0", "a whole number from 1");
  check_refused("batch.size", "-5", "a whole number from 1");
  check_refused("batch.size", "1.5", "a whole number");
  check_refused("batch.size", "", "a whole number");
  check_refused("batch.bytes", "0", "a size in bytes such as 65536 or 16MiB, 1 or more");
  check_refused("batch.bytes", "5 apples", "a size");
  check_refused("batch.timeout", "soon", "a time in seconds");
  check_refused("batch.timeout", "-1", "a time in seconds");
  check_refused("batch.timeout", "nan", "a time in seconds");
  check_refused("commit", "perhaps", "true or false");
  check_refused("delivery", "at_least_onec", "at_least_once, at_most_once or exactly_once");
  check_refused("delivery", "at_least_onec", "did you mean \"at_least_once\"?");
  check_refused("decode", "jsn", "json, avro, csv, tsv or raw; did you mean \"json\"?");
  check_refused("decode", "arvo", "did you mean \"avro\"?");
  check_refused("framing", "conflunet", "did you mean \"confluent\"?");
  check_refused("csv.header", "perhaps", "true or false");
  check_refused("limits.inflated", "0", "1 or more");
  check_refused("input_format", "csv", "ndjson, lines or whole");
  check_refused("lanes", "0", "from 1 to 256");
  check_refused("in_flight", "0", "from 1");
  check_refused("retries", "-1", "from 0");
  check_refused("limits.memory", "1kB", "1048576 or more");
  check_refused("limits.depth", "0", "from 1");
  check_refused("connect", "0", "from 0.001");
  check_refused("count", "-1", "0 or more");
}

TEST(an_option_or_variable_is_named_once) {
  struct rl_settings s;
  struct rl_err err = {0};
  rl_settings_init(&s);
  set(&s, "batch.size", "x", RL_LAYER_CLI, "--batch-size", &err);
  CHECK(strncmp(err.text, "--batch-size: \"x\"", 17) == 0);
  set(&s, "batch.size", "x", RL_LAYER_ENV, "RILLE_BATCH_SIZE", &err);
  CHECK(strncmp(err.text, "RILLE_BATCH_SIZE: \"x\"", 21) == 0);
  set(&s, "count", "x", RL_LAYER_CLI, "-c", &err);
  CHECK(strncmp(err.text, "-c: count: \"x\"", 14) == 0);
  rl_settings_free(&s);
}

TEST(nobody_need_read_the_error) {
  struct rl_settings s;
  rl_settings_init(&s);
  for (size_t i = 0; i < rl_settings_count; i++) {
    const struct rl_setting *what = &rl_settings_table[i];
    if (what->type == RL_SET_STRING || what->type == RL_SET_LIST || what->type == RL_SET_FIELDS) continue;
    CHECK(rl_settings_set(&s, what, "\x01", RL_LAYER_CLI, "test", NULL) != 0);
  }
  rl_settings_free(&s);
}

/* ---- layers ---- */

TEST(the_command_line_wins_then_the_environment_then_the_script) {
  static const enum rl_layer orders[][3] = {{1, 2, 3}, {3, 2, 1}, {2, 3, 1}, {1, 3, 2}, {3, 1, 2}, {2, 1, 3}};
  static const char *const values[] = {"", "11", "22", "33"};
  static const char *const topics[] = {"", "script", "env", "cli"};
  for (size_t i = 0; i < 6; i++) {
    struct rl_settings s;
    rl_settings_init(&s);
    for (size_t j = 0; j < 3; j++) {
      enum rl_layer layer = orders[i][j];
      set(&s, "batch.size", values[layer], layer, "x", NULL);
      set(&s, "topics", topics[layer], layer, "x", NULL);
      set(&s, "topics", "more", layer, "x", NULL);
      set(&s, "fields", topics[layer], layer, "x", NULL);
      set(&s, "group", topics[layer], layer, "x", NULL);
    }
    CHECK_INT(s.batch_size, 33);
    CHECK_INT(s.topics.n, 2);
    CHECK_STR(s.topics.at[0], "cli");
    CHECK_INT(s.fields.n, 1);
    CHECK_STR(s.fields.at[0].name, "cli");
    CHECK_STR(s.group, "cli");
    CHECK_INT(rl_settings_layer(&s, "group"), RL_LAYER_CLI);
    rl_settings_free(&s);
  }
}

TEST(a_weaker_layer_is_checked_all_the_same) {
  struct rl_settings s;
  struct rl_err err = {0};
  rl_settings_init(&s);
  cli(&s, "batch.size", "5");
  CHECK_INT(set(&s, "batch.size", "x", RL_LAYER_SCRIPT, "a.lua", &err), RL_EUSAGE);
  CHECK_INT(set(&s, "batch.size", "7", RL_LAYER_SCRIPT, "a.lua", &err), 0);
  CHECK_INT(s.batch_size, 5);
  cli(&s, "batch.size", "6"); /* within a layer the last one counts */
  CHECK_INT(s.batch_size, 6);
  rl_settings_free(&s);
}

TEST(an_empty_text_takes_away_what_a_weaker_layer_says) {
  struct rl_settings s;
  rl_settings_init(&s);
  cli(&s, "group", "");
  set(&s, "group", "bright", RL_LAYER_SCRIPT, "a.lua", NULL);
  CHECK(!s.group);
  rl_settings_free(&s);
}

TEST(values_without_a_text_take_part_in_the_layers) {
  struct rl_settings s;
  rl_settings_init(&s);
  CHECK(rl_settings_claim(&s, "fields", RL_LAYER_SCRIPT));
  rl_fields_add(&s.fields, "a", "a", RL_AUTO, false, NULL);
  CHECK(rl_settings_claim(&s, "fields", RL_LAYER_SCRIPT)); /* the same layer goes on */
  CHECK_INT(s.fields.n, 1);
  cli(&s, "fields", "b");
  CHECK_INT(s.fields.n, 1);
  CHECK_STR(s.fields.at[0].name, "b");
  CHECK(!rl_settings_claim(&s, "fields", RL_LAYER_SCRIPT));
  CHECK(!rl_settings_claim(&s, "no such", RL_LAYER_CLI));
  rl_settings_free(&s);
}

static const char *kafka(const struct rl_settings *s, const char *key) {
  const char *value = rl_kconf_get(&s->kafka, key);
  return value ? value : "(none)";
}

static char *write_file(const char *text) {
  static char path[] = "/tmp/rille-settings-XXXXXX";
  memcpy(path + strlen(path) - 6, "XXXXXX", 6);
  int fd = mkstemp(path);
  FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
  if (!f) {
    UNIT_FAIL("cannot write %s", path);
    return path;
  }
  fputs(text, f);
  fclose(f);
  return path;
}

TEST(hyrax_8_options_given_win_over_a_properties_file_in_any_order) {
  struct rl_settings s;
  char *path = write_file("client.id=from-file\nfetch.min.bytes=7\nsession.timeout.ms=9000\n");
  rl_settings_init(&s);
  cli(&s, "kafka", "client.id=from-cli");
  set(&s, "kafka", "client.id=from-script", RL_LAYER_SCRIPT, "a.lua", NULL);
  set(&s, "kafka", "fetch.min.bytes=8", RL_LAYER_SCRIPT, "a.lua", NULL);
  cli(&s, "kafka_file", path);
  set(&s, "kafka", "client.id=from-env", RL_LAYER_ENV, "RILLE_KAFKA", NULL);
  CHECK_STR(kafka(&s, "client.id"), "from-cli");
  CHECK_STR(kafka(&s, "fetch.min.bytes"), "8");
  CHECK_STR(kafka(&s, "session.timeout.ms"), "9000");
  cli(&s, "kafka", "client.id=again");
  CHECK_STR(kafka(&s, "client.id"), "again");
  rl_settings_free(&s);
  remove(path);
}

TEST(a_properties_file_that_is_not_there_is_an_error) {
  struct rl_settings s;
  struct rl_err err = {0};
  rl_settings_init(&s);
  CHECK(set(&s, "kafka_file", "/nonexistent/kafka.properties", RL_LAYER_CLI, "-F", &err) != 0);
  CHECK_HAS(err.text, "/nonexistent/kafka.properties");
  CHECK(set(&s, "kafka", "no such property=1", RL_LAYER_CLI, "-X", &err) != 0);
  CHECK(!rl_settings_is_set(&s, "kafka"));
  rl_settings_free(&s);
}

TEST(a_copy_is_its_own) {
  struct rl_settings a, b;
  rl_settings_init(&a);
  cli(&a, "topics", "t,u");
  cli(&a, "group", "g");
  cli(&a, "fields", "x");
  cli(&a, "kafka", "client.id=me");
  rl_settings_copy(&b, &a);
  rl_settings_free(&a);
  CHECK_INT(b.topics.n, 2);
  CHECK_STR(b.topics.at[1], "u");
  CHECK_STR(b.group, "g");
  CHECK_INT(b.fields.n, 1);
  CHECK_STR(kafka(&b, "client.id"), "me");
  CHECK(rl_settings_is_set(&b, "group"));
  set(&b, "group", "weaker", RL_LAYER_SCRIPT, "a.lua", NULL);
  CHECK_STR(b.group, "g");
  cli(&b, "kafka", "client.id=you");
  CHECK_STR(kafka(&b, "client.id"), "you");
  rl_settings_free(&b);
}

/* ---- environment ---- */

static struct rl_buf heard;
static void hear(enum rl_level level, const char *line, void *arg) {
  (void)level, (void)arg;
  rl_buf_puts(&heard, line);
}

static int from_env(struct rl_settings *s, char *const *variables, struct rl_err *err) {
  rl_buf_clear(&heard);
  rl_log_to(hear, NULL);
  int rc = rl_settings_env(s, variables, err);
  rl_log_to(NULL, NULL);
  return rc;
}

TEST(the_environment_sets_and_warns) {
  char *const variables[] = {"HOME=/",
                             "RILLE_BATCH_SIZE=77",
                             "RILLE_TOPICS=a,b",
                             "RILLE_GROUP=",
                             "RILLE_KAFKA=client.id=x\nfetch.min.bytes=9",
                             "RILLE_BACH_SIZE=secret-value",
                             "RILLERY=1",
                             "RILLE_COMMIT=false",
                             NULL};
  struct rl_settings s;
  struct rl_err err = {0};
  rl_settings_init(&s);
  CHECK_INT(from_env(&s, variables, &err), 0);
  CHECK_INT(s.batch_size, 77);
  CHECK_INT(s.topics.n, 2);
  CHECK(!s.commit);
  CHECK(!rl_settings_is_set(&s, "group"));
  CHECK_STR(kafka(&s, "client.id"), "x");
  CHECK_STR(kafka(&s, "fetch.min.bytes"), "9");
  CHECK_HAS(heard.data, "RILLE_BACH_SIZE");
  CHECK_HAS(heard.data, "RILLE_BATCH_SIZE");
  CHECK(heard.data && !strstr(heard.data, "secret-value") && !strstr(heard.data, "RILLERY"));
  rl_buf_free(&heard);
  rl_settings_free(&s);
}

/* A misspelt one would leave a log-in out. */
TEST(the_environments_words_for_models_are_known_whole) {
  char *const variables[] = {"RILLE_ONNXRUNTIME=/x",
                             "RILLE_MODEL_USER=u",
                             "RILLE_MODEL_PASSWORD=p",
                             "RILLE_MODEL_PASSWORD_FILE=/p",
                             "RILLE_MODEL_TOKEN=t",
                             "RILLE_MODEL_TOKEN_FILE=/t",
                             NULL};
  char *const misspelt[] = {"RILLE_MODEL_TOKENFILE=/secret-place", NULL};
  struct rl_settings s;
  struct rl_err err = {0};
  rl_settings_init(&s);
  CHECK_INT(from_env(&s, variables, &err), 0);
  CHECK_STR(rl_buf_text(&heard), "");
  CHECK_INT(from_env(&s, misspelt, &err), 0);
  CHECK_HAS(rl_buf_text(&heard),
            "RILLE_MODEL_TOKENFILE, which is no setting; did you mean RILLE_MODEL_TOKEN_FILE?");
  CHECK(!strstr(rl_buf_text(&heard), "secret-place"));
  rl_buf_free(&heard);
  rl_settings_free(&s);
}

TEST(a_wrong_variable_is_an_error) {
  char *const variables[] = {"RILLE_LANES=none", NULL};
  struct rl_settings s;
  struct rl_err err = {0};
  rl_settings_init(&s);
  CHECK_INT(from_env(&s, variables, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "RILLE_LANES: \"none\"");
  rl_buf_free(&heard);
  rl_settings_free(&s);
}
