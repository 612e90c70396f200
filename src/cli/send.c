#include "cli/send.h"

#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/client.h"
#include "cli/commands.h"
#include "stream/start.h"

enum { SHOWN = 10 /* refusals that get a line each */ };

/* Where a message came from; goes with it and comes back with its report. */
struct origin {
  const char *file;
  int64_t line;
};

/* What the broker says of one message in the words it used for the last is not said again: the count is. */
static void refuse(struct rl_sender *s, const char *file, int64_t line, const struct rl_err *why) {
  if (s->failed++ == 0) s->first = *why;
  bool same = s->failed > 1 && why->kafka && strcmp(why->text, s->last.text) == 0;
  s->last = *why;
  if (!same && s->shown++ < SHOWN) rl_log(RL_ERROR, "%s:%" PRId64 ": not sent: %s", file, line, why->text);
}

static void on_report(void *opaque, const struct rl_err *why, void *arg) {
  struct origin *from = opaque;
  struct rl_sender *s = arg;
  if (why->code)
    refuse(s, from->file, from->line, why);
  else
    s->acknowledged++;
  rl_free(from);
}

/* Waits for reports, for room in the queue or for a signal, and says every now and then that it does. */
static void wait_a_little(struct rl_sender *s) {
  struct pollfd fds[] = {{.fd = rl_producer_fd(s->producer), .events = POLLIN},
                         {.fd = s->signals.bell.rd, .events = POLLIN}};
  poll(fds, 2, 1000);
  rl_wake_clear(&s->signals.bell);
  rl_producer_clear(s->producer);
  double explain = s->cli->settings.explain;
  if (rl_producer_serve(s->producer, on_report, s) > 0) s->heard = rl_now();
  if (explain <= 0 || rl_now() - s->heard < rl_seconds(explain)) return;
  rl_log(RL_INFO, "waiting for the broker to acknowledge %d messages", rl_producer_pending(s->producer));
  s->heard = rl_now();
}

/* One record into the producer, once there is room. RL_EFULL when a second signal came before. */
static int produce(struct rl_sender *s, const struct rl_record *record, struct rl_err *err) {
  for (;;) {
    int rc = rl_producer_send(s->producer, record, err);
    if (rc != RL_EFULL) return rc;
    if (rl_signals_count() > 1) return RL_EFULL;
    wait_a_little(s);
  }
}

/* 0, also when this one message was refused; else sending ends. */
static int send_record(struct rl_sender *s, const struct rl_lines *in, struct rl_record *record,
                       struct rl_err *err) {
  int64_t cost = rl_room_cost(record->key, record->value, record->headers, record->n_headers);
  if (rl_room_take(&s->room, record->key, cost, &record->partition, err)) {
    err->code = RL_EFAIL;
    return rl_err_prefix(err, "%s:%" PRId64 ": ", in->name, in->line);
  }
  struct origin *from = rl_alloc(sizeof *from);
  *from = (struct origin){in->name, in->line};
  record->opaque = from;
  int rc = produce(s, record, err);
  if (rc == 0) return 0;
  rl_free(from);
  if (rc == RL_EFULL) return rl_fail(err, RL_EFAIL, "interrupted");
  refuse(s, in->name, in->line, err);
  return 0;
}

static int send_line(struct rl_sender *s, const struct rl_lines *in, struct rl_bytes line,
                     struct rl_err *err) {
  struct rl_record record;
  if (rl_sender_skips(s, line)) return 0;
  rl_arena_reset(&s->arena);
  s->taken++;
  if (rl_sender_read(s, line, &record, err)) {
    refuse(s, in->name, in->line, err);
    return 0;
  }
  return send_record(s, in, &record, err);
}

static bool wanted(const struct rl_sender *s) {
  int64_t count = s->cli->settings.count;
  return rl_signals_count() == 0 && (count <= 0 || s->taken < count);
}

static int send_lines(struct rl_sender *s, struct rl_lines *in, struct rl_err *err) {
  struct rl_bytes line;
  while (wanted(s)) {
    int rc = rl_lines_next(in, &line, err);
    if (rc == 0 || rc < 0) return rc;
    if (rc == 1 && send_line(s, in, line, err)) return err->code;
    if (rl_producer_serve(s->producer, on_report, s) > 0) s->heard = rl_now();
    if (rl_producer_fatal(s->producer, err)) return err->code;
  }
  return 0;
}

static int send_file(struct rl_sender *s, const char *path, struct rl_err *err) {
  struct rl_lines in;
  if (rl_lines_open(&in, path, rl_buf_bytes(&s->delim), err)) return err->code;
  in.text = !s->cli->delim && !rl_settings_is_set(&s->cli->settings, "input_format");
  /* Reports name the file until the last has come: its name is the command line's, or a literal. */
  int rc = send_lines(s, &in, err);
  rl_lines_close(&in);
  return rc;
}

static int send_files(struct rl_sender *s, struct rl_err *err) {
  const struct rl_list *files = &s->cli->args;
  if (!files->n && isatty(STDIN_FILENO))
    rl_log(RL_INFO, "reading from the terminal: each line is a message, Ctrl-D ends");
  if (!files->n) return send_file(s, "-", err);
  for (size_t i = 0; i < files->n && wanted(s); i++)
    if (send_file(s, files->at[i], err)) return err->code;
  return 0;
}

/* Until all is answered; a second signal ends it. */
static int settle(struct rl_sender *s, struct rl_err *err) {
  s->heard = rl_now();
  while (rl_producer_pending(s->producer) > 0 && rl_signals_count() < 2) {
    wait_a_little(s);
    if (rl_producer_fatal(s->producer, err)) return err->code;
  }
  return 0;
}

/* What is sent is waited for, whatever ended the sending. */
static int transfer(struct rl_sender *s, struct rl_err *err) {
  struct rl_err later = {0};
  s->heard = rl_now();
  int rc = send_files(s, err);
  if (settle(s, &later) && !rc) {
    *err = later;
    rc = err->code;
  }
  return rc;
}

static int sum_up(const struct rl_sender *s, int rc, struct rl_err *err) {
  const char *topic = s->cli->settings.topics.at[0];
  rl_log(RL_INFO, "%" PRId64 " message%s sent to %s", s->acknowledged, s->acknowledged == 1 ? "" : "s",
         topic);
  if (rc || !s->failed) return rc;
  return rl_fail(err, s->first.code, "%" PRId64 " message%s not sent to %s", s->failed,
                 s->failed == 1 ? " was" : "s were", topic);
}

static int open_producer(struct rl_sender *s, struct rl_err *err) {
  const char *topic = s->cli->settings.topics.at[0];
  struct rl_producer_opts opts = {.conf = &s->cli->settings.kafka, .brokers = rl_client_brokers(s->cli)};
  if (rl_producer_open(&s->producer, &opts, err)) return err->code;
  if (rl_producer_connect(s->producer, rl_client_connect_ms(s->cli), err)) return err->code;
  if (rl_producer_has_topic(s->producer, topic, rl_client_connect_ms(s->cli), err)) return err->code;
  if (s->partition >= 0 &&
      rl_producer_has_partition(s->producer, topic, s->partition, rl_client_connect_ms(s->cli), err))
    return err->code;
  return rl_room_open(&s->room, s->cli, topic, err);
}

/* Before anything is sent. */
static int check_files(const struct rl_list *files, struct rl_err *err) {
  for (size_t i = 0; i < files->n; i++)
    if (rl_lines_check(files->at[i], err)) return err->code;
  return 0;
}

static int perform(struct rl_sender *s, struct rl_err *err) {
  if (check_files(&s->cli->args, err) || open_producer(s, err) || rl_signals_open(&s->signals, false, err))
    return err->code;
  int rc = transfer(s, err);
  rl_producer_destroy(s->producer, on_report, s);
  s->producer = NULL;
  rl_signals_close(&s->signals);
  return sum_up(s, rc, err);
}

int rl_cmd_send(struct rl_cli *cli, struct rl_err *err) {
  struct rl_sender s;
  if (rl_sender_init(&s, cli, err)) return err->code;
  int rc = perform(&s, err);
  if (s.producer) rl_producer_destroy(s.producer, on_report, &s);
  rl_sender_free(&s);
  return rc;
}
