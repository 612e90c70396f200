#include "cli/supervise.h"

#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/progress.h"

#define LOOK RL_NS_PER_S        /* at lines that standard error did not take at once */
#define GRACE (1 * RL_NS_PER_S) /* for lanes to leave after the second signal */

struct watch {
  const struct rl_crew *crew;
  bool *over; /* a lane each: ended and waited for */
  int signals;
  int64_t leave_at; /* RL_NEVER until the second signal */
  struct rl_err *err;
  const char *traceback; /* of err */
  struct rl_progress progress;
};

static void stop_all(const struct watch *w, bool now) {
  for (size_t i = 0; i < w->crew->n; i++)
    if (!w->over[i]) rl_lane_stop(w->crew->lanes[i], now);
}

/* The first error stays; a reader that went away is none while there is another. */
static void note(struct watch *w, const struct rl_err *why, const char *traceback) {
  if (w->err->code == 0 || (w->err->code == RL_EPIPE && why->code != RL_EPIPE)) {
    *w->err = *why;
    w->traceback = traceback;
  } else if (why->code != RL_EPIPE) {
    if (traceback) rl_log(RL_ERROR, "%s", traceback);
    rl_log(RL_ERROR, "%s", why->text);
  }
}

static size_t reap(struct watch *w) {
  size_t up = 0;
  for (size_t i = 0; i < w->crew->n; i++) {
    struct rl_lane *lane = w->crew->lanes[i];
    if (!w->over[i] && rl_lane_ended(lane)) {
      struct rl_err why = {0};
      w->over[i] = true;
      if (rl_lane_wait(lane, &why)) {
        note(w, &why, rl_lane_traceback(lane));
        stop_all(w, false);
      }
    }
    up += !w->over[i];
  }
  return up;
}

/* Nothing more can be done for lanes that hang: their members stay in the group until their session ends. */
static void abandon(void) {
  rl_log_progress(NULL);
  rl_log(RL_WARN,
         "left without closing: the group waits for session.timeout.ms before others get the partitions");
  rl_log_finish();
  _exit(rl_err_status(RL_EFAIL));
}

static void heed(struct watch *w) {
  int count = rl_signals_count();
  if (count == w->signals) return;
  if (w->signals == 0) {
    rl_log(RL_INFO, "stopping: finishing what is in hand; a second signal leaves at once");
    stop_all(w, false);
  }
  if (count > 1 && w->leave_at == RL_NEVER) {
    w->leave_at = rl_now() + GRACE;
    stop_all(w, true);
  } else if (count > 2) {
    abandon();
  }
  w->signals = count;
}

static void wait_for_news(struct watch *w, struct rl_signals *signals) {
  struct pollfd fds[] = {{.fd = signals->bell.rd, .events = POLLIN},
                         {.fd = w->crew->run->changed.rd, .events = POLLIN}};
  int64_t until = rl_progress_due(&w->progress);
  if (w->leave_at < until) until = w->leave_at;
  if (rl_now() + LOOK < until) until = rl_now() + LOOK;
  poll(fds, 2, rl_poll_ms(rl_now(), until, 1000));
  rl_log_look();
  rl_wake_clear(&signals->bell);
  rl_wake_clear(&w->crew->run->changed);
}

int rl_supervise(const struct rl_crew *crew, struct rl_signals *signals, struct rl_err *err) {
  struct watch w = {.crew = crew, .leave_at = RL_NEVER, .err = err};
  w.over = rl_zalloc(crew->n * sizeof *w.over);
  err->code = 0;
  rl_progress_start(&w.progress);
  while (reap(&w) > 0) {
    heed(&w);
    if (rl_now() >= w.leave_at) abandon();
    rl_progress_show(&w.progress, crew);
    wait_for_news(&w, signals);
  }
  rl_log_progress(NULL);
  rl_progress_summary(&w.progress, crew);
  if (w.traceback) rl_log(RL_ERROR, "%s", w.traceback); /* the error itself comes last, from main */
  rl_free(w.over);
  return err->code;
}
