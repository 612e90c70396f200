/* Clients are destroyed in bounded time, whatever holds on to them. */
#include "kafka/farewell.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "kafka_bed.h"

static int threads(void) {
  int n = 0;
  DIR *dir = opendir("/proc/self/task");
  while (dir && readdir(dir)) n++;
  if (dir) closedir(dir);
  return n;
}

static atomic_int ended;

static void count(void *arg) {
  (void)arg;
  atomic_fetch_add(&ended, 1);
}

static void come_and_go(void) {
  char why[256];
  rd_kafka_t *rk = rd_kafka_new(RD_KAFKA_CONSUMER, NULL, why, sizeof why);
  CHECK(rl_farewell(rk, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE, count, NULL));
}

static void *nothing(void *arg) { return arg; }

/* A sanitizer makes a thread of its own with the first one that the program makes: that comes before. */
TEST(a_client_that_nothing_holds_is_gone_with_its_threads) {
  pthread_t first;
  CHECK_INT(pthread_create(&first, NULL, nothing, NULL), 0);
  pthread_join(first, NULL);
  usleep(100000); /* until the kernel no longer lists it */
  int before = threads();
  for (int i = 0; i < 20; i++) come_and_go();
  /* The kernel may list one that was joined for a moment more. */
  for (int64_t end = rl_now() + BED_PATIENCE; threads() != before && rl_now() < end;) usleep(1000);
  CHECK_INT(threads(), before);
  CHECK_INT(ended, 20);
  CHECK_INT(rl_farewells_unended(), 0);
}

/* A message that was taken and not released holds its handle. */
TEST(a_client_that_something_holds_ends_in_the_background) {
  char why[256];
  struct bed b = bed_start("in", 1);
  bed_fill(b.address, "in", 1, 1);
  rd_kafka_conf_t *conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "bootstrap.servers", b.address, why, sizeof why);
  rd_kafka_conf_set(conf, "group.id", "g", why, sizeof why);
  rd_kafka_t *rk = rd_kafka_new(RD_KAFKA_CONSUMER, conf, why, sizeof why);
  rd_kafka_topic_partition_list_t *parts = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(parts, "in", 0)->offset = 0;
  rd_kafka_assign(rk, parts);
  rd_kafka_topic_partition_list_destroy(parts);
  rd_kafka_message_t *msg = NULL;
  for (int64_t end = rl_now() + BED_PATIENCE; !msg && rl_now() < end;) msg = rd_kafka_consumer_poll(rk, 100);
  CHECK(msg && !msg->err);
  atomic_store(&ended, 0);
  CHECK(!rl_farewell(rk, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE, count, NULL));
  CHECK_INT(rl_farewells_unended(), 1);
  CHECK_INT(ended, 0);
  if (msg) rd_kafka_message_destroy(msg);
  for (int64_t end = rl_now() + BED_PATIENCE; rl_farewells_unended() && rl_now() < end;) usleep(5000);
  CHECK_INT(rl_farewells_unended(), 0);
  CHECK_INT(ended, 1);
  bed_stop(&b);
}
