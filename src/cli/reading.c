#include "cli/reading.h"

#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "stream/lane.h"
#include "stream/source.h"

enum { POLL_MS = 1000, CLOSE_S = 5 };

struct reading {
  const struct rl_settings *settings;
  const struct rl_reading *what;
  struct rl_run run;
  struct rl_source source;
  bool enough;
  int64_t until; /* with patience: when it ends */
  bool *ended;   /* of run.ends, one each */
  size_t n_ended;
};

/* A message or EOF stands at `offset`: has its partition ended? */
static bool past_end(struct reading *t, const struct rl_msg *at) {
  struct rl_tp *end = rl_tps_find(&t->run.ends, at->topic, at->partition);
  return end && at->offset >= end->offset;
}

static void end_partition(struct reading *t, const struct rl_msg *at) {
  struct rl_tp *end = rl_tps_find(&t->run.ends, at->topic, at->partition);
  bool *ended = &t->ended[end - t->run.ends.at];
  t->n_ended += !*ended;
  *ended = true;
}

static bool is_over(const struct reading *t) {
  bool bounded = t->settings->exit_at_end || t->settings->end;
  bool late = t->what->patience > 0 && rl_now() >= t->until;
  return t->enough || late || rl_signals_count() > 0 || (bounded && t->n_ended == t->run.ends.n);
}

static void be_patient(struct reading *t) {
  if (t->what->patience > 0) t->until = rl_now() + (int64_t)(t->what->patience * (double)RL_NS_PER_S);
}

static int on_message(struct reading *t, struct rl_msg *msg, struct rl_err *err) {
  int rc = past_end(t, msg) ? 0 : t->what->take(t->what->self, msg, err);
  if (rc > 0) t->enough = true;
  be_patient(t);
  msg->offset++;
  if (past_end(t, msg)) end_partition(t, msg);
  rl_msg_release(msg);
  return rc < 0 ? rc : 0;
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
static int take_all(struct reading *t, struct rl_err *err) {
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

static int serve_all(struct reading *t, struct rl_err *err) {
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

static int loop(struct reading *t, const struct rl_signals *signals, struct rl_err *err) {
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

static void close_source(struct reading *t) {
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

static int consume(struct reading *t, struct rl_err *err) {
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

/* Whatever a properties file says. */
int rl_reading_settle(struct rl_settings *s, const char *start, const char *origin, struct rl_err *err) {
  if (rl_settings_set(s, rl_setting_find("group"), "", RL_LAYER_CLI, origin, err) ||
      rl_settings_set(s, rl_setting_find("start"), start, RL_LAYER_SCRIPT, origin, err) ||
      rl_settings_finish(s, err))
    return err->code;
  rl_free(s->group);
  s->group = NULL;
  return 0;
}

int rl_read_topics(const struct rl_settings *settings, const struct rl_reading *what, struct rl_err *err) {
  struct reading t = {.settings = settings, .what = what};
  if (rl_run_prepare(&t.run, settings, err)) return err->code;
  t.ended = rl_zalloc((t.run.ends.n + 1) * sizeof *t.ended);
  be_patient(&t);
  int rc = consume(&t, err);
  rl_free(t.ended);
  rl_run_free(&t.run);
  return rc;
}
