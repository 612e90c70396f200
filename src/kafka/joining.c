#include "kafka/joining.h"

#include <stdatomic.h>

#include "base/clock.h"
#include "base/mem.h"

#define FOLLOWS_WITHIN (3 * RL_NS_PER_S) /* else it does not: commits must go on */

enum { JOIN_GROUP = 11, SYNC_GROUP = 14 };
enum { SETTLED, FOLLOWS, UNDER_WAY };

struct rl_joining {
  atomic_int refs; /* ours, and the client's while it lives */
  atomic_int state;
  atomic_bool seen;   /* there are joins at all: KIP-848 has none */
  int64_t follows_by; /* the owner's thread */
};

struct rl_joining *rl_joining_new(void) {
  struct rl_joining *j = rl_zalloc(sizeof *j);
  atomic_init(&j->refs, 1);
  return j;
}

void rl_joining_free(struct rl_joining *j) {
  if (j && atomic_fetch_sub(&j->refs, 1) == 1) rl_free(j);
}

void rl_joining_follows(struct rl_joining *j) {
  if (!atomic_load(&j->seen)) return;
  j->follows_by = rl_now() + FOLLOWS_WITHIN;
  atomic_store(&j->state, FOLLOWS);
}

bool rl_joining_now(const struct rl_joining *j) {
  int state = atomic_load(&((struct rl_joining *)(uintptr_t)j)->state);
  return state == UNDER_WAY || (state == FOLLOWS && rl_now() < j->follows_by);
}

/* librdkafka's signatures. NOLINTBEGIN(readability-function-size,readability-non-const-parameter) */
static rd_kafka_resp_err_t on_sent(rd_kafka_t *rk, int fd, const char *name, int32_t id, int16_t key,
                                   int16_t version, int32_t corr, size_t size, void *arg) {
  struct rl_joining *j = arg;
  (void)rk, (void)fd, (void)name, (void)id, (void)version, (void)corr, (void)size;
  if (key != JOIN_GROUP) return RD_KAFKA_RESP_ERR_NO_ERROR;
  atomic_store(&j->seen, true);
  atomic_store(&j->state, UNDER_WAY);
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

/* A join that failed is followed by another: only its second half ends it. */
static rd_kafka_resp_err_t on_received(rd_kafka_t *rk, int fd, const char *name, int32_t id, int16_t key,
                                       int16_t version, int32_t corr, size_t size, int64_t rtt,
                                       rd_kafka_resp_err_t err, void *arg) {
  struct rl_joining *j = arg;
  (void)rk, (void)fd, (void)name, (void)id, (void)version, (void)corr, (void)size, (void)rtt, (void)err;
  if (key == SYNC_GROUP) atomic_store(&j->state, SETTLED);
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static rd_kafka_resp_err_t on_destroy(rd_kafka_t *rk, void *arg) {
  (void)rk;
  rl_joining_free(arg);
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static rd_kafka_resp_err_t on_new(rd_kafka_t *rk, const rd_kafka_conf_t *conf, void *arg, char *why,
                                  size_t size) {
  struct rl_joining *j = arg;
  (void)conf, (void)why, (void)size;
  atomic_fetch_add(&j->refs, 1);
  rd_kafka_interceptor_add_on_destroy(rk, "rille", on_destroy, j);
  rd_kafka_interceptor_add_on_request_sent(rk, "rille", on_sent, j);
  rd_kafka_interceptor_add_on_response_received(rk, "rille", on_received, j);
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

/* NOLINTEND(readability-function-size,readability-non-const-parameter) */

void rl_joining_watch(struct rl_joining *j, rd_kafka_conf_t *conf) {
  rd_kafka_conf_interceptor_add_on_new(conf, "rille", on_new, j);
}
