/* Every command-line option, once: parser, --help, completion and manual pages read this table.
 *
 * Most options are settings: their names, letters, types and help come from stream/settings.h, and this unit
 * only says which commands take them. The rest are a command's own. An option is one row however many
 * commands take it, so a letter or a long name that stands in two rows has two meanings: rl_options_check
 * refuses that, a unit test and the build of the manual pages ask it. */
#ifndef RL_CLI_OPTIONS_H
#define RL_CLI_OPTIONS_H

#include "base/buf.h"
#include "stream/settings.h"

enum rl_cmd {
  RL_CMD_RUN = 1 << 0,
  RL_CMD_BROKER = 1 << 1,
  RL_CMD_SEND = 1 << 2,
  RL_CMD_TAP = 1 << 3,
  RL_CMD_LAG = 1 << 4,
  RL_CMD_GROUPS = 1 << 5,
  RL_CMD_SEEK = 1 << 6,
  RL_CMD_SCHEMA = 1 << 7,
  RL_CMD_VERSION = 1 << 8,
  RL_CMD_HELP = 1 << 9,
};
#define RL_CMD_ALL 0x3ffu
const char *rl_cmd_name(unsigned cmds); /* "run"; of several, the first */

enum rl_own_type { RL_OWN_FLAG, RL_OWN_TEXT, RL_OWN_LIST, RL_OWN_COUNT };

struct rl_option {
  char *name;                       /* "batch-size" */
  const struct rl_setting *setting; /* NULL: a command's own */
  char letter;                      /* 0: none */
  bool flag;                        /* takes no value, and has a --no- form when it is a setting */
  const char *arg, *help;
  const char *text;    /* the default as it would be written; NULL: none */
  const char *choices; /* "a|b|c" or NULL */
  const char *heading; /* of a setting in the help of `run` */
  unsigned cmds;       /* enum rl_cmd, or-ed: who takes it */
  enum rl_own_type type;
  size_t offset; /* of an own option: in struct rl_cli (cli/args.h) */
};

struct rl_options {
  struct rl_option *at; /* own options, the settings in their table's order, what every command takes */
  size_t n, cap;
};

void rl_options_make(struct rl_options *o);
void rl_options_free(struct rl_options *o);

const struct rl_option *rl_option_named(const struct rl_options *o, const char *name, size_t len);
const struct rl_option *rl_option_lettered(const struct rl_options *o, char letter);
/* The nearest long name that `cmd` takes, or NULL. */
const char *rl_option_nearest(const struct rl_options *o, const char *name, unsigned cmd);
/* The option as `cmd` takes it: some commands read a setting in their own words (an argument's shape, another
 * default). The copy borrows from the table. */
struct rl_option rl_option_for(const struct rl_option *option, unsigned cmd);
/* The heading an option stands under in the help of `cmd`: "Options", "Batches", … */
const char *rl_option_heading(const struct rl_option *option, unsigned cmd);
/* How it is written: "-c, --count N", "    --[no-]commit". */
void rl_option_put(struct rl_buf *out, const struct rl_option *option);

/* 0, or RL_EFAIL naming the letter or name with two meanings, or a use that names no setting. */
int rl_options_check(const struct rl_options *o, struct rl_err *err);

#endif
