/* Waiting is explained: every 15 s without a message, where rille is connected and what it was given. */
#include "base/log.h"
#include "base/mem.h"
#include "stream/lane_state.h"
#include "stream/start.h"

#define TROUBLE_LINES 3

int64_t rl_explain_deadline(const struct rl_lane *lane) {
  if (lane->phase >= RL_CLOSING || lane->s->explain <= 0 || !lane->source.tracks) return RL_NEVER;
  int64_t since = lane->last_message > lane->last_said ? lane->last_message : lane->last_said;
  return rl_after(since, rl_seconds(lane->s->explain));
}

static const char *servers(const struct rl_settings *s) { return s->brokers ? s->brokers : "localhost:9092"; }

/* A few lines a while: "no broker can be reached" must not silence the one that says why. */
static bool is_said(struct rl_lane *lane, int64_t now) {
  if (now >= lane->error_quiet) {
    lane->error_quiet = rl_after(now, rl_seconds(lane->s->explain));
    lane->error_lines = 0;
  }
  return lane->s->explain <= 0 || lane->error_lines++ < TROUBLE_LINES;
}

void rl_say_trouble(struct rl_lane *lane, const char *text, bool waits, int64_t now) {
  bool quiet = !is_said(lane, now);
  const char *whom = waits ? servers(lane->s) : "";
  rl_log(quiet ? RL_DEBUG : RL_WARN, "%s%s%s", text, waits ? "; waiting for " : "", whom);
}

void rl_say_waiting(int64_t since, int64_t now, const char *what) {
  rl_log(RL_WARN, "waiting, %lld s so far: %s", (long long)((now - since) / RL_NS_PER_S), what);
}

int rl_give_up(struct rl_lane *lane, const char *what) {
  struct rl_err err = {0};
  rl_fail(&err, RL_EHANDLER, "gave up after --outage %g s: %s", lane->s->outage, what);
  rl_lane_fail(lane, &err);
  return err.code;
}

static void put_topics(struct rl_buf *out, const struct rl_settings *s) {
  for (size_t i = 0; i < s->topics.n; i++) rl_buf_printf(out, "%s%s", i ? ", " : "", s->topics.at[i]);
}

static size_t put_assigned(struct rl_buf *out, const struct rl_lane *lane) {
  size_t n = 0;
  for (size_t i = 0; i < lane->offsets.n; i++) {
    const struct rl_part *p = &lane->offsets.at[i];
    if (p->assigned) rl_buf_printf(out, "%s%s[%d]", n++ ? ", " : "", p->topic, p->partition);
  }
  return n;
}

static bool nothing_matched(const struct rl_lane *lane) {
  return lane->offsets.n == 0 && atomic_load(&lane->run->no_topics);
}

static void put_group(struct rl_buf *out, const struct rl_lane *lane, size_t assigned) {
  const struct rl_settings *s = lane->s;
  if (!s->group || assigned || nothing_matched(lane)) return;
  rl_buf_printf(out,
                "; another member may hold the partitions: rille groups -G %s, or kafka-consumer-groups "
                "--describe --group %s",
                s->group, s->group);
}

/* The first thing that people wonder about who forgot a group. */
static void put_start(struct rl_buf *out, const struct rl_lane *lane) {
  struct rl_start start;
  bool at_end = !lane->s->group && rl_start_parse(lane->s->start, &start) && start.kind == RL_START_END;
  if (at_end && lane->taken_messages == 0)
    rl_buf_puts(out, "; without a group it began at the end: -o beginning reads what is there");
}

static void say(struct rl_lane *lane, int64_t now) {
  struct rl_buf line = RL_BUF_INIT;
  const struct rl_settings *s = lane->s;
  int64_t since = lane->last_message > lane->started ? lane->last_message : lane->started;
  rl_buf_printf(&line, "no message for %lld s: servers %s, group %s, topics ",
                (long long)((now - since) / RL_NS_PER_S), servers(s), s->group ? s->group : "(none)");
  put_topics(&line, s);
  rl_buf_puts(&line, ", assigned ");
  size_t assigned = put_assigned(&line, lane);
  if (!assigned) rl_buf_puts(&line, "no partitions");
  if (!lane->down_since) put_group(&line, lane, assigned);
  if (nothing_matched(lane))
    rl_buf_puts(&line, "; no topic is there that the pattern matches");
  else
    put_start(&line, lane);
  if (lane->down_since)
    rl_buf_printf(&line, "; all brokers down for %lld s",
                  (long long)((now - lane->down_since) / RL_NS_PER_S));
  rl_log(RL_INFO, "%s", line.data);
  rl_buf_free(&line);
}

/* Batches whose outputs are not answered; *head: the first flight, 0 when there is none. */
static size_t unanswered(struct rl_lane *lane, int64_t *head) {
  size_t n = 0;
  pthread_mutex_lock(&lane->mu);
  *head = lane->flights ? lane->flights->number : 0;
  for (struct rl_flight *f = lane->flights; f && f->state != RL_FLIGHT_IN_HAND; f = f->next)
    n += atomic_load(&f->pending) > 0;
  pthread_mutex_unlock(&lane->mu);
  return n;
}

/* The same batch has waited since the last line. */
static void say_unanswered(struct rl_lane *lane, int64_t now) {
  int64_t head;
  size_t n = unanswered(lane, &head);
  if (n && head == lane->head_said) {
    rl_log(RL_WARN,
           "the outputs of %zu batches, from batch %lld on, were not acknowledged for %lld s; waiting", n,
           (long long)head, (long long)((now - lane->head_since) / RL_NS_PER_S));
    lane->head_told = true;
  } else {
    lane->head_since = now;
  }
  lane->head_said = head;
}

void rl_say_answered(struct rl_lane *lane) {
  if (!lane->head_told) return;
  lane->head_told = false;
  rl_log(RL_INFO, "outputs are acknowledged again");
}

/* One that works for long looks like one that hangs. */
static void say_working(struct rl_lane *lane, int64_t now) {
  int64_t started = lane->has_engine ? atomic_load(&lane->call_started) : 0;
  if (!started || now - started < rl_seconds(lane->s->explain)) return;
  rl_log(RL_INFO, "the handler has been working on a call for %lld s (limits.time is %g s)",
         (long long)((now - started) / RL_NS_PER_S), lane->s->limits_time);
}

void rl_explain_step(struct rl_lane *lane, int64_t now) {
  if (now < rl_explain_deadline(lane)) return;
  lane->last_said = now;
  rl_mem_trim(); /* what a burst took is nobody's while nothing comes */
  say_unanswered(lane, now);
  say_working(lane, now);
  if (lane->phase == RL_RUNNING && !lane->blocked) say(lane, now);
}
