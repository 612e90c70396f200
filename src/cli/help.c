#include <string.h>

#include "base/str.h"
#include "cli/commands.h"

enum { WIDTH = 100, INDENT = 34 };

/* The rest of a line's text, wrapped into the column that starts at INDENT. */
static void wrap(FILE *out, const char *text) {
  size_t room = WIDTH - INDENT;
  while (strlen(text) > room) {
    size_t cut = room;
    while (cut > 0 && text[cut] != ' ') cut--;
    if (cut == 0) cut = strcspn(text, " ");
    fprintf(out, "%.*s\n", (int)cut, text);
    text += cut + (text[cut] == ' ');
    if (*text) fprintf(out, "%*s", INDENT, "");
  }
  fprintf(out, "%s\n", text);
}

static void put_remark(struct rl_buf *text, const struct rl_option *o) {
  rl_buf_puts(text, o->help ? o->help : "");
  if (o->choices) {
    rl_buf_puts(text, " (one of ");
    for (const char *c = o->choices; *c; c++) {
      if (*c == '|')
        rl_buf_puts(text, ", ");
      else
        rl_buf_putc(text, *c);
    }
    rl_buf_putc(text, ')');
  }
  bool off = o->flag && o->text && strcmp(o->text, "false") == 0;
  if (o->text && *o->text && !off) rl_buf_printf(text, " [%s]", o->text);
}

/* How wide it is shown: a UTF-8 character is one column, however many bytes. */
static int columns(const char *text) {
  int n = 0;
  for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
  return n;
}

static void print_option(FILE *out, const struct rl_option *o) {
  struct rl_buf left = RL_BUF_INIT, right = RL_BUF_INIT;
  rl_option_put(&left, o);
  put_remark(&right, o);
  int pad = INDENT - 2 - columns(left.data);
  if (pad < 2)
    fprintf(out, "  %s\n%*s", left.data, INDENT, "");
  else
    fprintf(out, "  %s%*s", left.data, pad, "");
  wrap(out, right.data);
  rl_buf_free(&left);
  rl_buf_free(&right);
}

static void print_options(FILE *out, const struct rl_options *options, unsigned cmd) {
  const char *heading = "";
  for (size_t i = 0; i < options->n; i++) {
    if (!(options->at[i].cmds & cmd)) continue;
    struct rl_option o = rl_option_for(&options->at[i], cmd);
    const char *mine = rl_option_heading(&o, cmd);
    if (strcmp(mine, heading) != 0) fprintf(out, "\n%s:\n", mine);
    heading = mine;
    print_option(out, &o);
  }
}

static void print_lines(FILE *out, const char *text, const char *before) {
  while (*text) {
    size_t len = strcspn(text, "\n");
    fprintf(out, "%s%.*s\n", before, (int)len, text);
    text += len + (text[len] == '\n');
  }
}

void rl_help_command(FILE *out, const struct rl_options *options, const struct rl_command *c) {
  const char *name = rl_cmd_name(c->cmd);
  fprintf(out, "usage: rille %s%s%s\n\n", name, *c->usage ? " " : "", c->usage);
  if (c->about)
    fprintf(out, "%s\n", c->about);
  else
    fprintf(out, "rille %s: %s.\n", name, c->summary);
  print_options(out, options, c->cmd);
  if (!c->examples) return;
  fputs("\nExamples:\n", out);
  print_lines(out, c->examples, "  ");
  fprintf(out, "\n`man rille-%s` says more.\n", name);
}

void rl_help_all(FILE *out) {
  fputs(
      "rille runs your Lua over a Kafka stream, batch by batch, and commits what it finished.\n\n"
      "usage: rille COMMAND [options]\n\n",
      out);
  for (size_t i = 0; i < rl_commands_count; i++)
    fprintf(out, "  %-8s  %s\n", rl_cmd_name(rl_commands[i].cmd), rl_commands[i].summary);
  fputs(
      "\nA handler is a Lua function that sees one batch at a time:\n\n"
      "  return { topics = \"alerts\", group = \"bright\", fields = { mag = \"candidate.magpsf\" },\n"
      "    handle = function(batch, out) out:forward(\"bright\", batch:where(\"mag < 18.5\")) end }\n\n"
      "`rille COMMAND --help` shows a command's options, `man rille` the whole.\n"
      "Exit statuses: 0 done, or stopped by a signal; 1 anything else; 2 usage, settings, a script that "
      "does\n"
      "not load; 3 broker; 4 a message or a handler failed and nothing could take it; 5 nothing came in "
      "time.\n",
      out);
}

void rl_help_usage(FILE *out, const struct rl_command *c) {
  if (!c) {
    fputs("usage: rille COMMAND [options]   (`rille --help` lists the commands)\n", out);
    return;
  }
  const char *name = rl_cmd_name(c->cmd);
  fprintf(out, "usage: rille %s%s%s   (`rille %s --help` says more)\n", name, *c->usage ? " " : "", c->usage,
          name);
}

int rl_cmd_help(struct rl_cli *cli, struct rl_err *err) {
  if (cli->args.n == 0) {
    rl_help_all(stdout);
    return 0;
  }
  const struct rl_command *c = rl_command_named(cli->args.at[0]);
  if (c) {
    rl_help_command(stdout, cli->options, c);
    return 0;
  }
  const char *near = rl_command_nearest(cli->args.at[0]);
  if (near) return rl_fail(err, RL_EUSAGE, "there is no command %s: did you mean %s?", cli->args.at[0], near);
  return rl_fail(err, RL_EUSAGE, "there is no command %s: `rille --help` lists them", cli->args.at[0]);
}
