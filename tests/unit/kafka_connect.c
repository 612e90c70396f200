/* First contact: bounded, and saying why there is none. */
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kafka/admin.h"
#include "kafka_bed.h"

/* A port on loopback where nobody listens; and one where somebody does and never answers. */
static int loopback(char *address, size_t size, bool silent) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t len = sizeof a;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  CHECK_INT(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
  if (silent) CHECK_INT(listen(fd, 16), 0);
  getsockname(fd, (struct sockaddr *)&a, &len);
  snprintf(address, size, "127.0.0.1:%d", ntohs(a.sin_port));
  return fd;
}

static void connect_fails(const char *address, int timeout_ms, struct rl_err *err) {
  struct rl_consumer_opts opts = {.brokers = address, .group = "g"};
  struct rl_consumer *c;
  CHECK_INT(rl_consumer_open(&c, &opts, err), 0);
  int64_t start = rl_now();
  CHECK_INT(rl_consumer_connect(c, timeout_ms, err), RL_EBROKER);
  CHECK(rl_now() - start < 30 * RL_NS_PER_S);
  rl_consumer_destroy(c);
}

TEST(s7_1_nobody_listens) {
  char address[64];
  struct rl_err err;
  int fd = loopback(address, sizeof address, false);
  connect_fails(address, 1000, &err);
  CHECK_HAS(err.text, "no connection to 127.0.0.1:");
  CHECK_HAS(err.text, " s: ");
  CHECK_HAS(err.text, "Connection refused");
  CHECK_HAS(err.text, "check the broker");
  close(fd);
}

TEST(s7_1_somebody_listens_and_never_answers) {
  char address[64];
  struct rl_err err;
  int fd = loopback(address, sizeof address, true);
  connect_fails(address, 1000, &err);
  CHECK_HAS(err.text, "no connection to 127.0.0.1:");
  close(fd);
}

TEST(d_8_a_log_in_that_is_refused_says_so_early) {
  struct bed b = bed_start(NULL, 0);
  struct rl_kconf conf = RL_KCONF_INIT;
  struct rl_err err;
  rl_kconf_set(&conf, "security.protocol", "sasl_plaintext", "-X", &err);
  rl_kconf_set(&conf, "sasl.mechanism", "PLAIN", "-X", &err);
  rl_kconf_set(&conf, "sasl.username", "me", "-X", &err);
  rl_kconf_set(&conf, "sasl.password", "not-the-password", "-X", &err);
  struct rl_consumer_opts opts = {.conf = &conf, .brokers = b.address, .group = "g"};
  struct rl_consumer *c;
  CHECK_INT(rl_consumer_open(&c, &opts, &err), 0);
  int64_t start = rl_now();
  CHECK_INT(rl_consumer_connect(c, 55000, &err), RL_EBROKER); /* the mock knows no SASL */
  CHECK(rl_now() - start < 50 * RL_NS_PER_S);
  CHECK_HAS(err.text, "sasl.");
  CHECK(strstr(err.text, "not-the-password") == NULL);
  rl_consumer_destroy(c);
  rl_kconf_free(&conf);
  bed_stop(&b);
}

TEST(settings_that_do_not_go_together_are_told) {
  struct rl_kconf conf = RL_KCONF_INIT;
  struct rl_err err;
  rl_kconf_set(&conf, "session.timeout.ms", "60000", "-X", &err);
  rl_kconf_set(&conf, "max.poll.interval.ms", "6000", "-X", &err);
  struct rl_consumer_opts opts = {.conf = &conf, .brokers = "127.0.0.1:1", .group = "g"};
  struct rl_consumer *c;
  CHECK_INT(rl_consumer_open(&c, &opts, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "max.poll.interval.ms");
  rl_kconf_free(&conf);
}

TEST(hyrax_5_destroy_without_connecting_neither_hangs_nor_leaks) {
  struct rl_consumer_opts opts = {.brokers = "127.0.0.1:1", .group = "g"};
  struct rl_consumer *c;
  struct rl_err err;
  CHECK_INT(rl_consumer_open(&c, &opts, &err), 0);
  rl_consumer_destroy(c);
  struct rl_producer *p = bed_producer("127.0.0.1:1", NULL);
  rl_producer_destroy(p, NULL, NULL);
}

TEST(admin_connects_and_knows_the_embedded_broker) {
  struct bed b = bed_start("alerts", 3);
  struct rl_admin *a;
  struct rl_tps parts;
  struct rl_err err;
  CHECK_INT(rl_admin_open(&a, NULL, b.address, 20000, &err), 0);
  CHECK(rl_admin_is_embedded(a));
  CHECK_INT(rl_admin_partitions(a, "alerts", &parts, &err), 0);
  CHECK_INT(parts.n, 3);
  CHECK_INT(rl_admin_ends(a, &parts, &err), 0);
  CHECK_INT(parts.at[2].offset, 0);
  rl_tps_free(&parts);
  rl_admin_close(a);
  bed_stop(&b);
  CHECK_INT(rl_admin_open(&a, NULL, "127.0.0.1:1", 300, &err), RL_EBROKER);
}
