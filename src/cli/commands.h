/* The commands: what each is called, what it says of itself, what runs it. */
#ifndef RL_CLI_COMMANDS_H
#define RL_CLI_COMMANDS_H

#include <stdio.h>

#include "cli/args.h"

struct rl_command {
  enum rl_cmd cmd;
  int (*run)(struct rl_cli *cli, struct rl_err *err); /* 0 or RL_E…: the exit status follows */
  const char *usage;                                  /* what follows the name: "SCRIPT [options]" */
  const char *summary;                                /* half a line */
  const char *about;                                  /* a paragraph for the help; lines of at most 100 */
  const char *examples;                               /* lines */
};

extern const struct rl_command rl_commands[];
extern const size_t rl_commands_count;

const struct rl_command *rl_command_named(const char *name); /* NULL: none */
const char *rl_command_nearest(const char *name);
const struct rl_command *rl_command_of(enum rl_cmd cmd);

/* One file each. */
int rl_cmd_run(struct rl_cli *cli, struct rl_err *err);
int rl_cmd_broker(struct rl_cli *cli, struct rl_err *err);
int rl_cmd_send(struct rl_cli *cli, struct rl_err *err);
int rl_cmd_tap(struct rl_cli *cli, struct rl_err *err);
int rl_cmd_lag(struct rl_cli *cli, struct rl_err *err);
int rl_cmd_groups(struct rl_cli *cli, struct rl_err *err);
int rl_cmd_seek(struct rl_cli *cli, struct rl_err *err);
int rl_cmd_schema(struct rl_cli *cli, struct rl_err *err);
int rl_cmd_version(struct rl_cli *cli, struct rl_err *err);
int rl_cmd_help(struct rl_cli *cli, struct rl_err *err);

/* The help: what there is, one command's whole, and the line after a usage error. */
void rl_help_all(FILE *out);
void rl_help_command(FILE *out, const struct rl_options *options, const struct rl_command *c);
void rl_help_usage(FILE *out, const struct rl_command *c); /* NULL: of rille itself */

#endif
