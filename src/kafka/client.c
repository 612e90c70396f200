#include "kafka/client.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "kafka/client_conf.h"
#include "kafka/farewell.h"
#include "kafka/klog.h"
#include "kafka/reason.h"

/* OAUTHBEARER refreshes are librdkafka's own (OIDC): asking for them as events would take them away. */
static int events_of(enum rl_side side) {
  if (side == RL_SIDE_PRODUCER) return RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR;
  if (side == RL_SIDE_ADMIN) return RD_KAFKA_EVENT_ERROR;
  return RD_KAFKA_EVENT_REBALANCE | RD_KAFKA_EVENT_OFFSET_COMMIT | RD_KAFKA_EVENT_ERROR |
         RD_KAFKA_EVENT_STATS;
}

rd_kafka_t *rl_client_open(const struct rl_client_opts *opts, struct rl_err *err) {
  rd_kafka_conf_t *conf = rl_client_conf(opts, err);
  if (!conf) return NULL;
  struct rl_klog *log = rl_klog_new(opts->conf && rl_kconf_get(opts->conf, "debug"));
  rd_kafka_conf_set_opaque(conf, log);
  rd_kafka_conf_set_log_cb(conf, rl_klog_cb);
  rd_kafka_conf_set_events(conf, events_of(opts->side));
  if (opts->joining) rl_joining_watch(opts->joining, conf);
  char why[512] = "";
  rd_kafka_type_t type = opts->side == RL_SIDE_PRODUCER ? RD_KAFKA_PRODUCER : RD_KAFKA_CONSUMER;
  rd_kafka_t *rk = rd_kafka_new(type, conf, why, sizeof why);
  if (rk) return rk;
  rd_kafka_conf_destroy(conf);
  rl_klog_free(log);
  rl_fail(err, RL_EUSAGE, "librdkafka does not take these settings: %s", why);
  return NULL;
}

static void free_log(void *log) { rl_klog_free(log); }

void rl_client_close(rd_kafka_t *rk, int flags) {
  if (!rl_farewell(rk, flags, free_log, rd_kafka_opaque(rk)))
    rl_log(RL_DEBUG, "kafka: a client did not end in time: it ends with the process");
}

const char *rl_client_setting(rd_kafka_t *rk, const char *key, char *buf, size_t size) {
  if (rd_kafka_conf_get(rd_kafka_conf(rk), key, buf, &size) != RD_KAFKA_CONF_OK) *buf = '\0';
  return buf;
}

/* How much an error says about the cause: the last of the highest rank is told. */
static int rank(rd_kafka_resp_err_t code) {
  switch ((int)code) {
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED: return 4;
    case RD_KAFKA_RESP_ERR__SSL: return 3;
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN: return 1;
    default: return 2;
  }
}

struct contact {
  rd_kafka_resp_err_t code;
  char why[512];
};

static void note(struct contact *c, rd_kafka_resp_err_t code, const char *text) {
  if (c->code && rank(code) < rank(c->code)) return;
  c->code = code;
  strncpy(c->why, text ? text : rd_kafka_err2str(code), sizeof c->why - 1);
}

static void drain(rd_kafka_queue_t *events, struct contact *c) {
  rd_kafka_event_t *ev;
  while ((ev = rd_kafka_queue_poll(events, 0))) {
    if (rd_kafka_event_type(ev) == RD_KAFKA_EVENT_ERROR)
      note(c, rd_kafka_event_error(ev), rd_kafka_event_error_string(ev));
    rd_kafka_event_destroy(ev);
  }
}

static rd_kafka_resp_err_t ask(rd_kafka_t *rk, int timeout_ms) {
  const struct rd_kafka_metadata *md = NULL;
  rd_kafka_resp_err_t code = rd_kafka_metadata(rk, 0, NULL, &md, timeout_ms);
  if (!code) rd_kafka_metadata_destroy(md);
  return code;
}

static int no_contact(rd_kafka_t *rk, const struct contact *c, double seconds, struct rl_err *err) {
  char brokers[256];
  rl_client_setting(rk, "bootstrap.servers", brokers, sizeof brokers);
  return rl_reason_text(err, c->code ? c->code : RD_KAFKA_RESP_ERR__TRANSPORT, c->why,
                        "no connection to %s in %.3g s", brokers, seconds);
}

/* The questions grow longer, so that a slow answer is still heard and an early refusal is told early. A
 * refused log-in gets one second more: another broker may know the user. */
int rl_client_connect(rd_kafka_t *rk, rd_kafka_queue_t *events, int timeout_ms, struct rl_err *err) {
  int64_t start = rl_now(), now = start, deadline = start + timeout_ms * RL_NS_PER_MS;
  struct contact c = {RD_KAFKA_RESP_ERR_NO_ERROR, ""};
  for (int slice = 250; now < deadline; now = rl_now()) {
    rd_kafka_resp_err_t code = ask(rk, rl_poll_ms(now, deadline, slice));
    drain(events, &c);
    if (!code) return 0;
    if (code != RD_KAFKA_RESP_ERR__TRANSPORT && code != RD_KAFKA_RESP_ERR__TIMED_OUT) note(&c, code, NULL);
    int64_t soon = rl_now() + RL_NS_PER_S;
    if (c.code && rank(c.code) >= 4 && soon < deadline) deadline = soon;
    slice = slice < 4000 ? 2 * slice : slice;
  }
  return no_contact(rk, &c, (double)(now - start) / (double)RL_NS_PER_S, err);
}

bool rl_client_is_embedded(rd_kafka_t *rk, int timeout_ms) {
  static const char mark[] = "mockCluster";
  char *id = rd_kafka_clusterid(rk, timeout_ms);
  bool embedded = id && strncmp(id, mark, sizeof mark - 1) == 0;
  if (id) rd_kafka_mem_free(rk, id);
  return embedded;
}
