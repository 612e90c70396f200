/* consume: the bound of the client. Takes COUNT messages of TOPIC one a call from one queue to which each
 * partition's queue is forwarded, with the very settings rille's consumer has (and where librdkafka wants it,
 * what wakes a fetch that a full queue has put to sleep), counts and frees them.
 *
 *   consume BROKERS TOPIC GROUP COUNT      prints "messages=N seconds=S": from the first message to the last
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "kafka/client_conf.h"
#include "kafka/unstall.h"

#define GIVE_UP_MS 30000

static rd_kafka_queue_t *data;

static void die(const char *what, const char *why) {
  fprintf(stderr, "consume: %s: %s\n", what, why);
  exit(1);
}

/* Forwarded before it is fetched: else the first messages stay on the main queue. */
static void forward(rd_kafka_t *rk, const rd_kafka_topic_partition_list_t *parts) {
  for (int i = 0; i < parts->cnt; i++) {
    rd_kafka_queue_t *q = rd_kafka_queue_get_partition(rk, parts->elems[i].topic, parts->elems[i].partition);
    rd_kafka_queue_forward(q, data);
    rd_kafka_queue_destroy(q);
  }
}

static void rebalance(rd_kafka_t *rk, rd_kafka_resp_err_t err, rd_kafka_topic_partition_list_t *parts,
                      void *opaque) {
  (void)opaque;
  if (err == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
    forward(rk, parts);
    rd_kafka_assign(rk, parts);
  } else {
    rd_kafka_assign(rk, NULL);
  }
}

static rd_kafka_t *join(const char *brokers, const char *topic, const char *group) {
  struct rl_err err = {0};
  char why[512];
  struct rl_client_opts opts = {.side = RL_SIDE_CONSUMER, .brokers = brokers, .group = group};
  rd_kafka_conf_t *conf = rl_client_conf(&opts, &err);
  if (!conf) die("settings", err.text);
  rd_kafka_conf_set_rebalance_cb(conf, rebalance);
  rd_kafka_t *rk = rd_kafka_new(RD_KAFKA_CONSUMER, conf, why, sizeof why);
  if (!rk) die("consumer", why);
  rd_kafka_poll_set_consumer(rk);
  data = rd_kafka_queue_new(rk);
  rd_kafka_topic_partition_list_t *topics = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(topics, topic, RD_KAFKA_PARTITION_UA);
  rd_kafka_subscribe(rk, topics);
  rd_kafka_topic_partition_list_destroy(topics);
  return rk;
}

/* Rebalances and errors, which stay on the consumer's own queue. */
static void serve(rd_kafka_t *rk) {
  rd_kafka_message_t *m = rd_kafka_consumer_poll(rk, 0);
  if (m) rd_kafka_message_destroy(m);
}

static void give_up_after(int64_t last) {
  if (rl_now() - last > GIVE_UP_MS * INT64_C(1000000)) die("given up", "no message for 30 s");
}

/* The clock is looked at for the first message and the last, and while none is there. */
static void consume(rd_kafka_t *rk, long long want) {
  struct rl_unstall unstall;
  long long n = 0, seen = -1;
  int64_t first = 0, last = rl_now();
  rl_unstall_init(&unstall, rk);
  while (n < want) {
    if (n % 1024 == 0) serve(rk);
    rd_kafka_message_t *m = rd_kafka_consume_queue(data, 20);
    if (m && !m->err) {
      rl_unstall_taken(&unstall, rk, m->len);
      if (n++ == 0) first = rl_now();
    } else if (!m) {
      serve(rk);
      if (n != seen) last = rl_now();
      seen = n;
      give_up_after(last);
    }
    if (m) rd_kafka_message_destroy(m);
  }
  printf("messages=%lld seconds=%.4f\n", n, (double)(rl_now() - first) / 1e9);
  fflush(stdout); /* first.c waits for it, not for the way out */
  rl_unstall_free(&unstall);
}

int main(int argc, char **argv) {
  if (argc != 5) die("usage", "consume BROKERS TOPIC GROUP COUNT");
  rd_kafka_t *rk = join(argv[1], argv[2], argv[3]);
  consume(rk, atoll(argv[4]));
  rd_kafka_consumer_close(rk);
  rd_kafka_queue_destroy(data);
  rd_kafka_destroy(rk);
  return 0;
}
