#include "kafka/broker.h"

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "kafka/klog.h"
#include "kafka/reason.h"

struct rl_broker {
  rd_kafka_t *rk; /* carries the mock cluster's thread; connects nowhere */
  rd_kafka_mock_cluster_t *cluster;
  struct rl_klog *log;
};

static rd_kafka_t *carrier(struct rl_klog *log, struct rl_err *err) {
  char why[512] = "";
  rd_kafka_conf_t *conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "client.id", "rille-broker", NULL, 0);
  rd_kafka_conf_set_opaque(conf, log);
  rd_kafka_conf_set_log_cb(conf, rl_klog_cb);
  rd_kafka_t *rk = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof why);
  if (rk) return rk;
  rd_kafka_conf_destroy(conf);
  rl_fail(err, RL_EFAIL, "cannot start the embedded broker: %s", why);
  return NULL;
}

/* "NAME:PARTITIONS", or "NAME" with one. */
static int add_topic(struct rl_broker *b, char *spec, struct rl_err *err) {
  char *colon = strrchr(spec, ':');
  int64_t partitions = 1;
  if (colon) *colon++ = '\0';
  if (!*spec || (colon && !rl_parse_i64(colon, &partitions)) || partitions < 1 || partitions > 1000)
    return rl_fail(err, RL_EUSAGE, "topic '%s%s%s': expected NAME:PARTITIONS with 1 to 1000 partitions", spec,
                   colon ? ":" : "", colon ? colon : "");
  rd_kafka_resp_err_t code = rd_kafka_mock_topic_create(b->cluster, spec, (int)partitions, 1);
  return code ? rl_reason(err, code, "cannot make topic %s", spec) : 0;
}

static int add_topics(struct rl_broker *b, const char *topics, struct rl_err *err) {
  char *copy = rl_strdup(topics), *rest = copy, *spec;
  int rc = 0;
  while (!rc && (spec = strsep(&rest, ","))) rc = add_topic(b, spec, err);
  rl_free(copy);
  return rc;
}

int rl_broker_start(struct rl_broker **out, const char *topics, int brokers, struct rl_err *err) {
  struct rl_broker *b = rl_zalloc(sizeof *b);
  int rc = 0;
  b->log = rl_klog_new(false);
  if (!(b->rk = carrier(b->log, err)))
    rc = RL_EFAIL;
  else if (!(b->cluster = rd_kafka_mock_cluster_new(b->rk, brokers)))
    rc = rl_fail(err, RL_EFAIL, "cannot start the embedded broker: no free port on 127.0.0.1");
  else if (topics && *topics)
    rc = add_topics(b, topics, err);
  if (rc)
    rl_broker_stop(b);
  else
    *out = b;
  return rc;
}

const char *rl_broker_address(const struct rl_broker *b) {
  return rd_kafka_mock_cluster_bootstraps(b->cluster);
}

void rl_broker_stop(struct rl_broker *b) {
  if (!b) return;
  if (b->cluster) rd_kafka_mock_cluster_destroy(b->cluster);
  if (b->rk) rd_kafka_destroy(b->rk);
  rl_klog_free(b->log);
  rl_free(b);
}
