/* rille: which command. Everything else is in cli/. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/kcat.h"
#include "cli/output.h"
#include "kafka/farewell.h"

extern char **environ;

static int status_of(int code, const struct rl_err *err) {
  if (code == 0 || code == RL_EPIPE) return 0;
  rl_log(RL_ERROR, "%s", err->text);
  return rl_err_status(code);
}

static int execute(struct rl_cli *cli, const struct rl_command *c, struct rl_err *err) {
  if (cli->help) {
    rl_help_command(stdout, cli->options, c);
    return 0;
  }
  int code = rl_cli_environment(cli, environ, err);
  return code ? code : c->run(cli, err);
}

/* The command with its line parsed. */
static int perform(const struct rl_options *options, const struct rl_command *c, int argc, char **argv) {
  struct rl_cli cli;
  struct rl_err err = {0}, flushed = {0};
  rl_cli_init(&cli, options, c->cmd);
  int code = rl_cli_parse(&cli, argc, argv, &err);
  if (code) cli.misused = true;
  if (cli.quiet) rl_log_level(RL_WARN);
  if (cli.verbose) rl_log_level(RL_DEBUG);
  if (!code) code = execute(&cli, c, &err);
  int status = status_of(code, &err);
  if (cli.misused) rl_help_usage(stderr, c);
  if (code != RL_EPIPE) code = rl_out_flush(&flushed);
  if (!status) status = status_of(code, &flushed);
  rl_cli_free(&cli);
  return status;
}

/* Options alone: out of habit from kcat, or before the command that they belong to. */
static int no_command_yet(int argc, char **argv) {
  char letter = 0;
  const char *here = rl_kcat_mode(argc, argv, &letter);
  if (here)
    rl_log(RL_ERROR, "-%c is no command: %s", letter, here);
  else
    rl_log(RL_ERROR, "%s is an option, and options follow their command: `rille --help` lists those",
           argv[0]);
  rl_help_usage(stderr, NULL);
  return 2;
}

static int no_command(const char *name) {
  const char *near = name ? rl_command_nearest(name) : NULL;
  if (near)
    rl_log(RL_ERROR, "there is no command %s: did you mean `rille %s`?", name, near);
  else if (name)
    rl_log(RL_ERROR, "there is no command %s: `rille --help` lists them", name);
  rl_help_usage(stderr, NULL);
  return 2;
}

/* `rille --help` and `rille --version` are commands too. */
static const char *command_name(const char *arg) {
  if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0) return "help";
  if (strcmp(arg, "--version") == 0 || strcmp(arg, "-V") == 0) return "version";
  return arg;
}

int main(int argc, char **argv) {
  rl_mem_keep();
  signal(SIGPIPE, SIG_IGN); /* a reader that goes away is an error of write(2) */
  if (argc < 2) return no_command(NULL);
  const struct rl_command *c = rl_command_named(command_name(argv[1]));
  if (!c && argv[1][0] == '-') return no_command_yet(argc - 1, argv + 1);
  if (!c) return no_command(argv[1]);
  struct rl_options options;
  rl_options_make(&options);
  int status = perform(&options, c, argc - 2, argv + 2);
  rl_options_free(&options);
  if (!rl_farewells_unended()) return status;
  rl_log_finish();
  _exit(status); /* stdout is flushed by now */
}
