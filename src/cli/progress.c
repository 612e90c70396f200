#include "cli/progress.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/terminal.h"
#include "cli/supervise.h"

void rl_stats_add(struct rl_stats *sum, const struct rl_stats *s) {
  sum->messages += s->messages;
  sum->bytes += s->bytes;
  sum->batches += s->batches;
  sum->handled += s->handled;
  for (int i = 0; i <= RL_CAUSE_STOP; i++) sum->by_cause[i] += s->by_cause[i];
  sum->sent += s->sent;
  sum->rejected += s->rejected;
  sum->failed += s->failed;
  sum->commits += s->commits;
  sum->lag = sum->lag < 0 || s->lag < 0 ? -1 : sum->lag + s->lag;
  sum->partitions += s->partitions;
}

static struct rl_stats sum_of(const struct rl_crew *crew) {
  struct rl_stats sum, one;
  memset(&sum, 0, sizeof sum);
  for (size_t i = 0; i < crew->n; i++) {
    rl_lane_stats(crew->lanes[i], &one);
    rl_stats_add(&sum, &one);
  }
  return sum;
}

static double seconds_since(int64_t then) { return (double)(rl_now() - then) / (double)RL_NS_PER_S; }

/* "1 batch", "2 batches". */
static void put_count(struct rl_buf *out, int64_t n, const char *one, const char *many) {
  rl_buf_printf(out, "%" PRId64 " %s", n, n == 1 ? one : many);
}

void rl_progress_put(struct rl_buf *out, const struct rl_stats *s, double rate) {
  put_count(out, s->handled, "message", "messages");
  rl_buf_printf(out, "  %.0f/s  lag ", rate);
  if (s->lag < 0)
    rl_buf_putc(out, '?');
  else
    rl_buf_printf(out, "%" PRId64, s->lag);
  rl_buf_puts(out, "  ");
  put_count(out, s->batches, "batch", "batches");
  rl_buf_printf(out, "  %" PRId64 " passed", s->sent);
  if (s->rejected) {
    rl_buf_puts(out, "  ");
    put_count(out, s->rejected, "dead letter", "dead letters");
  }
}

static void put_causes(struct rl_buf *out, const struct rl_stats *s) {
  const char *before = " (";
  for (int i = 0; i <= RL_CAUSE_STOP; i++) {
    if (!s->by_cause[i]) continue;
    rl_buf_printf(out, "%s%s %" PRId64, before, rl_cause_name((enum rl_cause)i), s->by_cause[i]);
    before = ", ";
  }
  if (before[0] == ',') rl_buf_putc(out, ')');
}

/* Batches are committed in groups: how often is not how many. */
static void put_commits(struct rl_buf *out, int64_t n) {
  if (n == 1) rl_buf_puts(out, ", offsets committed once");
  if (n > 1) rl_buf_printf(out, ", offsets committed %" PRId64 " times", n);
}

void rl_summary_put(struct rl_buf *out, const struct rl_stats *s, double seconds) {
  put_count(out, s->handled, "message", "messages");
  rl_buf_puts(out, " in ");
  put_count(out, s->batches, "batch", "batches");
  put_causes(out, s);
  rl_buf_puts(out, ", ");
  put_count(out, s->sent, "output", "outputs");
  rl_buf_puts(out, ", ");
  put_count(out, s->rejected, "dead letter", "dead letters");
  put_commits(out, s->commits);
  rl_buf_printf(out, ", %.1f s, %.0f/s", seconds, seconds > 0 ? (double)s->handled / seconds : 0.0);
}

void rl_progress_start(struct rl_progress *p) {
  memset(p, 0, sizeof *p);
  p->shown = isatty(STDERR_FILENO) && rl_log_on(RL_INFO) && (rl_terminal_shared() || !isatty(STDOUT_FILENO));
  p->started = p->at = rl_now();
  p->next = p->started + RL_NS_PER_S;
}

int64_t rl_progress_due(const struct rl_progress *p) { return p->shown ? p->next : RL_NEVER; }

void rl_progress_show(struct rl_progress *p, const struct rl_crew *crew) {
  if (!p->shown || rl_now() < p->next) return;
  struct rl_stats s = sum_of(crew);
  struct rl_buf line = RL_BUF_INIT;
  double since = seconds_since(p->at);
  rl_progress_put(&line, &s, since > 0 ? (double)(s.handled - p->messages) / since : 0.0);
  rl_log_progress(line.data);
  rl_buf_free(&line);
  p->messages = s.handled;
  p->at = rl_now();
  p->next = p->at + RL_NS_PER_S;
}

void rl_progress_summary(const struct rl_progress *p, const struct rl_crew *crew) {
  if (!rl_log_on(RL_INFO)) return;
  struct rl_stats s = sum_of(crew);
  struct rl_buf line = RL_BUF_INIT;
  rl_summary_put(&line, &s, seconds_since(p->started));
  rl_log(RL_INFO, "%s", line.data);
  rl_buf_free(&line);
}
