/* librdkafka's log: a normal run shows none of its noise, an outage is told once. */
#include <syslog.h>

#include "base/log.h"
#include "kafka/klog.h"
#include "unit.h"

static int told;
static char last[1024];

static void keep(enum rl_level level, const char *line, void *arg) {
  (void)arg;
  told += level <= RL_INFO;
  snprintf(last, sizeof last, "%s", line);
}

/* A client whose log is ours. */
static rd_kafka_t *client(struct rl_klog *log) {
  char why[128];
  rd_kafka_conf_t *conf = rd_kafka_conf_new();
  rd_kafka_conf_set_opaque(conf, log);
  rd_kafka_conf_set_log_cb(conf, rl_klog_cb);
  rd_kafka_t *rk = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof why);
  told = 0;
  rl_log_to(keep, NULL);
  return rk;
}

static void end(rd_kafka_t *rk, struct rl_klog *log) {
  rl_log_to(NULL, NULL);
  rd_kafka_destroy(rk);
  rl_klog_free(log);
}

TEST(warnings_are_told_once_and_without_the_thread) {
  struct rl_klog *log = rl_klog_new(false);
  rd_kafka_t *rk = client(log);
  rl_klog_cb(rk, LOG_WARNING, "OFFSET", "[thrd:main]: alerts [0]: offset reset (after 3ms)");
  CHECK_INT(told, 1);
  CHECK_HAS(last, "kafka: alerts [0]: offset reset");
  rl_klog_cb(rk, LOG_WARNING, "OFFSET", "[thrd:main]: alerts [0]: offset reset (after 5ms)");
  CHECK_INT(told, 1);
  rl_klog_cb(rk, LOG_WARNING, "OFFSET", "[thrd:main]: alerts [1]: offset reset (after 5ms)");
  CHECK_INT(told, 2);
  end(rk, log);
}

TEST(connection_lines_come_as_events_and_are_not_told_twice) {
  struct rl_klog *log = rl_klog_new(false);
  rd_kafka_t *rk = client(log);
  rl_klog_cb(rk, LOG_ERR, "FAIL", "broker down");
  rl_klog_cb(rk, LOG_ERR, "ERROR", "1/1 brokers are down");
  rl_klog_cb(rk, LOG_NOTICE, "CONFWARN", "no brokers");
  rl_klog_cb(rk, LOG_INFO, "ANY", "info");
  rl_klog_cb(rk, LOG_WARNING, "GETPID", "no producer id yet: retrying");
  CHECK_INT(told, 0);
  end(rk, log);
}

TEST(debug_asked_for_is_shown) {
  struct rl_klog *log = rl_klog_new(true);
  rd_kafka_t *rk = client(log);
  rl_klog_cb(rk, LOG_DEBUG, "FETCH", "fetching");
  CHECK(told >= 1);
  CHECK_HAS(last, "fetching");
  end(rk, log);
}
