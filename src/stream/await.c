/* A message whose schema is not there yet (S4.1): the registry has not answered, or is down.
 *
 * It is held where a message is held that did not fit its batch: so nothing behind it is taken, and what is
 * before it goes its way. The reader does not wait: the registry's news ring its bell (S6.3), and the message
 * is decoded again. The wait ends at once when its partition is revoked or the run is stopped: the message is
 * let go then, not done, and comes again. */
#include "stream/lane_state.h"
#include "stream/place.h"

#define ASK_AGAIN (1 * RL_NS_PER_S)

static bool waits(const struct rl_lane *lane) { return lane->has_held && lane->await.on; }

uint64_t rl_await_news(const struct rl_lane *lane) {
  return lane->s->registry_client ? rl_registry_news(lane->s->registry_client) : 0;
}

void rl_await_begin(struct rl_lane *lane, uint64_t news, const struct rl_err *why, int64_t now) {
  struct rl_await *a = &lane->await;
  if (!a->on) a->since = a->said = now;
  a->on = true;
  a->news = news;
  a->tried = now;
  a->why = *why;
}

/* It is asked for again now and then without news, too: should the asking itself have failed. */
bool rl_await_quiet(const struct rl_lane *lane) {
  return waits(lane) && rl_await_news(lane) == lane->await.news && rl_now() < lane->await.tried + ASK_AGAIN;
}

static int64_t line_due(const struct rl_lane *lane) {
  return lane->s->explain > 0 ? rl_after(lane->await.said, rl_seconds(lane->s->explain)) : RL_NEVER;
}

static int64_t outage_due(const struct rl_lane *lane) {
  return lane->s->outage > 0 ? rl_after(lane->await.since, rl_seconds(lane->s->outage)) : RL_NEVER;
}

int64_t rl_await_deadline(const struct rl_lane *lane) {
  if (!waits(lane)) return RL_NEVER;
  int64_t line = line_due(lane), outage = outage_due(lane), again = lane->await.tried + ASK_AGAIN;
  int64_t first = line < outage ? line : outage;
  return first < again ? first : again;
}

static void let_go(struct rl_lane *lane) {
  rl_msg_release(&lane->held);
  rl_uncount(lane, 1);
  lane->has_held = lane->await.on = false;
  rl_wake_ring(&lane->bell); /* what ends the lane has looked before */
}

static void put_what(struct rl_buf *out, const struct rl_lane *lane) {
  char place[RL_PLACE_MAX];
  rl_place(place, &lane->held);
  rl_buf_printf(out, "%s: %s", place, lane->await.why.text);
}

static void say(struct rl_lane *lane, int64_t now) {
  struct rl_buf what = RL_BUF_INIT;
  put_what(&what, lane);
  rl_say_waiting(lane->await.since, now, rl_buf_text(&what));
  rl_buf_free(&what);
  lane->await.said = now;
}

static void give_up(struct rl_lane *lane) {
  struct rl_buf what = RL_BUF_INIT;
  put_what(&what, lane);
  rl_give_up(lane, rl_buf_text(&what));
  rl_buf_free(&what);
  let_go(lane);
}

void rl_await_step(struct rl_lane *lane, int64_t now) {
  if (!waits(lane)) return;
  if (lane->stop_seen)
    let_go(lane);
  else if (now >= outage_due(lane))
    give_up(lane);
  else if (now >= line_due(lane))
    say(lane, now);
}
