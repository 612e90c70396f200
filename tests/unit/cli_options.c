#include "base/log.h"
#include "cli/args.h"
#include "cli/commands.h"
#include "cli/kcat.h"
#include "unit.h"

static struct rl_options options;
__attribute__((constructor)) static void make_options(void) { rl_options_make(&options); }
__attribute__((destructor)) static void free_options(void) { rl_options_free(&options); }

/* Parses a command line as it would be typed, words apart by blanks. */
static int parse(struct rl_cli *cli, enum rl_cmd cmd, const char *line, struct rl_err *err) {
  static char copy[512];
  char *argv[32];
  int argc = 0;
  snprintf(copy, sizeof copy, "%s", line);
  for (char *word = strtok(copy, " "); word && argc < 32; word = strtok(NULL, " ")) argv[argc++] = word;
  err->code = 0;
  err->text[0] = 0;
  rl_cli_init(cli, &options, cmd);
  return rl_cli_parse(cli, argc, argv, err);
}

#define CHECK_REFUSED(cmd, line, part)                        \
  do {                                                        \
    struct rl_cli unit_c;                                     \
    struct rl_err unit_e;                                     \
    CHECK_INT(parse(&unit_c, cmd, line, &unit_e), RL_EUSAGE); \
    CHECK_HAS(unit_e.text, part);                             \
    rl_cli_free(&unit_c);                                     \
  } while (0)

TEST(no_letter_and_no_name_has_two_meanings) {
  struct rl_err err = {0};
  CHECK_INT(rl_options_check(&options, &err), 0);
  CHECK_STR(err.text, "");
}

TEST(the_check_sees_a_second_meaning) {
  struct rl_option rows[2];
  struct rl_options two = {rows, 2, 2};
  struct rl_err err = {0};
  memset(rows, 0, sizeof rows);
  rows[0] = (struct rl_option){.name = (char *)"count", .letter = 'c'};
  rows[1] = (struct rl_option){.name = (char *)"code", .letter = 'c'};
  CHECK_INT(rl_options_check(&two, &err), RL_EFAIL);
  CHECK_HAS(err.text, "-c has two meanings: --count and --code");
  rows[1] = (struct rl_option){.name = (char *)"count", .letter = 'n'};
  CHECK_INT(rl_options_check(&two, &err), RL_EFAIL);
  CHECK_HAS(err.text, "--count has two meanings");
  rows[0] = (struct rl_option){.name = (char *)"commit", .flag = true};
  rows[1] = (struct rl_option){.name = (char *)"no-commit"};
  CHECK_INT(rl_options_check(&two, &err), RL_EFAIL);
  CHECK_HAS(err.text, "--no-commit");
}

TEST(letters_are_those_of_kcat) {
  static const struct {
    char letter;
    const char *name;
  } kcat[] = {{'b', "brokers"}, {'t', "topics"},        {'p', "partitions"}, {'G', "group"},
              {'X', "kafka"},   {'F', "kafka-file"},    {'o', "start"},      {'e', "exit-at-end"},
              {'c', "count"},   {'K', "key-delimiter"}, {'D', "delimiter"},  {'H', "header"},
              {'f', "format"},  {'q', "quiet"},         {'v', "verbose"},    {'k', "key"},
              {'Z', "null"},    {'h', "help"}};
  for (size_t i = 0; i < sizeof kcat / sizeof *kcat; i++) {
    const struct rl_option *o = rl_option_lettered(&options, kcat[i].letter);
    CHECK_STR(o ? o->name : NULL, kcat[i].name);
  }
}

TEST(every_option_has_help_and_a_long_name) {
  for (size_t i = 0; i < options.n; i++) {
    const struct rl_option *o = &options.at[i];
    CHECK(o->help && strlen(o->help) > 5);
    CHECK(strlen(o->name) > 1);
    CHECK(o->cmds != 0);
    CHECK(o->flag || o->arg);
  }
}

TEST(every_command_has_its_help) {
  for (size_t i = 0; i < rl_commands_count; i++) {
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    rl_help_command(out, &options, &rl_commands[i]);
    fclose(out);
    CHECK_HAS(text, "usage: rille ");
    CHECK_HAS(text, "--help");
    free(text);
  }
}

TEST(values_attached_apart_and_with_an_equals_sign) {
  struct rl_cli cli;
  struct rl_err err;
  CHECK_INT(parse(&cli, RL_CMD_RUN, "-bhost:1 -t a,b --topics=c --batch-size 7 --group=g s.lua", &err), 0);
  CHECK_STR(cli.settings.brokers, "host:1");
  CHECK_INT(cli.settings.topics.n, 3);
  CHECK_INT(cli.settings.batch_size, 7);
  CHECK_STR(cli.settings.group, "g");
  CHECK_INT(cli.args.n, 1);
  CHECK_STR(cli.args.at[0], "s.lua");
  rl_cli_free(&cli);
}

TEST(flags_in_bundles_and_their_no_form) {
  struct rl_cli cli;
  struct rl_err err;
  CHECK_INT(parse(&cli, RL_CMD_RUN, "-qec5 --no-commit --no-bisect x", &err), 0);
  CHECK(cli.quiet && cli.settings.exit_at_end);
  CHECK_INT(cli.settings.count, 5);
  CHECK(!cli.settings.commit && !cli.settings.bisect);
  rl_cli_free(&cli);
  CHECK_INT(parse(&cli, RL_CMD_RUN, "--commit=false --fsync x", &err), 0);
  CHECK(!cli.settings.commit && cli.settings.fsync);
  rl_cli_free(&cli);
}

TEST(a_value_may_begin_with_a_dash) {
  struct rl_cli cli;
  struct rl_err err;
  CHECK_INT(parse(&cli, RL_CMD_TAP, "-o -5 -t a", &err), 0);
  CHECK_STR(cli.settings.start, "-5");
  rl_cli_free(&cli);
  CHECK_INT(parse(&cli, RL_CMD_TAP, "--start=-5", &err), 0);
  CHECK_STR(cli.settings.start, "-5");
  rl_cli_free(&cli);
}

TEST(two_dashes_end_the_options) {
  struct rl_cli cli;
  struct rl_err err;
  CHECK_INT(parse(&cli, RL_CMD_RUN, "s.lua -e -- --batch-size x -- y", &err), 0);
  CHECK_INT(cli.args.n, 1);
  CHECK_INT(cli.rest.n, 4);
  CHECK_STR(cli.rest.n == 4 ? cli.rest.at[0] : NULL, "--batch-size");
  CHECK_STR(cli.rest.n == 4 ? cli.rest.at[2] : NULL, "--");
  CHECK(cli.settings.exit_at_end);
  rl_cli_free(&cli);
}

TEST(a_dash_alone_is_an_argument) {
  struct rl_cli cli;
  struct rl_err err;
  CHECK_INT(parse(&cli, RL_CMD_SEND, "-t a -", &err), 0);
  CHECK_STR(cli.args.n ? cli.args.at[0] : NULL, "-");
  rl_cli_free(&cli);
}

TEST(what_is_wrong_is_named_with_the_nearest_name) {
  CHECK_REFUSED(RL_CMD_RUN, "--bathc-size 5", "unknown option --bathc-size: did you mean --batch-size?");
  CHECK_REFUSED(RL_CMD_RUN, "--zzzzzzzz", "`rille run --help`");
  CHECK_REFUSED(RL_CMD_RUN, "-j", "unknown option -j");
  CHECK_REFUSED(RL_CMD_RUN, "-ej", "unknown option -j");
  CHECK_REFUSED(RL_CMD_RUN, "-f x", "-f is an option of `rille tap`, not of `rille run`");
  CHECK_REFUSED(RL_CMD_TAP, "--batch-size 5", "--batch-size is an option of `rille run`, not of `rille tap`");
  CHECK_REFUSED(RL_CMD_RUN, "--no-count", "unknown option --no-count");
  CHECK_REFUSED(RL_CMD_LAG, "--no-json", "unknown option --no-json");
}

TEST(a_missing_or_needless_value_is_named) {
  CHECK_REFUSED(RL_CMD_RUN, "--batch-size", "--batch-size needs a value");
  CHECK_REFUSED(RL_CMD_RUN, "-e -b", "-b needs a value");
  CHECK_REFUSED(RL_CMD_RUN, "--batch-size many", "--batch-size");
  CHECK_REFUSED(RL_CMD_RUN, "--batch-size many", "many");
  CHECK_REFUSED(RL_CMD_RUN, "--quiet=yes", "--quiet takes no value");
  CHECK_REFUSED(RL_CMD_RUN, "--no-commit=yes", "--no-commit takes no value");
  CHECK_REFUSED(RL_CMD_BROKER, "--brokers-count 0", "--brokers-count");
}

TEST(own_options_land_in_their_fields) {
  struct rl_cli cli;
  struct rl_err err;
  CHECK_INT(parse(&cli, RL_CMD_SEND, "-t a -K : -D ; -H a=1 --header b=2 -k key -Z f1 f2", &err), 0);
  CHECK_STR(cli.key_delim, ":");
  CHECK_STR(cli.delim, ";");
  CHECK_INT(cli.headers.n, 2);
  CHECK_STR(cli.key, "key");
  CHECK(cli.null);
  CHECK_INT(cli.args.n, 2);
  rl_cli_free(&cli);
  CHECK_INT(parse(&cli, RL_CMD_BROKER, "--topics a:4,b:1 --brokers-count 3", &err), 0);
  CHECK_INT(cli.brokers_count, 3);
  CHECK_INT(cli.settings.topics.n, 2);
  rl_cli_free(&cli);
}

static char *environment[] = {
    (char *)"RILLE_BROKERS=env:1", (char *)"RILLE_TOPICS=env", (char *)"RILLE_GROUP=env",
    (char *)"RILLE_START=end",     (char *)"HOME=/",           NULL};

TEST(the_command_line_wins_over_the_environment) {
  struct rl_cli cli;
  struct rl_err err;
  CHECK_INT(parse(&cli, RL_CMD_RUN, "-t typed s.lua", &err), 0);
  CHECK_INT(rl_cli_environment(&cli, environment, &err), 0);
  CHECK_STR(cli.settings.brokers, "env:1");
  CHECK_INT(cli.settings.topics.n, 1);
  CHECK_STR(cli.settings.topics.n ? cli.settings.topics.at[0] : NULL, "typed");
  rl_cli_free(&cli);
}

TEST(seek_takes_from_the_environment_only_how_to_connect) {
  struct rl_cli cli;
  struct rl_err err;
  CHECK_INT(parse(&cli, RL_CMD_SEEK, "", &err), 0);
  CHECK_INT(rl_cli_environment(&cli, environment, &err), 0);
  CHECK_STR(cli.settings.brokers, "env:1");
  CHECK_INT(cli.settings.topics.n, 0);
  CHECK(!cli.settings.start && !cli.settings.group);
  rl_cli_free(&cli);
}

TEST(a_command_takes_only_its_own_settings_from_the_environment) {
  struct rl_cli cli;
  struct rl_err err;
  CHECK_INT(parse(&cli, RL_CMD_TAP, "", &err), 0);
  CHECK_INT(rl_cli_environment(&cli, environment, &err), 0);
  CHECK_STR(cli.settings.start, "end");
  CHECK(!cli.settings.group);
  rl_cli_free(&cli);
}

TEST(commands_by_name_and_nearest) {
  CHECK(rl_command_named("run") && rl_command_named("run")->cmd == RL_CMD_RUN);
  CHECK(!rl_command_named("rnu"));
  CHECK_STR(rl_command_nearest("sned"), "send");
  for (size_t i = 0; i < rl_commands_count; i++) CHECK(rl_command_of(rl_commands[i].cmd) == &rl_commands[i]);
}

static void catch (enum rl_level level, const char *text, void *arg) {
  (void)level;
  snprintf(arg, 256, "%s", text);
}

TEST(passwords_on_the_command_line_never_reach_a_log_line) {
  static char line[256];
  struct rl_cli cli;
  struct rl_err err;
  CHECK_INT(parse(&cli, RL_CMD_RUN, "-X sasl.password=hunter2-hunter2 s.lua", &err), 0);
  rl_log_to(catch, line);
  rl_log(RL_INFO, "the password is hunter2-hunter2, really");
  rl_log_to(NULL, NULL);
  CHECK_HAS(line, "the password is ***, really");
  rl_cli_free(&cli);
}

TEST(the_modes_of_kcat_are_known_up_to_what_is_for_the_script) {
  char *line[] = {"-b", "host", "-t", "topic", "-C"}, *after[] = {"-b", "host", "--", "-C"};
  char letter = 0;
  CHECK_HAS(rl_kcat_mode(5, line, &letter), "rille tap");
  CHECK_INT(letter, 'C');
  CHECK(!rl_kcat_mode(4, after, &letter));
  CHECK(!rl_kcat_mode(4, line, &letter));
}

/* A hint for a letter that is an option would never be seen. */
TEST(what_is_said_of_letters_of_kcat_is_said_of_none_of_ours) {
  for (char c = 'A'; c <= 'z'; c++)
    if (rl_kcat_letter(c) && c != 'G') CHECK(!rl_option_lettered(&options, c));
}
