/* deal: sends files as messages, in turn, to the partitions in turn.
 *
 *   deal BROKERS TOPIC PARTITIONS COUNT FILE...     prints "messages=N bytes=B" once all are acknowledged
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "kafka/client_conf.h"

#define FLUSH_MS 300000
#define LATER_MS 100

static long long refused;

static void die(const char *what, const char *why) {
  fprintf(stderr, "deal: %s: %s\n", what, why);
  exit(1);
}

static void reported(rd_kafka_t *rk, const rd_kafka_message_t *m, void *opaque) {
  (void)rk, (void)opaque;
  if (m->err) refused++;
}

static rd_kafka_t *producer(const char *brokers) {
  struct rl_err err = {0};
  char why[512];
  struct rl_client_opts opts = {.side = RL_SIDE_PRODUCER, .brokers = brokers};
  rd_kafka_conf_t *conf = rl_client_conf(&opts, &err);
  if (!conf) die("settings", err.text);
  rd_kafka_conf_set_dr_msg_cb(conf, reported);
  rd_kafka_t *rk = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof why);
  if (!rk) die("producer", why);
  return rk;
}

static struct rl_buf slurp(const char *path) {
  struct rl_buf file = RL_BUF_INIT;
  FILE *in = fopen(path, "rb");
  if (!in) die(path, "cannot be read");
  for (size_t n; (n = fread(rl_buf_reserve(&file, 1 << 16), 1, 1 << 16, in)) > 0;) file.len += n;
  if (ferror(in) || file.len == 0) die(path, "nothing read");
  fclose(in);
  return file;
}

static void send_one(rd_kafka_t *rk, const char *topic, int partition, struct rl_bytes value) {
  for (;;) {
    rd_kafka_resp_err_t err =
        rd_kafka_producev(rk, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_PARTITION(partition),
                          RD_KAFKA_V_VALUE((void *)(size_t)value.data, value.len), RD_KAFKA_V_END);
    if (!err) break;
    if (err != RD_KAFKA_RESP_ERR__QUEUE_FULL) die(topic, rd_kafka_err2str(err));
    rd_kafka_poll(rk, LATER_MS);
  }
  rd_kafka_poll(rk, 0);
}

int main(int argc, char **argv) {
  if (argc < 6) die("usage", "deal BROKERS TOPIC PARTITIONS COUNT FILE...");
  rd_kafka_t *rk = producer(argv[1]);
  int partitions = atoi(argv[3]), files = argc - 5;
  long long count = atoll(argv[4]), bytes = 0;
  struct rl_buf *values = calloc((size_t)files, sizeof *values);
  if (!values || partitions < 1) die("usage", "PARTITIONS is 1 or more");
  for (int i = 0; i < files; i++) values[i] = slurp(argv[5 + i]);
  for (long long i = 0; i < count; i++) {
    struct rl_bytes value = rl_buf_bytes(&values[i % files]);
    send_one(rk, argv[2], (int)(i % partitions), value);
    bytes += (long long)value.len;
  }
  if (rd_kafka_flush(rk, FLUSH_MS) || refused) die(argv[2], "not all were taken");
  printf("messages=%lld bytes=%lld\n", count, bytes);
  rd_kafka_destroy(rk);
  for (int i = 0; i < files; i++) rl_buf_free(&values[i]);
  free(values);
  return 0;
}
