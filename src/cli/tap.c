#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/format.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "stream/lane.h"
#include "stream/ndjson.h"
#include "stream/source.h"

enum { POLL_MS = 1000, CLOSE_S = 5 };

struct tap {
  struct rl_cli *cli;
  struct rl_run run;
  struct rl_source source;
  bool formatted;
  struct rl_format format;
  struct rl_json *json;
  struct rl_tape tape;
  struct rl_buf line;
  int64_t left; /* < 0: no limit */
  bool *ended;  /* of run.ends, one each */
  size_t n_ended;
};

/* A message or EOF stands at `offset`: has its partition ended? */
static bool past_end(struct tap *t, const struct rl_msg *at) {
  struct rl_tp *end = rl_tps_find(&t->run.ends, at->topic, at->partition);
  return end && at->offset >= end->offset;
}

static void end_partition(struct tap *t, const struct rl_msg *at) {
  struct rl_tp *end = rl_tps_find(&t->run.ends, at->topic, at->partition);
  bool *ended = &t->ended[end - t->run.ends.at];
  t->n_ended += !*ended;
  *ended = true;
}

static bool is_over(const struct tap *t) {
  bool bounded = t->cli->settings.exit_at_end || t->cli->settings.end;
  return t->left == 0 || rl_signals_count() > 0 || (bounded && t->n_ended == t->run.ends.n);
}

static int print(struct tap *t, const struct rl_msg *msg, struct rl_err *err) {
  rl_buf_clear(&t->line);
  if (t->formatted)
    rl_format_put(&t->format, &t->line, msg);
  else
    rl_ndjson_put(&t->line, msg, NULL, 0, RL_NDJSON_EMBED, t->json, &t->tape);
  if (t->left > 0) t->left--;
  return rl_out_write(&t->line, err);
}

static int on_message(struct tap *t, struct rl_msg *msg, struct rl_err *err) {
  int rc = past_end(t, msg) ? 0 : print(t, msg, err);
  msg->offset++;
  if (past_end(t, msg)) end_partition(t, msg);
  rl_msg_release(msg);
  return rc;
}

/* An error in the place of a message: what says "not allowed" ends it, the rest is an outage. */
static int on_error(const struct rl_err *why, struct rl_err *err) {
  if (why->code == RL_EBROKER || why->code == RL_EFAIL) {
    *err = *why;
    return err->code;
  }
  rl_log(RL_WARN, "%s", why->text);
  return 0;
}

/* Everything that waits. */
static int take_all(struct tap *t, struct rl_err *err) {
  struct rl_msg msg;
  struct rl_err why = {0};
  while (!is_over(t)) {
    switch (t->source.take(t->source.self, &msg, &why)) {
      case RL_TAKE_NONE: return 0;
      case RL_TAKE_ERROR:
        if (on_error(&why, err)) return err->code;
        break;
      case RL_TAKE_EOF:
        if (past_end(t, &msg)) end_partition(t, &msg);
        break;
      case RL_TAKE_MSG:
        if (on_message(t, &msg, err)) return err->code;
        break;
    }
  }
  return 0;
}

static int serve_all(struct tap *t, struct rl_err *err) {
  struct rl_kev ev;
  int rc = 0;
  while (!rc && t->source.serve(t->source.self, &ev)) {
    if (ev.kind == RL_KEV_ERROR && ev.fatal) {
      *err = ev.err;
      rc = err->code;
    } else if (ev.kind == RL_KEV_ERROR) {
      rl_log(RL_WARN, "%s", ev.err.text);
    }
    rl_kev_free(&ev);
  }
  return rc;
}

static int loop(struct tap *t, const struct rl_signals *signals, struct rl_err *err) {
  while (!is_over(t)) {
    t->source.clear(t->source.self);
    if (serve_all(t, err) || take_all(t, err) || rl_out_flush(err)) return err->code;
    if (is_over(t)) break;
    struct pollfd fds[] = {{.fd = t->source.fd, .events = POLLIN},
                           {.fd = signals->bell.rd, .events = POLLIN},
                           {.fd = STDOUT_FILENO, .events = 0}}; /* only whether its reader went away */
    poll(fds, 3, POLL_MS);
    if (fds[2].revents & POLLERR) return rl_fail(err, RL_EPIPE, "the reader of standard output went away");
  }
  return 0;
}

static void close_source(struct tap *t) {
  int64_t until = rl_now() + CLOSE_S * RL_NS_PER_S;
  struct rl_err err;
  struct rl_kev ev;
  if (t->source.close_begin(t->source.self, &err) == 0) {
    while (!t->source.closed(t->source.self) && rl_now() < until) {
      t->source.clear(t->source.self);
      while (t->source.serve(t->source.self, &ev)) {
        if (ev.kind == RL_KEV_REVOKE || ev.kind == RL_KEV_LOST)
          t->source.yield(t->source.self, &ev.tps, &err);
        rl_kev_free(&ev);
      }
      struct pollfd fd = {.fd = t->source.fd, .events = POLLIN};
      if (!t->source.closed(t->source.self)) poll(&fd, 1, 20);
    }
  }
  t->source.destroy(t->source.self);
}

static int consume(struct tap *t, struct rl_err *err) {
  struct rl_signals signals;
  if (rl_source_kafka(&t->source, &t->run, 0, &t->run.starts, err)) return err->code;
  int rc = rl_signals_open(&signals, false, err);
  if (!rc) {
    rc = loop(t, &signals, err);
    rl_signals_close(&signals);
  }
  close_source(t);
  return rc;
}

/* tap joins no group, whatever a properties file says, and begins at the beginning, as kcat does. */
static int settle(struct rl_cli *cli, struct rl_err *err) {
  struct rl_settings *s = &cli->settings;
  if (rl_settings_set(s, rl_setting_find("group"), "", RL_LAYER_CLI, "rille tap", err) ||
      rl_settings_set(s, rl_setting_find("start"), "beginning", RL_LAYER_SCRIPT, "rille tap", err) ||
      rl_settings_finish(s, err))
    return err->code;
  rl_free(s->group);
  s->group = NULL;
  return 0;
}

static int make_format(struct tap *t, struct rl_err *err) {
  const struct rl_cli *cli = t->cli;
  t->formatted = cli->format || cli->key_delim || cli->delim;
  if (cli->format) return rl_format_make(&t->format, cli->format, err);
  if (!t->formatted) return 0;
  return rl_format_delimited(&t->format, cli->key_delim, cli->delim ? cli->delim : "\\n", err);
}

static int perform(struct tap *t, struct rl_err *err) {
  if (make_format(t, err) || settle(t->cli, err)) return err->code;
  if (rl_run_prepare(&t->run, &t->cli->settings, err)) return err->code;
  t->left = t->cli->settings.count > 0 ? t->cli->settings.count : -1;
  t->ended = rl_zalloc((t->run.ends.n + 1) * sizeof *t->ended);
  t->json = rl_json_new();
  int rc = consume(t, err);
  rl_json_free(t->json);
  rl_tape_free(&t->tape);
  rl_free(t->ended);
  rl_run_free(&t->run);
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
