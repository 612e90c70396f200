/* A bed for tests of lanes: an engine in C whose handler is a test's function, lanes on a mock cluster whose
 * faults can be set, and what became of each message. Waits end when what they wait for came; their bound
 * only ends a hang. */
#ifndef LANE_BED_H
#define LANE_BED_H

#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "kafka/admin.h"
#include "kafka_bed.h"
#include "stream/lane.h"

#define LANE_MESSAGES 8192

enum { KAFKA_PRODUCE = 0, KAFKA_FETCH = 1, KAFKA_OFFSET_COMMIT = 8 };

struct script {
  int (*handle)(struct script *s, const struct rl_view *view, struct rl_outbox *out, struct rl_failure *why);
  int (*hook)(struct script *s, enum rl_hook hook, struct rl_failure *why);
  bool has_hook[RL_HOOK_CLOSE + 1];
  const char *forward;              /* every message goes there */
  atomic_int calls, hooks, slow_ms; /* slow_ms: each call takes so long */
  atomic_int fail, gate;            /* fail: the next so many calls; gate 1: calls wait until it is 0 */
  atomic_int seen[LANE_MESSAGES];   /* how often the message of that number was handled */
  atomic_int total, rebalances;
};

/* Values are numbers, or a number and something after a space. */
static inline int lane_number(const struct rl_msg *msg) {
  char text[16] = "";
  size_t n = msg->value.len < sizeof text ? msg->value.len : sizeof text - 1;
  memcpy(text, msg->value.data, n);
  return atoi(text) % LANE_MESSAGES;
}

static inline void lane_nap(int ms) { usleep((useconds_t)ms * 1000); }

static inline void lane_pass(struct script *s, const struct rl_view *view, struct rl_outbox *out) {
  for (size_t i = 0; i < view->n; i++) {
    size_t at = rl_batch_owner(view->batch, view->rows[i]);
    const struct rl_msg *msg = &view->batch->msgs[at];
    if (s->forward) rl_outbox_forward(out, s->forward, (uint32_t)at, msg->value.len, -1, 0, NULL);
    atomic_fetch_add(&s->seen[lane_number(msg)], 1);
    atomic_fetch_add(&s->total, 1);
  }
}

static inline int lane_handle(void *self, const struct rl_view *view, struct rl_outbox *out,
                              struct rl_failure *why) {
  struct script *s = self;
  atomic_fetch_add(&s->calls, 1);
  while (atomic_load(&s->gate)) lane_nap(5);
  if (atomic_load(&s->slow_ms)) lane_nap(atomic_load(&s->slow_ms));
  if (s->handle) return s->handle(s, view, out, why);
  lane_pass(s, view, out);
  return 0;
}

static inline int lane_hook(void *self, enum rl_hook hook, const struct rl_tps *parts, const char *reason,
                            struct rl_outbox *out, struct rl_failure *why) {
  struct script *s = self;
  (void)parts, (void)reason, (void)out;
  atomic_fetch_add(&s->hooks, 1);
  if (hook == RL_HOOK_ASSIGNED || hook == RL_HOOK_REVOKED) atomic_fetch_add(&s->rebalances, 1);
  return s->hook ? s->hook(s, hook, why) : 0;
}

static inline void lane_no_release(void *self, struct rl_batch *batch) { (void)self, (void)batch; }
static inline void lane_no_call(void *self) { (void)self; }
static inline const char *lane_nowhere(void *self) {
  (void)self;
  return NULL;
}

static inline struct rl_engine lane_engine(struct script *s) {
  struct rl_engine e = {.self = s,
                        .script = "test.lua",
                        .handle = lane_handle,
                        .hook = lane_hook,
                        .release = lane_no_release,
                        .interrupt = lane_no_call,
                        .where = lane_nowhere,
                        .destroy = lane_no_call};
  memcpy(e.has_hook, s->has_hook, sizeof e.has_hook);
  return e;
}

static inline int lane_transient(struct script *s, struct rl_failure *why) {
  atomic_fetch_sub(&s->fail, 1);
  rl_failure_set(why, RL_BLAME_WEATHER, "the model is down", NULL);
  return RL_EHANDLER;
}

/* ── a run ── */

#define LANES_MAX 4

struct lanes {
  struct rl_settings s;
  struct rl_run run;
  struct rl_lane *at[LANES_MAX];
  struct rl_err err[LANES_MAX];
  struct rl_stats stats[LANES_MAX];
  int n;
};

static inline void lanes_set(struct lanes *l, const char *name, const char *value) {
  struct rl_err err = {0};
  if (rl_settings_set(&l->s, rl_setting_find(name), value, RL_LAYER_CLI, name, &err))
    UNIT_FAIL("%s", err.text);
}

static inline void lanes_init(struct lanes *l, const char *address, const char *topic, const char *group) {
  memset(l, 0, sizeof *l);
  rl_settings_init(&l->s);
  if (address) lanes_set(l, "brokers", address);
  if (topic) lanes_set(l, "topics", topic);
  if (group) lanes_set(l, "group", group);
  lanes_set(l, "batch.timeout", "0.1");
  lanes_set(l, "backoff", "0.05");
  lanes_set(l, "kafka", "heartbeat.interval.ms=200");
  lanes_set(l, "kafka", "session.timeout.ms=6000");
  rl_log_level(getenv("LANE_LOG") ? RL_DEBUG : (enum rl_level)(RL_ERROR - 1));
}

/* A cluster with the topic "in", and lanes that decode it. */
static inline struct bed lanes_decode(struct lanes *l, int partitions, const char *group, const char *decode,
                                      const char *fields) {
  struct bed b = bed_start("in", partitions);
  lanes_init(l, b.address, "in", group);
  if (!group) lanes_set(l, "start", "beginning");
  lanes_set(l, "decode", decode);
  lanes_set(l, "fields", fields);
  return b;
}

static inline bool lanes_prepare(struct lanes *l) {
  struct rl_err err = {0};
  bool ok = rl_settings_finish(&l->s, &err) == 0 && rl_run_prepare(&l->run, &l->s, &err) == 0;
  if (!ok) UNIT_FAIL("%s", err.text);
  return ok;
}

/* script NULL: the library form. */
static inline struct rl_lane *lanes_start(struct lanes *l, struct script *script) {
  struct rl_engine engine = script ? lane_engine(script) : (struct rl_engine){.self = NULL};
  if (rl_lane_start(&l->at[l->n], &l->run, l->n, script ? &engine : NULL, &l->err[l->n]))
    UNIT_FAIL("%s", l->err[l->n].text);
  return l->at[l->n++];
}

static inline struct rl_lane *lanes_go(struct lanes *l, struct script *script) {
  return lanes_prepare(l) ? lanes_start(l, script) : NULL;
}

static inline void lanes_stop(struct lanes *l) {
  for (int i = 0; i < l->n; i++) rl_lane_stop(l->at[i], false);
}

static inline void lanes_end(struct lanes *l) {
  for (int i = 0; i < l->n; i++) {
    rl_lane_wait(l->at[i], &l->err[i]);
    rl_lane_stats(l->at[i], &l->stats[i]);
    CHECK(!rl_lane_stuck(l->at[i]));
    rl_lane_free(l->at[i]);
  }
  rl_run_free(&l->run);
  rl_settings_free(&l->s);
}

static inline int64_t lanes_assigned(struct lanes *l, int i) {
  struct rl_stats stats;
  rl_lane_stats(l->at[i], &stats);
  return stats.partitions;
}

static inline int64_t lanes_sent(struct lanes *l, int i) {
  struct rl_stats stats;
  rl_lane_stats(l->at[i], &stats);
  return stats.sent;
}

/* Waits for `what` to hold. */
#define LANE_UNTIL(what)                                \
  do {                                                  \
    int64_t lane_end = rl_now() + BED_PATIENCE;         \
    while (!(what) && rl_now() < lane_end) lane_nap(5); \
    if (!(what)) UNIT_FAIL("did not come: %s", #what);  \
  } while (0)

/* ── messages ── */

static inline void lane_put_padded(struct rl_buf *value, int number, const void *arg) {
  size_t pad = *(const size_t *)arg;
  rl_buf_printf(value, "%d", number);
  memset(rl_buf_reserve(value, pad), ' ', pad);
  value->len += pad;
}

/* Sends numbers from `from` on, `pad` bytes longer, to the topic's partitions in turn. */
static inline void lane_fill(const char *address, const char *topic, int partitions, int from, int n,
                             size_t pad) {
  struct rl_kconf conf = RL_KCONF_INIT;
  struct rl_err err = {0};
  rl_kconf_set(&conf, "message.max.bytes", "8000000", "test", &err);
  bed_send(&(struct bed_load){address, topic, partitions, from, n, lane_put_padded, &pad, &conf});
  rl_kconf_free(&conf);
}

/* The sum of the topic's ends, and of the group's committed offsets. */
static inline int64_t lane_ends(const char *address, const char *topic, const char *group,
                                int64_t *committed) {
  struct rl_kconf conf = RL_KCONF_INIT;
  struct rl_admin *admin;
  struct rl_err err = {0};
  struct rl_tps parts = RL_TPS_INIT, offsets = RL_TPS_INIT;
  int64_t total = 0;
  if (rl_admin_open(&admin, &conf, address, 20000, &err)) UNIT_FAIL("%s", err.text);
  rl_admin_partitions(admin, topic, &parts, &err);
  rl_admin_ends(admin, &parts, &err);
  if (group) rl_admin_offsets_embedded(admin, group, &offsets, &err);
  CHECK_STR(err.text, "");
  for (size_t i = 0; i < parts.n; i++) {
    const struct rl_tp *at = rl_tps_find(&offsets, topic, parts.at[i].partition);
    total += parts.at[i].offset;
    if (committed && at && at->offset > 0) *committed += at->offset;
  }
  rl_tps_free(&parts);
  rl_tps_free(&offsets);
  rl_admin_close(admin);
  return total;
}

static inline int64_t lane_committed(const char *address, const char *topic, const char *group) {
  int64_t committed = 0;
  lane_ends(address, topic, group, &committed);
  return committed;
}

static inline int lane_missing(const struct script *s, int n) {
  int missing = 0;
  for (int i = 0; i < n; i++) missing += atomic_load(&s->seen[i]) == 0;
  return missing;
}

static inline int lane_doubled(const struct script *s, int n) {
  int doubled = 0;
  for (int i = 0; i < n; i++) doubled += atomic_load(&s->seen[i]) > 1;
  return doubled;
}

/* CPU that the whole process used, in seconds: a loop that spins takes as much as the clock. */
static inline double lane_cpu(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#endif
