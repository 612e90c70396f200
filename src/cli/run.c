#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/terminal.h"
#include "cli/commands.h"
#include "cli/supervise.h"
#include "lua/engine.h"

/* A run: a script and a lane for each of the settings' lanes. */
struct job {
  struct rl_cli *cli;
  struct rl_run run;
  bool prepared;
  struct rl_script **scripts; /* [i] is NULL once its lane's engine took it over */
  struct rl_crew crew;
};

static int open_script(struct job *j, size_t i, struct rl_err *err) {
  const struct rl_cli *cli = j->cli;
  struct rl_script_opts opts = {.path = cli->code ? NULL : cli->args.at[0],
                                .code = cli->code,
                                .args = cli->rest.at,
                                .n_args = cli->rest.n,
                                .memory = cli->settings.limits_memory,
                                .time = cli->settings.limits_time};
  return rl_script_open(&j->scripts[i], &opts, err);
}

/* Every lane has a state of its own, so the script runs once a lane; the first one's settings count. */
static int open_scripts(struct job *j, struct rl_err *err) {
  struct rl_settings *s = &j->cli->settings;
  j->scripts = rl_zalloc(sizeof *j->scripts);
  j->crew.n = 1;
  if (open_script(j, 0, err) || rl_script_settings(j->scripts[0], s, err) || rl_settings_finish(s, err) ||
      rl_script_check(j->scripts[0], s, err))
    return err->code;
  j->crew.n = (size_t)s->lanes;
  j->scripts = rl_realloc(j->scripts, j->crew.n * sizeof *j->scripts);
  for (size_t i = 1; i < j->crew.n; i++) j->scripts[i] = NULL;
  for (size_t i = 1; i < j->crew.n; i++)
    if (open_script(j, i, err)) return err->code;
  return 0;
}

static int start_lane(struct job *j, size_t i, struct rl_err *err) {
  struct rl_engine engine;
  if (rl_lua_engine_new(&engine, j->scripts[i], &j->cli->settings, err)) return err->code;
  j->scripts[i] = NULL;
  if (rl_lane_start(&j->crew.lanes[i], &j->run, (int)i, &engine, err) == 0) return 0;
  engine.destroy(engine.self);
  return err->code;
}

static int start_lanes(struct job *j, struct rl_err *err) {
  j->crew.run = &j->run;
  j->crew.lanes = rl_zalloc(j->crew.n * sizeof *j->crew.lanes);
  for (size_t i = 0; i < j->crew.n; i++)
    if (start_lane(j, i, err)) return err->code;
  return 0;
}

static int prepare(struct job *j, struct rl_err *err) {
  if (open_scripts(j, err)) return err->code;
  int rc = rl_run_prepare(&j->run, &j->cli->settings, err);
  j->prepared = rc == 0;
  return rc;
}

static int perform(struct job *j, struct rl_signals *signals, struct rl_err *err) {
  if (prepare(j, err)) return err->code;
  rl_signals_count_from_now();
  if (start_lanes(j, err)) return err->code;
  return rl_supervise(&j->crew, signals, err);
}

static void clean_up(struct job *j) {
  for (size_t i = 0; j->crew.lanes && i < j->crew.n; i++)
    if (j->crew.lanes[i]) rl_lane_free(j->crew.lanes[i]);
  for (size_t i = 0; j->scripts && i < j->crew.n; i++)
    if (j->scripts[i]) rl_script_close(j->scripts[i]);
  rl_free(j->crew.lanes);
  rl_free(j->scripts);
  if (j->prepared) rl_run_free(&j->run);
}

static bool is_script(const char *path) {
  const char *ending = strrchr(path, '.');
  return ending && strcmp(ending, ".lua") == 0;
}

/* What a shell makes of `--input *.avro`: the first is the input, the others are arguments, wherever the
 * script stands. NULL: it is not that. */
static const char *spread(const struct rl_cli *cli) {
  for (size_t i = 0; cli->settings.input && i < cli->args.n; i++)
    if (!is_script(cli->args.at[i]) && access(cli->args.at[i], F_OK) == 0) return cli->args.at[i];
  return NULL;
}

static int check_form(struct rl_cli *cli, struct rl_err *err) {
  size_t n = cli->args.n + (cli->code != NULL);
  if (n == 1) return 0;
  if (n == 0) return rl_cli_misuse(cli, err, "`rille run` needs a script, or --code");
  const char *last = cli->args.at[cli->args.n - 1], *other = spread(cli);
  if (other)
    return rl_cli_misuse(cli, err,
                         "--input takes one file, not %s too: run once for each, or let `rille send -t TOPIC "
                         "--input-format whole FILE…` make a topic of them, a file a message",
                         other);
  return rl_cli_misuse(
      cli, err, "`rille run` takes one script, not %s too: what is for the script goes after --", last);
}

static bool is_stuck(const struct job *j) {
  for (size_t i = 0; j->crew.lanes && i < j->crew.n; i++)
    if (j->crew.lanes[i] && rl_lane_ended(j->crew.lanes[i]) && rl_lane_stuck(j->crew.lanes[i])) return true;
  return false;
}

/* A handler that never came back still runs in its state: nothing may be torn down under it (S10.3). */
static void leave_at_once(int code, const struct rl_err *err) {
  if (code && code != RL_EPIPE) rl_log(RL_ERROR, "%s", err->text);
  rl_log_finish();
  _exit(rl_err_status(code));
}

int rl_cmd_run(struct rl_cli *cli, struct rl_err *err) {
  struct rl_signals signals;
  struct job job = {.cli = cli};
  if (check_form(cli, err) || rl_signals_open(&signals, true, err)) return err->code;
  if (rl_log_on(RL_INFO)) rl_terminal_share();
  int rc = perform(&job, &signals, err);
  if (is_stuck(&job)) leave_at_once(rc, err);
  clean_up(&job);
  rl_signals_close(&signals);
  return rc;
}
