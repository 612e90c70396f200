/* Settings that go to librdkafka: what is taken, what is refused and in which words. */
#include <stdio.h>
#include <unistd.h>

#include "base/log.h"
#include "kafka/client_conf.h"
#include "kafka/config.h"
#include "unit.h"

static char lines[4096];

static void keep(enum rl_level level, const char *line, void *arg) {
  (void)level, (void)arg;
  snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%s\n", line);
}

static void listen_in(void) {
  lines[0] = '\0';
  rl_log_to(keep, NULL);
}

static const char *effective(const struct rl_client_opts *opts, const char *key) {
  static char value[512];
  size_t size = sizeof value;
  struct rl_err err;
  rd_kafka_conf_t *conf = rl_client_conf(opts, &err);
  if (!conf) return err.text[0] ? strcpy(value, err.text) : "?";
  if (rd_kafka_conf_get(conf, key, value, &size)) strcpy(value, "(unknown)");
  rd_kafka_conf_destroy(conf);
  return value;
}

TEST(last_one_wins_also_under_an_alias) {
  struct rl_kconf conf = RL_KCONF_INIT;
  struct rl_err err;
  CHECK_INT(rl_kconf_set(&conf, "acks", "1", "a", &err), 0);
  CHECK_INT(rl_kconf_set(&conf, "request.required.acks", "-1", "b", &err), 0);
  CHECK_STR(rl_kconf_get(&conf, "acks"), "-1");
  CHECK(rl_kconf_get(&conf, "client.id") == NULL);
  rl_kconf_free(&conf);
}

TEST(unknown_property_names_the_nearest) {
  struct rl_kconf conf = RL_KCONF_INIT;
  struct rl_err err;
  CHECK_INT(rl_kconf_set_pair(&conf, "session.timout.ms=6000", "-X", &err), RL_EUSAGE);
  CHECK_HAS(err.text, "-X: ");
  CHECK_HAS(err.text, "'session.timout.ms'");
  CHECK_HAS(err.text, "session.timeout.ms");
  CHECK_INT(conf.n, 0);
}

TEST(bad_value_says_what_librdkafka_says) {
  struct rl_kconf conf = RL_KCONF_INIT;
  struct rl_err err;
  CHECK_INT(rl_kconf_set(&conf, "session.timeout.ms", "soon", "kafka.properties:3", &err), RL_EUSAGE);
  CHECK_HAS(err.text, "kafka.properties:3: session.timeout.ms=soon");
  CHECK_INT(rl_kconf_set_pair(&conf, "nothing", "-X", &err), RL_EUSAGE);
  CHECK_HAS(err.text, "PROPERTY=VALUE");
}

TEST(values_may_hold_equal_signs) {
  struct rl_kconf conf = RL_KCONF_INIT;
  struct rl_err err;
  CHECK_INT(rl_kconf_set_pair(&conf, "client.id=a=b", "-X", &err), 0);
  CHECK_STR(rl_kconf_get(&conf, "client.id"), "a=b");
  rl_kconf_free(&conf);
}

TEST(plugins_are_refused) {
  struct rl_kconf conf = RL_KCONF_INIT;
  struct rl_err err;
  CHECK_INT(rl_kconf_set(&conf, "plugin.library.paths", "evil.so", "-X", &err), RL_EUSAGE);
  CHECK_HAS(err.text, "plugin.library.paths is refused");
}

TEST(hyrax_7_auto_commit_stays_off_whatever_is_passed) {
  static const char *const keys[] = {"enable.auto.commit", "auto.commit.enable", "enable.auto.offset.store"};
  struct rl_kconf conf = RL_KCONF_INIT;
  struct rl_err err;
  for (size_t i = 0; i < 3; i++) {
    listen_in();
    CHECK_INT(rl_kconf_set(&conf, keys[i], "true", "-X", &err), 0);
    CHECK_HAS(lines, keys[i]);
    CHECK_HAS(lines, "stays false");
    listen_in();
    CHECK_INT(rl_kconf_set(&conf, keys[i], "false", "-X", &err), 0);
    CHECK_STR(lines, "");
  }
  rl_log_to(NULL, NULL);
  struct rl_client_opts opts = {.side = RL_SIDE_CONSUMER, .conf = &conf, .brokers = "x:1", .group = "g"};
  CHECK_STR(effective(&opts, "enable.auto.commit"), "false");
  CHECK_STR(effective(&opts, "enable.auto.offset.store"), "false");
  CHECK_STR(effective(&opts, "enable.partition.eof"), "true");
  rl_kconf_free(&conf);
}

TEST(secrets_never_reach_the_log) {
  struct rl_kconf conf = RL_KCONF_INIT;
  struct rl_err err;
  CHECK_INT(rl_kconf_set(&conf, "sasl.password", "hunter2hunter2", "-X", &err), 0);
  listen_in();
  rl_log(RL_WARN, "the password is hunter2hunter2");
  rl_log_to(NULL, NULL);
  CHECK(strstr(lines, "hunter2") == NULL);
  CHECK_HAS(lines, "the password is ***");
  rl_kconf_free(&conf);
}

TEST(defaults_of_a_consumer) {
  struct rl_client_opts opts = {.side = RL_SIDE_CONSUMER, .brokers = "x:1", .group = "g", .lane = 2};
  CHECK_STR(effective(&opts, "auto.offset.reset"), "smallest");
  CHECK_STR(effective(&opts, "fetch.max.bytes"), "8388608");
  CHECK_STR(effective(&opts, "allow.auto.create.topics"), "false");
  CHECK_STR(effective(&opts, "group.id"), "g");
  bool quick = rl_kconf_has("fetch.queue.backoff.ms");
  CHECK(quick == (rl_kafka_version_number() >= 0x020200ff));
  CHECK_STR(effective(&opts, "queued.max.messages.kbytes"), "16384");
}

/* "rille-HOST-PID", and behind it the lane, from the second on. */
static void check_client_id(enum rl_side side, int lane, const char *suffix) {
  char host[256] = "", want[400];
  struct rl_client_opts opts = {.side = side, .brokers = "x:1", .group = "g", .lane = lane};
  CHECK_INT(gethostname(host, sizeof host - 1), 0);
  snprintf(want, sizeof want, "rille-%s-%ld%s", host, (long)getpid(), suffix);
  CHECK_STR(effective(&opts, "client.id"), want);
}

TEST(client_ids_name_host_process_and_lane) {
  for (int side = 0; side < 2; side++) {
    check_client_id(side ? RL_SIDE_PRODUCER : RL_SIDE_CONSUMER, 0, "");
    check_client_id(side ? RL_SIDE_PRODUCER : RL_SIDE_CONSUMER, 1, "-1");
    check_client_id(side ? RL_SIDE_PRODUCER : RL_SIDE_CONSUMER, 12, "-12");
  }
}

TEST(defaults_of_a_producer) {
  struct rl_client_opts opts = {.side = RL_SIDE_PRODUCER, .brokers = "x:1"};
  CHECK_STR(effective(&opts, "enable.idempotence"), "true");
  CHECK_STR(effective(&opts, "partitioner"), "murmur2_random");
  CHECK_STR(effective(&opts, "linger.ms"), "0");
  CHECK_STR(effective(&opts, "message.timeout.ms"), "0");
  CHECK_STR(effective(&opts, "bootstrap.servers"), "x:1");
}

TEST(the_users_settings_go_on_top_where_they_fit) {
  struct rl_kconf conf = RL_KCONF_INIT;
  struct rl_err err;
  rl_kconf_set(&conf, "linger.ms", "7", "-X", &err);
  rl_kconf_set(&conf, "message.max.bytes", "20000000", "-X", &err);
  rl_kconf_set(&conf, "bootstrap.servers", "y:2", "-X", &err);
  struct rl_client_opts producer = {.side = RL_SIDE_PRODUCER, .conf = &conf};
  struct rl_client_opts consumer = {.side = RL_SIDE_CONSUMER, .conf = &conf};
  CHECK_STR(effective(&producer, "linger.ms"), "7");
  CHECK_STR(effective(&producer, "bootstrap.servers"), "y:2");
  CHECK_STR(effective(&consumer, "linger.ms"), "5"); /* librdkafka's: it is no consumer's setting */
  CHECK_STR(effective(&consumer, "fetch.max.bytes"), "20000000");
  rl_kconf_free(&conf);
}

TEST(no_brokers_is_told) {
  struct rl_client_opts opts = {.side = RL_SIDE_ADMIN};
  CHECK_HAS(effective(&opts, "client.id"), "-b HOST:PORT");
}

static void write_file(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  fputs(text, f);
  fclose(f);
}

TEST(a_properties_file_is_read_and_its_lines_named) {
  char path[64];
  struct rl_kconf conf = RL_KCONF_INIT;
  struct rl_err err;
  snprintf(path, sizeof path, "/tmp/rille-unit-%d.properties", (int)getpid());
  write_file(path, "# broker\n\n  client.id = me \r\n!x\nsasl.password=a b=c");
  CHECK_INT(rl_kconf_read_file(&conf, path, &err), 0);
  CHECK_STR(rl_kconf_get(&conf, "client.id"), "me");
  CHECK_STR(rl_kconf_get(&conf, "sasl.password"), "a b=c");
  write_file(path, "client.id=x\nclient.idd=y\n");
  CHECK_INT(rl_kconf_read_file(&conf, path, &err), RL_EUSAGE);
  CHECK_HAS(err.text, ".properties:2: ");
  CHECK_HAS(err.text, "client.id");
  write_file(path, "just words\n");
  CHECK_INT(rl_kconf_read_file(&conf, path, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "expected key=value");
  unlink(path);
  CHECK_INT(rl_kconf_read_file(&conf, path, &err), RL_EUSAGE);
  CHECK_HAS(err.text, path);
  rl_kconf_free(&conf);
}

TEST(hyrax_8_options_given_last_win_over_a_file) {
  struct rl_kconf conf = RL_KCONF_INIT, copy;
  struct rl_err err;
  rl_kconf_set(&conf, "client.id", "file", "f:1", &err);
  rl_kconf_set(&conf, "client.id", "option", "-X", &err);
  rl_kconf_copy(&copy, &conf);
  rl_kconf_free(&conf);
  struct rl_client_opts opts = {.side = RL_SIDE_CONSUMER, .conf = &copy, .brokers = "x:1"};
  CHECK_STR(effective(&opts, "client.id"), "option");
  rl_kconf_free(&copy);
}
