/* The table of settings: names, letters, defaults, and the nearest name. */
#include <ctype.h>

#include "stream/settings.h"
#include "unit.h"

/* One meaning each: a name in one spelling may not be another's in another ("no-bisect" beside "bisect"). */
static void check_unique(void (*spell)(const struct rl_setting *what, char out[RL_SETTING_NAME_MAX]),
                         const char *negation) {
  char a[RL_SETTING_NAME_MAX], b[RL_SETTING_NAME_MAX];
  for (size_t i = 0; i < rl_settings_count; i++)
    for (size_t j = 0; j < rl_settings_count; j++) {
      spell(&rl_settings_table[i], a);
      spell(&rl_settings_table[j], b);
      if (i != j && strcmp(a, b) == 0) UNIT_FAIL("%s has two meanings", a);
      size_t len = strlen(negation);
      bool flag = rl_settings_table[i].type == RL_SET_BOOL;
      if (flag && strncmp(b, negation, len) == 0 && strcmp(b + len, a) == 0)
        UNIT_FAIL("%s has two meanings", b);
    }
}

TEST(no_letter_and_no_name_has_two_meanings) {
  int letters[256] = {0};
  for (size_t i = 0; i < rl_settings_count; i++) {
    unsigned char letter = (unsigned char)rl_settings_table[i].letter;
    if (letter && letters[letter]++) UNIT_FAIL("-%c has two meanings", letter);
  }
  check_unique(rl_setting_option_name, "no-");
  check_unique(rl_setting_env_name, "RILLE_NO_");
}

/* In a script `batch` is a table or a value, not both. */
TEST(no_name_is_the_table_of_another) {
  for (size_t i = 0; i < rl_settings_count; i++)
    for (size_t j = 0; j < rl_settings_count; j++) {
      const char *a = rl_settings_table[i].name, *b = rl_settings_table[j].name;
      size_t len = strlen(a);
      if (strncmp(a, b, len) == 0 && b[len] == '.') UNIT_FAIL("%s is the table of %s", a, b);
    }
}

/* kcat's letters keep their meanings. */
TEST(letters_are_kcats) {
  static const struct {
    char letter;
    const char *name;
  } want[] = {{'b', "brokers"},    {'t', "topics"}, {'p', "partitions"},  {'G', "group"}, {'X', "kafka"},
              {'F', "kafka_file"}, {'o', "start"},  {'e', "exit_at_end"}, {'c', "count"}};
  size_t letters = 0;
  for (size_t i = 0; i < rl_settings_count; i++) letters += rl_settings_table[i].letter != 0;
  CHECK_INT(letters, sizeof want / sizeof *want);
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    const struct rl_setting *what = rl_setting_find(want[i].name);
    CHECK(what && what->letter == want[i].letter);
  }
}

static void check_help(const struct rl_setting *what) {
  bool flag = what->type == RL_SET_BOOL;
  if (!what->help || strlen(what->help) < 10) UNIT_FAIL("%s has no help", what->name);
  if (what->help && what->help[strlen(what->help) - 1] == '.')
    UNIT_FAIL("%s: help ends in a full stop", what->name);
  if (!what->arg != flag) UNIT_FAIL("%s: an option takes a value or is a flag", what->name);
  if (what->type == RL_SET_ENUM && !what->choices) UNIT_FAIL("%s has no choices", what->name);
  if (flag && !what->text) UNIT_FAIL("%s: a flag has a default", what->name);
  for (const char *c = what->name; *c; c++)
    if (!islower((unsigned char)*c) && *c != '.' && *c != '_')
      UNIT_FAIL("%s: odd letter in a name", what->name);
}

TEST(every_setting_is_described_and_its_default_is_valid) {
  struct rl_settings s;
  rl_settings_init(&s);
  for (size_t i = 0; i < rl_settings_count; i++) {
    const struct rl_setting *what = &rl_settings_table[i];
    struct rl_err err = {0};
    check_help(what);
    CHECK(rl_setting_find(what->name) == what);
    if (what->text && rl_settings_set(&s, what, what->text, RL_LAYER_CLI, "default", &err))
      UNIT_FAIL("%s: %s", what->name, err.text);
  }
  rl_settings_free(&s);
}

TEST(defaults_are_what_the_contract_says) {
  struct rl_settings s;
  rl_settings_init(&s);
  CHECK_INT(s.batch_size, 512);
  CHECK_INT(s.batch_bytes, 16 << 20);
  CHECK(s.batch_timeout == 0.5);
  CHECK_INT(s.delivery, RL_AT_LEAST_ONCE);
  CHECK(s.commit && s.bisect && !s.fsync && !s.exit_at_end);
  CHECK_INT(s.in_flight, 8);
  CHECK_INT(s.in_flight_bytes, 64 << 20);
  CHECK_INT(s.retries, 0);
  CHECK_INT(s.dead_letter_max, 10);
  CHECK(s.backoff == 1 && s.backoff_max == 60 && s.outage == 0 && s.connect == 10 && s.drain == 5);
  CHECK(s.limits_time == 300 && s.explain == 15 && s.idle == 0 && s.wait == 0);
  CHECK_INT(s.limits_memory, 1 << 30);
  CHECK_INT(s.limits_depth, 1000);
  CHECK_INT(s.limits_output, 256 << 20);
  CHECK_INT(s.limits_inflated, RL_MAX_INFLATED);
  CHECK_INT(s.limits_columns, RL_MAX_COLUMNS);
  CHECK_STR(s.framing, "auto");
  CHECK(!s.schema && !s.logical && !s.csv_columns.n && !s.csv_delimiter && !s.csv_header && !s.csv_comment);
  CHECK_INT(s.lanes, 1);
  CHECK_INT(s.count, 0);
  CHECK_STR(s.input_format, "ndjson");
  CHECK(!s.brokers && !s.group && !s.start && !s.end && !s.input && !s.decode && !s.dead_letter);
  CHECK(!s.topics.n && !s.partitions.n && !s.fields.n && !s.kafka.n);
  for (size_t i = 0; i < rl_settings_count; i++) CHECK(!rl_settings_is_set(&s, rl_settings_table[i].name));
  rl_settings_free(&s);
  rl_settings_free(&s);
}

TEST(s11_1_the_library_takes_no_retries_limits_bisection_or_lanes) {
  static const char *const no[] = {"retries",         "bisect",         "limits.time",
                                   "limits.memory",   "limits.depth",   "limits.output",
                                   "limits.inflated", "limits.columns", "lanes"};
  for (size_t i = 0; i < rl_settings_count; i++) {
    const struct rl_setting *what = &rl_settings_table[i];
    bool refused = false;
    for (size_t j = 0; j < sizeof no / sizeof *no; j++) refused = refused || strcmp(no[j], what->name) == 0;
    CHECK(what->script);
    CHECK(what->library == !refused);
  }
}

TEST(names_in_other_spellings) {
  char name[RL_SETTING_NAME_MAX];
  rl_setting_option_name(rl_setting_find("batch.size"), name);
  CHECK_STR(name, "batch-size");
  rl_setting_option_name(rl_setting_find("dead_letter_max"), name);
  CHECK_STR(name, "dead-letter-max");
  rl_setting_env_name(rl_setting_find("batch.size"), name);
  CHECK_STR(name, "RILLE_BATCH_SIZE");
  CHECK(!rl_setting_find("batch"));
  CHECK(!rl_setting_find("Batch.size"));
}

TEST(the_nearest_name_is_found) {
  CHECK_STR(rl_setting_nearest("topic"), "topics");
  CHECK_STR(rl_setting_nearest("batch_size"), "batch.size");
  CHECK_STR(rl_setting_nearest("batch.sise"), "batch.size");
  CHECK_STR(rl_setting_nearest("deadletter"), "dead_letter");
  CHECK_STR(rl_setting_nearest("bootstrap_servers"), "brokers");
  CHECK_STR(rl_setting_nearest("group_id"), "group");
  CHECK_STR(rl_setting_nearest("auto_offset_reset"), "start");
  CHECK_STR(rl_setting_nearest("peek_timeout"), "wait");
  CHECK_STR(rl_setting_nearest("columns"), "csv.columns");
  CHECK(!rl_setting_nearest("xyzzyxyzzy"));
  CHECK(!rl_setting_nearest(""));
}
