#include "kafka/joining.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/mem.h"

#define FOLLOWS_WITHIN (3 * RL_NS_PER_S) /* else it does not: commits must go on */
#define DOUBT_AT_MOST (2 * RL_NS_PER_S)
#define PROBES 3
/* librdkafka's pause between two joins, and how long before its end a commit must be on its way. */
#define JOIN_PAUSE (1 * RL_NS_PER_S)
#define HEADWAY (250 * RL_NS_PER_MS)

enum { OFFSET_FETCH = 9, JOIN_GROUP = 11, HEARTBEAT = 12, SYNC_GROUP = 14, CONSUMER_GROUP_HEARTBEAT = 68 };
enum state {
  SETTLED,
  FOLLOWS,
  UNDER_WAY,
  ASKED,   /* a heartbeat is out */
  ANSWERED /* it, or the second half of a join, was answered: a join may come of it */
};

struct rl_joining {
  pthread_mutex_t mu;
  const struct rl_wake *wake; /* NULL once the owner is gone */
  int refs;                   /* the owner's, and the client's while it lives */
  enum state state;
  int64_t since;  /* when the state was entered */
  int64_t joined; /* when the last join went out */
  int probes;     /* how many went out since the answer */
  bool probing;   /* one is asked for and has not gone out */
  bool seen;      /* there are joins at all: KIP-848 has none */
  bool begun;     /* this, or KIP-848's way to join */
};

struct rl_joining *rl_joining_new(const struct rl_wake *wake) {
  struct rl_joining *j = rl_zalloc(sizeof *j);
  pthread_mutex_init(&j->mu, NULL);
  j->wake = wake;
  j->refs = 1;
  return j;
}

static void let_go(struct rl_joining *j, bool owner) {
  pthread_mutex_lock(&j->mu);
  if (owner) j->wake = NULL;
  bool last = --j->refs == 0;
  pthread_mutex_unlock(&j->mu);
  if (!last) return;
  pthread_mutex_destroy(&j->mu);
  rl_free(j);
}

void rl_joining_free(struct rl_joining *j) {
  if (j) let_go(j, true);
}

static void enter(struct rl_joining *j, enum state state, int64_t now) {
  j->state = state;
  j->since = now;
  j->probes = 0;
  j->probing = false;
  if (j->wake && (state == SETTLED || state == ANSWERED)) rl_wake_ring(j->wake);
}

void rl_joining_follows(struct rl_joining *j, int64_t now) {
  pthread_mutex_lock(&j->mu);
  if (j->seen) enter(j, FOLLOWS, now);
  pthread_mutex_unlock(&j->mu);
}

bool rl_joining_now(const struct rl_joining *joining, int64_t now) {
  struct rl_joining *j = (struct rl_joining *)(uintptr_t)joining;
  pthread_mutex_lock(&j->mu);
  bool yes = j->state == UNDER_WAY || (j->state == FOLLOWS && now < j->since + FOLLOWS_WITHIN);
  pthread_mutex_unlock(&j->mu);
  return yes;
}

bool rl_joining_begun(const struct rl_joining *joining) {
  struct rl_joining *j = (struct rl_joining *)(uintptr_t)joining;
  pthread_mutex_lock(&j->mu);
  bool yes = j->begun;
  pthread_mutex_unlock(&j->mu);
  return yes;
}

static enum rl_doubt doubt(struct rl_joining *j, int64_t now) {
  int64_t next = j->joined + JOIN_PAUSE;
  if (j->state != ASKED && j->state != ANSWERED) return RL_SURE;
  if (now < next - HEADWAY || now >= j->since + DOUBT_AT_MOST) return RL_SURE;
  if (now <= next || j->state == ASKED || j->probing) return RL_WAIT;
  j->probing = true;
  return RL_PROBE;
}

enum rl_doubt rl_joining_doubt(struct rl_joining *j, int64_t now) {
  pthread_mutex_lock(&j->mu);
  enum rl_doubt d = doubt(j, now);
  pthread_mutex_unlock(&j->mu);
  return d;
}

static void probe_sent(struct rl_joining *j, int64_t now) {
  if (j->state != ANSWERED || !j->probing) return;
  j->probing = false;
  if (++j->probes == PROBES)
    enter(j, SETTLED, now);
  else if (j->wake)
    rl_wake_ring(j->wake);
}

void rl_joining_sent(struct rl_joining *j, int api_key, int64_t now) {
  pthread_mutex_lock(&j->mu);
  if (api_key == JOIN_GROUP || api_key == CONSUMER_GROUP_HEARTBEAT) j->begun = true;
  if (api_key == JOIN_GROUP) {
    j->seen = true;
    j->joined = now;
    enter(j, UNDER_WAY, now);
  } else if (api_key == HEARTBEAT && (j->state == SETTLED || j->state == ANSWERED)) {
    enter(j, ASKED, now);
  } else if (api_key == OFFSET_FETCH) {
    probe_sent(j, now);
  }
  pthread_mutex_unlock(&j->mu);
}

/* A join that failed is followed by another: only its second half ends it. */
void rl_joining_received(struct rl_joining *j, int api_key, int64_t now) {
  pthread_mutex_lock(&j->mu);
  if (api_key == SYNC_GROUP || (api_key == HEARTBEAT && j->state == ASKED)) enter(j, ANSWERED, now);
  pthread_mutex_unlock(&j->mu);
}

/* librdkafka's signatures. NOLINTBEGIN(readability-function-size,readability-non-const-parameter) */
static rd_kafka_resp_err_t on_sent(rd_kafka_t *rk, int fd, const char *name, int32_t id, int16_t key,
                                   int16_t version, int32_t corr, size_t size, void *arg) {
  (void)rk, (void)fd, (void)name, (void)id, (void)version, (void)corr, (void)size;
  rl_joining_sent(arg, key, rl_now());
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static rd_kafka_resp_err_t on_received(rd_kafka_t *rk, int fd, const char *name, int32_t id, int16_t key,
                                       int16_t version, int32_t corr, size_t size, int64_t rtt,
                                       rd_kafka_resp_err_t err, void *arg) {
  (void)rk, (void)fd, (void)name, (void)id, (void)version, (void)corr, (void)size, (void)rtt, (void)err;
  rl_joining_received(arg, key, rl_now());
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static rd_kafka_resp_err_t on_destroy(rd_kafka_t *rk, void *arg) {
  (void)rk;
  let_go(arg, false);
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static rd_kafka_resp_err_t on_new(rd_kafka_t *rk, const rd_kafka_conf_t *conf, void *arg, char *why,
                                  size_t size) {
  struct rl_joining *j = arg;
  (void)conf, (void)why, (void)size;
  pthread_mutex_lock(&j->mu);
  j->refs++;
  pthread_mutex_unlock(&j->mu);
  rd_kafka_interceptor_add_on_destroy(rk, "rille", on_destroy, j);
  rd_kafka_interceptor_add_on_request_sent(rk, "rille", on_sent, j);
  rd_kafka_interceptor_add_on_response_received(rk, "rille", on_received, j);
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

/* NOLINTEND(readability-function-size,readability-non-const-parameter) */

void rl_joining_watch(struct rl_joining *j, rd_kafka_conf_t *conf) {
  rd_kafka_conf_interceptor_add_on_new(conf, "rille", on_new, j);
}
