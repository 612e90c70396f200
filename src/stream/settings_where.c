/* Finishing, first part: where messages come from. */
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/str.h"
#include "stream/settings_impl.h"

static const char URI_SHAPE[] = "kafka://HOST:PORT/TOPIC";

static void set_text(char **at, const char *text) {
  char *copy = text ? rl_strdup(text) : NULL;
  rl_free(*at);
  *at = copy;
}

bool rl_settings_from_file(const struct rl_settings *s) { return s->input != NULL; }

bool rl_topic_name_ok(const char *topic) {
  static const char legal[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  size_t len = strlen(topic);
  if (len == 0 || len > 249 || strspn(topic, legal) != len) return false;
  return strcmp(topic, ".") != 0 && strcmp(topic, "..") != 0;
}

/* ---- brokers ---- */

static bool port_ok(const char *text) {
  int64_t port;
  return *text >= '0' && *text <= '9' && rl_parse_i64(text, &port) && port >= 1 && port <= 65535;
}

/* "host", "host:9092", "[::1]:9092", "SSL://host:9093" */
static bool broker_ok(const char *broker) {
  static const char legal[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:[]%";
  const char *scheme = strstr(broker, "://");
  if (scheme) broker = scheme + 3;
  if (!*broker || *broker == ':' || strspn(broker, legal) != strlen(broker)) return false;
  const char *close = strrchr(broker, ']');
  if (!close && strchr(broker, ':') != strrchr(broker, ':')) return true; /* a bare IPv6 address */
  const char *colon = strchr(close ? close : broker, ':');
  return !colon || port_ok(colon + 1);
}

/* The first broker of the list that is none; NULL when all are well. Free with rl_free. */
static char *bad_broker(const char *list) {
  for (const char *p = list;; p++) {
    size_t len = strcspn(p, ",");
    char *broker = rl_strndup(p + strspn(p, " "), len - (strspn(p, " ") < len ? strspn(p, " ") : len));
    if (!broker_ok(broker)) return broker;
    rl_free(broker);
    p += len;
    if (!*p) return NULL;
  }
}

static int check_brokers(const struct rl_settings *s, struct rl_err *err) {
  char *bad = s->brokers ? bad_broker(s->brokers) : NULL;
  if (!bad) return 0;
  rl_fail(err, RL_EUSAGE, "brokers: \"%s\" is no broker: expected HOST:PORT, several with commas between",
          bad);
  rl_free(bad);
  return RL_EUSAGE;
}

/* ---- what may stand among librdkafka's properties as well ---- */

/* The value that wins among the properties, and the layer it comes from. */
static const char *kafka_value(const struct rl_settings *s, const char *key, enum rl_layer *layer) {
  for (size_t i = RL_KAFKA_RANKS; i-- > 0;) {
    const char *value = rl_kconf_get(&s->kafka_from[i], key);
    if (!value) continue;
    *layer = (enum rl_layer)(i % RL_KAFKA_PAIRS);
    return value;
  }
  return NULL;
}

/* -X bootstrap.servers=… is as good as --brokers; of the two the stronger layer counts, then our own name. */
static void adopt(struct rl_settings *s, const char *name, char **at, const char *key) {
  enum rl_layer layer = RL_LAYER_DEFAULT;
  const char *value = kafka_value(s, key, &layer);
  if (!value || rl_settings_layer(s, name) >= layer) return;
  set_text(at, value);
  rl_settings_claim(s, name, layer);
}

static const char *start_of_reset(const char *reset) {
  static const char *const words[][2] = {{"smallest", "beginning"},  {"earliest", "beginning"},
                                         {"beginning", "beginning"}, {"largest", "end"},
                                         {"latest", "end"},          {"end", "end"},
                                         {"error", "stored"}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcasecmp(words[i][0], reset) == 0) return words[i][1];
  return reset; /* none: refused with the other starts */
}

/* auto.offset.reset says where a group begins that has no offsets; without one it is librdkafka's own. */
static void adopt_reset(struct rl_settings *s) {
  if (!s->group) return;
  char *reset = s->start;
  s->start = NULL;
  adopt(s, "start", &s->start, "auto.offset.reset");
  if (!s->start) {
    s->start = reset;
    return;
  }
  rl_free(reset);
  set_text(&s->start, start_of_reset(s->start));
}

/* ---- input ---- */

static int malformed(const char *uri, const char *why, struct rl_err *err) {
  return rl_fail(err, RL_EUSAGE, "input: \"%s\" is malformed (%s): expected %s", uri, why, URI_SHAPE);
}

static int check_uri_brokers(const char *uri, const char *brokers, struct rl_err *err) {
  char *bad = bad_broker(brokers);
  if (!bad) return 0;
  malformed(uri, *bad ? "its broker is not HOST:PORT" : "no broker", err);
  rl_free(bad);
  return RL_EUSAGE;
}

/* The URI overrides what its own layer or a weaker one says of brokers and topics. */
static void take_uri(struct rl_settings *s, const char *brokers, const char *topic) {
  enum rl_layer layer = rl_settings_layer(s, "input");
  if (rl_settings_claim(s, "brokers", layer)) set_text(&s->brokers, brokers);
  if (!*topic || !rl_settings_claim(s, "topics", layer)) return;
  rl_settings_list_clear(&s->topics);
  rl_settings_list_add(&s->topics, topic, strlen(topic));
}

static bool given(const struct rl_settings *s, const char *name) {
  return rl_settings_layer(s, name) == RL_LAYER_CLI;
}

/* On one command line neither topic is the weaker one. */
static int check_uri_topics(const struct rl_settings *s, const char *topic, struct rl_err *err) {
  if (!*topic || !given(s, "input") || !given(s, "topics")) return 0;
  for (size_t i = 0; i < s->topics.n; i++)
    if (strcmp(s->topics.at[i], topic) != 0)
      return rl_fail(err, RL_EUSAGE, "topics (%s) and input (%s) name different topics: leave one out",
                     s->topics.at[i], s->input);
  return 0;
}

static int read_uri(struct rl_settings *s, const char *uri, struct rl_err *err) {
  const char *rest = uri + strlen("kafka://");
  if (strncasecmp(uri, "kafka://", strlen("kafka://")) != 0) return malformed(uri, "not kafka://", err);
  size_t len = strcspn(rest, "/");
  const char *topic = rest[len] ? rest + len + 1 : "";
  if (*topic && !rl_topic_name_ok(topic))
    return malformed(uri, "what follows the broker is no topic name", err);
  char *brokers = rl_strndup(rest, len);
  int rc = check_uri_brokers(uri, brokers, err);
  if (!rc) rc = check_uri_topics(s, topic, err);
  if (!rc) take_uri(s, brokers, topic);
  rl_free(brokers);
  if (!rc) set_text(&s->input, NULL);
  return rc;
}

static int read_input(struct rl_settings *s, struct rl_err *err) {
  const char *input = s->input;
  if (!input) return 0;
  bool kafka = strncasecmp(input, "kafka:", 6) == 0;
  if (kafka && strchr(input, '@'))
    return rl_fail(
        err, RL_EUSAGE,
        "input: a kafka:// URI carries no user or password: expected %s, and -X sasl.username=… with "
        "sasl.password in a properties file (--kafka-file)",
        URI_SHAPE);
  if (kafka) return read_uri(s, input, err);
  if (strstr(input, "://"))
    return rl_fail(err, RL_EUSAGE,
                   "input: \"%s\" is nothing to read from: expected a file, - for stdin, or %s", input,
                   URI_SHAPE);
  return 0;
}

/* Of topics and group a script may say which they are when there is no file; but who says so after the file
 * was named, on the command line, means Kafka. */
static int check_stronger(const struct rl_settings *s, const char *name, struct rl_err *err) {
  if (!rl_settings_is_set(s, name) || rl_settings_layer(s, name) <= rl_settings_layer(s, "input")) return 0;
  return rl_fail(err, RL_EUSAGE,
                 "%s says what to read of Kafka, and input is a file (%s): take input out of the script, or "
                 "override it with --input %s",
                 name, s->input, URI_SHAPE);
}

/* What else the same command line says to read would be ignored. */
static int check_beside(const struct rl_settings *s, bool group, struct rl_err *err) {
  bool topics = given(s, "topics") && s->topics.n;
  if (!given(s, "input") || (!topics && !group)) return 0;
  return rl_fail(err, RL_EUSAGE, "%s says what to read of Kafka, and input is a file (%s): leave one out",
                 topics ? "topics" : "group", s->input);
}

/* A file has lines, in one order: what says where in Kafka to read is a mistake when it is as strong. */
static int check_file(struct rl_settings *s, bool group, struct rl_err *err) {
  static const char *const places[] = {"partitions", "start", "end"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    if (!rl_settings_is_set(s, places[i])) continue;
    if (rl_settings_layer(s, places[i]) < rl_settings_layer(s, "input")) continue;
    return rl_fail(err, RL_EUSAGE, "%s says where in Kafka to read, and input is a file (%s): leave one out",
                   places[i], s->input);
  }
  if (check_beside(s, group, err) || check_stronger(s, "topics", err) || check_stronger(s, "group", err))
    return err->code;
  s->lanes = 1; /* its lines are handled in their order */
  return 0;
}

int rl_settings_finish_where(struct rl_settings *s, struct rl_err *err) {
  /* Not as group.id of the properties: a file of them is for many a run. */
  bool group = given(s, "group") && s->group;
  adopt(s, "brokers", &s->brokers, "metadata.broker.list");
  adopt(s, "brokers", &s->brokers, "bootstrap.servers");
  adopt(s, "group", &s->group, "group.id");
  adopt_reset(s);
  int rc = read_input(s, err);
  if (!rc) rc = check_brokers(s, err);
  if (rc) return rc;
  if (rl_settings_from_file(s)) return check_file(s, group, err);
  if (!s->brokers) s->brokers = rl_strdup("localhost:9092");
  return 0;
}
