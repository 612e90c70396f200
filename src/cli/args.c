#include "cli/args.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/kcat.h"

/* Where the parser stands in argv. */
struct walk {
  struct rl_cli *cli;
  char *const *argv;
  int argc, at;
};

void rl_list_push(struct rl_list *list, const char *text) {
  RL_GROW(list->at, list->cap, list->n + 1);
  list->at[list->n++] = rl_strdup(text);
}

void rl_list_free(struct rl_list *list) {
  for (size_t i = 0; i < list->n; i++) rl_free(list->at[i]);
  rl_free(list->at);
  *list = (struct rl_list){NULL, 0, 0};
}

void rl_cli_init(struct rl_cli *cli, const struct rl_options *options, enum rl_cmd cmd) {
  memset(cli, 0, sizeof *cli);
  cli->options = options;
  cli->cmd = cmd;
  cli->brokers_count = 1;
  rl_settings_init(&cli->settings);
}

void rl_cli_free(struct rl_cli *cli) {
  rl_settings_free(&cli->settings);
  rl_list_free(&cli->args);
  rl_list_free(&cli->rest);
  rl_list_free(&cli->headers);
  char **texts[] = {&cli->code, &cli->key_delim, &cli->delim, &cli->key, &cli->format};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    rl_free(*texts[i]);
    *texts[i] = NULL;
  }
}

static int set_own(struct rl_cli *cli, const struct rl_option *o, const char *value, const char *origin,
                   struct rl_err *err) {
  void *field = (char *)cli + o->offset;
  char **text = field;
  int64_t *count = field;
  switch (o->type) {
    case RL_OWN_FLAG: *(bool *)field = true; return 0;
    case RL_OWN_LIST: rl_list_push(field, value); return 0;
    case RL_OWN_TEXT:
      rl_free(*text);
      *text = rl_strdup(value);
      return 0;
    case RL_OWN_COUNT:
      if (rl_parse_i64(value, count) && *count >= 1) return 0;
      return rl_fail(err, RL_EUSAGE, "%s: \"%s\" is not a number from 1 up", origin, value);
  }
  return 0;
}

static int set(struct rl_cli *cli, const struct rl_option *o, const char *value, const char *origin,
               struct rl_err *err) {
  if (!o->setting) return set_own(cli, o, value, origin, err);
  return rl_settings_set(&cli->settings, o->setting, value, RL_LAYER_CLI, origin, err);
}

/* Why there is no such option here: it belongs elsewhere, or it is misspelt. */
static int unknown(const struct rl_cli *cli, const struct rl_option *o, const char *origin, const char *name,
                   struct rl_err *err) {
  const char *cmd = rl_cmd_name(cli->cmd);
  if (o)
    return rl_fail(err, RL_EUSAGE, "%s is an option of `rille %s`, not of `rille %s`", origin,
                   rl_cmd_name(o->cmds), cmd);
  const char *here = name ? NULL : rl_kcat_letter(origin[1]);
  if (here) return rl_fail(err, RL_EUSAGE, "unknown option %s: %s", origin, here);
  const char *near = name ? rl_option_nearest(cli->options, name, cli->cmd) : NULL;
  if (near) return rl_fail(err, RL_EUSAGE, "unknown option %s: did you mean --%s?", origin, near);
  return rl_fail(err, RL_EUSAGE, "unknown option %s: `rille %s --help` lists those there are", origin, cmd);
}

/* The option's value: what is attached, else the next argument, whatever it begins with. */
static int value_of(struct walk *w, const struct rl_option *o, const char *attached, const char *origin,
                    const char **value, struct rl_err *err) {
  *value = attached;
  if (attached) return 0;
  if (w->at + 1 >= w->argc)
    return rl_fail(err, RL_EUSAGE, "%s needs a value: %s %s", origin, origin, o->arg ? o->arg : "VALUE");
  *value = w->argv[++w->at];
  return 0;
}

static int long_flag(struct rl_cli *cli, const struct rl_option *o, bool on, const char *attached,
                     const char *origin, struct rl_err *err) {
  if (attached && (!o->setting || !on))
    return rl_fail(err, RL_EUSAGE, "%s takes no value, not \"%s\"", origin, attached);
  return set(cli, o, attached ? attached : on ? "true" : "false", origin, err);
}

/* --name, --name=value, --no-name. */
static int parse_long(struct walk *w, const char *arg, struct rl_err *err) {
  const char *name = arg + 2, *equals = strchr(name, '=');
  size_t len = equals ? (size_t)(equals - name) : strlen(name);
  const char *attached = equals ? equals + 1 : NULL;
  char origin[80];
  snprintf(origin, sizeof origin, "--%.*s", (int)(len < 70 ? len : 70), name);
  const struct rl_option *o = rl_option_named(w->cli->options, name, len);
  bool on = true;
  if (!o && len > 3 && strncmp(name, "no-", 3) == 0) {
    o = rl_option_named(w->cli->options, name + 3, len - 3);
    if (o && (!o->flag || !o->setting)) o = NULL;
    on = false;
  }
  if (!o || !(o->cmds & w->cli->cmd)) return unknown(w->cli, o, origin, origin + 2, err);
  if (o->flag) return long_flag(w->cli, o, on, attached, origin, err);
  const char *value;
  return value_of(w, o, attached, origin, &value, err) ? err->code : set(w->cli, o, value, origin, err);
}

/* -e, -eq, -bVALUE, -b VALUE. */
static int parse_short(struct walk *w, const char *arg, struct rl_err *err) {
  for (const char *c = arg + 1; *c; c++) {
    char origin[] = {'-', *c, 0};
    const struct rl_option *o = rl_option_lettered(w->cli->options, *c);
    if (!o || !(o->cmds & w->cli->cmd)) return unknown(w->cli, o, origin, NULL, err);
    if (o->flag) {
      if (set(w->cli, o, "true", origin, err)) return err->code;
      continue;
    }
    const char *value;
    if (value_of(w, o, c[1] ? c + 1 : NULL, origin, &value, err)) return err->code;
    return set(w->cli, o, value, origin, err);
  }
  return 0;
}

static int parse_one(struct walk *w, const char *arg, struct rl_err *err) {
  if (arg[0] != '-' || arg[1] == 0) {
    rl_list_push(&w->cli->args, arg);
    return 0;
  }
  return arg[1] == '-' ? parse_long(w, arg, err) : parse_short(w, arg, err);
}

int rl_cli_parse(struct rl_cli *cli, int argc, char *const *argv, struct rl_err *err) {
  struct walk w = {cli, argv, argc, 0};
  for (; w.at < argc; w.at++) {
    if (strcmp(argv[w.at], "--") == 0) {
      while (++w.at < argc) rl_list_push(&cli->rest, argv[w.at]);
      return 0;
    }
    if (parse_one(&w, argv[w.at], err)) return err->code;
  }
  return 0;
}

int rl_cli_misuse(struct rl_cli *cli, struct rl_err *err, const char *fmt, ...) {
  char text[512];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  cli->misused = true;
  return rl_fail(err, RL_EUSAGE, "%s", text);
}

/* Is `variable` ("RILLE_BATCH_SIZE=…") this setting? */
static bool names_setting(const char *variable, const struct rl_setting *setting) {
  char name[RL_SETTING_NAME_MAX];
  rl_setting_env_name(setting, name);
  size_t len = strlen(name);
  return strncmp(variable, name, len) == 0 && variable[len] == '=';
}

static bool wanted(const struct rl_cli *cli, const char *variable) {
  if (strncmp(variable, "RILLE_", 6) != 0) return false;
  if (cli->cmd == RL_CMD_RUN) return true;
  for (size_t i = 0; i < cli->options->n; i++) {
    const struct rl_option *o = &cli->options->at[i];
    if (!o->setting || !(o->cmds & cli->cmd) || !names_setting(variable, o->setting)) continue;
    return cli->cmd != RL_CMD_SEEK || (o->cmds & RL_CMD_GROUPS && strcmp(o->name, "group") != 0);
  }
  return false;
}

int rl_cli_environment(struct rl_cli *cli, char *const *environment, struct rl_err *err) {
  size_t n = 0, kept = 0;
  while (environment[n]) n++;
  char **some = rl_alloc((n + 1) * sizeof *some);
  for (size_t i = 0; i < n; i++)
    if (wanted(cli, environment[i])) some[kept++] = environment[i];
  some[kept] = NULL;
  int rc = rl_settings_env(&cli->settings, some, err);
  rl_free(some);
  return rc;
}
