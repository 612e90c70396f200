/* Makes the manual pages and the completion at build time, from the sources beside this file and the table of
 * options (cli/options.h): manual SOURCES OUTPUT.
 *
 * In a source, a line "@OPTIONS" becomes the options of the page's command, "@OPTIONS Heading" those under
 * one heading of its help, and "@COMMANDS" the list of commands. It refuses to build when an option has two
 * meanings, or a command that takes options has no page. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "cli/commands.h"

enum { WIDTH = 76 };

static struct rl_options options;

static void die(const char *what, const char *why) {
  fprintf(stderr, "manual: %s: %s\n", what, why);
  exit(1);
}

/* One UTF-8 character as roff knows it; returns its length. */
static size_t put_wide(struct rl_buf *out, const char *c) {
  const unsigned char *u = (const unsigned char *)c;
  size_t len = u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
  unsigned code = u[0] & (0x7f >> len);
  for (size_t i = 1; i < len; i++) code = code << 6 | (u[i] & 0x3f);
  rl_buf_printf(out, "\\[u%04X]", code);
  return len;
}

/* Text that roff takes literally. */
static void put_escaped(struct rl_buf *out, const char *text) {
  while (*text) {
    if ((unsigned char)*text >= 0x80) {
      text += put_wide(out, text);
      continue;
    }
    if (*text == '\\')
      rl_buf_puts(out, "\\e");
    else if (*text == '-')
      rl_buf_puts(out, "\\-");
    else
      rl_buf_putc(out, *text);
    text++;
  }
}

/* Text lines of mdoc: short, each sentence on its own, none that looks like a request. */
static void put_filled(FILE *out, const char *text) {
  struct rl_buf escaped = RL_BUF_INIT;
  put_escaped(&escaped, text);
  size_t column = 0;
  for (char *word = strtok(escaped.data, " "); word; word = strtok(NULL, " ")) {
    size_t len = strlen(word);
    if (column && column + 1 + len > WIDTH) column = (size_t)(fputc('\n', out), 0);
    if (column)
      fputc(' ', out);
    else if (*word == '.' || *word == '\'')
      fputs("\\&", out);
    fputs(word, out);
    column += len + 1;
    if (word[len - 1] == '.' && len > 2) column = (size_t)(fputc('\n', out), 0);
  }
  if (column) fputc('\n', out);
  rl_buf_free(&escaped);
}

static void put_choices(struct rl_buf *out, const char *choices) {
  rl_buf_puts(out, " One of ");
  for (const char *c = choices; *c; c++) {
    if (*c == '|')
      rl_buf_puts(out, ", ");
    else
      rl_buf_putc(out, *c);
  }
  rl_buf_putc(out, '.');
}

/* The help as sentences: a capital first, a full stop last, the default after it. */
static void put_help(FILE *out, const struct rl_option *o) {
  struct rl_buf text = RL_BUF_INIT;
  rl_buf_puts(&text, o->help);
  if (text.data[0] >= 'a' && text.data[0] <= 'z') text.data[0] = (char)(text.data[0] - 'a' + 'A');
  rl_buf_putc(&text, '.');
  if (o->choices) put_choices(&text, o->choices);
  bool off = o->flag && o->text && strcmp(o->text, "false") == 0;
  if (o->text && *o->text && !off)
    rl_buf_printf(&text, " Default: %s.", strcmp(o->text, "true") ? o->text : "on");
  put_filled(out, text.data);
  rl_buf_free(&text);
}

static void put_option(FILE *out, const struct rl_option *o) {
  struct rl_buf item = RL_BUF_INIT;
  rl_buf_puts(&item, ".It ");
  if (o->letter) rl_buf_printf(&item, "Fl %c , ", o->letter);
  rl_buf_puts(&item, "Fl \\-");
  put_escaped(&item, o->name);
  if (o->flag && o->setting) {
    rl_buf_puts(&item, " , Fl \\-no\\-");
    put_escaped(&item, o->name);
  }
  if (!o->flag) rl_buf_puts(&item, " Ar ");
  if (!o->flag) put_escaped(&item, o->arg);
  fprintf(out, "%s\n", item.data);
  put_help(out, o);
  rl_buf_free(&item);
}

static bool belongs(const struct rl_option *o, unsigned cmd, const char *heading) {
  return (o->cmds & cmd) && (!*heading || strcmp(rl_option_heading(o, cmd), heading) == 0);
}

static void put_options(FILE *out, unsigned cmd, const char *heading) {
  size_t n = 0;
  fputs(".Bl -tag -width Ds\n", out);
  for (size_t i = 0; i < options.n; i++) {
    if (!belongs(&options.at[i], cmd, heading)) continue;
    struct rl_option o = rl_option_for(&options.at[i], cmd);
    put_option(out, &o);
    n++;
  }
  fputs(".El\n", out);
  if (!n) die(heading, "no option stands under this heading");
}

static void put_commands(FILE *out) {
  fputs(".Bl -tag -width broker\n", out);
  for (size_t i = 0; i < rl_commands_count; i++) {
    struct rl_buf text = RL_BUF_INIT;
    rl_buf_printf(&text, "%s.", rl_commands[i].summary);
    text.data[0] = (char)(text.data[0] - 'a' + 'A');
    fprintf(out, ".It Cm %s\n", rl_cmd_name(rl_commands[i].cmd));
    put_filled(out, text.data);
    rl_buf_free(&text);
  }
  fputs(".El\n", out);
}

static FILE *open_file(const char *folder, const char *name, const char *end, const char *mode) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s%s", folder, name, end);
  FILE *file = fopen(path, mode);
  if (!file) die(path, strerror(errno));
  return file;
}

static void make_page(const char *from, const char *to, const char *name, unsigned cmd) {
  FILE *in = open_file(from, name, ".1.in", "r"), *out = open_file(to, name, ".1", "w");
  char line[1024];
  while (fgets(line, sizeof line, in)) {
    line[strcspn(line, "\n")] = 0;
    if (strncmp(line, "@OPTIONS", 8) == 0)
      put_options(out, cmd, line[8] ? line + 9 : "");
    else if (strcmp(line, "@COMMANDS") == 0)
      put_commands(out);
    else
      fprintf(out, "%s\n", line);
  }
  fclose(in);
  if (fclose(out)) die(name, strerror(errno));
}

static void put_words(FILE *out, unsigned cmd) {
  for (size_t i = 0; i < options.n; i++) {
    const struct rl_option *o = &options.at[i];
    if (!(o->cmds & cmd)) continue;
    if (o->letter) fprintf(out, " -%c", o->letter);
    fprintf(out, " --%s", o->name);
    if (o->flag && o->setting) fprintf(out, " --no-%s", o->name);
  }
}

/* What may follow an option that takes one of a few words. */
static void put_choice_cases(FILE *out) {
  for (size_t i = 0; i < options.n; i++) {
    const struct rl_option *o = &options.at[i];
    if (!o->choices) continue;
    fprintf(out, "    --%s) words=\"", o->name);
    for (const char *c = o->choices; *c; c++) fputc(*c == '|' ? ' ' : *c, out);
    fputs("\" ;;\n", out);
  }
}

static void make_completion(const char *to) {
  FILE *out = open_file(to, "rille.bash", "", "w");
  fputs(
      "# Completion of rille for bash; made from the table of options.\n_rille() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=\n"
      "  case $before in\n",
      out);
  put_choice_cases(out);
  fputs("    *) case ${COMP_WORDS[1]} in\n", out);
  for (size_t i = 0; i < rl_commands_count; i++) {
    fprintf(out, "      %s) words=\"", rl_cmd_name(rl_commands[i].cmd));
    put_words(out, rl_commands[i].cmd);
    fputs("\" ;;\n", out);
  }
  fputs("    esac ;;\n  esac\n  if [ \"$COMP_CWORD\" -eq 1 ]; then words=\"", out);
  for (size_t i = 0; i < rl_commands_count; i++)
    fprintf(out, "%s%s", i ? " " : "", rl_cmd_name(rl_commands[i].cmd));
  fputs(
      "\"; fi\n  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  case $word in -*) ;; *) [ \"$COMP_CWORD\" -gt 1 ] && COMPREPLY+=($(compgen -f -- \"$word\")) ;; "
      "esac\n"
      "}\ncomplete -o filenames -F _rille rille\n",
      out);
  if (fclose(out)) die("rille.bash", strerror(errno));
}

int main(int argc, char **argv) {
  struct rl_err err = {0};
  if (argc != 3) die("usage", "manual SOURCES OUTPUT");
  rl_options_make(&options);
  if (rl_options_check(&options, &err)) die("options", err.text);
  make_page(argv[1], argv[2], "rille", RL_CMD_HELP);
  for (size_t i = 0; i < rl_commands_count; i++) {
    char name[64];
    if (!rl_commands[i].about) continue;
    snprintf(name, sizeof name, "rille-%s", rl_cmd_name(rl_commands[i].cmd));
    make_page(argv[1], argv[2], name, rl_commands[i].cmd);
  }
  make_completion(argv[2]);
  rl_options_free(&options);
  return 0;
}
