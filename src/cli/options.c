#include "cli/options.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/args.h"

#define READERS (RL_CMD_RUN | RL_CMD_TAP | RL_CMD_SCHEMA)
#define ASKERS (RL_CMD_LAG | RL_CMD_GROUPS | RL_CMD_SEEK)
#define CLIENTS (READERS | ASKERS | RL_CMD_SEND)
#define COUNT(a) (sizeof(a) / sizeof *(a))
#define AT(field) offsetof(struct rl_cli, field)

/* A command's own options. */
#define FLAG(name_, letter_, field, cmds_, help_)                                         \
  {                                                                                       \
    .name = (char *)name_, .letter = letter_, .flag = true, .help = help_, .cmds = cmds_, \
    .type = RL_OWN_FLAG, .offset = AT(field)                                              \
  }
#define VALUE(name_, letter_, type_, field, arg_, text_, cmds_, help_)                                  \
  {                                                                                                     \
    .name = (char *)name_, .letter = letter_, .arg = arg_, .text = text_, .help = help_, .cmds = cmds_, \
    .type = type_, .offset = AT(field)                                                                  \
  }
#define TALKERS (RL_CMD_SEND | RL_CMD_TAP)

static const char format_help[] =
    "print messages so, as kcat does: %s value, %k key, %t topic, %p partition, %o offset, %T timestamp, "
    "%h headers, %S %K lengths of value and key, %R the value's in four bytes, %% a percent sign; \\n \\t "
    "\\xNN";

/* A command's own options. */
static const struct rl_option own[] = {
    VALUE("code", 0, RL_OWN_TEXT, code, "LUA", NULL, RL_CMD_RUN, "run this Lua text in place of a script"),
    VALUE("key-delimiter", 'K', RL_OWN_TEXT, key_delim, "TEXT", NULL, TALKERS,
          "what stands between key and value"),
    VALUE("delimiter", 'D', RL_OWN_TEXT, delim, "TEXT", "\\n", TALKERS, "what ends a message"),
    VALUE("key", 'k', RL_OWN_TEXT, key, "KEY", NULL, RL_CMD_SEND, "the key of messages that bring none"),
    VALUE("header", 'H', RL_OWN_LIST, headers, "NAME=VALUE", NULL, RL_CMD_SEND,
          "a header for every message; may be repeated"),
    FLAG("null", 'Z', null, RL_CMD_SEND, "send empty keys and values as null (a null value is a tombstone)"),
    VALUE("format", 'f', RL_OWN_TEXT, format, "FORMAT", NULL, RL_CMD_TAP, format_help),
    FLAG("json", 0, json, ASKERS | RL_CMD_SCHEMA, "print JSON, one object a line, in place of a table"),
    FLAG("script", 0, script, RL_CMD_SCHEMA,
         "print a handler with the fields, to be saved and run, in place of a table"),
    FLAG("dry-run", 0, dry_run, RL_CMD_SEEK, "only say what would change"),
    VALUE("brokers-count", 0, RL_OWN_COUNT, brokers_count, "N", "1", RL_CMD_BROKER,
          "how many brokers the cluster has"),
};

/* Of every command; they stand last. */
static const struct rl_option common[] = {
    FLAG("quiet", 'q', quiet, RL_CMD_ALL, "say only warnings and errors"),
    FLAG("verbose", 'v', verbose, RL_CMD_ALL, "say more, librdkafka's words too"),
    FLAG("help", 'h', help, RL_CMD_ALL, "show this help"),
};

/* The settings that other commands than `run` take, by their long names; `run` takes all. */
static const struct {
  const char *name;
  unsigned cmds;
} uses[] = {
    {"brokers", CLIENTS},
    {"topics", READERS | RL_CMD_SEND | RL_CMD_LAG | RL_CMD_SEEK | RL_CMD_BROKER},
    {"partitions", READERS | RL_CMD_SEND | RL_CMD_SEEK},
    {"group", RL_CMD_RUN | ASKERS},
    {"start", READERS | RL_CMD_SEEK},
    {"end", READERS},
    {"exit-at-end", RL_CMD_RUN | RL_CMD_TAP},
    {"count", READERS | RL_CMD_SEND},
    {"input-format", RL_CMD_RUN | RL_CMD_SEND},
    {"kafka", CLIENTS},
    {"kafka-file", CLIENTS},
    {"connect", CLIENTS},
    {"input", RL_CMD_RUN | RL_CMD_SCHEMA},
    {"wait", RL_CMD_RUN | RL_CMD_SCHEMA},
    {"decode", RL_CMD_RUN | RL_CMD_SCHEMA},
    {"schema", RL_CMD_RUN | RL_CMD_SCHEMA},
    {"registry", RL_CMD_RUN | RL_CMD_SCHEMA},
    {"registry-user", RL_CMD_RUN | RL_CMD_SCHEMA},
    {"registry-password", RL_CMD_RUN | RL_CMD_SCHEMA},
    {"registry-token", RL_CMD_RUN | RL_CMD_SCHEMA},
    {"registry-ca", RL_CMD_RUN | RL_CMD_SCHEMA},
    {"registry-certificate", RL_CMD_RUN | RL_CMD_SCHEMA},
    {"registry-key", RL_CMD_RUN | RL_CMD_SCHEMA},
    {"registry-file", RL_CMD_RUN | RL_CMD_SCHEMA},
    {"framing", RL_CMD_RUN | RL_CMD_SCHEMA},
    {"logical", RL_CMD_RUN | RL_CMD_SCHEMA},
    {"csv-columns", RL_CMD_RUN | RL_CMD_SCHEMA},
    {"csv-delimiter", RL_CMD_RUN | RL_CMD_SCHEMA},
    {"csv-header", RL_CMD_RUN | RL_CMD_SCHEMA},
    {"csv-comment", RL_CMD_RUN | RL_CMD_SCHEMA},
};

/* Where a command reads a setting in its own words; NULL keeps the setting's. */
static const struct {
  const char *name;
  unsigned cmds;
  const char *arg, *text, *help;
} words[] = {
    {"topics", RL_CMD_BROKER, "NAME:PARTITIONS", NULL,
     "topics to make: names with their numbers of partitions"},
    {"topics", RL_CMD_SEND, "TOPIC", NULL, "where the messages go"},
    {"topics", RL_CMD_LAG, NULL, NULL, "only these topics"},
    {"topics", RL_CMD_SEEK, NULL, NULL, "the topics to move in"},
    {"partitions", RL_CMD_SEND, "N", NULL, "send to this partition; else the key decides"},
    {"partitions", RL_CMD_SEEK, NULL, NULL, "only these partitions: 0, 0-3 or TOPIC:0"},
    {"group", RL_CMD_LAG, NULL, NULL, "the group whose lag is asked for"},
    {"group", RL_CMD_GROUPS, NULL, NULL, "show the members of this group; without it, list all groups"},
    {"group", RL_CMD_SEEK, NULL, NULL, "the group to move"},
    {"start", RL_CMD_TAP, NULL, "beginning",
     "where to begin: beginning, end, an offset, -N for the last N of each partition, or a time"},
    {"start", RL_CMD_SEEK, NULL, NULL,
     "where the group is to go on: beginning, end, an offset, -N before the end, or a time"},
    {"count", RL_CMD_TAP | RL_CMD_SEND, NULL, "", "end after N messages; 0: no limit"},
    {"topics", RL_CMD_SCHEMA, "TOPIC", NULL, "the topic to look at: another way to name it"},
    {"input", RL_CMD_SCHEMA, "FILE", NULL, "the file to look at, - for stdin: another way to name it"},
    {"start", RL_CMD_SCHEMA, NULL, "",
     "where to begin: beginning, end, an offset, -N for the last N of each partition, or a time; else with "
     "the newest"},
    {"count", RL_CMD_SCHEMA, NULL, "100", "look at N messages"},
    {"wait", RL_CMD_SCHEMA, NULL, "10", "be content when none came in this time"},
    {"decode", RL_CMD_SCHEMA, NULL, NULL,
     "how values are decoded; else it is guessed from what they begin with"},
    {"input-format", RL_CMD_SEND, NULL, "lines",
     "what a file holds: a value a line (lines), a message a line as `rille tap` prints it (ndjson), or one "
     "value, all "
     "of it (whole)"},
};

/* In a run's help the settings stand under these headings, each from the setting named here to the next. */
static const struct {
  const char *first, *heading;
} headings[] = {
    {"brokers", "Where messages come from"},
    {"exit-at-end", "When a run ends"},
    {"batch-size", "Batches"},
    {"decode", "Decoding"},
    {"delivery", "Delivery and failure"},
    {"limits-time", "Limits"},
    {"lanes", "More"},
};

const char *rl_cmd_name(unsigned cmds) {
  static const char *const names[] = {"run",    "broker", "send",   "tap",     "lag",
                                      "groups", "seek",   "schema", "version", "help"};
  for (size_t i = 0; i < COUNT(names); i++)
    if (cmds & 1u << i) return names[i];
  return "rille";
}

static unsigned used_by(const char *name) {
  for (size_t i = 0; i < COUNT(uses); i++)
    if (strcmp(uses[i].name, name) == 0) return uses[i].cmds;
  return RL_CMD_RUN;
}

/* The heading that starts with this setting, else the one that stands. */
static const char *heading_from(const char *name, const char *standing) {
  for (size_t i = 0; i < COUNT(headings); i++)
    if (strcmp(headings[i].first, name) == 0) return headings[i].heading;
  return standing;
}

static void add(struct rl_options *o, struct rl_option option) {
  RL_GROW(o->at, o->cap, o->n + 1);
  o->at[o->n++] = option;
}

static void add_own(struct rl_options *o, struct rl_option option, const char *heading) {
  option.name = rl_strdup(option.name);
  option.heading = heading;
  add(o, option);
}

static void add_setting(struct rl_options *o, const struct rl_setting *s, const char *heading) {
  char name[RL_SETTING_NAME_MAX];
  rl_setting_option_name(s, name);
  add(o, (struct rl_option){.name = rl_strdup(name),
                            .setting = s,
                            .letter = s->letter,
                            .flag = s->type == RL_SET_BOOL,
                            .arg = s->arg,
                            .help = s->help,
                            .text = s->text,
                            .choices = s->choices,
                            .heading = heading,
                            .cmds = used_by(name)});
}

void rl_options_make(struct rl_options *o) {
  *o = (struct rl_options){NULL, 0, 0};
  for (size_t i = 0; i < COUNT(own); i++) add_own(o, own[i], NULL);
  const char *heading = NULL;
  for (size_t i = 0; i < rl_settings_count; i++) {
    char name[RL_SETTING_NAME_MAX];
    rl_setting_option_name(&rl_settings_table[i], name);
    heading = heading_from(name, heading);
    add_setting(o, &rl_settings_table[i], heading);
  }
  for (size_t i = 0; i < COUNT(common); i++) add_own(o, common[i], "Everywhere");
}

void rl_options_free(struct rl_options *o) {
  for (size_t i = 0; i < o->n; i++) rl_free(o->at[i].name);
  rl_free(o->at);
  *o = (struct rl_options){NULL, 0, 0};
}

const struct rl_option *rl_option_named(const struct rl_options *o, const char *name, size_t len) {
  for (size_t i = 0; i < o->n; i++)
    if (strlen(o->at[i].name) == len && memcmp(o->at[i].name, name, len) == 0) return &o->at[i];
  return NULL;
}

const struct rl_option *rl_option_lettered(const struct rl_options *o, char letter) {
  for (size_t i = 0; i < o->n; i++)
    if (letter && o->at[i].letter == letter) return &o->at[i];
  return NULL;
}

const char *rl_option_nearest(const struct rl_options *o, const char *name, unsigned cmd) {
  const char **names = rl_alloc((o->n + 1) * sizeof *names);
  size_t n = 0;
  for (size_t i = 0; i < o->n; i++)
    if (o->at[i].cmds & cmd) names[n++] = o->at[i].name;
  const char *near = rl_nearest(name, names, n);
  rl_free(names);
  return near;
}

struct rl_option rl_option_for(const struct rl_option *option, unsigned cmd) {
  struct rl_option o = *option;
  for (size_t i = 0; i < COUNT(words); i++) {
    if (!(words[i].cmds & cmd) || strcmp(words[i].name, o.name) != 0) continue;
    if (words[i].arg) o.arg = words[i].arg;
    if (words[i].text) o.text = words[i].text;
    o.help = words[i].help;
  }
  return o;
}

const char *rl_option_heading(const struct rl_option *option, unsigned cmd) {
  return option->heading && (cmd & RL_CMD_RUN) ? option->heading : "Options";
}

void rl_option_put(struct rl_buf *out, const struct rl_option *o) {
  if (o->letter)
    rl_buf_printf(out, "-%c, ", o->letter);
  else
    rl_buf_puts(out, "    ");
  rl_buf_printf(out, o->flag && o->setting ? "--[no-]%s" : "--%s", o->name);
  if (!o->flag) rl_buf_printf(out, " %s", o->arg ? o->arg : "VALUE");
}

static int clash(const struct rl_option *a, const struct rl_option *b, struct rl_err *err) {
  if (a->letter && a->letter == b->letter)
    return rl_fail(err, RL_EFAIL, "-%c has two meanings: --%s and --%s", a->letter, a->name, b->name);
  if (strcmp(a->name, b->name) == 0) return rl_fail(err, RL_EFAIL, "--%s has two meanings", a->name);
  if (a->flag && strncmp(b->name, "no-", 3) == 0 && strcmp(b->name + 3, a->name) == 0)
    return rl_fail(err, RL_EFAIL, "--%s also is what turns --%s off", b->name, a->name);
  return 0;
}

static int check_name(const struct rl_options *o, const char *name, struct rl_err *err) {
  const struct rl_option *option = rl_option_named(o, name, strlen(name));
  if (option && option->setting) return 0;
  return rl_fail(err, RL_EFAIL, "cli/options.c speaks of a setting --%s, and there is none", name);
}

/* A second line would be swallowed: the first is taken. */
static int check_once(size_t use, struct rl_err *err) {
  for (size_t i = 0; i < use; i++)
    if (strcmp(uses[i].name, uses[use].name) == 0)
      return rl_fail(err, RL_EFAIL, "cli/options.c lists --%s twice among the settings that commands take",
                     uses[use].name);
  return 0;
}

int rl_options_check(const struct rl_options *o, struct rl_err *err) {
  for (size_t i = 0; i < o->n; i++)
    for (size_t j = 0; j < o->n; j++)
      if (i != j && clash(&o->at[i], &o->at[j], err)) return RL_EFAIL;
  for (size_t i = 0; i < COUNT(uses); i++)
    if (check_name(o, uses[i].name, err) || check_once(i, err)) return RL_EFAIL;
  for (size_t i = 0; i < COUNT(words); i++)
    if (check_name(o, words[i].name, err)) return RL_EFAIL;
  for (size_t i = 0; i < COUNT(headings); i++)
    if (check_name(o, headings[i].first, err)) return RL_EFAIL;
  return 0;
}
