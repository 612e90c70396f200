#include "kafka/client_conf.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "kafka/property.h"

#define C RL_SIDE_CONSUMER
#define P RL_SIDE_PRODUCER
#define ALL (RL_SIDE_CONSUMER | RL_SIDE_PRODUCER | RL_SIDE_ADMIN)

/* The embedded broker forgets a member that left only when its session is over. */
#define EMBEDDED_SESSION_MS "6000"
#define FETCH_BYTES 8388608 /* a kept message pins its whole fetch response (S6.4) */

/* rille's own, below the user's. */
static const struct {
  const char *key, *value;
  int sides;
} defaults[] = {
    {"socket.nagle.disable", "true", ALL},
    {"socket.keepalive.enable", "true", ALL},
    {"topic.metadata.refresh.interval.ms", "30000", ALL}, /* new topics of a ^regex show up within it */
    {"allow.auto.create.topics", "false", ALL},           /* asking for a topic must not make it */
    {"fetch.message.max.bytes", "2097152", C},
    {"queued.min.messages", "100000", C},
    {"enable.idempotence", "true", P},
    {"partitioner", "murmur2_random", P}, /* as Java's clients: forwarded keys keep their partition */
    {"linger.ms", "0", P},
    {"message.timeout.ms", "0", P},      /* an outage is waited out */
    {"message.max.bytes", "1048588", P}, /* the brokers' own default: they decide */
    {"queue.buffering.max.kbytes", "65536", P},
};

/* Above the user's: what rille's promises stand on. */
static const struct {
  const char *key, *value;
  int sides;
} fixed[] = {
    {"enable.auto.commit", "false", C | RL_SIDE_ADMIN},
    {"enable.auto.offset.store", "false", C | RL_SIDE_ADMIN},
    {"enable.partition.eof", "true", C},
    {"log.queue", "false", ALL},
};

static int put(rd_kafka_conf_t *conf, const char *key, const char *value, struct rl_err *err) {
  char why[512] = "";
  if (rd_kafka_conf_set(conf, key, value, why, sizeof why) == RD_KAFKA_CONF_OK) return 0;
  return rl_fail(err, RL_EUSAGE, "librdkafka %s does not take %s: %s", rl_kafka_version(), key, why);
}

static int put_number(rd_kafka_conf_t *conf, const char *key, int64_t value, struct rl_err *err) {
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)value);
  return put(conf, key, text, err);
}

/* A queue that was full is fetched for again after this wait; before 2.2.0 there is no setting for it
 * (unstall.h). */
static int put_queue(rd_kafka_conf_t *conf, struct rl_err *err) {
  if (rl_kconf_has("fetch.queue.backoff.ms") && put(conf, "fetch.queue.backoff.ms", "2", err))
    return RL_EUSAGE;
  return put(conf, "queued.max.messages.kbytes", "16384", err);
}

/* librdkafka wants fetch.max.bytes to hold the largest message the user speaks of. */
static int put_fetch(rd_kafka_conf_t *conf, const struct rl_kconf *user, struct rl_err *err) {
  const char *largest = user ? rl_kconf_get(user, "message.max.bytes") : NULL;
  int64_t bytes = 0;
  if (!largest || !rl_parse_i64(largest, &bytes) || bytes < FETCH_BYTES) bytes = FETCH_BYTES;
  return put_number(conf, "fetch.max.bytes", bytes, err);
}

/* "rille-HOST-PID", "-LANE" behind it for the second lane and on. */
static void client_id(char *buf, size_t size, int lane) {
  char host[HOST_NAME_MAX + 1] = "localhost";
  gethostname(host, sizeof host - 1);
  int len = snprintf(buf, size, "rille-%s-%ld", host, (long)getpid());
  if (lane > 0 && len > 0 && (size_t)len < size) snprintf(buf + len, size - (size_t)len, "-%d", lane);
}

static int put_defaults(rd_kafka_conf_t *conf, const struct rl_client_opts *o, struct rl_err *err) {
  char id[HOST_NAME_MAX + 64];
  client_id(id, sizeof id, o->lane);
  if (put(conf, "client.id", id, err)) return RL_EUSAGE;
  for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
    if ((defaults[i].sides & (int)o->side) && put(conf, defaults[i].key, defaults[i].value, err))
      return RL_EUSAGE;
  if (o->side != RL_SIDE_CONSUMER) return 0;
  if (put_queue(conf, err) || put_fetch(conf, o->conf, err)) return RL_EUSAGE;
  if (o->fetch_wait_ms && put_number(conf, "fetch.wait.max.ms", o->fetch_wait_ms, err)) return RL_EUSAGE;
  if (o->embedded && put(conf, "session.timeout.ms", EMBEDDED_SESSION_MS, err)) return RL_EUSAGE;
  return put(conf, "auto.offset.reset", o->reset ? o->reset : "earliest", err);
}

/* Keys of the other side would only make librdkafka warn. */
static bool fits(const char *key, enum rl_side side) {
  const struct rl_kprop *prop = rl_kprop_find(key);
  if (!prop) return true;
  return side == RL_SIDE_PRODUCER ? prop->producer : prop->consumer;
}

static int put_users(rd_kafka_conf_t *conf, const struct rl_client_opts *o, struct rl_err *err) {
  for (size_t i = 0; o->conf && i < o->conf->n; i++) {
    const struct rl_kpair *pair = &o->conf->at[i];
    if (!fits(pair->key, o->side)) continue;
    if (put(conf, pair->key, pair->value, err)) return rl_err_prefix(err, "%s: ", pair->origin);
  }
  return 0;
}

/* Without a group librdkafka still needs a name for its queues (S1.3); nothing joins it. */
static int put_group(rd_kafka_conf_t *conf, const struct rl_client_opts *o, struct rl_err *err) {
  char id[HOST_NAME_MAX + 64];
  client_id(id, sizeof id, o->lane);
  if (o->side != RL_SIDE_CONSUMER) return 0;
  return put(conf, "group.id", o->group ? o->group : id, err);
}

static int put_fixed(rd_kafka_conf_t *conf, const struct rl_client_opts *o, struct rl_err *err) {
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    if ((fixed[i].sides & (int)o->side) && put(conf, fixed[i].key, fixed[i].value, err)) return RL_EUSAGE;
  if (o->brokers && put(conf, "bootstrap.servers", o->brokers, err)) return RL_EUSAGE;
  if (!o->brokers && !(o->conf && rl_kconf_get(o->conf, "bootstrap.servers")))
    return rl_fail(err, RL_EUSAGE, "no brokers: give -b HOST:PORT or bootstrap.servers");
  return put_group(conf, o, err);
}

rd_kafka_conf_t *rl_client_conf(const struct rl_client_opts *o, struct rl_err *err) {
  rd_kafka_conf_t *conf = rd_kafka_conf_new();
  if (!put_defaults(conf, o, err) && !put_users(conf, o, err) && !put_fixed(conf, o, err)) return conf;
  rd_kafka_conf_destroy(conf);
  return NULL;
}
