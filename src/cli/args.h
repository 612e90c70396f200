/* The command line of one command, parsed: GNU style (`--name value`, `--name=value`, `-bVALUE`, bundles of
 * flags, `--no-name`, `--` ends), options and arguments in any order. */
#ifndef RL_CLI_ARGS_H
#define RL_CLI_ARGS_H

#include "cli/options.h"

struct rl_cli {
  const struct rl_options *options; /* borrowed */
  enum rl_cmd cmd;
  struct rl_settings settings; /* with what the command line set (RL_LAYER_CLI) */
  struct rl_list args;         /* before `--` */
  struct rl_list rest;         /* after it: a script's own */
  bool misused;                /* the mistake is in the command's form: its usage line helps */
  bool help, quiet, verbose;
  char *code;              /* run */
  char *key_delim, *delim; /* send, tap: as written; rl_unescape reads them */
  char *key;               /* send */
  struct rl_list headers;  /* send: "name=value" */
  bool null;               /* send */
  char *format;            /* tap */
  bool json;               /* lag, groups, seek, schema */
  bool script;             /* schema */
  bool dry_run;            /* seek */
  int64_t brokers_count;   /* broker */
};

void rl_cli_init(struct rl_cli *cli, const struct rl_options *options, enum rl_cmd cmd);
void rl_cli_free(struct rl_cli *cli);

/* argv: what follows the command's name. RL_EUSAGE with the option and what is expected. */
int rl_cli_parse(struct rl_cli *cli, int argc, char *const *argv, struct rl_err *err);
/* RL_EUSAGE for a command line that lacks something, or has too much. */
__attribute__((format(printf, 3, 4))) int rl_cli_misuse(struct rl_cli *cli, struct rl_err *err,
                                                        const char *fmt, ...);
/* The settings that come from the environment, for the options this command takes. `seek` changes a group, so
 * it takes what it changes and where to from the command line only. */
int rl_cli_environment(struct rl_cli *cli, char *const *environment, struct rl_err *err);

void rl_list_push(struct rl_list *list, const char *text);
void rl_list_free(struct rl_list *list);

/* kcat's escapes in delimiters and formats: \n \r \t \\ \xNN \0. `out` gets the bytes; RL_EUSAGE on another.
 */
int rl_unescape(struct rl_buf *out, const char *text, struct rl_err *err);

#endif
