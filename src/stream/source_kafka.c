#include "stream/lane.h"
#include "stream/source.h"
#include "stream/start.h"

static void k_clear(void *self) { rl_consumer_clear(self); }
static bool k_serve(void *self, struct rl_kev *ev) { return rl_consumer_serve(self, ev); }
static enum rl_take k_take(void *self, struct rl_msg *msg, struct rl_err *err) {
  return rl_consumer_take(self, msg, err);
}
static uint32_t k_slot(void *self, const char *topic, int32_t partition) {
  return rl_consumer_slot(self, topic, partition);
}
static int k_accept(void *self, const struct rl_tps *parts, struct rl_err *err) {
  return rl_consumer_accept(self, parts, err);
}
static int k_yield(void *self, const struct rl_tps *parts, struct rl_err *err) {
  return rl_consumer_yield(self, parts, err);
}
static int k_seek(void *self, const struct rl_tps *to, int timeout_ms, struct rl_err *err) {
  return rl_consumer_seek(self, to, timeout_ms, err);
}
static int k_commit(void *self, const struct rl_tps *positions, struct rl_err *err) {
  return rl_consumer_commit(self, positions, err);
}
static int64_t k_high(void *self, const char *topic, int32_t partition) {
  return rl_consumer_high(self, topic, partition);
}
static bool k_joined(void *self) { return rl_consumer_joined(self); }
static bool k_may_commit(void *self) { return rl_consumer_may_commit(self); }
static bool k_reachable(void *self, int timeout_ms) { return rl_consumer_reachable(self, timeout_ms); }
static int k_close_begin(void *self, struct rl_err *err) { return rl_consumer_close_begin(self, err); }
static bool k_closed(void *self) { return rl_consumer_closed(self); }
static int k_look_again(void *self, struct rl_run *run, struct rl_err *err) {
  return rl_run_look_again(run, self, err);
}
static void k_destroy(void *self) { rl_consumer_destroy(self); }

/* At the end of a range a fetch lies at the broker that finds nothing; where it began nothing is fetched
 * before the broker has answered that. */
#define FETCH_WAIT_MS 10

/* -o in a group only says where a group without a committed offset begins (S1.3). */
static const char *reset_of(const struct rl_settings *s) {
  struct rl_start start;
  if (!s->group || !s->start || !rl_start_parse(s->start, &start)) return "earliest";
  return start.kind == RL_START_END ? "latest" : start.kind == RL_START_STORED ? "error" : "earliest";
}

static int begin(struct rl_consumer *c, const struct rl_run *run, const struct rl_tps *parts,
                 struct rl_err *err) {
  const struct rl_settings *s = run->settings;
  if (!run->manual) return rl_consumer_subscribe(c, s->topics.at, s->topics.n, err);
  return parts->n ? rl_consumer_assign(c, parts, err) : 0;
}

int rl_source_kafka(struct rl_source *out, const struct rl_run *run, int lane, const struct rl_tps *parts,
                    struct rl_err *err) {
  const struct rl_settings *s = run->settings;
  struct rl_consumer_opts opts = {.conf = &s->kafka,
                                  .brokers = s->brokers,
                                  .group = s->group,
                                  .manual = run->manual,
                                  .reset = reset_of(s),
                                  .no_topics = atomic_load(&run->no_topics),
                                  .embedded = run->embedded,
                                  .fetch_wait_ms = s->epochs > 1 ? FETCH_WAIT_MS : 0,
                                  .lane = lane};
  struct rl_consumer *c;
  if (rl_consumer_open(&c, &opts, err)) return err->code;
  if (begin(c, run, parts, err)) {
    rl_consumer_destroy(c);
    return err->code;
  }
  *out = (struct rl_source){.self = c,
                            .tracks = true,
                            .fd = rl_consumer_fd(c),
                            .clear = k_clear,
                            .serve = k_serve,
                            .take = k_take,
                            .slot = k_slot,
                            .accept = k_accept,
                            .seek = k_seek,
                            .yield = k_yield,
                            .commit = k_commit,
                            .high = k_high,
                            .joined = k_joined,
                            .may_commit = k_may_commit,
                            .reachable = k_reachable,
                            .look_again = k_look_again,
                            .close_begin = k_close_begin,
                            .closed = k_closed,
                            .destroy = k_destroy};
  return 0;
}
