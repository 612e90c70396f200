#include "kafka/config.h"

#include <librdkafka/rdkafka.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "kafka/property.h"

bool rl_kconf_has(const char *key) {
  rd_kafka_conf_t *scratch = rd_kafka_conf_new();
  size_t size = 0;
  bool known = rd_kafka_conf_get(scratch, key, NULL, &size) == RD_KAFKA_CONF_OK;
  rd_kafka_conf_destroy(scratch);
  return known || rl_kprop_find(key);
}

const char *rl_kafka_version(void) { return rd_kafka_version_str(); }
int rl_kafka_version_number(void) { return rd_kafka_version(); }

/* Settings that rille's promises stand on, with the value each keeps. */
static const struct {
  const char *key, *value, *why;
} kept[] = {
    {"enable.auto.commit", "false", "offsets are committed when their batch is done, never by a timer"},
    {"auto.commit.enable", "false", "offsets are committed when their batch is done, never by a timer"},
    {"enable.auto.offset.store", "false", "offsets are committed when their batch is done"},
    {"enable.partition.eof", "true", "ends and positions need it"},
    {"log.queue", "false", "librdkafka's log goes to rille's"},
};

/* Not for the user: NULL when `key` may be set. */
static const char *refusal(const char *key) {
  if (!strcmp(key, "plugin.library.paths")) return "it would load foreign code into the process";
  if (!strcmp(key, "enabled_events")) return "rille sets it for itself";
  return NULL;
}

static bool same_value(const char *a, const char *b) {
  bool x, y;
  return rl_parse_bool(a, &x) && rl_parse_bool(b, &y) ? x == y : !strcmp(a, b);
}

/* Is `key` one that keeps its value? Then a different value is told, and neither is stored. */
static bool keeps(const char *key, const char *value, const char *origin) {
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    if (strcmp(rl_kprop_canonical(key), rl_kprop_canonical(kept[i].key)) != 0) continue;
    if (!same_value(value, kept[i].value))
      rl_log(RL_WARN, "%s: %s=%s is ignored, it stays %s: %s", origin, key, value, kept[i].value,
             kept[i].why);
    return true;
  }
  return false;
}

static int unknown(const char *key, const char *origin, struct rl_err *err) {
  const char *near = rl_kprop_nearest(key);
  if (near)
    return rl_fail(err, RL_EUSAGE, "%s: librdkafka %s has no property '%s'; did you mean '%s'?", origin,
                   rl_kafka_version(), key, near);
  return rl_fail(err, RL_EUSAGE, "%s: librdkafka %s has no property '%s'", origin, rl_kafka_version(), key);
}

/* Would librdkafka take it? Its own words may hold the value, so a secret's are not repeated. */
static int try_pair(const char *key, const char *value, const char *origin, struct rl_err *err) {
  char why[512] = "";
  rd_kafka_conf_t *scratch = rd_kafka_conf_new();
  rd_kafka_conf_res_t res = rd_kafka_conf_set(scratch, key, value, why, sizeof why);
  rd_kafka_conf_destroy(scratch);
  if (res == RD_KAFKA_CONF_OK) return 0;
  if (res == RD_KAFKA_CONF_UNKNOWN) return unknown(key, origin, err);
  if (rl_is_secret(key)) return rl_fail(err, RL_EUSAGE, "%s: the value of %s is not accepted", origin, key);
  return rl_fail(err, RL_EUSAGE, "%s: %s=%s is not accepted: %s", origin, key, value, why);
}

static void add(struct rl_kconf *conf, const char *key, const char *value, const char *origin) {
  RL_GROW(conf->at, conf->cap, conf->n + 1);
  struct rl_kpair pair = {rl_strdup(key), rl_strdup(value), rl_strdup(origin)};
  conf->at[conf->n++] = pair;
}

int rl_kconf_set(struct rl_kconf *conf, const char *key, const char *value, const char *origin,
                 struct rl_err *err) {
  if (rl_is_secret(key)) rl_log_secret(value);
  const char *why = refusal(key);
  if (why) return rl_fail(err, RL_EUSAGE, "%s: %s is refused: %s", origin, key, why);
  if (try_pair(key, value, origin, err)) return RL_EUSAGE;
  if (!keeps(key, value, origin)) add(conf, key, value, origin);
  return 0;
}

int rl_kconf_set_pair(struct rl_kconf *conf, const char *pair, const char *origin, struct rl_err *err) {
  const char *eq = strchr(pair, '=');
  if (!eq || eq == pair)
    return rl_fail(err, RL_EUSAGE, "%s: expected PROPERTY=VALUE, as in client.id=me", origin);
  char *key = rl_strndup(pair, (size_t)(eq - pair));
  int rc = rl_kconf_set(conf, key, eq + 1, origin, err);
  rl_free(key);
  return rc;
}

const char *rl_kconf_get(const struct rl_kconf *conf, const char *key) {
  const char *name = rl_kprop_canonical(key);
  for (size_t i = conf->n; i-- > 0;)
    if (!strcmp(rl_kprop_canonical(conf->at[i].key), name)) return conf->at[i].value;
  return NULL;
}

void rl_kconf_copy(struct rl_kconf *to, const struct rl_kconf *from) {
  struct rl_kconf empty = RL_KCONF_INIT;
  *to = empty;
  for (size_t i = 0; i < from->n; i++) add(to, from->at[i].key, from->at[i].value, from->at[i].origin);
}

void rl_kconf_free(struct rl_kconf *conf) {
  for (size_t i = 0; i < conf->n; i++) {
    rl_free(conf->at[i].key);
    rl_free(conf->at[i].value);
    rl_free(conf->at[i].origin);
  }
  rl_free(conf->at);
  struct rl_kconf empty = RL_KCONF_INIT;
  *conf = empty;
}
