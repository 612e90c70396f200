#include "cli/commands.h"
#include "cli/format.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "stream/ndjson.h"

struct tap {
  struct rl_cli *cli;
  bool formatted;
  struct rl_format format;
  struct rl_json *json;
  struct rl_tape tape;
  struct rl_buf line;
  int64_t left; /* < 0: no limit */
};

static int print(void *self, const struct rl_msg *msg, struct rl_err *err) {
  struct tap *t = self;
  rl_buf_clear(&t->line);
  if (t->formatted)
    rl_format_put(&t->format, &t->line, msg);
  else
    rl_ndjson_put(&t->line, msg, NULL, 0, RL_NDJSON_EMBED, t->json, &t->tape);
  if (t->left > 0) t->left--;
  if (rl_out_write(&t->line, err)) return err->code;
  return t->left == 0;
}

static int make_format(struct tap *t, struct rl_err *err) {
  struct rl_cli *cli = t->cli;
  int code = 0;
  t->formatted = cli->format || cli->key_delim || cli->delim;
  if (cli->format)
    code = rl_format_make(&t->format, cli->format, err);
  else if (t->formatted)
    code = rl_format_delimited(&t->format, cli->key_delim, cli->delim ? cli->delim : "\\n", err);
  cli->misused = cli->misused || code == RL_EUSAGE;
  return code;
}

/* It begins at the beginning, as kcat does. */
static int perform(struct tap *t, struct rl_err *err) {
  struct rl_reading what = {.take = print, .self = t};
  if (make_format(t, err) || rl_reading_settle(&t->cli->settings, "beginning", "rille tap", err))
    return err->code;
  t->left = t->cli->settings.count > 0 ? t->cli->settings.count : -1;
  t->json = rl_json_new();
  int rc = rl_read_topics(&t->cli->settings, &what, err);
  rl_json_free(t->json);
  rl_tape_free(&t->tape);
  return rc;
}

int rl_cmd_tap(struct rl_cli *cli, struct rl_err *err) {
  struct tap t = {.cli = cli};
  if (cli->args.n)
    return rl_cli_misuse(cli, err, "`rille tap` takes options only, not \"%s\": a topic goes after -t",
                         cli->args.at[0]);
  if (!cli->settings.topics.n) return rl_cli_misuse(cli, err, "`rille tap` needs a topic: -t TOPIC");
  int rc = perform(&t, err);
  rl_format_free(&t.format);
  rl_buf_free(&t.line);
  return rc;
}
