/* trickle: how long a message takes through a forwarder, from one topic to another.
 *
 *   trickle measure BROKERS IN OUT PARTITIONS RATE COUNT    sends COUNT messages to IN, RATE a second, and
 * waits for each at OUT: prints "messages=N p50_ms=A p99_ms=B max_ms=C", from before it is given to the
 * producer until it is taken from the consumer, both in this process and by one clock. Single messages go
 * first, until one comes back: who forwards them is at work then. trickle loop BROKERS IN OUT GROUP the
 * bound: consumes and produces one by one with rille's own client settings, commits nothing, until it is
 * killed
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "kafka/client_conf.h"

#define POLL_MS 100
#define PROBE_MS 200
#define GIVE_UP_NS (60 * RL_NS_PER_S)

static void die(const char *what, const char *why) {
  fprintf(stderr, "trickle: %s: %s\n", what, why);
  exit(1);
}

static rd_kafka_t *client(enum rl_side side, const char *brokers, const char *group) {
  struct rl_err err = {0};
  char why[512];
  struct rl_client_opts opts = {.side = side, .brokers = brokers, .group = group};
  rd_kafka_conf_t *conf = rl_client_conf(&opts, &err);
  if (!conf) die("settings", err.text);
  rd_kafka_type_t type = side == RL_SIDE_CONSUMER ? RD_KAFKA_CONSUMER : RD_KAFKA_PRODUCER;
  rd_kafka_t *rk = rd_kafka_new(type, conf, why, sizeof why);
  if (!rk) die("client", why);
  if (type == RD_KAFKA_CONSUMER) rd_kafka_poll_set_consumer(rk);
  return rk;
}

static void produce(rd_kafka_t *rk, const char *topic, const void *value, size_t len) {
  rd_kafka_resp_err_t err =
      rd_kafka_producev(rk, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                        RD_KAFKA_V_VALUE((void *)(size_t)value, len), RD_KAFKA_V_END);
  if (err) die(topic, rd_kafka_err2str(err));
  rd_kafka_poll(rk, 0);
}

/* A message of the consumer's; NULL when there is none yet. */
static rd_kafka_message_t *take(rd_kafka_t *rk) {
  rd_kafka_message_t *m = rd_kafka_consumer_poll(rk, POLL_MS);
  if (!m || !m->err) return m;
  if (m->err != RD_KAFKA_RESP_ERR__PARTITION_EOF) die("consumer", rd_kafka_message_errstr(m));
  rd_kafka_message_destroy(m);
  return NULL;
}

static _Noreturn void loop(char **argv) {
  rd_kafka_t *from = client(RL_SIDE_CONSUMER, argv[0], argv[3]),
             *to = client(RL_SIDE_PRODUCER, argv[0], NULL);
  rd_kafka_topic_partition_list_t *topics = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(topics, argv[1], RD_KAFKA_PARTITION_UA);
  rd_kafka_subscribe(from, topics);
  rd_kafka_topic_partition_list_destroy(topics);
  for (;;) {
    rd_kafka_message_t *m = take(from);
    if (!m) continue;
    produce(to, argv[2], m->payload, m->len);
    rd_kafka_message_destroy(m);
  }
}

/* A message: what it is, and when it was sent. A probe's number is -1. */
struct note {
  long long number;
  int64_t sent;
};

struct arrivals {
  rd_kafka_t *rk;
  int64_t *took; /* ns, by number; 0: not yet */
  long long want;
  atomic_llong n;
  atomic_bool probed, end;
};

static void arrived(struct arrivals *a, const struct note *note, int64_t now) {
  if (note->number < 0) {
    atomic_store(&a->probed, true);
  } else if (note->number < a->want && !a->took[note->number]) { /* at least once: the first time counts */
    a->took[note->number] = now - note->sent;
    atomic_fetch_add(&a->n, 1);
  }
}

static void *receive(void *arg) {
  struct arrivals *a = arg;
  while (!atomic_load(&a->end)) {
    struct note note;
    rd_kafka_message_t *m = take(a->rk);
    int64_t now = rl_now();
    if (!m) continue;
    if (m->len != sizeof note) die("a message", "not one of ours");
    memcpy(&note, m->payload, sizeof note);
    arrived(a, &note, now);
    rd_kafka_message_destroy(m);
  }
  return NULL;
}

static void wait_until(int64_t at) {
  struct timespec t = {.tv_sec = at / RL_NS_PER_S, .tv_nsec = at % RL_NS_PER_S};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL)) continue;
}

static void probe(rd_kafka_t *to, const char *topic, struct arrivals *a) {
  int64_t begin = rl_now();
  for (int64_t at = begin; !atomic_load(&a->probed); at += PROBE_MS * RL_NS_PER_MS) {
    struct note note = {-1, at};
    if (at - begin > GIVE_UP_NS) die(topic, "nothing comes through");
    produce(to, topic, &note, sizeof note);
    wait_until(at + PROBE_MS * RL_NS_PER_MS);
  }
}

static void send_all(rd_kafka_t *to, const char *topic, struct arrivals *a, double rate) {
  int64_t begin = rl_now();
  for (long long i = 0; i < a->want; i++) {
    wait_until(begin + (int64_t)((double)i / rate * (double)RL_NS_PER_S));
    struct note note = {i, rl_now()};
    produce(to, topic, &note, sizeof note);
  }
  for (int64_t since = rl_now(); atomic_load(&a->n) < a->want; rd_kafka_poll(to, POLL_MS))
    if (rl_now() - since > GIVE_UP_NS) die(topic, "messages are missing at the other end");
}

static int by_size(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void report(struct arrivals *a) {
  size_t n = (size_t)a->want;
  qsort(a->took, n, sizeof *a->took, by_size);
  double ms = (double)RL_NS_PER_MS;
  printf("messages=%zu p50_ms=%.3f p99_ms=%.3f max_ms=%.3f\n", n, (double)a->took[(n - 1) / 2] / ms,
         (double)a->took[(n - 1) * 99 / 100] / ms, (double)a->took[n - 1] / ms);
}

static int measure(char **argv) {
  int partitions = atoi(argv[3]);
  struct arrivals a = {.want = atoll(argv[5])};
  rd_kafka_t *to = client(RL_SIDE_PRODUCER, argv[0], NULL);
  pthread_t thread;
  a.rk = client(RL_SIDE_CONSUMER, argv[0], NULL);
  a.took = calloc((size_t)(a.want > 0 ? a.want : 1), sizeof *a.took);
  if (!a.took || a.want < 1) die("usage", "COUNT is 1 or more");
  rd_kafka_topic_partition_list_t *all = rd_kafka_topic_partition_list_new(partitions);
  for (int i = 0; i < partitions; i++)
    rd_kafka_topic_partition_list_add(all, argv[2], i)->offset = RD_KAFKA_OFFSET_BEGINNING;
  rd_kafka_assign(a.rk, all);
  rd_kafka_topic_partition_list_destroy(all);
  if (pthread_create(&thread, NULL, receive, &a)) die("thread", "cannot be made");
  probe(to, argv[1], &a);
  send_all(to, argv[1], &a, strtod(argv[4], NULL));
  atomic_store(&a.end, true);
  pthread_join(thread, NULL);
  report(&a);
  rd_kafka_consumer_close(a.rk);
  rd_kafka_destroy(a.rk);
  rd_kafka_destroy(to);
  free(a.took);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 8 && !strcmp(argv[1], "measure")) return measure(argv + 2);
  if (argc == 6 && !strcmp(argv[1], "loop")) loop(argv + 2);
  die("usage", "measure BROKERS IN OUT PARTITIONS RATE COUNT, or loop BROKERS IN OUT GROUP");
}
