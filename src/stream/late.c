/* A pattern that matched nothing at the start (S7.2). In a group librdkafka watches for topics that match;
 * without one the reader does, which has nothing else to do: no partition is its lane's. The first look that
 * finds any ends it: what is read without a group is settled once. */
#include "base/log.h"
#include "base/str.h"
#include "stream/lane_state.h"

#define EVERY_MS 5000

static bool looks(const struct rl_lane *lane) { return lane->looking && lane->phase == RL_RUNNING; }

static int64_t interval(const struct rl_settings *s) {
  const char *text = rl_kconf_get(&s->kafka, "topic.metadata.refresh.interval.ms");
  int64_t ms = 0;
  return (text && rl_parse_i64(text, &ms) && ms > 0 ? ms : EVERY_MS) * RL_NS_PER_MS;
}

int64_t rl_late_deadline(const struct rl_lane *lane) {
  if (!looks(lane)) return RL_NEVER;
  if (!atomic_load(&lane->run->no_topics)) return 0; /* another lane has found some */
  return rl_after(lane->looked ? lane->looked : lane->started, interval(lane->s));
}

static void begin(struct rl_lane *lane) {
  struct rl_tps parts = RL_TPS_INIT;
  struct rl_err err = {0};
  lane->looking = false;
  rl_lane_share(lane, &parts);
  rl_begin_manual(lane, &parts);
  if (parts.n && lane->source.accept(lane->source.self, &parts, &err)) rl_lane_fail(lane, &err);
  rl_tps_free(&parts);
}

void rl_late_step(struct rl_lane *lane, int64_t now) {
  struct rl_err err = {0};
  if (now < rl_late_deadline(lane)) return;
  if (lane->source.look_again(lane->source.self, lane->run, &err))
    rl_log(RL_WARN, "looking for topics: %s", err.text);
  lane->looked = rl_now();
  if (!atomic_load(&lane->run->no_topics)) begin(lane);
}
